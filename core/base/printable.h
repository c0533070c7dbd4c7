/*
 * Escapes control characters in text from files, because a terminal would execute them. Code that prints names from recordings and
 * binaries calls it.
 */
#ifndef CORE_BASE_PRINTABLE_H
#define CORE_BASE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>

struct buf;

/* True if all bytes are printable ASCII. Fast, but false may be wrong: check the bytes then. */
bool is_plain_text(const char *p, size_t n);

/*
 * Escapes control characters (as "\x1b"), also U+0080 to U+009F: they could move the cursor or type for the user. Also escapes
 * bytes above 0x7e that are not valid UTF-8, because some terminals take them for control characters.
 */
void buf_put_printable(struct buf *out, const char *s);
/* Escape control characters in @b from offset @from on, except those in @but (such as "\n"). */
void buf_escape_from(struct buf *b, size_t from, const char *but);
/* Returns @owned; if it has control characters, frees it and returns an escaped copy, owned by the caller. */
char *printable_text(char *owned);

#endif
