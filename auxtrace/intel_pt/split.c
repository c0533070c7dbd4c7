/*
 * Cuts an Intel PT trace into parts (pieces) that begin at PSB packets, so that worker threads can decode them separately. Drops
 * each part whose CPU, thread or time the user's filters exclude.
 */
#include "auxtrace/intel_pt/stage.h"

#include "auxtrace/intel_pt/packet.h"
#include "core/base/buf.h"

/*
 * The smallest size of a piece, which ends at the next PSB. With many streams it is smaller, because the output of a piece may have
 * to wait for the output of all other streams.
 */
#define PIECE_SIZE	(64u << 10)
#define MANY_STREAMS	8u
#define SMALL_PIECE	(16u << 10)	/* the smallest piece if there are more than MANY_STREAMS streams */
#define SEARCH_SIZE	(64u << 10)
#define PSB_PLUS_MAX	4096		/* bytes in which a PSB's TSC must be */

/* Returns the position of the first PSB at or after @at, or @end. */
static uint64_t find_psb(const struct aux_queue *q, uint64_t at, uint64_t end, struct buf *scratch)
{
	while (end - at >= PT_PSB_SIZE) {
		uint64_t n = MIN(end - at, SEARCH_SIZE);
		const uint8_t *data = aux_queue_bytes(q, at, at + n, scratch);
		size_t found = pt_find_psb(data, n, 0);

		/* Bytes that look like a PSB at the window's end may be those before the PSB, so more bytes are needed. */
		if (found < n && n < end - at && n - found < 2 * PT_PSB_SIZE) {
			at += found;
			continue;
		}
		if (found < n)
			return at + found;
		if (n == end - at)
			break;
		at += n - (PT_PSB_SIZE - 1);
	}
	return end;
}

static uint64_t piece_time(const struct pt_stage *s, const struct pt_piece *p, struct buf *scratch)
{
	uint64_t to = MIN(p->end, p->from + PSB_PLUS_MAX), tsc;

	if (s->aux.timeless)
		return 0;
	tsc = pt_psb_tsc(aux_queue_bytes(p->queue, p->from, to, scratch), to - p->from);
	return tsc ? pt_info_ns(&s->info, tsc) : 0;
}

static void add_piece(struct pt_stage *s, struct pt_piece *p, struct buf *scratch)
{
	const struct source_piece *before = s->aux.source.pieces.nr ? &s->aux.source.pieces.v[s->aux.source.pieces.nr - 1] : NULL;
	uint64_t time = piece_time(s, p, scratch);

	if (before && before->stream == p->queue->number)
		time = MAX(time, before->time);
	vec_push(&s->pieces, *p);
	vec_push(&s->aux.source.pieces, (struct source_piece){ .stream = p->queue->number, .time = time });
}

/* True if there is anything but padding (SDM vol. 3, "PAD Packet"). */
static bool has_packets(const struct aux_queue *q, uint64_t at, uint64_t end, struct buf *scratch)
{
	while (at < end) {
		uint64_t n = MIN(end - at, SEARCH_SIZE);
		const uint8_t *data = aux_queue_bytes(q, at, at + n, scratch);

		for (uint64_t i = 0; i < n; i++)
			if (data[i])
				return true;
		at += n;
	}
	return false;
}

static void split_segment(struct pt_stage *s, const struct aux_queue *q, const struct aux_segment *segment, struct buf *scratch)
{
	struct pt_piece p = { .queue = q, .end = segment->to };
	uint64_t least = s->aux.queues.list.nr > MANY_STREAMS ? SMALL_PIECE : PIECE_SIZE;

	p.from = find_psb(q, segment->from, p.end, scratch);
	if (p.from == p.end && has_packets(q, segment->from, p.end, scratch))
		s->unplaced += p.end - segment->from;
	for (; p.from < p.end; p.from = p.to) {
		p.to = p.end - p.from > least ? find_psb(q, p.from + least, p.end, scratch) : p.end;
		add_piece(s, &p, scratch);
		aux_queue_release(q, p.from, p.to);
	}
}

void pt_split_queues(struct pt_stage *s)
{
	struct buf scratch = {0};

	vec_for(q, &s->aux.queues.list)
		vec_for(segment, &q->segments)
			split_segment(s, q, segment, &scratch);
	s->aux.source.nr_streams = (uint32_t)s->aux.queues.list.nr;
	buf_release(&scratch);
}

/* ---- choosing ---- */

/* True if samples depend on earlier pieces. Then every piece before a wanted one is decoded, too. */
static bool has_history(const struct pt_stage *s)
{
	return s->aux.follow || s->carries;
}

/*
 * True if piece @i may have wanted samples. A piece ends where the next one begins. With CYC packets the clock may run ahead of the
 * TSC, but not by a whole piece. So the time of a piece is taken to last to the end of the next one.
 */
static bool is_wanted(const struct aux_stage *stage, const struct aux_window *window, size_t i, size_t end)
{
	const struct pt_stage *s = (const struct pt_stage *)stage;
	const struct source_piece *p = &stage->source.pieces.v[i];
	bool ends = !stage->timeless && !has_history(s) && i + 2 < end;

	return cpu_task_wanted(&stage->tasks, s->pieces.v[i].queue, window, stage->timeless ? 0 : p->time,
			       ends ? p[2].time : UINT64_MAX);
}

void pt_choose_pieces(struct pt_stage *s, const struct aux_window *window)
{
	aux_stage_choose(&s->aux, window, is_wanted, has_history(s), s->pieces.v, sizeof(*s->pieces.v));
	s->pieces.nr = s->aux.source.pieces.nr;
	for (size_t i = 0; i < s->pieces.nr; i++)
		s->pieces.v[i].insns_before_known = aux_is_first(&s->aux, i);
}
