/*
 * Fits text into a number of columns: shortens function and file names, breaks text into lines, and writes times and numbers with a
 * unit, such as "12.3 ms". terminal.h finds the width of the screen.
 */
#ifndef CORE_UI_FIT_H
#define CORE_UI_FIT_H

#include "core/base/util.h"

struct buf;

/* The number of columns that @text takes. It is UTF-8, and each of its characters counts as one column. */
size_t text_columns(const char *text, size_t len);

/*
 * Appends @text in at most @width columns, for display only. First, string classes get short names, and the namespace without name
 * and the return type go. Then these go until it fits: template arguments, the longest first; function arguments; outer scopes; all
 * arguments of the class; the class; the end, or the middle of a name without scopes. Arguments that tell instances apart stay as
 * far as there is room. A level, "[.] ", stays. " (inlined)" stays or goes as a whole. "main  [program]": first shortens the file.
 */
void fit_name(const char *text, size_t len, size_t width, struct buf *out);
/* Shortens a file's name: "libc" for "libc.so.6", or "libst..." for "libstdc++.so.6". */
void fit_file_name(const char *text, size_t len, size_t width, struct buf *out);

/* Appends @text from column @at on. Lines wider than @width (SIZE_MAX: none) are broken at spaces; the next begin at @indent. */
void put_wrapped(struct buf *out, const char *text, size_t at, size_t indent, size_t width);

/* Appends a time: "0.65 s", "12.3 ms", "4.0 us". */
void put_duration(struct buf *out, uint64_t ns);
/* Appends a time with three digits: "1.41 s", "2.08 ms", "381 us", "57 ns". */
void put_length(struct buf *out, uint64_t ns);
/* Appends a number as amount_text() does: "648", "12.3 k", "1.30 G". */
void put_amount(struct buf *out, uint64_t n);

#endif
