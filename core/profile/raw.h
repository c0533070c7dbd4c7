/*
 * Samples summed up before anything has a name: one row for each distinct combination of what the report's
 * columns need, and no more. Each worker has a table; they become one when all samples were seen.
 * Layer: profile
 */
#ifndef CORE_PROFILE_RAW_H
#define CORE_PROFILE_RAW_H

#include "core/base/hash.h"
#include "core/base/vec.h"
#include "core/model/chain.h"
#include "core/model/site.h"
#include "core/profile/blob.h"

struct event;
struct filter;
struct item;
struct cpus;
struct running;
struct runqueues;
struct session;

enum raw_need {		/* what of a sample keeps rows apart, besides the event */
	RAW_COMM	= 1u << 0,
	RAW_FOLDED	= 1u << 1,	/* with RAW_COMM: names without their numbers are shown */
	RAW_TID		= 1u << 2,
	RAW_PLACE	= 1u << 3,	/* the site of its ip */
	RAW_DSO		= 1u << 4,	/* which file ip is in: all that is kept of a place without RAW_PLACE */
	RAW_LINE	= 1u << 5,	/* the lines of a function are told apart, */
	RAW_OFFSET	= 1u << 6,	/* or its addresses */
	RAW_BRANCH	= 1u << 7,	/* where each of its last branches went from and to */
	RAW_CHAIN	= 1u << 8,
	RAW_PARENT	= 1u << 9,	/* the function in its chain that hists_opts.parent looks for */
	RAW_CPU		= 1u << 10,
	RAW_TIME	= 1u << 11,	/* in slots of raw_opts.slot_ns */
	RAW_MODE	= 1u << 12,	/* kernel, user, guest */
	RAW_QUEUE	= 1u << 13,	/* how many threads waited for its CPU */
	RAW_CGROUP	= 1u << 14,	/* as a number of the machine's */
	RAW_TRACE	= 1u << 15,	/* the fields of a tracepoint */
	RAW_MEM_SOURCE	= 1u << 16,	/* of a memory access: where the data came from, */
	RAW_MEM_PLACE	= 1u << 17,	/* where it is, */
	RAW_MEM_PHYS	= 1u << 18,	/* and in physical memory */
	RAW_WORDS	= 1u << 19,	/* what key.word() reads of it */
	RAW_WEIGHTS	= 1u << 20,	/* the three parts of its weight */
	RAW_RUNNING	= 1u << 21,	/* how many threads ran at its time */
	RAW_THREAD	= 1u << 22,	/* which life of a thread, in raw_key.tid: a number of the machine's */

	RAW_MEM = RAW_MEM_SOURCE | RAW_MEM_PLACE | RAW_MEM_PHYS,
	/* What raw_opts.describe puts down of a sample. */
	RAW_DETAIL = RAW_TRACE | RAW_MEM | RAW_WORDS | RAW_WEIGHTS | RAW_RUNNING,
};

#define RAW_NO_CPU UINT32_MAX

struct raw_key {	/* zero where not needed; no padding: compared and hashed as words */
	uint64_t at, slot;	/* at, home: the site's; of one in SPACE_NONE the mode is needed, too */
	/*
	 * With RAW_DSO instead of RAW_PLACE the dso's number, or SITE_NO_DSO. With RAW_BRANCH the number of the site that the
	 * branch went to, and .at that of the one it came from.
	 */
	uint32_t home;
	uint32_t event, comm, tid, chain, cpu, detail, cgroup;	/* where keys ask, .chain is the parent's spot + 1; 0: none */
	uint32_t mode, queue;	/* queue: RUNQUEUE_UNKNOWN where the CPU is not known */
};

_Static_assert(sizeof(struct raw_key) == 2 * sizeof(uint64_t) + 10 * sizeof(uint32_t), "padding would be compared");

struct raw {
	struct raw_key key;
	uint64_t period, nr;
	uint64_t ip;		/* with RAW_PLACE: where its site was seen with the lowest address */
	uint32_t space;
};

struct raw_table {
	VEC(struct raw) rows;
	struct index by_key;
};

/* Add the samples of @row. */
void raw_add(struct raw_table *t, const struct raw *row);
/* The number in @sites of the site of @row, collected with RAW_PLACE and without RAW_BRANCH. */
uint32_t raw_site(struct site_table *sites, const struct raw *row);
void raw_table_release(struct raw_table *t);

struct raw_total {	/* of an event */
	uint64_t nr, period;			/* inside the filter's window of CPUs and time */
	uint64_t nr_out, period_out;		/* of these, what the filter leaves out by comm, pid, tid */
	uint64_t nr_single;			/* samples of times when nothing else ran; with RAW_RUNNING */
	uint64_t latency_out;			/* of period_out the part of time: see sums.latency; with RAW_RUNNING */
	uint64_t period_idle;			/* of period less period_out: of the idle tasks (thread 0, swapper) */
	uint64_t nr_no_chain;			/* samples without a call chain where the event should have one */
};

struct reading {		/* what values are read from */
	const struct item *item;
	uint64_t branch;	/* flags of struct perf_branch_entry, with RAW_BRANCH */
	uint32_t running;	/* threads that ran at the time, at least 1; with RAW_RUNNING, else 0 */
};

struct raw_opts {
	unsigned needs;			/* RAW_* */
	const struct event *event;	/* only its samples; NULL: all events'. Borrowed */
	bool moments;			/* remember when each sample was: raws_moments() */
	uint64_t slot_ns;		/* of RAW_TIME; at least 1 */
	unsigned max_depth;		/* innermost frames kept of a chain */
	const struct filter *filter;	/* borrowed */
	uint64_t (*count)(const struct item *item);	/* what a sample counts; NULL: its period */
	/* With some of RAW_DETAIL: append what else keeps a sample apart; from any thread. */
	void (*describe)(const void *ctx, const struct reading *r, struct buf *out);
	const void *describe_ctx;	/* borrowed */
	const struct runqueues *queues;	/* borrowed; for RAW_QUEUE */
	const struct running *running;	/* borrowed; for RAW_RUNNING */
	const struct cpus *wanted_running;	/* borrowed; samples of other numbers of threads are filtered; NULL: none are */
};

/* The samples of a worker: for each the time since the one before (zigzag), its row, its period, as varints. */
struct raw_moments {
	struct buf bytes;
	uint32_t *rows;		/* owned: the numbers in raws.table of the worker's rows; NULL: they are the same */
};

struct raws {		/* = {0}; raws_release() */
	struct raw_table table;
	struct site_table sites;
	struct chain_table chains;
	struct blobs details;		/* raw_key.detail is a number of them */
	VEC(struct raw_total) totals;	/* by event number */
	VEC(struct raw_moments) moments;
};

/* Sum up all samples of @s. Returns 0. */
int raws_collect(struct raws *out, struct session *s, const struct raw_opts *opts);
/* Call @sample for each sample, in no order, with the number of its row. */
void raws_moments(const struct raws *r, void (*sample)(void *ctx, uint64_t time, uint32_t row, uint64_t period), void *ctx);
void raws_release(struct raws *r);

#endif
