/*
 * All views, each in a file of its own.
 * Layer: browse
 */
#ifndef CORE_SHOW_BROWSE_VIEWS_H
#define CORE_SHOW_BROWSE_VIEWS_H

#include "core/show/browse/browser.h"

#define VIEW(id, name) extern const struct view_ops view_##name;
BROWSE_VIEWS(VIEW)
#undef VIEW

/* By enum view_id; for browser_init(). */
extern const struct view_ops *const browse_views[NR_VIEWS];

#endif
