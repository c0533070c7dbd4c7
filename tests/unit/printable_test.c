/* Control characters are escaped, valid UTF-8 stays; what is_plain_text() calls plain has neither. */
#include "core/base/printable.h"

#include <stdlib.h>

#include "core/base/buf.h"
#include "tests/unit/check.h"

static void check(const char *s, const char *but, const char *want)
{
	struct buf b = {0};

	buf_puts(&b, "\x1b");		/* what is before is left alone */
	buf_puts(&b, s);
	buf_escape_from(&b, 1, but);
	CHECK(str_eq(buf_str(&b) + 1, want), "'%s', want '%s'", buf_str(&b) + 1, want);
	b.len = 0;
	if (!*but) {
		buf_put_printable(&b, s);
		CHECK(str_eq(buf_str(&b), want), "'%s', want '%s'", buf_str(&b), want);
	}
	buf_release(&b);
}

int main(void)
{
	uint64_t state = 3;
	char text[40], *copy;

	check("", "", "");
	check("plain, and longer than eight bytes", "", "plain, and longer than eight bytes");
	check("\x1b]0;title\a", "", "\\x1b]0;title\\x07");
	check("a\tb\nc\r", "\n\t", "a\tb\nc\\x0d");
	check("a\tb\nc\x7f", "", "a\\x09b\\x0ac\\x7f");
	check("\xc3\xa4\xe2\x82\xac\xf0\x9f\x90\x9d", "", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x90\x9d");
	check("\xc2\x9b" "31m", "", "\\x9b" "31m");		/* CSI, as U+009B and as a byte */
	check("\x9b" "31m\xff", "", "\\x9b" "31m\\xff");
	check("\xc0\x9b\xe0\x80\x9b\xed\xa0\x80\xf5\x80\x80\x80\xe2\x82", "",
	      "\\xc0\\x9b\\xe0\\x80\\x9b\\xed\\xa0\\x80\\xf5\\x80\\x80\\x80\\xe2\\x82");
	for (int i = 0; i < 100000; i++) {
		size_t n = random_below(&state, sizeof(text));
		bool plain = true;

		random_bytes(&state, (uint8_t *)text, n);
		for (size_t k = 0; k < n; k++) {
			if (random_below(&state, 20))
				text[k] = (char)(0x20 + (uint8_t)text[k] % 0x5f);
			plain &= text[k] >= 0x20 && text[k] < 0x7f;
		}
		CHECK(is_plain_text(text, n) == plain, "%zu bytes", n);
	}
	copy = printable_text(xstrdup("\x1b"));
	CHECK(str_eq(copy, "\\x1b"), "'%s'", copy);
	free(copy);
	CHECK(!printable_text(NULL), "NULL");
	return checks_done();
}
