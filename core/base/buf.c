/* Text buffer and number writers. Layer: base */
#include "core/base/buf.h"

#include <endian.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

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

void buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap, again;
	char *room = buf_room(b, 128);	/* first: it changes cap */
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(room, b->cap - b->len, fmt, ap);
	if (n >= 0 && (size_t)n >= b->cap - b->len)
		n = vsnprintf(buf_room(b, (size_t)n + 1), (size_t)n + 1, fmt, again);
	va_end(again);
	va_end(ap);
	if (n > 0)
		b->len += (size_t)n;
}

void buf_fill(struct buf *b, char c, size_t n)
{
	if (n)
		memset(buf_room(b, n), c, n);
	b->len += n;
}

static const char digit_pairs[] =
	"00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657"
	"585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

/* Write the digits so that they end at @end. */
static char *decimal(char *end, uint64_t v)
{
	while (v >= 100) {
		end -= 2;
		memcpy(end, digit_pairs + 2 * (v % 100), 2);
		v /= 100;
	}
	if (v < 10) {
		*--end = (char)('0' + v);
		return end;
	}
	end -= 2;
	memcpy(end, digit_pairs + 2 * v, 2);
	return end;
}

#define HEXADECIMAL_ROOM 16

/* The eight digits of @v, the first in the lowest byte: all at once, as those of a loop wait for each other. */
static uint64_t eight_digits(uint32_t v)
{
	uint64_t x = v;

	x = (x << 16 | x) & 0x0000ffff0000ffff;
	x = (x << 8 | x) & 0x00ff00ff00ff00ff;
	x = (x << 4 | x) & 0x0f0f0f0f0f0f0f0f;
	x += 0x3030303030303030 + ((x + 0x0606060606060606) >> 4 & 0x0101010101010101) * ('a' - '9' - 1);
	return __builtin_bswap64(x);
}

/* Write @n digits (1 to 16) behind @out, and something behind them up to HEXADECIMAL_ROOM. */
static void hexadecimal(char *out, uint64_t v, unsigned n)
{
	uint64_t first, second;

	v <<= 64 - 4 * n;
	first = htole64(eight_digits((uint32_t)(v >> 32)));
	second = htole64(eight_digits((uint32_t)v));
	memcpy(out, &first, 8);
	memcpy(out + 8, &second, 8);
}

static unsigned decimal_digits(uint64_t v)
{
	unsigned n = 1;

	for (; v >= 10000; v /= 10000)
		n += 4;
	return n + (v >= 10) + (v >= 100) + (v >= 1000);
}

static unsigned hexadecimal_digits(uint64_t v)
{
	return (unsigned)(63 - __builtin_clzll(v | 1)) / 4 + 1;
}

static inline void put_hexadecimal(struct buf *b, uint64_t v, unsigned width, char pad)
{
	unsigned n = hexadecimal_digits(v), all = MAX(n, width);
	char *out = buf_room(b, all + HEXADECIMAL_ROOM);

	for (unsigned i = 0; i < all - n; i++)
		out[i] = pad;
	hexadecimal(out + all - n, v, n);
	b->len += all;
}

/* Make room for @n digits, right-aligned in @width; returns where they end. */
static inline char *room_for_digits(struct buf *b, size_t n, size_t width, char pad)
{
	size_t all = MAX(n, width);
	char *out = buf_room(b, all);

	for (size_t i = 0; i < all - n; i++)
		out[i] = pad;
	b->len += all;
	return out + all;
}

void buf_dec(struct buf *b, uint64_t v, unsigned width)
{
	decimal(room_for_digits(b, decimal_digits(v), width, ' '), v);
}

void buf_dec0(struct buf *b, uint64_t v, unsigned width)
{
	decimal(room_for_digits(b, decimal_digits(v), width, '0'), v);
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
	char *first = decimal(room_for_digits(b, decimal_digits(magnitude) + (v < 0), width, ' '), magnitude);

	if (v < 0)
		first[-1] = '-';
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
