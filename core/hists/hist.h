/*
 * Makes the rows (entries) of prec report from buckets, which are sums of equal samples (bucket.h). key.h and layout.h define
 * the columns, and core/show/report prints the rows.
 *
 * Addresses get names, buckets are grouped by the values of the sort keys, and totals are added up over call chains. This is done
 * once for each distinct address, chain or value, not once for each sample. tuple.h explains sample tuples, location.h locations:
 *
 *	buckets --name addresses--> {sample tuple, location, chain of locations} --group--> entries --sort--> one hist per event
 *
 */
#ifndef CORE_HISTS_HIST_H
#define CORE_HISTS_HIST_H

#include <regex.h>

#include "core/perfdata/data_src.h"
#include "core/hists/bucket.h"
#include "core/hists/layout.h"
#include "core/hists/location.h"
#include "core/hists/naming.h"
#include "core/hists/tree.h"
#include "core/hists/tuple.h"
#include "core/hists/key_context.h"

struct cpus;
struct filter;
struct running;
struct runqueues;
struct session;

struct entry {
	struct sums sums;
	uint32_t sample_tuple, location_tuple;
	uint32_t depth;		/* frames of its longest chain: from the entry inwards with .caller_first, else outwards */
};

/*
 * The table of an event, or of an event group. The table of a group's leader has the entries of all members, each with a sum for
 * every member; the tables of the other members are empty.
 */
struct hist {
	const struct event *event;	/* borrowed from the session */
	struct event_total total;		/* its nr_out and period_out also count samples that name filters reject */
	uint32_t leader;		/* event number */
	uint32_t nr_members;		/* 1: it is in no group; 0: it is a member of another's group */
	VEC(struct entry) entries;
	VEC(struct sums) others;	/* nr_members - 1 for each entry: the sums of the members after the leader */
	VEC(uint32_t) stamps;		/* for each entry: the last bucket counted, so that recursion counts once */
	VEC(uint32_t) sorted;		/* entries in the order in which they are printed */
	bool unnamed;			/* some entry has no symbol */
	uint64_t latency, latency_out;	/* as total.period and .period_out, of cost_sums.latency; with NEED_RUNNING */
};

struct location_frame {		/* a frame of a chain of locations, linked as in core/model/chain.h */
	uint32_t location, parent, depth;
	uint32_t parent_frame : 30;	/* the innermost frame of the chain that matches hists_opts.parent; 0: none */
	uint32_t last : 1;		/* the chain ends here: samples of its callees count as its own */
	uint32_t hash;			/* hash of the locations from the root to this frame */
};

#define MAX_MEMBERS ((1u << 14) - 1)	/* a bucket cannot distinguish more; larger groups are treated as no group */

struct named_bucket {			/* a bucket whose addresses have names */
	uint32_t sample_tuple, location, frame;
	uint32_t member : 14;		/* its place in the group; 0: the leader */
	uint32_t mode : 3;		/* PERF_RECORD_MISC_*, with NEED_MODE */
	uint32_t classes : DATA_SRC_CLASSES_BITS;	/* data_src_classes(), with NEED_MEM_CLASSES */
	uint64_t period, nr;
};

#define HISTS_SLOT_NS	100000000u	/* 100 ms, the default of perf's --time-quantum */

struct trace_keys;

struct hists_opts {
	struct layout layout;
	const struct event *event;	/* count only samples of this event; NULL: of all events. Borrowed */
	const struct filter *filter;	/* borrowed */
	const struct trace_keys *traces;	/* borrowed; which made the layout's keys of tracepoints */
	const struct runqueues *queues;	/* borrowed; if the layout has runqlen */
	const struct running *running;	/* borrowed; if the layout or .wanted_running needs it */
	const struct cpus *wanted_running;	/* borrowed: only samples with one of these numbers of running threads; NULL: all */
	const regex_t *parent;		/* matches functions of chains, to group samples by; NULL: none. Borrowed, as the next */
	const regex_t *ignored_callers;	/* samples of the callees of a matching function count as its own */
	bool exclude_other;		/* leave out samples whose chain has no function that .parent matches */
	const char *symbol_filter;	/* entries whose symbol does not contain it are hidden; NULL: none */
	uint64_t slot_ns, slot_from;	/* time key: .slot_ns: length of a slot, 0: HISTS_SLOT_NS; .slot_from: begin of the first */
	unsigned max_depth;
	bool branch_history;	/* chains begin with the last branches */
	bool by_weight;			/* sum the cost of samples' memory accesses, not their periods */
	bool branches;			/* count the branches of samples, not the samples */
	bool separate;			/* show the events of groups separately */
	bool forced;			/* treat all events as one group if the recording has no group */
	uint32_t first_member;		/* the member of a group whose sums are compared first */
	bool chains;			/* call chains are wanted */
	bool children;			/* also add a sample to the entries of its callers (--children) */
	bool inlines;			/* chains show functions that were inlined */
	bool self_inlined;		/* inlined functions have self time; in perf, the function around them has it */
	bool full_paths;		/* source files with their directories */
	bool nanoseconds;		/* times to the nanosecond */
	bool hide_unresolved;		/* leave out entries and frames of chains without a symbol */
	struct tree_opts tree;
};

/* By sample tuple, or with KEY_BY_ADDRESS by location tuple: the rank of a key's value in key_order() and key_last_order(). */
struct key_ranks { uint32_t *order, *last; };	/* last NULL: the key has no such order */

