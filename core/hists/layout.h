/* Holds the columns of a report and the order of its rows, as the options -s and -F request them. key.h describes a column. */
#ifndef CORE_HISTS_LAYOUT_H
#define CORE_HISTS_LAYOUT_H

#include "core/hists/key.h"

struct session;

#define MAX_COLUMNS 128

struct layout {
	const struct key *columns[MAX_COLUMNS];	/* as printed */
	const struct key *order[MAX_COLUMNS];	/* entries are sorted by these */
	const struct key *keys[MAX_COLUMNS];	/* the columns that are sort keys, by which samples are grouped */
	unsigned nr_columns, nr_order, nr_keys;
	bool self;		/* both "overhead" and "overhead_children" are columns, so the former is titled Self */
	bool symbol_first;	/* the user gave the keys, and the first is symbol */
};

/* Columns of latency without -s: none, after the overhead, or before it. */
enum layout_latency { LATENCY_NONE, LATENCY_SECOND, LATENCY_FIRST };

struct layout_opts {
	const char *sort, *fields;	/* arguments of -s and -F; NULL: not given */
	const char *defaults;		/* the default sort keys; NULL: "comm,dso,symbol" */
	bool children;			/* chains are accumulated */
	bool branch_sums;		/* chains begin with branches, for which there are sums (of own samples) */
	enum layout_latency latency;
	bool nr_samples, total_period, cpu_utilization;
	bool skip_unknown;		/* the names of @find_more are not known yet: skip unknown ones */
	/* For a @name that no table has: stores the keys that it stands for, and returns how many. NULL: no such names. */
	unsigned (*find_more)(void *ctx, const char *name, size_t len, const struct key **out, unsigned max);
	void *find_more_ctx;
};

/* Returns 0, or -1 after an error, which it prints with the names that exist. */
int layout_parse(struct layout *out, const struct layout_opts *opts);
/* NEED_* of all columns. */
unsigned layout_needs(const struct layout *l);
/* True if @name is one of .keys. */
bool layout_has(const struct layout *l, const char *name);
/* True if one of .keys has one of @flags, which are KEY_*. */
bool layout_has_flag(const struct layout *l, unsigned flags);
/* Splits the waits of @s as the keys need it: session_split_waits(). */
void layout_split_waits(const struct layout *l, struct session *s);
/* Removes a column that a filter makes constant, unless it is the only key. */
void layout_drop(struct layout *l, const char *name);

#endif
