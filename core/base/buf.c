/* Text buffer and number writers. Layer: base */
#include "core/base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define NUMBER_MAX 24		/* digits of 2^64 and a sign fit */

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

static char *hexadecimal(char *end, uint64_t v)
{
	do {
		*--end = "0123456789abcdef"[v & 15];
		v >>= 4;
	} while (v);
	return end;
}

/* Right-aligned in @width. */
static void number(struct buf *b, const char *digits, size_t n, unsigned width, char pad)
{
	size_t before = n < width ? width - n : 0;
	char *out = buf_room(b, before + n);

	for (size_t i = 0; i < before; i++)
		out[i] = pad;
	memcpy(out + before, digits, n);
	b->len += before + n;
}

void buf_dec(struct buf *b, uint64_t v, unsigned width)
{
	char tmp[NUMBER_MAX], *end = tmp + sizeof(tmp), *p = decimal(end, v);

	number(b, p, (size_t)(end - p), width, ' ');
}

void buf_dec0(struct buf *b, uint64_t v, unsigned width)
{
	char tmp[NUMBER_MAX], *end = tmp + sizeof(tmp), *p = decimal(end, v);

	number(b, p, (size_t)(end - p), width, '0');
}

void buf_hex(struct buf *b, uint64_t v, unsigned width)
{
	char tmp[NUMBER_MAX], *end = tmp + sizeof(tmp), *p = hexadecimal(end, v);

	number(b, p, (size_t)(end - p), width, ' ');
}

void buf_hex0(struct buf *b, uint64_t v, unsigned width)
{
	char tmp[NUMBER_MAX], *end = tmp + sizeof(tmp), *p = hexadecimal(end, v);

	number(b, p, (size_t)(end - p), width, '0');
}

void buf_int(struct buf *b, int64_t v, unsigned width)
{
	char tmp[NUMBER_MAX], *end = tmp + sizeof(tmp), *p = decimal(end, v < 0 ? -(uint64_t)v : (uint64_t)v);

	if (v < 0)
		*--p = '-';
	number(b, p, (size_t)(end - p), width, ' ');
}

void buf_right(struct buf *b, const char *s, unsigned width)
{
	number(b, s, strlen(s), width, ' ');
}

void buf_left(struct buf *b, const char *s, unsigned width)
{
	size_t n = strlen(s);

	buf_put(b, s, n);
	if (n < width)
		buf_fill(b, ' ', width - n);
}
