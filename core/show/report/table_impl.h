/*
 * Defines struct table, the state of the table that prec report prints, which table.c, table_cell.c, table_screen.c and
 * hierarchy.c share. Other files include table.h.
 */
#ifndef CORE_SHOW_REPORT_TABLE_IMPL_H
#define CORE_SHOW_REPORT_TABLE_IMPL_H

#include "core/base/buf.h"
#include "core/profile/rows.h"
#include "core/show/report/table.h"

struct column {
	struct row_column of;	/* the contents of its cells */
	const struct key *key;	/* of.key */
	const char *title;
	size_t width;		/* of its cell; for a sum, of the cell of each member of a group */
	bool fixed;		/* the user gave the width: longer cells are cut */
	bool fitted;		/* the screen limits the width: longer names are shortened */
};

struct table {
	struct rows rows;
	const struct table_opts *opts;
	uint64_t total;		/* the period of the group's leader that is 100 % */
	struct column columns[MAX_COLUMNS];
	unsigned nr;
	struct buf cell;	/* the cell being made */
	uint64_t nr_rest, rest;	/* number of entries without a row of their own, and the sum of their periods */
};

/* ---- table_cell.c ---- */

/* True if the entry is above --percent-limit. */
bool table_shows(const struct table *t, const struct entry *e);
/* Writes the text of a key's value into t->cell. */
void table_make_cell(struct table *t, const struct column *c, const struct entry *e);
/* Appends @text, cut or shortened to @width, not padded. */
void table_put_cell(const struct column *c, size_t width, const char *text, size_t len, struct buf *out);
/* Appends @text, padded or cut to @width. If there is a separator, only separators in @text are replaced. */
void table_put_padded(const struct table *t, const struct column *c, size_t width, const char *text, size_t len,
		      struct buf *out);
/* True if column @column has the same heading as the column before. */
bool table_goes_on(const struct table *t, unsigned column);
/* Appends the line above the titles, after @indent blanks. Does nothing with a separator, or if no column has a heading. */
void table_put_headings(const struct table *t, size_t indent, struct buf *out);
/* Writes the gap before column number @column. */
void table_put_gap(const struct table *t, unsigned column, struct buf *out);
/* Appends the cells of a sum, one for each member of the group. */
void table_put_sums(struct table *t, const struct column *c, const struct entry *e, struct buf *out);
/* The width of a column: for a sum, that of the cells of all members together. */
static inline size_t table_full_width(const struct table *t, const struct column *c)
{
	return key_is_sum(c->key) ? c->width * t->rows.members.nr : c->width;
}

/*
 * table_screen.c: a table on a terminal. screen_add_amounts() adds a column of amounts after the first, if that is a share.
 * screen_fit() fits the widths of columns. screen_choose() stores the entries of hist->sorted that have rows in @shown, and returns
 * their number. screen_put_rest() prints the sum of the other entries.
 */
void screen_add_amounts(struct table *t);
void screen_fit(struct table *t);
size_t screen_choose(struct table *t, uint32_t *shown);
void screen_put_rest(const struct table *t, struct buf *out);
/* The smallest share for which an entry has a row of its own. */
double screen_least(const struct table *t);
/* True if the cell names the idle task (swapper). */
bool screen_is_idle(const struct column *c, const struct buf *cell);

/* hierarchy.c: the rows as a tree, a level for each key. t->columns are made. */
void hierarchy_print(struct table *t, struct buf *out);

#endif
