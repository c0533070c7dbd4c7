/*
 * Lists the browser's views, such as the functions view and the flame graph, in one table. browse.c passes this table to
 * browser_init().
 */
#include "core/show/browse/views.h"

const struct view_ops *const browse_views[NR_VIEWS] = {
#define VIEW(id, name, ...) [VIEW_##id] = &view_##name,
	BROWSE_VIEWS(VIEW)
#undef VIEW
};
