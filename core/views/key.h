/*
 * Columns of a report, a row of a table each. There are two kinds: keys, by whose values samples are grouped
 * (comm, dso, symbol, ...), and sums, which an entry has (overhead, sample, ...). Adding one is adding a row to
 * keys[] in key.c. Filters that leave one value of a key know it by name (comm, dso, symbol: cmd/report.c).
 * Layer: views
 */
#ifndef CORE_VIEWS_KEY_H
#define CORE_VIEWS_KEY_H

#include "core/base/vec.h"
#include "core/views/raw.h"
#include "core/views/spot.h"

struct buf;
struct machine;
struct mem_values;
struct trace_values;

struct task_name { uint32_t tid, comm; };

struct view {			/* where keys look names up; view_init(), view_release() */
	const struct machine *machine;		/* borrowed */
	const struct spots *spots;		/* borrowed */
	const struct trace_values *traces;	/* borrowed; NULL: no key needs them */
	const struct mem_values *mem;		/* likewise */
	uint64_t slot_ns;			/* length of a slot of RAW_TIME */
	VEC(uint32_t) dso_alias;		/* by dso number: the first dso of that short name */
	VEC(struct task_name) tasks;		/* by tid: its last name */
};

struct sums {			/* of an entry */
	uint64_t period, nr;		/* its own */
	uint64_t children;		/* period of the samples that have it anywhere in their chains */
	uint64_t period_sys, period_us;	/* of period: in the kernel, in user space */
};

enum key_flag {
	KEY_RIGHT = 1,		/* cells are right-aligned */
	KEY_PERCENT = 2,	/* a sum shown as a share of the event's total */
	KEY_BY_PLACE = 4,	/* the value depends on the address: each frame of a chain has its own */
	KEY_CHILDREN = 8,	/* only with accumulated call chains */
	KEY_RAGGED = 16,	/* not padded where it is the last column */
};

struct key {
	const char *name, *alias;	/* alias NULL: none */
	const char *title;
	unsigned needs;			/* RAW_*: what keeps its values apart */
	unsigned flags;			/* KEY_* */
	unsigned min_width;		/* the title's width or more */
	unsigned unnamed_width;		/* at least so wide where some entry has no symbol */
	/*
	 * A key: its value for a sample at a spot. Equal values are one group. With KEY_BY_PLACE @raw is NULL and
	 * only @spot may be looked at; without it @spot is 0 whatever the address.
	 */
	uint64_t (*value)(const struct view *v, const struct raw_key *raw, uint32_t spot);
	/* The order of entries that sums leave equal; negative: @a first. NULL: as numbers. */
	int (*order)(const struct view *v, uint64_t a, uint64_t b);
	/* Where order() leaves two different values equal. NULL: cannot be. */
	int (*last_order)(const struct view *v, uint64_t a, uint64_t b);
	/* Append the cell's text, not padded. */
	void (*print)(const struct view *v, uint64_t value, struct buf *out);
	/* A sum; a column has either this or value. */
	uint64_t (*sum)(const struct sums *sums);
	unsigned column;		/* of trace_key.h: 1 and up; value() is not asked then. 0: it is of keys[] */
};

/* Of a key whose values are numbers of files, or SITE_NO_DSO. */
int key_dso_order(const struct view *v, uint64_t a, uint64_t b);
void key_dso_print(const struct view *v, uint64_t value, struct buf *out);

/* By name, alias or, for keys, a beginning of the name of 3 letters or more ("sym"); NULL: unknown. */
const struct key *key_find(const char *name, size_t len);
/* "overhead overhead_children ... comm dso symbol ...", for messages. */
void key_names(struct buf *out);

void view_init(struct view *v, const struct machine *m, const struct spots *spots, uint64_t slot_ns);
void view_release(struct view *v);

int key_order(const struct key *k, const struct view *v, uint64_t a, uint64_t b);
int key_last_order(const struct key *k, const struct view *v, uint64_t a, uint64_t b);

/* The columns and the order that -s and -F ask for. */
#define MAX_COLUMNS 32

struct layout {
	const struct key *columns[MAX_COLUMNS];	/* as printed */
	const struct key *order[MAX_COLUMNS];	/* entries are sorted by these */
	const struct key *keys[MAX_COLUMNS];	/* of the columns, those that group */
	unsigned nr_columns, nr_order, nr_keys;
	bool self;		/* "overhead" stands beside "overhead_children" and is called Self */
	bool by_symbol;		/* the keys were given, and begin with symbol */
};

struct layout_opts {
	const char *sort, *fields;	/* as given; NULL: not */
	const char *defaults;		/* what is sorted by where nothing is given; NULL: "comm,dso,symbol" */
	bool children;			/* chains are accumulated */
	bool nr_samples, total_period, cpu_utilization;
	bool lenient;			/* what @more knows is not known yet: pass over other names */
	/* Names that are not in keys[]: store the keys that one means, return how many. NULL: there are none. */
	unsigned (*more)(void *ctx, const char *name, size_t len, const struct key **out, unsigned max);
	void *more_ctx;
	const char *more_names;		/* for messages: what else @more knows; NULL: nothing worth it */
};

/* Prints what is wrong and which names there are; 0 or -1. */
int layout_parse(struct layout *out, const struct layout_opts *opts);
/* RAW_* of all columns. */
unsigned layout_needs(const struct layout *l);
/* Is @name one of the keys that group? */
bool layout_has(const struct layout *l, const char *name);
/* Leave out a column that a filter makes constant, unless it is the only key. */
void layout_drop(struct layout *l, const char *name);

#endif
