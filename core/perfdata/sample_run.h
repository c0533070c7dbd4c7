/*
 * Counts consecutive SAMPLE records, and collects their times, threads and CPUs. It decodes no other fields, so that the first
 * pass over a recording (core/read/scan.h) is fast.
 */
#ifndef CORE_PERFDATA_SAMPLE_RUN_H
#define CORE_PERFDATA_SAMPLE_RUN_H

#include <string.h>

#include "core/base/id_set.h"
#include "core/perfdata/event_table.h"

struct sample_run {
	uint64_t nr, bytes;
	uint64_t first_time, last_time;	/* the least and the greatest */
	uint64_t time;			/* time of the last sample */
	uint32_t size;			/* bytes of the last sample */
	bool unsure;			/* some sample has no time, or may be incomplete */
	struct id_set tids, cpus;	/* threads and CPUs of the samples, but not of those that may be incomplete */
};

/*
 * Finds the samples at the front of the @left bytes at @records, which are in native byte order. Samples that begin at offset @room
 * or later are left out. Counts the samples in @by_event, by the event's number. False: the first record is no sample, or a sample
 * that must be looked at by itself: it has no known event, its event records no times or trace in samples, or it is cut.
 */
bool sample_run_find(struct sample_run *out, uint64_t *by_event, struct event_memo *memo, const struct event_table *events,
		     const uint8_t *records, uint64_t left, uint64_t room);

/* Adds the thread and the CPU of the sample with this body, which has all its fixed fields. Without a thread, adds all threads. */
static inline void sample_ids_add(struct id_set *tids, struct id_set *cpus, const struct sample_layout *l, const uint8_t *body)
{
	uint32_t id;

	if (l->tid_at >= 0) {
		memcpy(&id, body + l->tid_at + sizeof(id), sizeof(id));
		id_set_add(tids, id);
	} else {
		id_set_fill(tids);
	}
	if (l->cpu_at >= 0) {
		memcpy(&id, body + l->cpu_at, sizeof(id));
		id_set_add(cpus, id);
	}
}

#endif
