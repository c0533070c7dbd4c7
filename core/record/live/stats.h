/*
 * Statistics of the records that pass through the rings: samples, losses and their times, the time span, mapped files.
 * Layer: live
 */
#ifndef CORE_RECORD_LIVE_STATS_H
#define CORE_RECORD_LIVE_STATS_H

#include <stdint.h>

#include "core/base/vec.h"
#include "core/record/live/mapped_files.h"

struct event_table;
struct jit_maps;
struct pid_bits;
struct python;
struct binary_saver;
struct ring_span;

struct stats_ring {
	/* AUX records that say so (PERF_AUX_FLAG_*). */
	uint64_t aux_truncated, aux_partial, aux_collision;
	uint64_t lost;			/* records counted in its LOST records, side band included */
	uint64_t last_time;		/* of its last record; 0: none yet */
};

/* Between two records of a ring something is missing. */
struct stats_gap {
	uint32_t ring;
	uint64_t from, to, lost;	/* ns; from 0: nothing was seen before */
};

struct stats_throttle { uint64_t id, since; };

#define STATS_GAPS_MAX	1000		/* kept of them; the rest is only counted */

struct stats {
	uint64_t samples, records, bytes;
	uint64_t side_band;		/* records that stats_is_side_band() */
	uint64_t unwritten;		/* samples that were taken, and not counted in .samples: writing them failed */
	uint64_t lost;			/* of all rings */
	uint64_t nr_gaps, gap_ns;	/* how many, and their lengths together */
	struct stats_gap longest;
	uint64_t shed;			/* samples, of those that are written as they come, without the stack that was asked for */
	uint32_t stack_bytes;		/* to which copies of the stack grew; 0: they did not */
	uint64_t throttled;		/* times that the kernel stopped sampling for being too fast */
	uint64_t throttled_ns;		/* how long it did, of the clock */
	uint64_t first_time, last_time;	/* of samples, ns; both 0: none seen */
	VEC(struct stats_ring) rings;	/* by number */
	VEC(struct stats_gap) gaps;
	/* The part of these in earlier files. */
	uint64_t gaps_written, nr_gaps_written, gap_ns_written;
	uint64_t clock_counted, clock_idle;	/* samples of the clock, if it is not alone; of the idle task */
	VEC(struct stats_throttle) throttles;	/* of the clock, begun and not ended */
	/* Set before the first span. */
	const struct event_table *events;	/* borrowed */
	uint32_t clock;			/* the event whose time is balanced (cpu_accounting.h); UINT32_MAX: none */
	bool clock_alone;		/* all samples are its */
	int idle_at;			/* where samples have the pid and tid that are 0 of the idle task; -1: not looked at */
	int time_at;			/* where samples have their time, from the record's start; -1: nowhere */
	uint16_t trailer_size;		/* of other records, if times are in it; else 0 */
	struct binary_saver *binary_saver;		/* borrowed; copies mapped files; NULL: no copies */
	struct jit_maps *jit_maps;	/* borrowed; NULL: they are not kept. stats_see_jit_maps() */
	struct pid_bits *sampled;	/* borrowed; processes that have samples; NULL: not noted */
	int tid_at;			/* where samples have their pid and tid, from the record's start, for that */
	struct python *python;		/* borrowed; NULL: Python's frames are not read */
	struct mapped_files files;
};

void stats_init(struct stats *t, const struct event_table *events, enum mapped_ids ids);
/* True if a record of this type changes the meaning of names and addresses from its time on. */
bool stats_is_side_band(uint32_t type);
/* Give @maps its records; if samples have no pid, all processes count as sampled. Before the first span. */
void stats_see_jit_maps(struct stats *t, struct jit_maps *maps);
/* Look at samples of @clock apart, and with @idle for those of the idle task. Before the first span. */
void stats_watch_clock(struct stats *t, uint32_t clock, bool idle);
/* Samples of the clock: taken, whether they could be written or not. */
uint64_t stats_clock_samples(const struct stats *t);
/* Count the records of a span of ring number @ring. */
void stats_count(struct stats *t, const struct ring_span *s, uint32_t ring);
/* Add to @t what @from counted, which then counts from nothing: two that look at different rings of a recording. */
void stats_collect(struct stats *t, struct stats *from);
void stats_release(struct stats *t);

#endif