struct hists {
	struct hists_opts opts;
	struct key_context view;
	struct locations locations;
	struct byte_table details;		/* those of the buckets */
	struct tuples tuples;
	VEC(struct hist) list;		/* by event number */
	VEC(struct named_bucket) buckets;
	VEC(struct cost_sums) costs;	/* by bucket: sums over its samples; empty if no column needs them */
	VEC(struct rare_sums *) rare;	/* owned: the structs that sums.rare point to */
	struct index by_named_bucket;
	VEC(struct location_frame) frames;	/* [0] is the root */
	struct index by_frame;
	VEC(uint32_t) path;		/* chain of the current bucket */
	uint32_t stamp;
	struct key_ranks ranks[MAX_COLUMNS];	/* by number in layout.keys */
	struct name_counts counts;
	unsigned jobs;
};

/* Sums up all samples of @s, names their addresses, and makes and sorts the entries. Owned by the caller: hists_free(). */
struct hists *hists_new(struct session *s, const struct hists_opts *opts);
void hists_free(struct hists *h);

/*
 * Calls @count for each entry that @bucket counts for: its own entry with the whole chain, and with --children the entry of each
 * caller with the chain from that caller on. Each entry is passed once, even if its function is in the chain several times: @from
 * is the frame where it was first met, in the direction in which the tree is drawn.
 */
typedef void count_fn(struct hists *h, const struct named_bucket *bucket, struct entry *e, uint32_t from, void *ctx);
/* @wanted: by location tuple, true if its entries are wanted; NULL: all are. */
void hists_count_bucket(struct hists *h, const struct named_bucket *bucket, const bool *wanted, count_fn *count, void *ctx);

/*
 * Makes a copy for a thread that counts buckets in parallel with others: it shares everything with @h that counting does not
 * change. With @entries it shares the entries of @h and makes no new ones; else it begins without entries. hists_part_release()
 * frees what it does not share, except its entries and .rare.
 */
struct hists hists_part(const struct hists *h, bool entries);
void hists_part_release(struct hists *part);

/* entry.c: makes the entries of all .buckets, which are named. */
void hists_make_entries(struct hists *h);

/* order.c: fills .ranks. Call it once, when all entries are made. */
void hists_rank(struct hists *h);
void hists_release_ranks(struct hists *h);
/* Sorts @entries, @nr numbers of hist->entries, as the layout says. */
void hists_sort(const struct hists *h, const struct hist *hist, uint32_t *entries, size_t nr);
/* Sorts them by their sums, and entries with equal sums only by layout.keys[@key]. */
void hists_sort_by(const struct hists *h, const struct hist *hist, uint32_t *entries, size_t nr, unsigned key);

/* The value of layout.keys[@key] in an entry. */
uint64_t hists_value(const struct hists *h, const struct entry *e, unsigned key);

/* The rarely used part of @sums, and its NR_DATA_SRC_CLASSES sums by class, both allocated on demand. */
struct rare_sums *hists_rare_sums(struct hists *h, struct sums *sums);
uint64_t *hists_class_sums(struct hists *h, struct sums *sums);

/* Adds @from to @into, which must have a rare part and .classes if @from has them. */
void sums_add(struct sums *into, const struct sums *from);

/* The place in hist.others of the sums of @e for a member other than the leader. */
static inline size_t hist_sums_index(const struct hist *hist, const struct entry *e, uint32_t member)
{
	return (size_t)(e - hist->entries.v) * (hist->nr_members - 1) + member - 1;
}

/* The sums of an entry for a member of its event group. */
static inline const struct sums *hist_sums(const struct hist *hist, const struct entry *e, uint32_t member)
{
	return member ? &hist->others.v[hist_sums_index(hist, e, member)] : &e->sums;
}

/* The event of a member. */
static inline const struct hist *hist_member(const struct hists *h, const struct hist *leader, uint32_t member)
{
	return &h->list.v[leader->leader + member];
}

/* The period that is 100 %: the event's, or with @relative only that of the samples that passed the filters. */
uint64_t hist_total(const struct hist *hist, bool relative);
/* The total that is 100 % for the column @sum: a period or a latency. @relative as in hist_total(). */
uint64_t hist_total_of(const struct hist *hist, const struct key *sum, bool relative);
/* True if nearly all samples ran alone, so that latencies equal overheads. */
bool hists_are_single(const struct hists *h);

/* The period that is compared to --percent-limit: with --children that of the entry and its callees, else the entry's own. */
uint64_t hists_weight(const struct hists *h, const struct entry *e);

/* Adds findings: samples without names or chains, or no samples at all. */
void hists_findings(const struct hists *h, const struct session *s, struct findings *out);

/* named_bucket.c: names all of @buckets, takes over its .details (@plan), and fills .buckets, .costs, .view and .tuples. */
struct detail_plan;
void hists_name_buckets(struct hists *h, struct buckets *buckets, const struct detail_plan *plan, const struct session *s);
/* True if addresses must have names, so that their files alone do not suffice. */
bool hists_want_names(const struct hists *h);

/*
 * draw.c: draws the call graphs of @nr entries of @hist (numbers in hist->entries), in parallel: out[i] belongs to entries[i],
 * and is empty if nothing is above the threshold.
 */
void hists_draw(struct hists *h, const struct hist *hist, const uint32_t *entries, size_t nr, uint64_t total,
		struct buf *out);

#endif
