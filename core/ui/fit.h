/* Shortens names and scales amounts for display. Lookups and comparisons use the full text. Layer: ui */
#ifndef CORE_UI_FIT_H
#define CORE_UI_FIT_H

#include "core/base/util.h"

struct buf;

/* How many columns @text takes, UTF-8 and of narrow characters. */
size_t text_columns(const char *text, size_t len);

/*
 * Appends @text in at most @width columns. If it is too long, std::string and its kin get their short names; then the arguments
 * of templates go, the longest first ("std::vector<...>::push_back"), then those of functions ("(...)"), then the outer scopes
 * ("::vector<...>::push_back"; in few columns "push_back"), at last the middle ("begin...the end"). A level before it, "[.] ",
 * stays; " (inlined)" after it stays or goes as a whole; "[kernel.kallsyms]" becomes "[kernel]" then. In "main  [program]" the
 * file is shortened first, or left out.
 */
void fit_name(const char *text, size_t len, size_t width, struct buf *out);
/* The same of a file's name: "libc" of "libc.so.6", or "libst..." of "libstdc++.so.6". */
void fit_file_name(const char *text, size_t len, size_t width, struct buf *out);

/*
 * Append @text, whose first line begins at column @at, broken at blanks where a line would be wider than @width (SIZE_MAX: never);
 * the other lines begin with @indent blanks.
 */
void put_wrapped(struct buf *out, const char *text, size_t at, size_t indent, size_t width);

/* "0.65 s", "12.3 ms", "4.0 us": at least three digits tell. */
void put_duration(struct buf *out, uint64_t ns);
/* Three digits whatever the unit: "1.41 s", "2.08 ms", "381 us", "57 ns". */
void put_length(struct buf *out, uint64_t ns);
/* As amount_text(): "648", "12.3 k", "1.30 G". */
void put_amount(struct buf *out, uint64_t n);

#endif
