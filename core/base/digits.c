/*
 * Implements digits.h. Writes decimal digits, up to eight at a time, and amounts for people, such as "12.3 k". The functions for
 * hexadecimal digits are inline, in digits.h.
 */
#include "core/base/digits.h"

#include <stdio.h>

const char digit_pairs[] =
	"00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657"
	"585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

#define TEN_4	10000ull
#define TEN_8	100000000ull

const uint64_t powers_of_ten[] = {
	1, 10, 100, 1000, TEN_4, TEN_4 * 10, TEN_4 * 100, TEN_4 * 1000, TEN_8, TEN_8 * 10, TEN_8 * 100, TEN_8 * 1000, TEN_8 * TEN_4,
	TEN_8 * TEN_4 * 10, TEN_8 * TEN_4 * 100, TEN_8 * TEN_4 * 1000, TEN_8 * TEN_8, TEN_8 * TEN_8 * 10, TEN_8 * TEN_8 * 100,
	TEN_8 * TEN_8 * 1000,
};

/* The first digit is in the lowest byte. Divides all parts at once, by reciprocals, which is exact for so few digits. */
static uint64_t eight_decimals(uint32_t v)
{
	uint64_t x = v / 10000 | (uint64_t)(v % 10000) << 32, hundreds, tens;

	hundreds = x * 10486 >> 20 & 0x0000007f0000007f;
	x = hundreds | (x - 100 * hundreds) << 16;
	tens = x * 103 >> 10 & 0x000f000f000f000f;
	return (tens | (x - 10 * tens) << 8) + 0x3030303030303030;
}

char *digits_dec_n(char *to, uint64_t v, unsigned n)
{
	uint64_t digits;

	if (n > 8) {
		to = digits_dec_n(to, v / TEN_8, n - 8);
		v %= TEN_8;
		n = 8;
	}
	digits = htole64(eight_decimals((uint32_t)v) >> (64 - 8 * n));
	memcpy(to, &digits, sizeof(digits));
	return to + n;
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
