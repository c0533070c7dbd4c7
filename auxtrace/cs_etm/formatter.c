/*
 * Undoes the CoreSight formatter, which mixes the bytes of several trace units: splits the formatted trace into one stream of bytes
 * for each trace unit. flow.c decodes a stream.
 */
#include "auxtrace/cs_etm/formatter.h"

#include <endian.h>
#include <string.h>

#define NO_OFFSET	UINT64_MAX	/* .next: the next bytes need a new place */

struct unpacker {
	struct cs_streams *out;
	struct cs_stream *current;	/* NULL: the bytes belong to no source and are dropped */
	const uint8_t *begin;
	bool started;			/* bytes of this frame went to .current as one block */
};

static bool is_source(unsigned id)
{
	return id && id < 0x70;
}

static struct cs_stream *stream_of(struct cs_streams *s, unsigned id)
{
	if (!s->slot[id]) {
		vec_push(&s->list, (struct cs_stream){ .id = (uint8_t)id, .next = NO_OFFSET });
		s->slot[id] = (uint8_t)s->list.nr;
	}
	return &s->list.v[s->slot[id] - 1];
}

static uint8_t *reserve(struct cs_stream *s, size_t more)
{
	if (s->cap - s->len < more) {
		s->cap = MAX(2 * s->cap, s->len + MAX(more, 4096));
		s->data = xrealloc((uint8_t *)(uintptr_t)s->data, s->cap);
	}
	return (uint8_t *)(uintptr_t)s->data + s->len;
}

/* Notes that a block of one source begins at @offset of the trace, unless it continues the block before it. */
static void begin_block(struct cs_stream *s, uint64_t offset)
{
	if (s->next != offset)
		vec_push(&s->places, (struct cs_place){ s->len, offset });
	s->next = NO_OFFSET;
}

/* Puts bit n of @bits into bit 0 of byte 2n. */
static uint64_t spread(unsigned bits)
{
	static const uint64_t even[16] = {
		0x0000000000000000, 0x0000000000000001, 0x0000000000010000, 0x0000000000010001,
		0x0000000100000000, 0x0000000100000001, 0x0000000100010000, 0x0000000100010001,
		0x0001000000000000, 0x0001000000000001, 0x0001000000010000, 0x0001000000010001,
		0x0001000100000000, 0x0001000100000001, 0x0001000100010000, 0x0001000100010001,
	};

	return even[bits & 15];
}

/*
 * Copies a frame whose fifteen bytes are all of the current source, as two 8-byte words. Returns false if some are not. In a busy
 * trace, nearly all frames are copied in this way.
 */
static bool copy_whole_frame(struct unpacker *u, const uint8_t *f, uint64_t offset)
{
	uint64_t lo, hi;
	uint8_t *to;

	memcpy(&lo, f, 8);
	memcpy(&hi, f + 8, 8);
	lo = le64toh(lo);
	hi = le64toh(hi);
	if ((lo | hi) & 0x0001000100010001ull)
		return false;
	if (!u->current)
		return true;
	begin_block(u->current, offset);
	to = reserve(u->current, CS_FRAME);
	lo = htole64(lo | spread(f[15]));
	hi = htole64(hi | spread(f[15] >> 4));
	memcpy(to, &lo, 8);
	memcpy(to + 8, &hi, 8);
	u->current->len += CS_FRAME_DATA;
	u->current->next = offset + CS_FRAME;
	return true;
}

static void put(struct unpacker *u, uint8_t byte, uint64_t offset)
{
	bool first = !u->started;

	u->started = true;
	if (!u->current)
		return;
	if (first)
		begin_block(u->current, offset);
	*reserve(u->current, 1) = byte;
	u->current->len++;
}

/* Copies frame @f byte by byte. It has no syncs in it, and begins at @offset of the trace. */
static void copy_mixed_frame(struct unpacker *u, const uint8_t *f, uint64_t offset)
{
	uint64_t from = offset;		/* offset at which the current block begins: that of the ID before it, or of the frame */

	u->started = false;
	for (int i = 0; i < 15; i += 2) {
		unsigned bit = f[15] >> i / 2 & 1, id = f[i] >> 1;
		bool old_next = false;	/* the next byte is still of the old ID */

		if (!(f[i] & 1)) {
			put(u, f[i] | (uint8_t)bit, from);
		} else if (!u->current || u->current->id != id) {
			old_next = bit && i < 14;
			if (old_next)
				put(u, f[i + 1], from);
			if (u->started)
				from = offset + (unsigned)i;
			u->current = is_source(id) ? stream_of(u->out, id) : NULL;
			u->started = false;
			u->out->nr_bad += id >= 0x70;
		}
		if (!old_next && i < 14)
			put(u, f[i + 1], from);
	}
}

