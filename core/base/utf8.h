/* Checks and writes single characters in UTF-8 (RFC 3629), because strings from recordings and binaries may be invalid. */
#ifndef CORE_BASE_UTF8_H
#define CORE_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

struct buf;

/* The length of the character at @s, at most @n > 0 bytes; 0 if it is invalid, as overlong forms and surrogates are. */
size_t utf8_length(const char *s, size_t n);
/* Append @character, which must be below 0x110000 and no surrogate. */
void utf8_put(struct buf *out, uint32_t character);

#endif
