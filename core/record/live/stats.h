/*
 * Counts the records that the recorder reads from ring buffers, such as samples and losses, for core/record/loop/summary.c. Also
 * passes records of maps, forks and exits to the modules that need them, such as binary_saver.h.
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
	/* AUX records with these flags (PERF_AUX_FLAG_*). */
	uint64_t aux_truncated, aux_partial, aux_collision;
	uint64_t lost;			/* records counted in its LOST records, side band included */
	uint64_t last_time;		/* the time of its last record; 0: none yet */
};

/* A gap: between two records of a ring buffer, records are missing. */
struct stats_gap {
	uint32_t ring;
	uint64_t from, to, lost;	/* .from, .to: ns; .from is 0 if no record came before the gap; .lost: missing records */
};

struct stats_throttle { uint64_t stream, since; };	/* .stream: PERF_SAMPLE_STREAM_ID, of one event of one thread */

#define STATS_GAPS_MAX	1000		/* this many gaps are stored; others are only counted */

struct stats {
	uint64_t samples, records, bytes;
	uint64_t samples_before;	/* the part of .samples that is in earlier files */
	uint64_t side_band;		/* records such as MMAP and COMM: stats_is_side_band() */
	uint64_t unwritten;		/* samples that were read, but could not be written; not counted in .samples */
	uint64_t lost;			/* records counted in the LOST records of all ring buffers */
	uint64_t nr_gaps, gap_ns;	/* .nr_gaps: the number of gaps; .gap_ns: the sum of their lengths */
	struct stats_gap longest;
	uint64_t shed;			/* samples written without unwinding whose stack was shed */
	uint32_t stack_bytes;		/* the size to which copies of stacks grew; 0: they did not */
	uint64_t throttled;		/* how often the kernel stopped sampling because the rate was too high */
	uint64_t throttled_ns;		/* how long sampling of the clock event was stopped, idle or asleep or not */
	uint64_t first_time, last_time;	/* the times of the first and the last sample, ns; both 0: no sample yet */
	VEC(struct stats_ring) rings;	/* by number of the ring buffer */
	VEC(struct stats_gap) gaps;
	/* The parts of .gaps, .nr_gaps and .gap_ns that are in earlier files. */
	uint64_t gaps_written, nr_gaps_written, gap_ns_written;
	uint64_t clock_counted, clock_idle;	/* .clock_counted: samples of the clock event, if not .clock_alone; .clock_idle: its
						 * samples of the idle task */
	VEC(struct stats_throttle) throttles;	/* times without sampling of the clock event that have begun and not ended */
	/* Set by stats_init() and by the caller, before the first stats_count(). */
	const struct event_table *events;	/* borrowed */
	uint32_t clock;			/* the clock event, whose samples cpu_accounting.h compares with the CPU time; UINT32_MAX:
					 * none */
	bool clock_alone;		/* all samples are of the clock event */
	int idle_at;			/* offset of pid and tid in samples, both 0 for the idle task; -1: not read */
	int time_at;			/* offset of the time in samples; -1: they have none */
	uint16_t trailer_size;		/* size of the sample_id at the end of records other than samples, if it has the time;
					 * otherwise 0 */
	struct binary_saver *binary_saver;		/* borrowed; copies mapped files; NULL: no copies */
	struct jit_maps *jit_maps;	/* borrowed; copies map files of JIT compilers (stats_see_jit_maps()); NULL: not used */
	struct pid_bits *sampled;	/* borrowed; processes that have samples; NULL: not noted */
	uint32_t *of_pid;		/* samples by process, of which those that are equal modulo PID_BITS share a count; NULL
					 * with .sampled; owned */
	int tid_at;			/* offset of pid and tid in samples, for .sampled and .of_pid */
	struct python *python;		/* borrowed; NULL: Python's frames are not read */
	struct mapped_files files;
};

void stats_init(struct stats *t, const struct event_table *events, enum mapped_ids ids);
/* True for records such as MMAP, COMM and FORK, which change the meaning of names and addresses from their time on. */
bool stats_is_side_band(uint32_t type);
/* Passes records to @maps, too. Without pids in samples all processes count as sampled. Before the first stats_count(). */
void stats_see_jit_maps(struct stats *t, struct jit_maps *maps);
/* Counts the samples of @clock separately, with @idle those of the idle task. Call it before the first stats_count(). */
void stats_watch_clock(struct stats *t, uint32_t clock, bool idle);
/* Returns the number of samples of that clock event, whether they could be written or not. */
uint64_t stats_clock_samples(const struct stats *t);
/* Counts the records of @s, a part of ring buffer number @ring. */
void stats_count(struct stats *t, const struct ring_span *s, uint32_t ring);
/* Adds the counts of @from, which counts other ring buffers of the same recording, to @t, and resets @from. */
void stats_collect(struct stats *t, struct stats *from);
/* Begins the counts by process again, for the next file of the recording. Call it after stats_collect(). */
void stats_begin_file(struct stats *t);
void stats_release(struct stats *t);

#endif
