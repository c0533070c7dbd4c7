/*
 * Escapes control characters in text from files, because a terminal executes some: they move the cursor, rename the window, even
 * type for the user. Each such byte is printed as "\x1b". Valid UTF-8 is not escaped, except its control characters (U+0080 to
 * U+009F, as "\x9b"). Every other byte above 0x7e is, as some terminal takes it for a control character.
 * Layer: base
 */
#ifndef CORE_BASE_PRINTABLE_H
#define CORE_BASE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>

struct buf;

/* True if all bytes are printable ASCII. Fast, but false may be wrong: check the bytes then. */
bool is_plain_text(const char *p, size_t n);

/* Append @s with its control characters escaped. */
void buf_put_printable(struct buf *out, const char *s);
/* Escape control characters in @b from offset @from on, except those in @but (such as "\n"). */
void buf_escape_from(struct buf *b, size_t from, const char *but);
/* Returns @owned; if it has control characters, frees it and returns an escaped copy, owned by the caller. */
char *printable_text(char *owned);

#endif
