/* Words of the test PMU. */
#include "tests/vm/aux_words.h"

#include <string.h>

#define MARK 0x5a

uint64_t u64_at(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

uint32_t u32_at(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

int is_word(uint64_t w)
{
	return w >> 56 == MARK;
}

unsigned word_stream(uint64_t w)
{
	return w >> 44 & 0xfff;
}

unsigned word_cpu(uint64_t w)
{
	return w >> 32 & 0xfff;
}

int first_word(const uint8_t *p, size_t size)
{
	for (size_t i = 0; i < 8 && i + 16 <= size; i++) {
		uint64_t first = u64_at(p + i), second = u64_at(p + i + 8);

		if (is_word(first) && is_word(second) && (uint32_t)second == (uint32_t)first + 1)
			return (int)i;
	}
	return -1;
}

int is_byte(unsigned stream, int cpu, uint64_t at, uint8_t got)
{
	uint64_t word = (uint64_t)MARK << 56 | (uint64_t)stream << 44 | (uint32_t)(at >> 3), unknown = 0xfffull << 32;
	unsigned shift = at % 8 * 8;

	if (cpu >= 0) {
		word |= (uint64_t)cpu << 32;
		unknown = 0;
	}
	return !(((word >> shift ^ got) & ~(unknown >> shift)) & 0xff);
}
