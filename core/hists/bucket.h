/*
 * Sums samples that are equal in everything that a report needs, such as thread and address. Each such sum is a bucket. naming.h
 * then looks up the names, once for each distinct address.
 */
#ifndef CORE_HISTS_BUCKET_H
#define CORE_HISTS_BUCKET_H

#include "core/base/byte_table.h"
#include "core/base/hash.h"
#include "core/base/spill.h"
#include "core/base/vec.h"
#include "core/model/addr_key.h"
#include "core/model/chain.h"
#include "core/hists/need.h"

struct event;
struct filter;
struct item;
struct cpus;
struct running;
struct runqueues;
struct session;

#define CPU_NONE UINT32_MAX

/* The parts of a sample that the report needs (need.h). Samples with equal keys are in one bucket. */
struct bucket_key {	/* zero if not needed; no padding: compared and hashed as words */
	union {
		uint64_t at;		/* with NEED_ADDRESS: .at, .owner, in SPACE_NONE also .mode, are those of the address key */
		uint64_t from;		/* with NEED_BRANCH: the number of the address key of the branch's source */
	};
	uint64_t slot;
	union {
		uint32_t owner;
		uint32_t to;		/* with NEED_BRANCH: the number of the address key of the branch's target */
		uint32_t dso;		/* with NEED_DSO alone: the dso's number, or DSO_NONE */
	};
	union {
		uint32_t chain;		/* a node of buckets.chains */
		uint32_t parent;	/* only for key.value(): 1 + the location of the function that --parent matches; 0: none */
	};
	uint32_t event, comm, tid, cpu, detail, cgroup;
	uint32_t mode, queue;	/* queue: RUNQUEUE_UNKNOWN if the CPU is not known */
};

_Static_assert(sizeof(struct bucket_key) == 2 * sizeof(uint64_t) + 10 * sizeof(uint32_t), "padding would be compared");

struct bucket {
	struct bucket_key key;
	uint64_t period, nr;
	uint64_t ip;		/* with NEED_ADDRESS: the lowest address seen with its address key */
	uint32_t space;
	uint32_t addr_key;	/* number in buckets.addr_keys, once all samples are collected; not with NEED_BRANCH */
};

struct bucket_table {
	VEC(struct bucket) buckets;
	struct index by_key;
};

struct event_total {	/* of an event */
	uint64_t nr, period;			/* samples within the filter's CPUs and times */
	uint64_t nr_out, period_out;		/* of .nr and .period: left out by comm, pid or tid, or .wanted_running */
	uint64_t nr_single;			/* samples taken while no other thread ran; with NEED_RUNNING */
	uint64_t latency_out;			/* cost_sums.latency (key.h) of the samples left out; with NEED_RUNNING */
	uint64_t period_idle;			/* of period - period_out, the part of the idle tasks (thread 0, swapper) */
	uint64_t nr_no_chain;			/* samples without a call chain where the event should have one */
};

struct sample_view {		/* one sample, or one branch of it, for functions that read values */
	const struct item *item;
	uint64_t branch;	/* flags of struct perf_branch_entry, with NEED_BRANCH */
	uint32_t running;	/* threads that ran at the time, at least 1; with NEED_RUNNING, else 0 */
	const uint64_t *branch_sums;	/* NR_BRANCH_SUMS of them, with NEED_BRANCH_SUMS; else NULL */
};

struct bucket_opts {
	unsigned needs;			/* NEED_* */
	const struct event *event;	/* count only samples of this event; NULL: of all events. Borrowed */
	bool sources;			/* with .event NULL: also events with .hidden_source (core/perfdata/event_table.h) */
	bool moments;			/* keep the time of each sample, for buckets_moments() */
	/* With NEED_TIME. .slot_ns: length of a slot, at least 1; .slot_from: begin of the first, which has earlier samples too. */
	uint64_t slot_ns, slot_from;
	unsigned max_depth;		/* innermost frames kept of a chain */
	bool all_callers;		/* also keep callers at unmapped addresses, which usually mean nothing */
	bool branch_history;		/* with NEED_CHAIN: chains begin with the last branches */
	const struct filter *filter;	/* borrowed */
	uint64_t (*count)(const struct item *item);	/* the count of a sample; NULL: its period */
	/* Appends the detail of a sample (detail.h), if .needs has flags of NEED_DETAIL. Called from any thread. */
	void (*describe)(const void *ctx, const struct sample_view *v, struct buf *out);
	const void *describe_ctx;	/* borrowed */
	bool describes_raw;		/* .describe makes equal details for samples of an event with equal raw data */
	const struct runqueues *queues;	/* borrowed; for NEED_QUEUE */
	const struct running *running;	/* borrowed; for NEED_RUNNING */
	bool only_wanted;		/* totals need not count the samples that the filter leaves out */
	const struct cpus *wanted_running;	/* borrowed; only samples with one of these numbers of running threads; NULL: all */
};

/* The samples of a worker: for each the time since the last one (zigzag), its bucket and its period, as varints. */
struct worker_moments {
	struct spill bytes;
	uint32_t *buckets;		/* owned: by the worker's number of a bucket, its number in buckets.table; NULL: equal */
};

struct buckets {		/* = {0}; buckets_release() */
	struct bucket_table table;
	struct addr_key_table addr_keys;
	struct chain_table chains;
	struct byte_table details;		/* bucket_key.detail is a number of them */
	VEC(struct event_total) totals;	/* by event number */
	VEC(struct worker_moments) moments;
	unsigned jobs;				/* threads that may work on them */
};

/*
 * Sums all samples of @s into buckets. Each worker thread has its own table of buckets, and bucket_parts_unite() merges the tables
 * after the last sample. Returns 0.
 */
int buckets_collect(struct buckets *out, struct session *s, const struct bucket_opts *opts);
/* Calls @sample for each sample, in no order, with the number of its bucket. */
void buckets_moments(struct buckets *b, void (*sample)(void *ctx, uint64_t time, uint32_t bucket, uint64_t period), void *ctx);
void buckets_release(struct buckets *b);

/* ---- a worker's part: bucket_unite.c ---- */

struct bucket_part {		/* bucket_parts_unite() */
	struct bucket_table table;
	struct addr_key_table addr_keys;
	struct chain_table chains;
	struct byte_table details;
	struct spill moments;
};

static inline void bucket_add(struct bucket *b, const struct bucket *other)
{
	add_saturated(&b->period, other->period);
	b->nr += other->nr;
	if (other->ip < b->ip || (other->ip == b->ip && other->space < b->space)) {
		b->ip = other->ip;
		b->space = other->space;
	}
}

/* Hashes field by field: loading a word that was just stored as two halves would stall. */
static inline uint64_t bucket_hash(const struct bucket_key *k)
{
	return hash_u64(k->at * 0x9e3779b97f4a7c15 + k->slot * 0xd6e8feb86659fd93 +
			((uint64_t)k->event << 32 | k->comm) * 0xc2b2ae3d27d4eb4f +
			((uint64_t)k->tid << 32 | k->owner) * 0x165667b19e3779f9 +
			((uint64_t)k->chain << 32 | k->cpu) * 0xff51afd7ed558ccd +
			((uint64_t)k->detail << 32 | k->cgroup) * 0xc4ceb9fe1a85ec53 +
			((uint64_t)k->queue << 32 | k->mode) * 0x9fb21c651e98df25);
}

/* Merges the @nr @parts, taking over their memory, into @out, in no defined order. @needs: as bucket_opts.needs. */
void bucket_parts_unite(struct buckets *out, struct bucket_part *parts, size_t nr, unsigned needs, unsigned jobs);

#endif
