/*
 * The columns of a report, each a row of a table. A column is either a sort key (comm, dso, symbol, ...), by whose values samples
 * are grouped, or a sum of an entry (overhead, sample, ...). To add one, add a row to one of the tables that key_table.c lists.
 * cmd/report.c knows a few by name: those that a filter can make constant (comm, dso, symbol).
 * Layer: hists
 */
#ifndef CORE_HISTS_KEY_H
#define CORE_HISTS_KEY_H

#include "core/hists/branch_history.h"
#include "core/hists/bucket.h"

struct key_context;

struct sums {			/* of an entry */
	uint64_t period, nr;		/* its own */
	uint64_t children;		/* period of the samples that have it anywhere in their chains */
	uint64_t period_sys, period_us;	/* of period: in the kernel, in user space */
	struct rare_sums *rare;		/* borrowed from the hists; NULL: all 0 */
};

struct rare_sums {		/* apart, so that an entry is no larger than a line of the cache */
	uint64_t period_guest_sys, period_guest_us;	/* of period: in guests */
	uint64_t weights[3];		/* of NEED_WEIGHTS */
	uint64_t delay;			/* of waits, ns: the threads were ready, but had no CPU */
	uint64_t latency;		/* of period, each sample's divided by the number of threads that ran beside it */
	uint64_t latency_children;	/* the same of children */
	uint64_t branches[NR_BRANCH_SUMS];	/* of chains that begin with branches */
	uint64_t *classes;		/* owned: of period, by enum data_src_class; NULL: all 0 */
};

enum key_flag {
	KEY_RIGHT = 1,		/* cells are right-aligned */
	KEY_PERCENT = 2,	/* a sum shown as a share of the event's total */
	KEY_BY_ADDRESS = 4,	/* the value depends on the address: each frame of a chain has its own */
	KEY_LATENCY = 256,	/* with KEY_PERCENT: a share of the latency, not of the period */
	KEY_CHILDREN = 8,	/* only with accumulated call chains */
	KEY_AVERAGE = 64,	/* a sum shown as what it is for each sample */
	KEY_FIELD = 128,	/* known by this name to -F alone; -s has a key of that name */
	KEY_TIMES_NR = 32,	/* shown times the number of samples */
	KEY_RAGGED = 16,	/* not padded if it is the last column */
	KEY_AMOUNT = 512,	/* a sum shown in the unit of its event: time, or how many */
	KEY_NUMBER = 1024,	/* a value is the number that is printed; of a tracepoint's field: trace_values_integer() has it */
	KEY_TASK = 4096,	/* a value is a thread, shown with its last name */
	KEY_SIGNED = 2048,	/* with KEY_NUMBER: it may be negative */
	KEY_NO_ORDER = 8192,	/* a sum that does not decide on the order of rows */
};

struct key {
	const char *name, *alias;	/* alias NULL: none */
	const char *title;
	unsigned needs;			/* NEED_*: what keeps its values apart */
	unsigned flags;			/* KEY_* */
	unsigned min_width;		/* the title's width or more */
	unsigned unnamed_width;		/* at least so wide if some entry has no symbol */
	/*
	 * A key: its value for a sample at a location. Equal values are one group. With KEY_BY_ADDRESS @bucket is NULL and
	 * only @location may be looked at; without it @location is 0 whatever the address.
	 */
	uint64_t (*value)(const struct key_context *c, const struct bucket_key *bucket, uint32_t location);
	/* The order of entries that sums leave equal; negative: @a first. NULL: as numbers. */
	int (*order)(const struct key_context *c, uint64_t a, uint64_t b);
	/* A tie-breaker for different values that order() takes as equal. NULL: there are none. */
	int (*last_order)(const struct key_context *c, uint64_t a, uint64_t b);
	/*
	 * Two numbers, the second decides if the first is the same: if they differ, they are in the order of order() and of
	 * last_order(), and are quicker to compare. NULL: there are none.
	 */
	uint64_t (*prefix)(const struct key_context *c, uint64_t value, unsigned word);
	uint64_t (*last_prefix)(const struct key_context *c, uint64_t value, unsigned word);
	/* Append the cell's text, not padded. */
	void (*print)(const struct key_context *c, uint64_t value, struct buf *out);
	/* A sum of an entry. NULL: it is a key, whose values group. */
	uint64_t (*sum)(const struct sums *sums);
	/* A sum shown as a share of this one of its entry. NULL: it is not */
	uint64_t (*of)(const struct sums *sums);
	/* A key with NEED_WORDS: its value where samples are read, from any thread; value() is not asked then. */
	uint64_t (*word)(const struct sample_view *v);
	/* Above the titles of sums that -s and -F know together by their .alias, a part of the total each. NULL: none */
	const char *heading;
	unsigned column;		/* of trace_key.h: 1 and up; value() is not asked then. 0: it is of a table */
};

/* For keys whose values are numbers of files, or DSO_NONE. */
int key_dso_order(const struct key_context *c, uint64_t a, uint64_t b);
uint64_t key_dso_prefix(const struct key_context *c, uint64_t value, unsigned word);
void key_dso_print(const struct key_context *c, uint64_t value, struct buf *out);

struct key_table {
	const struct key *rows;
	size_t nr;
	const char *about;		/* their meaning, and the options to record them */
};

/* For key.prefix of keys whose order is that of texts: eight bytes of @text, as a number. */
uint64_t key_text_prefix(const char *text, unsigned word);

/* For key.order. */
int key_largest_first(const struct key_context *c, uint64_t a, uint64_t b);

int key_order(const struct key *k, const struct key_context *c, uint64_t a, uint64_t b);
int key_last_order(const struct key *k, const struct key_context *c, uint64_t a, uint64_t b);

#endif
