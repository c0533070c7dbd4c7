/* Numbers as text are those of printf, of any length and width, and nothing else is written over. */
#include "core/base/digits.h"

#include <stdio.h>

#include "core/base/buf.h"
#include "tests/unit/check.h"

static void check_written(const char *what, const struct buf *got, uint64_t v, unsigned width, const char *want)
{
	CHECK(got->len == strlen(want) && !memcmp(got->data, want, got->len), "%s of %" PRIu64 ", width %u: '%.*s', not '%s'",
	      what, v, width, (int)got->len, got->data, want);
}

static void check_number(uint64_t v, unsigned width)
{
	static const struct { const char *name, *fmt; void (*put)(struct buf *, uint64_t, unsigned); } forms[] = {
		{ "buf_dec", "before%*llu", buf_dec }, { "buf_dec0", "before%0*llu", buf_dec0 },
		{ "buf_hex", "before%*llx", buf_hex }, { "buf_hex0", "before%0*llx", buf_hex0 },
	};
	char want[64];
	struct buf b = {0};

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		b.len = 0;
		buf_puts(&b, "before");
		forms[i].put(&b, v, width);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(want, sizeof(want), forms[i].fmt, (int)width, (unsigned long long)v);
#pragma GCC diagnostic pop
		check_written(forms[i].name, &b, v, width, want);
	}
	b.len = 0;
	buf_int(&b, (int64_t)v, width);
	snprintf(want, sizeof(want), "%*lld", (int)width, (long long)v);
	check_written("buf_int", &b, v, width, want);
	snprintf(want, sizeof(want), "%llu", (unsigned long long)v);
	CHECK(decimal_digits(v) == strlen(want), "%u digits of %s", decimal_digits(v), want);
	buf_release(&b);
}

/* As long as promised. */
static void check_room(uint64_t v)
{
	char text[2 * DIGITS_ROOM], want[2 * DIGITS_ROOM];
	size_t n = (size_t)snprintf(want, sizeof(want), "%llu", (unsigned long long)v);

	memset(text, '#', sizeof(text));
	CHECK(digits_dec(text, v) == text + n && !memcmp(text, want, n), "'%.*s', not '%s'", (int)n, text, want);
	for (size_t i = DIGITS_ROOM; i < sizeof(text); i++)
		CHECK(text[i] == '#', "byte %zu is written after %s", i, want);
}

int main(void)
{
	uint64_t state = 88172645463325252ull, power = 1;

	for (unsigned i = 0; i < 20; i++, power *= 10)
		for (int d = -2; d <= 2; d++)
			for (unsigned width = 0; width < 24; width++) {
				check_number(power + (uint64_t)d, width);
				check_room(power + (uint64_t)d);
			}
	for (unsigned i = 0; i < 100000; i++) {
		uint64_t v = random_u64(&state) >> random_below(&state, 64);

		check_number(v, (unsigned)random_below(&state, 40));
		check_room(v);
	}
	return checks_done();
}
