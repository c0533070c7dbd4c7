/*
 * Defines the columns of prec report: sort keys (comm, dso, ...), by which samples are grouped, and sums (overhead, ...). The files
 * *_key.c implement them; key_table.c finds them by name.
 */
#ifndef CORE_HISTS_KEY_H
#define CORE_HISTS_KEY_H

#include "core/hists/branch_history.h"
#include "core/perfdata/data_src.h"
#include "core/hists/bucket.h"
#include "core/hists/weight.h"

struct key_context;

struct sums {			/* of an entry */
	uint64_t period, nr;		/* of the samples of the entry itself */
	uint64_t children;		/* period of the samples with the entry anywhere in their chains */
	uint64_t period_sys, period_us;	/* of period: in the kernel, in user space */
	struct rare_sums *rare;		/* borrowed from the hists; NULL: all 0 */
};

struct cost_sums {		/* sums that few reports need */
	uint64_t weights[NR_WEIGHTS];	/* with NEED_WEIGHTS: the parts of the weight */
	uint64_t latency;		/* with NEED_RUNNING: each period, divided by the threads that ran at the time */
	uint64_t delay;			/* with NEED_DELAY, of waits: ns in which the threads were ready, but had no CPU */
	uint64_t branches[NR_BRANCH_SUMS];	/* with NEED_BRANCH_SUMS: the branches with which chains begin (branch_history.h) */
};

struct rare_sums {		/* separate, so that an entry fits into a cache line */
	uint64_t period_guest_sys, period_guest_us;	/* of period: in guests */
	struct cost_sums cost;
	uint64_t latency_children;	/* .cost.latency of the samples of .children */
	uint64_t *classes;		/* owned: parts of period, by enum data_src_class; NULL: all 0 */
};

enum key_flag {
	KEY_RIGHT = 1,		/* cells are right-aligned */
	KEY_PERCENT = 2,	/* a sum shown as a share of the event's total */
	KEY_BY_ADDRESS = 4,	/* the value depends on the address: each frame of a chain has its own */
	KEY_LATENCY = 256,	/* with KEY_PERCENT: a share of the latency, not of the period */
	KEY_CHILDREN = 8,	/* exists only with accumulated call chains */
	KEY_AVERAGE = 64,	/* a sum shown as its average per sample */
	KEY_FIELD = 128,	/* only -F finds it by this name; with -s, the name is that of a sort key */
	KEY_TIMES_NR = 32,	/* shown times the number of samples */
	KEY_RAGGED = 16,	/* not padded if it is the last column */
	KEY_AMOUNT = 512,	/* a sum shown in the unit of its event: time or a count */
	KEY_NUMBER = 1024,	/* the value is the printed number; for a tracepoint's field, trace_values_integer() has it */
	KEY_TASK = 4096,	/* the value is a thread, shown with its last name */
	KEY_SIGNED = 2048,	/* with KEY_NUMBER: it may be negative */
	KEY_NO_ORDER = 8192,	/* a sum that does not affect the order of rows */
};

/*
 * A column. To add one, add it to one of the tables that key_table.c lists. Only the columns for tracepoints are in no table,
 * because they depend on the recording (trace_key.h).
 */
struct key {
	const char *name, *alias;	/* alias NULL: none */
	const char *title;
	unsigned needs;			/* NEED_*: the parts of a sample that its values depend on */
	unsigned flags;			/* KEY_* */
	unsigned min_width;		/* the title's width or more */
	unsigned unnamed_width;		/* the minimum width if some entry has no symbol */
	/*
	 * A sort key has one of the next five members, which return the value of a sample; equal values are one group. .place is
	 * the value at a location: with KEY_BY_ADDRESS that of the sample or of a frame, else the source of a branch.
	 */
	uint64_t (*value)(const struct key_context *c, const struct bucket_key *bucket);
	uint64_t (*place)(const struct key_context *c, uint32_t location);
	size_t member;			/* the value is this member of the bucket's key: KEY_MEMBER() */
	uint64_t (*source)(uint64_t data_src);	/* the value is this part of PERF_SAMPLE_DATA_SRC */
	uint64_t (*word)(const struct sample_view *v);	/* with NEED_WORDS: read from each sample. Called from any thread */
	/* The order of entries with equal sums; negative: @a first. NULL: order of numbers. */
	int (*order)(const struct key_context *c, uint64_t a, uint64_t b);
	/* A tie-breaker for different values that order() takes as equal. NULL: not needed. */
	int (*last_order)(const struct key_context *c, uint64_t a, uint64_t b);
	/*
	 * Two words for a value, @word 0 and 1, which are compared in that order. If the words of two values differ, they give
	 * the result faster than order() (.prefix) and last_order() (.last_prefix). NULL: not defined.
	 */
	uint64_t (*prefix)(const struct key_context *c, uint64_t value, unsigned word);
	uint64_t (*last_prefix)(const struct key_context *c, uint64_t value, unsigned word);
	/* Append the cell's text, not padded: key_print() calls the one that is defined. */
	void (*print)(const struct key_context *c, uint64_t value, struct buf *out);
	void (*put)(uint64_t value, struct buf *out);
	/* For sums without a heading: the sum of an entry. */
	uint64_t (*sum)(const struct sums *sums);
	/* The sum of the entry that is 100 % for this sum. NULL: it is not shown as a share of another sum of the entry. */
	uint64_t (*of)(const struct sums *sums);
	/* A heading above the titles of sums that are parts of a total; -s and -F select all of these by .alias. NULL: none */
	const char *heading;
	enum data_src_class class;	/* with a heading: it is the sum of the accesses of this class */
	unsigned column;		/* trace_key.h: its number from 1, which has the value. 0: it is in a key_table */
};

void cost_sums_add(struct cost_sums *into, const struct cost_sums *from);

#define KEY_MEMBER(name) offsetof(struct bucket_key, name)	/* a uint32_t */

/* True if the column is a sum, else it is a sort key. */
static inline bool key_is_sum(const struct key *k)
{
	return k->sum || k->heading;
}

/* The sum of an entry in column @k. */
static inline uint64_t key_sum(const struct key *k, const struct sums *s)
{
	if (k->sum)
		return k->sum(s);
	return s->rare && s->rare->classes ? s->rare->classes[k->class] : 0;
}

void key_print(const struct key *k, const struct key_context *c, uint64_t value, struct buf *out);

/* For keys whose values are numbers of dsos, or DSO_NONE. */
int key_dso_order(const struct key_context *c, uint64_t a, uint64_t b);
uint64_t key_dso_prefix(const struct key_context *c, uint64_t value, unsigned word);
void key_dso_print(const struct key_context *c, uint64_t value, struct buf *out);

struct key_table {
	const struct key *rows;
	size_t nr;
	const char *about;		/* describes the keys, with the options that record their data */
};

/* For key.prefix of keys that are ordered as texts: eight bytes of @text, as a number. */
uint64_t key_text_prefix(const char *text, unsigned word);

/* For key.order of keys whose largest value comes first. */
int key_largest_first(const struct key_context *c, uint64_t a, uint64_t b);

int key_order(const struct key *k, const struct key_context *c, uint64_t a, uint64_t b);
int key_last_order(const struct key *k, const struct key_context *c, uint64_t a, uint64_t b);

#endif
