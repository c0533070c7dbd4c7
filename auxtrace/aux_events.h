/*
 * Selects AUX events for recording.c: the events, such as intel_pt//, whose hardware trace fills AUX areas. aux_group.h then puts
 * events that need the trace into the group of the AUX event.
 */
#ifndef AUXTRACE_AUX_EVENTS_H
#define AUXTRACE_AUX_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/record/events/pmu.h"

struct aux_record_opts {
	uint64_t area_bytes;		/* size of each area, a power of two of pages; 0: a default, larger for privileged users */
	bool snapshot, at_exit;		/* -S, -Se */
	uint64_t snapshot_bytes;	/* a snapshot has at most this much of each area; 0: all */
	uint32_t sample_bytes;		/* --aux-sample: bytes of the newest trace in each sample; 0: each event's own setting */
};

struct aux_backend;
struct event_request;
struct recorder_opts;

struct aux_events {
	const struct aux_backend *device;	/* NULL: no event fills areas */
	struct pmus pmus;			/* owned */
	struct pmu pmu;				/* the PMU of .first; its name is borrowed from .pmus */
	const struct event_request *first;	/* the first event that fills areas; borrowed */
	bool sampled;				/* the trace is a part of samples, and not saved otherwise */
};

/*
 * Selects and completes the AUX events of @rec, and sets the size of areas in @o. All AUX events must be of one kind of trace
 * device. The first moves to the front of the list of events, with its group, because it must open the ring buffer. The device's
 * configure() (recording_ops.h) sets the attributes that the user has not set. Returns 0; or prints an error and returns -1, for
 * example if @o needs areas but no event fills one. The caller releases .pmus in any case.
 */
int aux_events_select(struct aux_events *out, struct recorder_opts *rec, struct aux_record_opts *o);

/* True if PMU @pmu is a hardware trace device. Used as event_requests.traces. */
bool aux_traces(const char *pmu);

/* True if there is an area for each CPU, not for each thread. */
bool aux_is_per_cpu(const struct recorder_opts *rec);

#endif
