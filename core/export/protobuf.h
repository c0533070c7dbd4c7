/*
 * Protocol buffers: fields of a message, one after the other. A message in a message is written to a buffer of its own first.
 * Source: the "Encoding" page of protobuf.dev.
 * Layer: export
 */
#ifndef CORE_EXPORT_PROTOBUF_H
#define CORE_EXPORT_PROTOBUF_H

#include "core/base/varint.h"

enum { PROTOBUF_VARINT = 0, PROTOBUF_BYTES = 2 };

/* A number; 0 is left out, as it is what a missing field reads as. */
static inline void protobuf_u64(struct buf *out, unsigned field, uint64_t v)
{
	if (!v)
		return;
	buf_varint(out, field << 3 | PROTOBUF_VARINT);
	buf_varint(out, v);
}

/* Bytes, a string, a message, or packed numbers. */
static inline void protobuf_bytes(struct buf *out, unsigned field, const void *p, size_t n)
{
	buf_varint(out, field << 3 | PROTOBUF_BYTES);
	buf_varint(out, n);
	buf_put(out, p, n);
}

/* @message, which is empty then. */
static inline void protobuf_message(struct buf *out, unsigned field, struct buf *message)
{
	protobuf_bytes(out, field, message->data, message->len);
	message->len = 0;
}

#endif
