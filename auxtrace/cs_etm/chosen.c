/*
 * Chooses the parts (pieces) of a CoreSight trace to decode. It leaves out a part if the filters by CPU, thread or time reject
 * all its samples, and no later sample depends on it. units.c divides the trace into parts.
 * Layer: auxtrace
 */
#include "auxtrace/cs_etm/stage.h"

/* Returns the number after the last piece of piece @i's stream. */
static size_t stream_end(const struct cs_stage *s, size_t i)
{
	uint32_t stream = s->aux.source.pieces.v[i].stream;

	while (i < s->aux.source.pieces.nr && s->aux.source.pieces.v[i].stream == stream)
		i++;
	return i;
}

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
static bool is_wanted(const struct cs_stage *s, const struct aux_window *window, size_t i, size_t end)
{
	const struct cs_span *p = &s->pieces.v[i];
	struct source_extent e = {
		.cpu = p->cpu->cpu, .pid = SOURCE_ANY, .tid = SOURCE_ANY,
		.from = s->aux.timeless ? 0 : s->aux.source.pieces.v[i].time, .to = latest_time(s, i, end),
	};

	if (!window->wants(window->ctx, &e))
		return false;
	return p->cpu->tid != CS_NO_TID || cpu_task_wanted(&s->aux.tasks, s->chunks.v[p->chunk].queue, window, e.from, e.to);
}

/* Keeps the wanted pieces. If samples include history, every piece before a wanted one is decoded, too. */
static size_t keep_wanted(struct cs_stage *s, const struct aux_window *window, size_t from, size_t end, size_t to)
{
	bool history = s->aux.follow || (s->instructions && s->period > 1);
	size_t last = end;

	while (history && last > from && !is_wanted(s, window, last - 1, end))
		last--;
	for (size_t i = from; i < last; i++) {
		if (!history && !is_wanted(s, window, i, end))
			continue;
		s->pieces.v[to] = s->pieces.v[i];
		s->aux.source.pieces.v[to++] = s->aux.source.pieces.v[i];
	}
	return to;
}

void cs_choose_pieces(struct cs_stage *s, const struct aux_window *window)
{
	size_t nr = s->pieces.nr, kept = 0;

	if (!window->wants)
		return;
	for (size_t i = 0, end; i < nr; i = end) {
		end = stream_end(s, i);
		kept = keep_wanted(s, window, i, end, kept);
	}
	s->pieces.nr = s->aux.source.pieces.nr = kept;
	aux_debug_chosen(nr, kept);
}
