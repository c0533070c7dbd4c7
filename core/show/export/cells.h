/*
 * Writes a table row by row as JSON lines, CSV or Parquet, for the tables of prec export (row_text.c) and prec query (result.c).
 * parquet.c writes the Parquet format.
 */
#ifndef CORE_SHOW_EXPORT_CELLS_H
#define CORE_SHOW_EXPORT_CELLS_H

#include <stdbool.h>

#include "core/base/buf.h"
#include "core/base/json.h"

struct outfile;
struct parquet;

/* CSV: RFC 4180 with column names. An apostrophe precedes texts like formulas, which begin with = + - @, tab or CR. */
enum cells_form { CELLS_JSON, CELLS_CSV, CELLS_PARQUET };
enum cell_kind { CELL_NUMBER, CELL_SIGNED, CELL_FIXED, CELL_TEXT, CELL_LIST };

struct cells {			/* cells_begin(), cells_end() */
	enum cells_form form;
	struct buf *out;	/* borrowed; may be emptied between two rows */
	struct parquet *parquet;
	struct json json;
	struct buf names;	/* CSV: the line of column names, while the first row is written */
	struct buf row;
	unsigned nr;		/* cells of the row so far */
	bool named;		/* CSV: the line of column names was written */
	bool declared;		/* all columns are known */
};

void cells_begin(struct cells *c, enum cells_form form, struct outfile *out);
void cells_end(struct cells *c);

/* Declares a column; call it before the first row, for all columns in order. Otherwise the rows define the columns. */
void cells_declare(struct cells *c, const char *name, enum cell_kind kind);
/* Promises that names of cells are the same strings, at the same addresses, in each row. */
void cells_names_stay(struct cells *c);

void cells_begin_row(struct cells *c);
/* Every row has the same names in the same order. JSON and Parquet get invalid UTF-8 replaced. */
void cells_text(struct cells *c, const char *name, const char *text);
/* Like cells_text(), but faster for repeated texts. *known is 0 at first, and then caches the number of @text in the file. */
void cells_text_again(struct cells *c, const char *name, const char *text, uint32_t *known);
void cells_number(struct cells *c, const char *name, uint64_t v);
void cells_signed(struct cells *c, const char *name, int64_t v);
void cells_fixed(struct cells *c, const char *name, double v, int digits);
void cells_none(struct cells *c, const char *name);
/* Adds a list made by cells_add_element(): in JSON and Parquet a list, in CSV its texts with semicolons between them. */
void cells_list(struct cells *c, const char *name, const char *made, size_t len);
void cells_end_row(struct cells *c);

/* Appends @text in the form of a list element. */
void cells_put_element(struct cells *c, struct buf *out, const char *text);
/* Appends to a list for cells_list(), which begins at a multiple of CELLS_LIST_STEP. @first: it is the first element. */
#define CELLS_LIST_STEP sizeof(uint32_t)
void cells_add_element(struct cells *c, struct buf *list, const char *made, size_t len, bool first);

#endif
