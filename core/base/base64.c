/* Encodes bytes as Base64 text. Every three bytes become four characters. Layer: base */
#include "core/base/base64.h"

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
