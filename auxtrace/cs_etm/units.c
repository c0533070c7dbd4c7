/*
 * Cuts a CoreSight trace into pieces that worker threads can decode separately. It first splits the bytes of each AUX record into
 * one stream per trace unit (formatter.h), then cuts each stream at synchronisation points. Drops each piece whose CPU, thread or
 * time the user's filters exclude.
 */
#include "auxtrace/cs_etm/stage.h"

#include <stdlib.h>

#include "auxtrace/cs_etm/flow.h"
#include "auxtrace/cs_etm/history.h"
#include "auxtrace/cs_etm/packet.h"

#define PIECE_SIZE	(64u << 10)	/* bytes of the smallest piece; the next synchronisation point ends it */

/* ---- chunks ---- */

static void add_chunk(struct cs_stage *s, const struct aux_queue *q, uint64_t from, uint64_t to, bool raw)
{
	if (from < to)
		vec_push(&s->chunks, (struct cs_chunk){ .queue = q, .from = from, .to = to, .raw = raw });
}

/* Lists the chunks of @q. Ranges that no AUX record covers are chunks, too. */
static void list_chunks(struct cs_stage *s, const struct aux_queue *q)
{
	size_t n = 0;

	vec_for(segment, &q->segments) {
		uint64_t at = segment->from;
		bool raw = q->aux_records.nr && q->aux_records.v[MIN(n, q->aux_records.nr - 1)].flags & CS_FLAG_RAW;

		for (; n < q->aux_records.nr && q->aux_records.v[n].from < segment->to; n++) {
			const struct aux_record *aux_record = &q->aux_records.v[n];
			uint64_t from = MAX(aux_record->from, at), to = MIN(aux_record->to, segment->to);

			if (from >= to)
				continue;
			raw = aux_record->flags & CS_FLAG_RAW;
			add_chunk(s, q, at, from, raw);
			add_chunk(s, q, from, to, raw);
			at = to;
		}
		add_chunk(s, q, at, segment->to, raw);
	}
}

void cs_chunk_unpack(struct cs_streams *out, const struct cs_stage *s, const struct cs_chunk *chunk, struct buf *scratch)
{
	const uint8_t *data = aux_queue_bytes(chunk->queue, chunk->from, chunk->to, scratch);
	const struct cs_cpu *cpu = chunk->raw ? cs_info_cpu(&s->info, chunk->queue->cpu) : NULL;

	*out = (struct cs_streams){0};
	if (!chunk->raw)
		cs_streams_unpack(out, data, chunk->to - chunk->from, chunk->from);
	else if (cpu)
		cs_streams_raw(out, cpu->config.id, data, chunk->to - chunk->from, chunk->from);
}

static void chunk_release(struct cs_chunk *chunk)
{
	cs_streams_release(&chunk->streams);
	aux_queue_release(chunk->queue, chunk->from, chunk->to);
	buf_release(&chunk->bytes);
}

/* ---- cutting ---- */

struct placed_piece { struct source_piece place; struct cs_span piece; };
struct stream_state { uint32_t queue, cpu; uint64_t time; };	/* a stream; .time: of its last piece so far */

struct splitter {
	struct cs_stage *s;
	VEC(struct stream_state) streams;
	VEC(struct placed_piece) pieces;
};

static uint32_t stream_number(struct splitter *s, const struct aux_queue *q, const struct cs_cpu *cpu)
{
	vec_for(stream, &s->streams)
		if (stream->queue == q->number && stream->cpu == cpu->cpu)
			return (uint32_t)(stream - s->streams.v);
	vec_push(&s->streams, (struct stream_state){ .queue = q->number, .cpu = cpu->cpu });
	return (uint32_t)s->streams.nr - 1;
}

/* Returns the first timestamp in a piece, in ns; 0: it has none. */
static uint64_t first_time(const struct cs_stage *s, const struct cs_stream *stream, const struct cs_span *p)
{
	struct cs_history h = {0};
	struct cs_packet pkt;
	size_t at = cs_packet_sync(stream->data, p->from, p->to, &p->cpu->config);

	while (at < p->to) {
		int size = cs_packet_read(&pkt, stream->data + at, p->to - at, &p->cpu->config);

		if (size <= 0)
			break;
		cs_history_add(&h, &pkt);
		if (pkt.type == CS_TIMESTAMP && pkt.time)
			return aux_clock_ns(&s->clock, pkt.time);
		at += (size_t)size;
	}
	return 0;
}

