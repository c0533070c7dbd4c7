/*
 * Writes numbers as text, without printf(), for code that prints very many of them. Each digits_...() function needs room for
 * DIGITS_ROOM bytes at @to, even for a short number. It returns the end of the text.
 */
#ifndef CORE_BASE_DIGITS_H
#define CORE_BASE_DIGITS_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

#define DIGITS_ROOM 24

extern const char digit_pairs[201];	/* "00" to "99" */
extern const uint64_t powers_of_ten[20];

#define AMOUNT_ROOM 16

/* Formats a number for people, in decimal units: "648", "12.3 k", "1.30 G". @to has AMOUNT_ROOM bytes; returns @to. */
char *amount_text(char *to, uint64_t n);

static inline unsigned decimal_digits(uint64_t v)
{
	/* 1233 / 4096 is log10(2), well enough for 64 bits. */
	unsigned n = (unsigned)(64 - __builtin_clzll(v | 1)) * 1233 >> 12;

	return n + ((v | 1) >= powers_of_ten[n]);
}
static inline unsigned hexadecimal_digits(uint64_t v)
{
	return (unsigned)(63 - __builtin_clzll(v | 1)) / 4 + 1;
}

/* Writes @v in @n decimal digits, 1 to 20; @n is at least the number of digits of @v, and zeros fill the rest. */
char *digits_dec_n(char *to, uint64_t v, unsigned n);

static inline char *digits_dec(char *to, uint64_t v)
{
	if (v >= 100)
		return digits_dec_n(to, v, decimal_digits(v));
	to[0] = (char)('0' + v);
	if (v < 10)
		return to + 1;
	memcpy(to, digit_pairs + 2 * v, 2);
	return to + 2;
}

/* Writes @v, which is below 1,000,000, in six digits. */
static inline char *digits_six(char *to, uint32_t v)
{
	memcpy(to, digit_pairs + 2 * (v / 10000), 2);
	memcpy(to + 2, digit_pairs + 2 * (v / 100 % 100), 2);
	memcpy(to + 4, digit_pairs + 2 * (v % 100), 2);
	return to + 6;
}

static inline char *digits_int(char *to, int64_t v)
{
	if (v >= 0)
		return digits_dec(to, (uint64_t)v);
	*to = '-';
	return digits_dec(to + 1, -(uint64_t)v);
}

/* The eight hexadecimal digits of @v, the first in the lowest byte. A loop is slower: each digit waits for the one before. */
static inline uint64_t eight_digits(uint32_t v)
{
	uint64_t x = v;

	x = (x << 16 | x) & 0x0000ffff0000ffff;
	x = (x << 8 | x) & 0x00ff00ff00ff00ff;
	x = (x << 4 | x) & 0x0f0f0f0f0f0f0f0f;
	x += 0x3030303030303030 + ((x + 0x0606060606060606) >> 4 & 0x0101010101010101) * ('a' - '9' - 1);
	return __builtin_bswap64(x);
}

/* Writes the lowest @n hexadecimal digits of @v. @n is 1 to 16. */
static inline char *digits_hex_n(char *to, uint64_t v, unsigned n)
{
	uint64_t digits;

	if (n <= 8) {
		digits = htole64(eight_digits((uint32_t)v << (32 - 4 * n)));
		memcpy(to, &digits, 8);
		return to + n;
	}
	v <<= 64 - 4 * n;
	digits = htole64(eight_digits((uint32_t)(v >> 32)));
	memcpy(to, &digits, 8);
	digits = htole64(eight_digits((uint32_t)v));
	memcpy(to + 8, &digits, 8);
	return to + n;
}

static inline char *digits_hex(char *to, uint64_t v)
{
	return digits_hex_n(to, v, hexadecimal_digits(v));
}

#endif
