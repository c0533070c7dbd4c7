/* The table of views. Layer: browse */
#include "core/show/browse/views.h"

const struct view_ops *const browse_views[NR_VIEWS] = {
	[VIEW_FUNCTIONS] = &view_functions, [VIEW_SANDWICH] = &view_sandwich, [VIEW_TREE] = &view_tree, [VIEW_FLAME] = &view_flame,
	[VIEW_TIMELINE] = &view_timeline, [VIEW_THREADS] = &view_threads, [VIEW_ANNOTATE] = &view_annotate,
	[VIEW_SAMPLES] = &view_samples, [VIEW_FINDINGS] = &view_findings, [VIEW_HEADER] = &view_header, [VIEW_HELP] = &view_help,
};
