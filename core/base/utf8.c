/* Checks and writes single characters in UTF-8. */
#include "core/base/utf8.h"

#include "core/base/buf.h"

size_t utf8_length(const char *text, size_t n)
{
	const uint8_t *s = (const uint8_t *)text;
	size_t want = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;

	if (!want || want > n)
		return 0;
	for (size_t i = 1; i < want; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
	    (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return want;
}

void utf8_put(struct buf *out, uint32_t c)
{
	if (c < 0x80) {
		buf_putc(out, (char)c);
		return;
	}
	if (c >= 0x10000)
		buf_putc(out, (char)(0xf0 | c >> 18));
	if (c >= 0x800)
		buf_putc(out, (char)(c >= 0x10000 ? 0x80 | (c >> 12 & 0x3f) : 0xe0 | c >> 12));
	buf_putc(out, (char)(c >= 0x800 ? 0x80 | (c >> 6 & 0x3f) : 0xc0 | c >> 6));
	buf_putc(out, (char)(0x80 | (c & 0x3f)));
}
