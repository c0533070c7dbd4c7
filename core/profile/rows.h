/*
 * Converts the report of an event, or of a group of events, to a table of texts and numbers. core/hists/hist.h makes the report.
 * core/show/report/table.c prints the table, and writer.h exports it as CSV, JSON or Parquet.
 */
#ifndef CORE_PROFILE_ROWS_H
#define CORE_PROFILE_ROWS_H

#include "core/hists/hist.h"

enum row_cell {
	ROW_TEXT,	/* a sort key's value */
	ROW_SHARE,	/* a sum, shown as a percentage of row_sum.of */
	ROW_RATIO,	/* a sum, shown as a share of another sum of the row, row_sum.of */
	ROW_AVERAGE,	/* a sum, shown as the average over row_sum.of samples */
	ROW_AMOUNT,	/* a sum in the unit of the event: ns for a clock, else a count */
	ROW_COUNT,	/* a sum that is a count, whatever the event */
};

struct row_column {
	const struct key *key;		/* borrowed; .name is the word for -s and -F, .title perf's heading */
	enum row_cell cell;
	unsigned value;			/* for ROW_TEXT: index of the key in layout.keys */
};

/*
 * The table has a row for each entry of struct hist, and a column for each sort key and each sum. A cell of a sort key has a text.
 * A cell of a sum has a number, and for a group of events a number for each event.
 */
struct rows {				/* rows_init(), rows_release() */
	struct hists *hists;		/* borrowed */
	const struct hist *hist;	/* borrowed */
	bool relative;			/* shares are of the samples that passed the filters */
	struct row_column columns[MAX_COLUMNS];
	unsigned nr_columns;
	VEC(uint32_t) members;		/* the members of the group that have cells; for a single event, itself */
};

/* A number in a cell. A cell of a group has one for each member. */
struct row_sum {
	uint64_t sum;
	uint64_t of;			/* ROW_SHARE: the sum that is 100 %; ROW_RATIO: other sum; ROW_AVERAGE: samples; else 0 */
};

/* @relative: as in struct rows. @empty: events of the group that have no samples get cells, too. */
void rows_init(struct rows *r, struct hists *h, const struct hist *hist, bool relative, bool empty);
void rows_release(struct rows *r);

/* Append the text of a ROW_TEXT cell. Bytes come from the recording: they may be any but NUL. */
void rows_put_text(const struct rows *r, const struct row_column *c, const struct entry *e, struct buf *out);
/* The number in any other cell; @member is one of .members. */
struct row_sum rows_sum(const struct rows *r, const struct row_column *c, const struct entry *e, uint32_t member);

#endif
