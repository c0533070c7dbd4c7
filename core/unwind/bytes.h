/*
 * Reads the little-endian numbers of DWARF with a cursor over untrusted bytes of a file. A read past the end sets .bad, returns 0
 * and does not move the cursor.
 */
#ifndef CORE_UNWIND_BYTES_H
#define CORE_UNWIND_BYTES_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct bytes {
	const uint8_t *pos, *end;	/* borrowed */
	bool bad;
};

static inline size_t bytes_left(const struct bytes *b)
{
	return (size_t)(b->end - b->pos);
}

/* @n is at most 8. */
static inline uint64_t bytes_number(struct bytes *b, unsigned n)
{
	uint64_t v = 0;

	if (bytes_left(b) < n) {
		b->bad = true;
		return 0;
	}
	memcpy(&v, b->pos, n);
	b->pos += n;
	return le64toh(v);
}

static inline uint8_t bytes_u8(struct bytes *b)
{
	return (uint8_t)bytes_number(b, 1);
}

static inline int64_t bytes_signed(struct bytes *b, unsigned n)
{
	unsigned unused = 64 - 8 * n;

	return (int64_t)(bytes_number(b, n) << unused) >> unused;
}

/*
 * Reads a LEB128 number: groups of 7 bits, the lowest first; bits above the 64th are dropped. *last: its last byte; *bits: the
 * number of bits. DWARF 5, section 7.6.
 */
static inline uint64_t bytes_leb(struct bytes *b, uint8_t *last, unsigned *bits)
{
	uint64_t v = 0;

	*bits = 0;
	do {
		*last = bytes_u8(b);
		if (*bits < 64)
			v |= (uint64_t)(*last & 0x7f) << *bits;
		*bits += 7;
	} while (*last & 0x80);
	return v;
}

static inline uint64_t bytes_uleb(struct bytes *b)
{
	unsigned bits;
	uint8_t last;

	return bytes_leb(b, &last, &bits);
}

static inline int64_t bytes_sleb(struct bytes *b)
{
	unsigned bits;
	uint8_t last;
	uint64_t v = bytes_leb(b, &last, &bits);

	if (last & 0x40 && bits < 64)
		v |= ~0ull << bits;
	return (int64_t)v;
}

/* Cuts off the next @n bytes, borrowed; none if there are fewer. */
static inline struct bytes bytes_cut(struct bytes *b, uint64_t n)
{
	struct bytes part = { b->pos, b->pos, false };

	if (n > bytes_left(b)) {
		b->bad = part.bad = true;
		return part;
	}
	b->pos += n;
	part.end = b->pos;
	return part;
}

#endif
