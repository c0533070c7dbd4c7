/*
 * Rows of named cells as text for other programs: JSON lines, or CSV (RFC 4180) with a line of names first.
 * Text of a cell may hold any bytes. In JSON it becomes valid UTF-8; in CSV a text that a spreadsheet would take for a formula
 * (it begins with = + - @, a tab or a carriage return) gets an apostrophe in front.
 * Layer: export
 */
#ifndef CORE_EXPORT_CELLS_H
#define CORE_EXPORT_CELLS_H

#include <stdbool.h>

#include "core/base/buf.h"
#include "core/base/json.h"

enum cells_form { CELLS_JSON, CELLS_CSV };

struct cells {			/* = { .form = ..., .out = ... }; cells_release() */
	enum cells_form form;
	struct buf *out;	/* borrowed; may be emptied between two rows */
	struct json json;
	struct buf names;	/* of CSV: the line of names, while the first row is written */
	struct buf row;
	unsigned nr;		/* cells of the row so far */
	bool named;		/* the line of names was written */
};

void cells_begin_row(struct cells *c);
/* In each row the same names in the same order. */
void cells_text(struct cells *c, const char *name, const char *text);
void cells_number(struct cells *c, const char *name, uint64_t v);
void cells_signed(struct cells *c, const char *name, int64_t v);
void cells_fixed(struct cells *c, const char *name, double v, int digits);
void cells_none(struct cells *c, const char *name);
/* What cells_put_list() made: in JSON a list, in CSV its texts with semicolons between. */
void cells_list(struct cells *c, const char *name, const char *made, size_t len);
void cells_end_row(struct cells *c);
void cells_release(struct cells *c);

/* Append @text as an element of a list that is put into cells by cells_list(); @first: it is the first. */
void cells_put_element(enum cells_form form, struct buf *list, const char *text, bool first);

#endif
