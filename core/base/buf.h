/*
 * Defines a growing buffer of bytes, mostly for text. Loops that print many numbers use buf_dec() and similar functions, because
 * printf() would take most of their time. A buffer initialized with {0} is empty, and buf_release() frees it.
 */
#ifndef CORE_BASE_BUF_H
#define CORE_BASE_BUF_H

#include <stdarg.h>
#include <string.h>

#include "core/base/util.h"

struct buf {
	char *data;		/* owned; NUL-terminated only after buf_str() */
	size_t len, cap;
};

void buf_grow(struct buf *b, size_t more);
void buf_release(struct buf *b);
/* The text as a C string, borrowed until the next change. */
const char *buf_str(struct buf *b);
void buf_printf(struct buf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
void buf_vprintf(struct buf *b, const char *fmt, va_list ap) PRINTF_LIKE(2, 0);

/* Makes room for @more bytes after the text, and returns its address. The caller adds to .len the bytes that it writes there. */
static inline char *buf_room(struct buf *b, size_t more)
{
	if (b->cap - b->len < more)
		buf_grow(b, more);
	return b->data + b->len;
}

static inline void buf_put(struct buf *b, const void *p, size_t n)
{
	if (n)
		memcpy(buf_room(b, n), p, n);
	b->len += n;
}

#define BUF_STEP 16

/* Appends @n bytes in copies of BUF_STEP bytes each. So round_up(@n, BUF_STEP) bytes at @p must be readable. */
static inline void buf_put_steps(struct buf *b, const char *p, size_t n)
{
	char *to = buf_room(b, n + BUF_STEP);

	for (size_t i = 0; i < n; i += BUF_STEP)
		memcpy(to + i, p + i, BUF_STEP);
	b->len += n;
}

static inline void buf_puts(struct buf *b, const char *s)
{
	buf_put(b, s, strlen(s));
}

static inline void buf_putc(struct buf *b, char c)
{
	*buf_room(b, 1) = c;
	b->len++;
}

void buf_fill(struct buf *b, char c, size_t n);
/* Append a number, right-aligned in @width columns, hexadecimal without 0x. The ...0() pad with zeros, the others with spaces. */
void buf_dec(struct buf *b, uint64_t v, unsigned width);
void buf_dec0(struct buf *b, uint64_t v, unsigned width);
void buf_hex(struct buf *b, uint64_t v, unsigned width);
void buf_hex0(struct buf *b, uint64_t v, unsigned width);
void buf_int(struct buf *b, int64_t v, unsigned width);
/* Append @s, right- or left-aligned in @width columns. A longer @s is not cut. */
void buf_right(struct buf *b, const char *s, unsigned width);
void buf_left(struct buf *b, const char *s, unsigned width);
/* Append the @n bytes at @p as Base64, with padding and without line breaks (RFC 4648, section 4). */
void buf_put_base64(struct buf *b, const void *p, size_t n);

#endif
