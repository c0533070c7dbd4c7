/*
 * Selects the events of a recording that fill AUX areas (AUX events), such as intel_pt//. All of them must be of one kind of trace
 * device. The first AUX event moves to the front of the list of events, with its group, because the AUX event must open the ring
 * buffer. Events that need the trace join this event's group (aux_group.h). The device's configure() (recording_ops.h) then sets
 * the attributes that the user has not set.
 * Layer: auxtrace
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
 * Selects and completes the events of @rec, and sets the size of areas in @o. Returns 0; or prints an error and returns -1, for
 * example if @o needs areas but no event fills one. Call aux_events_release() in any case.
 */
int aux_events_select(struct aux_events *out, struct recorder_opts *rec, struct aux_record_opts *o);
void aux_events_release(struct aux_events *e);

/* True if PMU @pmu is a hardware trace device. Used as event_requests.traces. */
bool aux_traces(const char *pmu);

/* True if there is an area for each CPU, not for each thread. */
bool aux_is_per_cpu(const struct recorder_opts *rec);

#endif
