/*
 * Writes control characters and invalid UTF-8 in names from files as hexadecimal, such as "\x1b", so that a terminal does not
 * execute them. Printable ASCII, the usual case, is copied several bytes at a time.
 */
#include "core/base/printable.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/utf8.h"

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

static void put_escaped(struct buf *out, const char *s, size_t n, const char *but)
{
	static const char digits[] = "0123456789abcdef";

	while (n) {
		size_t length = utf8_length(s, n);
		bool c1 = length == 2 && (uint8_t)s[0] == 0xc2 && (uint8_t)s[1] < 0xa0;		/* U+0080 to U+009F */
		uint8_t byte = (uint8_t)s[c1];

		if (length > 1 ? !c1 : length && ((byte >= 0x20 && byte != 0x7f) || (byte && strchr(but, byte))))
			buf_put(out, s, length);
		else
			buf_put(out, (const char[]){ '\\', 'x', digits[byte >> 4], digits[byte & 15] }, 4);
		length = MAX(length, 1);
		s += length;
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
