/* Defines the table of the browser's views, which browse.c passes to browser_init(). Layer: browse */
#include "core/show/browse/views.h"

const struct view_ops *const browse_views[NR_VIEWS] = {
#define VIEW(id, name) [VIEW_##id] = &view_##name,
	BROWSE_VIEWS(VIEW)
#undef VIEW
};
