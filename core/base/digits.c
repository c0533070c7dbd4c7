/* Digits of numbers. Layer: base */
#include "core/base/digits.h"

#include <stdio.h>

const char digit_pairs[] =
	"00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657"
	"585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

unsigned decimal_digits(uint64_t v)
{
	unsigned n = 1;

	for (; v >= 10000; v /= 10000)
		n += 4;
	return n + (v >= 10) + (v >= 100) + (v >= 1000);
}

char *digits_dec_before(char *end, uint64_t v)
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

char *digits_many(char *to, uint64_t v)
{
	char *end = to + decimal_digits(v);

	digits_dec_before(end, v);
	return end;
}

char *amount_text(char *to, uint64_t n)
{
	static const char units[] = "kMGTPE";
	double v = (double)n / 1000;
	unsigned unit = 0;

	if (n < 10000) {
		snprintf(to, AMOUNT_ROOM, "%u", (unsigned)n);
		return to;
	}
	for (; v >= 999.5; v /= 1000)
		unit++;
	snprintf(to, AMOUNT_ROOM, "%.*f %c", v < 9.995 ? 2 : v < 99.95 ? 1 : 0, v, units[unit]);
	return to;
}
