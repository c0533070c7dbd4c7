/*
 * Writes control characters and invalid UTF-8 in names from files as hexadecimal, such as "\x1b", so that a terminal does not
 * execute them. Copies printable ASCII, the usual case, without a look at each byte.
 * Layer: base
 */
#include "core/base/printable.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"

#define EACH_BYTE(v)	(0x0101010101010101ull * (v))
#define HIGH_BITS	EACH_BYTE(0x80)

/* True if one of the eight bytes is below 0x20 or above 0x7e. */
static bool has_unusual(uint64_t v)
{
	return ((v - EACH_BYTE(0x20)) | v | (v + EACH_BYTE(0x01))) & HIGH_BITS;
}

bool is_plain_text(const char *p, size_t n)
{
	uint64_t v;

	for (; n >= sizeof(v); p += sizeof(v), n -= sizeof(v)) {
		memcpy(&v, p, sizeof(v));
		if (has_unusual(v))
			return false;
	}
	for (; n; p++, n--)
		if (*p < 0x20 || *p == 0x7f)
			return false;
	return true;
}

static bool continues(uint8_t byte)
{
	return (byte & 0xc0) == 0x80;
}

/* The length of the character at @p, of @n bytes, if it is valid UTF-8 (RFC 3629) and no control character; else 0. */
static size_t wide_length(const uint8_t *p, size_t n)
{
	if (n >= 2 && p[0] >= 0xc2 && p[0] <= 0xdf && continues(p[1]))
		return p[0] == 0xc2 && p[1] < 0xa0 ? 0 : 2;
	if (n >= 3 && (p[0] & 0xf0) == 0xe0 && continues(p[1]) && continues(p[2])) {
		bool overlong = p[0] == 0xe0 && p[1] < 0xa0, surrogate = p[0] == 0xed && p[1] >= 0xa0;

		return overlong || surrogate ? 0 : 3;
	}
	if (n >= 4 && p[0] >= 0xf0 && p[0] <= 0xf4 && continues(p[1]) && continues(p[2]) && continues(p[3])) {
		bool overlong = p[0] == 0xf0 && p[1] < 0x90, beyond = p[0] == 0xf4 && p[1] >= 0x90;

		return overlong || beyond ? 0 : 4;
	}
	return 0;
}

static void put_escaped(struct buf *out, const char *s, size_t n, const char *but)
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *p = (const uint8_t *)s;

	while (n) {
		bool plain = (*p >= 0x20 && *p < 0x7f) || (*p && strchr(but, *p));
		size_t length = plain ? 1 : wide_length(p, n);

		if (length) {
			buf_put(out, p, length);
		} else {
			bool c1 = p[0] == 0xc2 && n > 1 && p[1] >= 0x80 && p[1] <= 0x9f;	/* U+0080 to U+009F */

			p += c1;
			n -= c1;
			buf_put(out, (const char[]){ '\\', 'x', digits[*p >> 4], digits[*p & 15] }, 4);
			length = 1;
		}
		p += length;
		n -= length;
	}
}

void buf_put_printable(struct buf *out, const char *s)
{
	size_t n = strlen(s);

	if (is_plain_text(s, n))
		buf_put(out, s, n);
	else
		put_escaped(out, s, n, "");
}

void buf_escape_from(struct buf *b, size_t from, const char *but)
{
	size_t n = b->len - from;
	char *copy;

	if (is_plain_text(b->data + from, n))
		return;
	copy = xmalloc(n);
	memcpy(copy, b->data + from, n);
	b->len = from;
	put_escaped(b, copy, n, but);
	free(copy);
}

char *printable_text(char *owned)
{
	struct buf b = {0};
	char *text;

	if (!owned || is_plain_text(owned, strlen(owned)))
		return owned;
	buf_put_printable(&b, owned);
	text = xstrndup(b.data, b.len);
	buf_release(&b);
	free(owned);
	return text;
}
