/* Checks and writes characters of UTF-8 (RFC 3629). Layer: base */
#ifndef CORE_BASE_UTF8_H
#define CORE_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

struct buf;

/* The length of the character at @s, at most @n > 0 bytes; 0 if it is not valid. Overlong forms and surrogates are not. */
size_t utf8_length(const char *s, size_t n);
/* Append a character, which is below 0x110000 and no surrogate. */
void utf8_put(struct buf *out, uint32_t character);

#endif
