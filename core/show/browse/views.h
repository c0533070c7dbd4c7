/*
 * All views, each in a file of its own.
 * Layer: browse
 */
#ifndef CORE_SHOW_BROWSE_VIEWS_H
#define CORE_SHOW_BROWSE_VIEWS_H

#include "core/show/browse/browser.h"

extern const struct view_ops view_functions, view_sandwich, view_tree, view_flame, view_timeline, view_threads, view_annotate,
	view_samples, view_findings, view_header, view_help;

/* By enum view_id; for browser_init(). */
extern const struct view_ops *const browse_views[NR_VIEWS];

#endif