static void add_piece(struct splitter *s, uint32_t number, const struct cs_stream *stream, const struct cs_span *p)
{
	const struct cs_chunk *chunk = &s->s->chunks.v[p->chunk];
	const struct aux_record *aux_record = s->s->aux.timeless ? NULL : aux_queue_record(chunk->queue, chunk->from);
	uint64_t time = aux_record ? aux_record->time : 0;

	/* The time of the AUX record is later than all of its trace. */
	if (s->s->clock.known && !s->s->aux.timeless)
		time = first_time(s->s, stream, p);
	if (time < s->streams.v[number].time)
		time = s->streams.v[number].time;
	s->streams.v[number].time = time;
	vec_push(&s->pieces, (struct placed_piece){ .place = { .stream = number, .time = time }, .piece = *p });
}

static void split_stream(struct splitter *s, size_t chunk, const struct cs_stream *stream)
{
	const struct aux_queue *q = s->s->chunks.v[chunk].queue;
	const struct cs_cpu *cpu = cs_info_find(&s->s->info, stream->id, q->cpu);
	struct cs_pieces cuts = {0};
	uint32_t number;

	if (!cpu || cpu->unsupported) {
		*(cpu ? &s->s->unsupported_bytes : &s->s->unknown_bytes) += stream->len;
		s->s->unsupported = cpu ? cpu->unsupported : s->s->unsupported;
		return;
	}
	number = stream_number(s, q, cpu);
	cs_stream_pieces(&cuts, stream, &cpu->config, PIECE_SIZE);
	vec_for(cut, &cuts.list)
		add_piece(s, number, stream, &(struct cs_span){ .chunk = chunk, .cpu = cpu, .from = cut->from, .to = cut->to,
								.last = cut->to == stream->len });
	vec_free(&cuts.list);
}

ORDER(by_stream, struct placed_piece,
	compare_numbers(a->place.stream, b->place.stream) ?: compare_numbers(a->piece.chunk, b->piece.chunk) ?:
	compare_numbers(a->piece.from, b->piece.from))

static void split_chunks(struct cs_stage *s)
{
	struct splitter c = { .s = s };
	uint64_t kept = 0;

	vec_for(chunk, &s->chunks) {
		cs_chunk_unpack(&chunk->streams, s, chunk, &chunk->bytes);
		vec_for(stream, &chunk->streams.list)
			split_stream(&c, (size_t)(chunk - s->chunks.v), stream);
		kept += chunk->to - chunk->from;
		chunk->kept = kept <= CS_KEPT_BYTES;
		if (!chunk->kept)
			chunk_release(chunk);
	}
	vec_sort(&c.pieces, by_stream);
	vec_for(cut, &c.pieces) {
		vec_push(&s->pieces, cut->piece);
		vec_push(&s->aux.source.pieces, cut->place);
	}
	s->aux.source.nr_streams = (uint32_t)c.streams.nr;
	vec_free(&c.pieces);
	vec_free(&c.streams);
}

void cs_stage_cut(struct cs_stage *s)
{
	vec_for(q, &s->aux.queues.list)
		list_chunks(s, q);
	split_chunks(s);
}

void cs_chunks_release(struct cs_stage *s)
{
	vec_for(chunk, &s->chunks)
		chunk_release(chunk);
	vec_free(&s->chunks);
}

/* ---- choosing ---- */

/*
 * Returns the latest time that piece @i may contain: the time of the next piece whose time is later. (A piece without a timestamp
 * has the time of the piece before it.)
 */
static uint64_t latest_time(const struct cs_stage *s, size_t i, size_t end)
{
	const struct source_piece *p = s->aux.source.pieces.v;

	if (!s->clock.known && !s->aux.timeless)
		return p[i].time;		/* all samples of the piece have the time of its AUX record */
	for (size_t next = i + 1; next < end && !s->aux.timeless; next++)
		if (p[next].time > p[i].time)
			return p[next].time;
	return UINT64_MAX;
}

/* True if the piece may hold wanted samples. Its process may be known only from the context packets in it. */
static bool is_wanted(const struct aux_stage *stage, const struct aux_window *window, size_t i, size_t end)
{
	const struct cs_stage *s = (const struct cs_stage *)stage;
	const struct cs_span *p = &s->pieces.v[i];
	struct source_extent e = {
		.cpu = p->cpu->cpu, .pid = SOURCE_ANY, .tid = SOURCE_ANY,
		.from = s->aux.timeless ? 0 : s->aux.source.pieces.v[i].time, .to = latest_time(s, i, end),
	};

	if (!window->wants(window->ctx, &e))
		return false;
	return p->cpu->tid != CS_NO_TID || cpu_task_wanted(&s->aux.tasks, s->chunks.v[p->chunk].queue, window, e.from, e.to);
}

void cs_choose_pieces(struct cs_stage *s, const struct aux_window *window)
{
	bool history = s->aux.follow || (s->instructions && s->period > 1);

	aux_stage_choose(&s->aux, window, is_wanted, history, s->pieces.v, sizeof(*s->pieces.v));
	s->pieces.nr = s->aux.source.pieces.nr;
}