/* True if a frame sync (FF FF FF 7F) is at @p. */
static bool is_frame_sync(const uint8_t *p, size_t n)
{
	return n >= 4 && p[0] == 0xff && p[1] == 0xff && p[2] == 0xff && p[3] == 0x7f;
}

static void reset(struct unpacker *u)
{
	u->current = NULL;
	vec_for(s, &u->out->list)
		if (!s->breaks.nr || s->breaks.v[s->breaks.nr - 1] != s->len)
			vec_push(&s->breaks, s->len);
}

/* Skips frame syncs; four in a row are a reset. */
static const uint8_t *skip_syncs(struct unpacker *u, const uint8_t *p, const uint8_t *end)
{
	unsigned nr = 0;

	for (; is_frame_sync(p, (size_t)(end - p)); p += 4)
		if (++nr == 4)
			reset(u);
	return p;
}

/* Gathers a frame without half syncs (FF 7F at an even place). Returns its end, or NULL if the buffer ends first. */
static const uint8_t *gather_frame(uint8_t *frame, const uint8_t *p, const uint8_t *end)
{
	for (int nr = 0; nr < CS_FRAME; p += 2) {
		if (end - p < 2)
			return NULL;
		if (p[0] == 0xff && p[1] == 0x7f)
			continue;
		frame[nr++] = p[0];
		frame[nr++] = p[1];
	}
	return p;
}

void cs_streams_unpack(struct cs_streams *out, const uint8_t *p, size_t n, uint64_t offset)
{
	struct unpacker u = { .out = out, .begin = p };
	const uint8_t *end = p + n;
	uint8_t frame[CS_FRAME];

	while (p < end) {
		const uint8_t *next;
		uint64_t at;

		if (end - p >= CS_FRAME && copy_whole_frame(&u, p, offset + (uint64_t)(p - u.begin))) {
			p += CS_FRAME;
			continue;
		}
		p = skip_syncs(&u, p, end);
		if (p == end)
			break;
		next = gather_frame(frame, p, end);
		if (!next) {
			out->nr_bad++;
			break;
		}
		at = offset + (uint64_t)(p - u.begin);
		if (!copy_whole_frame(&u, frame, at))
			copy_mixed_frame(&u, frame, at);
		p = next;
	}
}

void cs_streams_raw(struct cs_streams *out, uint8_t id, const uint8_t *p, size_t n, uint64_t offset)
{
	struct cs_stream s = { .id = id, .data = p, .len = n, .next = NO_OFFSET };

	vec_push(&s.places, (struct cs_place){ 0, offset });
	vec_push(&out->list, s);
	out->slot[id & (CS_IDS - 1)] = (uint8_t)out->list.nr;
}

const struct cs_stream *cs_streams_find(const struct cs_streams *s, uint8_t id)
{
	return id < CS_IDS && s->slot[id] ? &s->list.v[s->slot[id] - 1] : NULL;
}

void cs_streams_release(struct cs_streams *s)
{
	vec_for(stream, &s->list) {
		if (stream->cap)
			free((uint8_t *)(uintptr_t)stream->data);
		vec_free(&stream->places);
		vec_free(&stream->breaks);
	}
	vec_free(&s->list);
	memset(s->slot, 0, sizeof(s->slot));
}

uint64_t cs_place_offset(const struct cs_stream *s, size_t nr, size_t at)
{
	const struct cs_place *p = s->places.v + nr;

	if (!s->places.nr)
		return at;
	at -= p->at;
	if (!s->cap)
		return p->offset + at;
	return p->offset + at / CS_FRAME_DATA * CS_FRAME + at % CS_FRAME_DATA;
}

uint64_t cs_stream_offset(const struct cs_stream *s, size_t at)
{
	return cs_place_offset(s, bisect(i, 1, s->places.nr, s->places.v[i].at <= at) - 1, at);
}
