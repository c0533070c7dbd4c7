/* Shared by the unit tests: a check that prints and counts, and random numbers that repeat. */
#ifndef TESTS_UNIT_CHECK_H
#define TESTS_UNIT_CHECK_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/util.h"

extern unsigned nr_failed;

/* The condition must hold; what follows says for which input (printf) and is looked at only where it does not. */
#define CHECK(cond, ...) do {							\
	if (!(cond))								\
		check_failed(__FILE__, __LINE__, #cond, " " __VA_ARGS__);	\
} while (0)
#define CHECK_TEXT(got, want) check_text(got, want, __FILE__, __LINE__)

void check_failed(const char *file, int line, const char *what, const char *fmt, ...) PRINTF_LIKE(4, 5);
void check_text(const char *got, const char *want, const char *file, int line);

/* xorshift64*: good enough, and the same everywhere. */
static inline uint64_t random_u64(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dull;
}

static inline uint64_t random_below(uint64_t *state, uint64_t n)
{
	return random_u64(state) % n;
}

/* Mostly zeros: counts and sizes then often fit, and the deep fields are reached. */
static inline void random_bytes(uint64_t *state, uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p[i] = random_below(state, 32) ? 0 : (uint8_t)random_below(state, 256);
}

/* The exit status of the test. */
static inline int checks_done(void)
{
	return nr_failed ? 1 : 0;
}

#endif
