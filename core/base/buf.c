/* Implements buf.h, a buffer that grows when text and numbers are appended to it. */
#include "core/base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/digits.h"

void buf_grow(struct buf *b, size_t more)
{
	b->cap = MAX(b->len + more, MAX(2 * b->cap, 256));
	b->data = xrealloc(b->data, b->cap);
}

void buf_release(struct buf *b)
{
	free(b->data);
	*b = (struct buf){0};
}

const char *buf_str(struct buf *b)
{
	*buf_room(b, 1) = '\0';
	return b->data;
}

void buf_vprintf(struct buf *b, const char *fmt, va_list ap)
{
	char *room = buf_room(b, 128);	/* called before .cap is used, because it changes .cap */
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(room, b->cap - b->len, fmt, ap);
	if (n >= 0 && (size_t)n >= b->cap - b->len)
		n = vsnprintf(buf_room(b, (size_t)n + 1), (size_t)n + 1, fmt, again);
	va_end(again);
	if (n > 0)
		b->len += (size_t)n;
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(b, fmt, ap);
	va_end(ap);
}

void buf_fill(struct buf *b, char c, size_t n)
{
	if (n)
		memset(buf_room(b, n), c, n);
	b->len += n;
}

/* Makes room for @n digits and DIGITS_ROOM, and writes the padding that right-aligns them in @width. */
static inline char *room_for_digits(struct buf *b, unsigned n, unsigned width, char pad)
{
	unsigned before = width > n ? width - n : 0;
	char *out = buf_room(b, before + BUF_STEP + DIGITS_ROOM);

	for (unsigned i = 0; i < before; i += BUF_STEP)
		memset(out + i, pad, BUF_STEP);
	b->len += before + n;
	return out + before;
}

static inline void put_hexadecimal(struct buf *b, uint64_t v, unsigned width, char pad)
{
	unsigned n = hexadecimal_digits(v);

	digits_hex_n(room_for_digits(b, n, width, pad), v, n);
}

static inline void put_decimal(struct buf *b, uint64_t v, unsigned width, char pad)
{
	unsigned n = decimal_digits(v);

	digits_dec_n(room_for_digits(b, n, width, pad), v, n);
}

void buf_dec(struct buf *b, uint64_t v, unsigned width)
{
	put_decimal(b, v, width, ' ');
}

void buf_dec0(struct buf *b, uint64_t v, unsigned width)
{
	put_decimal(b, v, width, '0');
}

void buf_hex(struct buf *b, uint64_t v, unsigned width)
{
	put_hexadecimal(b, v, width, ' ');
}

void buf_hex0(struct buf *b, uint64_t v, unsigned width)
{
	put_hexadecimal(b, v, width, '0');
}

void buf_int(struct buf *b, int64_t v, unsigned width)
{
	uint64_t magnitude = v < 0 ? -(uint64_t)v : (uint64_t)v;
	unsigned n = decimal_digits(magnitude);
	char *out = room_for_digits(b, n + (v < 0), width, ' ');

	*out = '-';
	digits_dec_n(out + (v < 0), magnitude, n);
}

void buf_right(struct buf *b, const char *s, unsigned width)
{
	size_t n = strlen(s);

	if (n < width)
		buf_fill(b, ' ', width - n);
	buf_put(b, s, n);
}

void buf_left(struct buf *b, const char *s, unsigned width)
{
	size_t n = strlen(s);

	buf_put(b, s, n);
	if (n < width)
		buf_fill(b, ' ', width - n);
}

void buf_put_base64(struct buf *out, const void *p, size_t n)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const uint8_t *s = p;
	char *to = buf_room(out, (n + 2) / 3 * 4), *begin = to;

	for (; n; s += 3, n -= MIN(n, 3)) {
		uint32_t v = (uint32_t)s[0] << 16 | (n > 1 ? (uint32_t)s[1] << 8 : 0) | (n > 2 ? s[2] : 0);

		*to++ = letters[v >> 18];
		*to++ = letters[v >> 12 & 63];
		*to++ = n > 1 ? letters[v >> 6 & 63] : '=';
		*to++ = n > 2 ? letters[v & 63] : '=';
	}
	out->len += (size_t)(to - begin);
}
