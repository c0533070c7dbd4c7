/*
 * Undoes CoreSight's formatting, which mixes the bytes of several trace units in 16-byte frames. units.c and dump.c unpack a trace
 * into one stream of bytes for each trace ID, the number of a trace unit.
 */
#ifndef AUXTRACE_CS_ETM_FORMATTER_H
#define AUXTRACE_CS_ETM_FORMATTER_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/vec.h"

/*
 * A frame. Source: CoreSight Architecture Specification (IHI 0029), chapter D4.
 *
 *	byte  0    1    2    3   ...  14   15
 *	      id/d data id/d data ... id/d bits
 *
 * Bit n/2 of byte 15 belongs to the even byte n. If bit 0 of byte n is clear, byte n is data, and bit n/2 of byte 15 is the true
 * bit 0 of the data. If bit 0 of byte n is set, the other bits are a new ID. The new ID holds from byte n + 1 on if bit n/2 of byte
 * 15 is clear. If this bit is set, byte n + 1 still has the old ID, and the new ID holds from byte n + 2 on.
 */
#define CS_FRAME	16	/* bytes in a frame */
#define CS_FRAME_DATA	15	/* data bytes in a frame in which the ID does not change */
#define CS_IDS		128	/* trace IDs are seven bits; 0 and those from 0x70 on are no sources */

struct cs_place {		/* from .at on, the stream's bytes come from frames with only one ID, the first one at .offset */
	size_t at;		/* offset in the stream */
	uint64_t offset;	/* offset in the trace */
};

struct cs_stream {
	uint8_t id;
	const uint8_t *data;	/* owned by the cs_streams, or borrowed when the buffer had no frames */
	size_t len, cap;
	VEC(struct cs_place) places;
	VEC(size_t) breaks;	/* the formatter was reset: the bytes after a break do not continue those before it */
	uint64_t next;		/* if the next bytes are from this offset, they need no new place */
};

struct cs_streams {		/* = {0} is an empty one; cs_streams_release() */
	VEC(struct cs_stream) list;	/* in the order in which the IDs were first seen */
	size_t nr_bad;		/* frames whose bytes were of no source, or which the buffer's end cut */
	uint8_t slot[CS_IDS];	/* position in .list + 1 */
};

/*
 * Splits @n bytes of formatted trace at @p into streams. The formatter's state at @p is that of a new trace. Frame syncs and
 * half-frame syncs, which a TPIU inserts, are dropped. Four frame syncs in a row reset the formatter. @offset: the offset of @p in
 * the trace, for cs_stream_offset(). Needs a small multiple of @n bytes of memory.
 */
void cs_streams_unpack(struct cs_streams *out, const uint8_t *p, size_t n, uint64_t offset);
/* Like cs_streams_unpack(), for a buffer without frames, all of whose bytes are of source @id. Borrows @p. */
void cs_streams_raw(struct cs_streams *out, uint8_t id, const uint8_t *p, size_t n, uint64_t offset);
/* The stream of @id, borrowed, or NULL. */
const struct cs_stream *cs_streams_find(const struct cs_streams *s, uint8_t id);
void cs_streams_release(struct cs_streams *s);

/* The trace offset of byte @at of the stream. */
uint64_t cs_stream_offset(const struct cs_stream *s, size_t at);
/* As cs_stream_offset(), if the caller knows the number @nr of the place (0 if there are no places). */
uint64_t cs_place_offset(const struct cs_stream *s, size_t nr, size_t at);

#endif
