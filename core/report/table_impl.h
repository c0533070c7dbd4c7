/*
 * The inside of a table: what hierarchy.c has of it.
 * Layer: report
 */
#ifndef CORE_REPORT_TABLE_IMPL_H
#define CORE_REPORT_TABLE_IMPL_H

#include "core/base/buf.h"
#include "core/report/table.h"

struct column {
	const struct key *key;
	const char *title;
	unsigned value;		/* of a sort key: its place in layout.keys */
	size_t width;		/* of each member's cell, where it is a sum */
	bool fixed;		/* the user gave the width: cut what is longer */
};

struct table {
	struct hists *hists;
	const struct hist *hist;
	const struct table_opts *opts;
	VEC(uint32_t) members;	/* of the group that are shown; of a single event itself */
	uint64_t total;		/* of the leader */
	struct column columns[MAX_COLUMNS];
	unsigned nr;
	struct buf cell;	/* the cell being made */
};

/* Is the entry above --percent-limit? */
bool table_shows(const struct table *t, const struct entry *e);
/* The text of a key's value into t->cell. */
void table_make_cell(struct table *t, const struct column *c, const struct entry *e);
/* @text padded or cut to the column's @width; with a separator as it is, but for the separator itself. */
void table_put_padded(const struct table *t, const struct column *c, size_t width, const char *text, size_t len,
		      struct buf *out);
/* What stands before column number @column. */
void table_put_gap(const struct table *t, unsigned column, struct buf *out);
/* A sum's cells, one for each member of the group. */
void table_put_sums(struct table *t, const struct column *c, const struct entry *e, struct buf *out);
/* Of all members' cells together. */
size_t table_full_width(const struct table *t, const struct column *c);

/* hierarchy.c: the rows as a tree, a level for each key. t->columns are made. */
void hierarchy_print(struct table *t, struct buf *out);

#endif
