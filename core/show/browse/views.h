/*
 * Declares the views of the browser. Each view is in a file of its name (view_functions.c, view_flame.c and so on).
 * Layer: browse
 */
#ifndef CORE_SHOW_BROWSE_VIEWS_H
#define CORE_SHOW_BROWSE_VIEWS_H

#include "core/show/browse/browser.h"

#define VIEW(id, name) extern const struct view_ops view_##name;
BROWSE_VIEWS(VIEW)
#undef VIEW

/* Indexed by enum view_id; an argument of browser_init(). */
extern const struct view_ops *const browse_views[NR_VIEWS];

#endif
