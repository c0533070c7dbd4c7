/*
 * Stores the path of a program through its code, and later replays it to find the instructions that become samples. Every
 * PATH_MARK instructions, it notes the position in the path, so that a replay can begin near the wanted instruction.
 */
#include "auxtrace/intel_pt/path.h"

#include "auxtrace/block.h"
#include "auxtrace/intel_pt/superblock.h"

void path_init(struct pt_path *p)
{
	*p = (struct pt_path){ .next = &p->scratch };
}

void path_end(struct pt_path *p)
{
	if (p->on)
		p->nr = (size_t)(p->next - p->steps);
	p->on = false;
	p->next = &p->scratch;
}

void path_begin(struct pt_path *p, const struct pt_state *s)
{
	p->on = true;
	p->given_up = false;
	p->next = p->steps;
	p->nr = 0;
	p->parts.nr = p->marks.nr = p->events.nr = 0;
	p->start = *s;
	path_mark(p, s->insns);
}

void path_release(struct pt_path *p)
{
	free(p->steps);
	vec_free(&p->parts);
	vec_free(&p->marks);
	vec_free(&p->events);
	path_init(p);
}

static size_t nr_steps(const struct pt_path *p)
{
	return (size_t)(p->next - p->steps);
}

bool path_mark(struct pt_path *p, uint64_t insns)
{
	size_t nr = nr_steps(p), need = nr + PATH_MARK + 2;

	if (nr > PATH_MAX_STEPS) {
		path_end(p);
		p->given_up = true;
		return false;
	}
	if (need > p->cap) {
		p->cap = MAX(need, 2 * p->cap);
		p->steps = xrealloc(p->steps, p->cap * sizeof(*p->steps));
		p->next = p->steps + nr;
	}
	vec_push(&p->marks, (struct path_mark){ .insns = insns, .step = nr });
	return true;
}

void path_part(struct pt_path *p, const struct block *b, unsigned from, unsigned to)
{
	*p->next++ = (const struct superblock *)((uintptr_t)p->parts.nr << 1 | 1);
	vec_push(&p->parts, (struct path_part){ .block = b, .from = (uint16_t)from, .to = (uint16_t)to });
}

void path_add_event(struct pt_path *p, enum path_event_kind kind, const struct pt_state *s, const struct pt_gap *gap,
		    bool by_branch)
{
	vec_push(&p->events, (struct path_event){ .step = nr_steps(p), .kind = (uint8_t)kind, .by_branch = by_branch,
		.state = *s });
	if (gap)
		p->events.v[p->events.nr - 1].gap = *gap;
}

/* ---- reading ---- */

struct reader {
	const struct path_replay *r;
	struct pt_state state;		/* the state before the step */
	size_t step, event, mark;
};

static const struct path_part *part_of(const struct pt_path *p, size_t step)
{
	uintptr_t word = (uintptr_t)p->steps[step];

	return word & 1 ? &p->parts.v[word >> 1] : NULL;
}

static unsigned step_size(const struct pt_path *p, size_t step)
{
	const struct path_part *part = part_of(p, step);

	return part ? (unsigned)(part->to - part->from) : p->steps[step]->nr_insn;
}

static void replay_event(struct reader *at, const struct path_event *e)
{
	const struct pt_sink *sink = at->r->sink;
	uint64_t insns = at->state.insns;

	at->state = e->state;
	if (e->kind == PATH_SPACE)
		sink->space(at->r->ctx, &e->state);
	else if (e->kind == PATH_GAP)
		sink->gap(at->r->ctx, &e->state, &e->gap);
	at->state.insns = insns;
}

/* Replays the events before the current step. */
static void replay_events(struct reader *at)
{
	const struct pt_path *p = at->r->path;

	for (; at->event < p->events.nr && p->events.v[at->event].step <= at->step; at->event++)
		replay_event(at, &p->events.v[at->event]);
}

/* Returns the state at the last instruction of the current step. */
static struct pt_state state_after_step(const struct reader *at)
{
	const struct pt_path *p = at->r->path;
	const struct path_event *e = at->event < p->events.nr ? &p->events.v[at->event] : NULL;

	return e && e->by_branch && e->step == at->step + 1 ? e->state : at->state;
}

/*
 * Reports the samples in the current step, which has @size instructions. @due: number of the instruction of the next sample.
 * Returns @due of the first sample after the step.
 */
static uint64_t samples_in(struct reader *at, unsigned size, uint64_t due)
{
	const struct path_replay *r = at->r;
	const struct path_part *part = part_of(r->path, at->step);
	struct block *run_block = part ? NULL : r->path->steps[at->step]->start;
	const struct block *b = part ? part->block : run_block;
	uint64_t before = at->state.insns;
	unsigned from = part ? part->from : 0;

	for (; due <= at->state.insns + size; due += r->period) {
		struct pt_state s = due == at->state.insns + size && !part ? state_after_step(at) : at->state;

		while (run_block && due > before + run_block->nr_insn) {
			before += run_block->nr_insn;
			b = run_block = superblock_step(r->cache, run_block);
		}
		s.insns = due;
		r->sink->sample(r->ctx, &s, b, from + (unsigned)(due - before) - 1);
	}
	return due;
}

/* Moves to the last mark before instruction number @due. */
static void skip_to_mark(struct reader *at, uint64_t due)
{
	const struct pt_path *p = at->r->path;
	size_t m = at->mark;

	while (m + 1 < p->marks.nr && p->marks.v[m + 1].insns < due)
		m++;
	at->mark = m;
	if (p->marks.v[m].step <= at->step)
		return;
	at->step = p->marks.v[m].step;
	at->state.insns = p->marks.v[m].insns;
}

uint64_t path_replay(const struct path_replay *r)
{
	struct reader at = { .r = r, .state = r->path->start };
	size_t nr = r->path->nr;
	uint64_t due = MAX(r->first, at.state.insns + 1);
	unsigned size;

	for (skip_to_mark(&at, due); at.step < nr; at.step++) {
		replay_events(&at);
		size = step_size(r->path, at.step);
		if (at.state.insns + size >= due) {
			due = samples_in(&at, size, due);
			at.state.insns += size;
			at.step++;
			skip_to_mark(&at, due);
			at.step--;
			continue;
		}
		at.state.insns += size;
	}
	at.step = nr;
	replay_events(&at);
	return due;
}
