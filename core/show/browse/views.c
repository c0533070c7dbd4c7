/* The table of views. Layer: browse */
#include "core/show/browse/views.h"

const struct view_ops *const browse_views[NR_VIEWS] = {
#define VIEW(id, name) [VIEW_##id] = &view_##name,
	BROWSE_VIEWS(VIEW)
#undef VIEW
};
