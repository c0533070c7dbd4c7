/*
 * Declares the functions through which the recorder controls hardware tracing such as Intel PT, for example to start the trace
 * or to save a snapshot. The files in auxtrace implement these functions.
 */
#ifndef CORE_RECORD_LOOP_RECORDER_AUX_H
#define CORE_RECORD_LOOP_RECORDER_AUX_H

#include <stdbool.h>

struct buf;
struct data_writer;
struct drain;
struct event_set;
struct features;
struct findings;
struct stats;

struct recorder_aux {
	bool snapshot;		/* areas are overwritten, and saved at SIGUSR2 */
	bool at_exit;		/* areas are saved at the end, too */
	/* The events are open: map the areas, to be drained after @rings. Prints errors; returns 0 or -1. */
	int (*start)(struct recorder_aux *a, struct event_set *set, const struct stats *stats, struct drain *rings);
	/* A file begins: append the records that describe the trace (AUXTRACE_INFO ...). */
	void (*describe)(struct recorder_aux *a, struct buf *out);
	/* For a snapshot: stop the trace, and let it go on. Between the two the rings are drained, and save() is called. */
	void (*stop)(struct recorder_aux *a);
	void (*resume)(struct recorder_aux *a);
	/* Append what the areas hold. Returns 0 or -errno of the failed write. */
	int (*save)(struct recorder_aux *a, struct data_writer *w);
	/* A file ends: fills the auxtrace index. */
	void (*index)(struct recorder_aux *a, struct features *f);
	/* The recording ends: adds findings about trace that was lost. */
	void (*findings)(const struct recorder_aux *a, struct findings *out);
};

#endif
