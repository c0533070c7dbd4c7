/*
 * Writes and reads numbers of variable length (LEB128), for profiles in memory and the export to pprof
 * (core/show/export/pprof.c). Each byte has seven bits of the number, the lowest first. Its top bit is set if another byte
 * follows.
 */
#ifndef CORE_BASE_VARINT_H
#define CORE_BASE_VARINT_H

#include "core/base/buf.h"

#define VARINT_MAX 10	/* bytes of the longest */

/* Writes @v to @to, which has room for VARINT_MAX bytes. Returns the end. */
static inline char *write_varint(char *to, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*to++ = (char)(v | 0x80);
	*to++ = (char)v;
	return to;
}

static inline void buf_varint(struct buf *b, uint64_t v)
{
	char *to = buf_room(b, VARINT_MAX);

	b->len += (size_t)(write_varint(to, v) - to);
}

/* Reads a number written by buf_varint(). Trusts the bytes: there is no check for their end. */
static inline uint64_t read_varint(const uint8_t **p)
{
	uint64_t v = 0;
	unsigned shift = 0;

	for (; **p & 0x80; shift += 7)
		v |= (uint64_t)(*(*p)++ & 0x7f) << shift;
	return v | (uint64_t)*(*p)++ << shift;
}

/* Makes small numbers of either sign small unsigned ones: 0, -1, 1, -2 ... become 0, 1, 2, 3 ... */
static inline uint64_t zigzag(uint64_t v)
{
	return v << 1 ^ -(v >> 63);
}

static inline uint64_t unzigzag(uint64_t v)
{
	return v >> 1 ^ -(v & 1);
}

#endif
