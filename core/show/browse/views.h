/*
 * Declares the views of the browser. view_text.c has the four views that are plain text (findings, header, processes and help).
 * Each other view has a file of its name, such as view_flame.c.
 */
#ifndef CORE_SHOW_BROWSE_VIEWS_H
#define CORE_SHOW_BROWSE_VIEWS_H

#include "core/show/browse/browser.h"

#define VIEW(id, name, ...) extern const struct view_ops view_##name;
BROWSE_VIEWS(VIEW)
#undef VIEW

/* By enum view_id; an argument of browser_init(). */
extern const struct view_ops *const browse_views[NR_VIEWS];

#endif
