/*
 * Writes messages in the format of Protocol Buffers (protobuf.dev/programming-guides/encoding), for the export to pprof. A
 * number that is 0 is left out, as in proto3.
 * Layer: base
 */
#ifndef CORE_BASE_PROTOBUF_H
#define CORE_BASE_PROTOBUF_H

#include "core/base/varint.h"

enum protobuf_wire { PROTOBUF_VARINT = 0, PROTOBUF_LENGTH = 2 };

static inline void protobuf_tag(struct buf *b, unsigned field, enum protobuf_wire wire)
{
	buf_varint(b, field << 3 | wire);
}

static inline void protobuf_number(struct buf *b, unsigned field, uint64_t v)
{
	if (!v)
		return;
	protobuf_tag(b, field, PROTOBUF_VARINT);
	buf_varint(b, v);
}

/* Bytes: a string, a message, or packed numbers; written even if there are none. */
static inline void protobuf_bytes(struct buf *b, unsigned field, const void *p, size_t n)
{
	protobuf_tag(b, field, PROTOBUF_LENGTH);
	buf_varint(b, n);
	buf_put(b, p, n);
}

#endif
