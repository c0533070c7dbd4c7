/*
 * Keeps the Python frames that the BPF program python.bpf.c has sent. python.c looks them up by the thread and time of a sample or
 * of a context switch.
 */
#include "core/record/live/python_stacks.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/util.h"

#define GENERATION	(4u << 20)	/* bytes of stacks in a generation; when it has more, the generation before it is
					 * forgotten */
#define SWITCH_NS	100000		/* the sample of a context switch comes at most this long after the frames; no thread is
					 * switched in again so soon */

static void forget(struct python_generation *g)
{
	vec_free(&g->stacks);
	vec_free(&g->frames);
	index_release(&g->by_sample);
	vec_for(s, &g->switches)
		vec_free(&s->stacks);
	vec_free(&g->switches);
	index_release(&g->by_thread);
	*g = (struct python_generation){0};
}

static struct python_switches *find_switches(const struct python_generation *g, uint32_t tid)
{
	uint64_t h = hash_u64(tid);

	index_for(pos, &g->by_thread, h)
		if (g->switches.v[pos].tid == tid)
			return &g->switches.v[pos];
	return NULL;
}

static void keep_switch(struct python_generation *g, uint32_t tid, uint32_t stack)
{
	struct python_switches *s = find_switches(g, tid);

	if (!s) {
		index_add(&g->by_thread, hash_u64(tid), (uint32_t)g->switches.nr);
		vec_push(&g->switches, (struct python_switches){ .tid = tid });
		s = &g->switches.v[g->switches.nr - 1];
	}
	vec_push(&s->stacks, stack);
}

static void keep_stack(struct python_stacks *p, const struct python_sample *s, size_t size)
{
	struct python_kept stack = { .time = s->time, .tid = s->tid, .pid = s->pid, .flags = s->flags, .nr = s->nr };
	struct python_generation *g = &p->now;

	if (s->nr > PYTHON_FRAMES_MAX || size < offsetof(struct python_sample, frames) + s->nr * sizeof(s->frames[0]))
		return;
	if (g->frames.nr * sizeof(s->frames[0]) + g->stacks.nr * sizeof(stack) > GENERATION) {
		forget(&p->before);
		p->before = *g;
		*g = (struct python_generation){0};
	}
	stack.at = g->frames.nr;
	if (s->kind == PYTHON_SWITCH)
		keep_switch(g, s->tid, (uint32_t)g->stacks.nr);
	else
		index_add(&g->by_sample, hash_pair(s->time, s->tid), (uint32_t)g->stacks.nr);
	vec_push(&g->stacks, stack);
	for (uint32_t i = 0; i < s->nr; i++)
		vec_push(&g->frames, s->frames[i]);
}

void python_stacks_add(struct python_stacks *p, const void *data, size_t size)
{
	uint32_t kind;

	if (size < sizeof(kind))
		return;
	memcpy(&kind, data, sizeof(kind));
	if (kind == PYTHON_CODE)
		python_codes_add(&p->codes, data, size);
	else if ((kind == PYTHON_SAMPLE || kind == PYTHON_SWITCH) && size >= offsetof(struct python_sample, frames))
		keep_stack(p, data, size);
}

static const struct python_kept *find_stack(const struct python_generation *g, uint32_t tid, uint64_t time)
{
	uint64_t h = hash_pair(time, tid);

	index_for(pos, &g->by_sample, h)
		if (g->stacks.v[pos].time == time && g->stacks.v[pos].tid == tid)
			return &g->stacks.v[pos];
	return NULL;
}

/* Returns the last stack of the thread's switches before @time, or NULL if it is too old. */
static const struct python_kept *find_switch(const struct python_generation *g, uint32_t tid, uint64_t time)
{
	const struct python_switches *s = find_switches(g, tid);
	size_t nr = s ? bisect(i, 0, s->stacks.nr, g->stacks.v[s->stacks.v[i]].time <= time) : 0;
	const struct python_kept *last;

	if (!nr)
		return NULL;
	last = &g->stacks.v[s->stacks.v[nr - 1]];
	return time - last->time < SWITCH_NS ? last : NULL;
}

static bool name_range(struct python_stacks *p, uint32_t pid, const struct python_frame *frames, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const struct python_frame *f = &frames[i];
		/* A negative offset is before the first instruction. */
		uint32_t at = (int32_t)f->at < 0 ? 0 : f->at;
		uint64_t addr = python_codes_find(&p->codes, pid, f->code, f->print, at);

		if (!addr)
			return false;
		vec_push(&p->found, addr | (f->flags & PYTHON_ENTRY ? PYTHON_FRAME_ENTRY : 0));
	}
	return true;
}

static int by_place(const void *pa, const void *pb)
{
	return compare_numbers(((const struct python_call *)pa)->place, ((const struct python_call *)pb)->place);
}

/*
 * Finds the frames of a thread that runs several interpreters. Its calls of the interpreter's loop are sorted by their addresses on
 * the C stack: the innermost call has the lowest address.
 */
static bool name_calls(struct python_stacks *p, const struct python_kept *s, const struct python_frame *frames)
{
	size_t from = 0;

	p->calls.nr = 0;
	for (size_t i = 0; i < s->nr; i++) {
		if (!(frames[i].flags & PYTHON_PLACE))
			continue;
		vec_push(&p->calls, (struct python_call){ frames[i].code, from, i - from });
		from = i + 1;
	}
	if (from != s->nr || s->flags & PYTHON_CUT)
		return false;
	if (p->calls.nr)
		qsort(p->calls.v, p->calls.nr, sizeof(p->calls.v[0]), by_place);
	for (size_t i = 0; i < p->calls.nr; i++) {
		const struct python_call *c = &p->calls.v[i];

		if ((i && c->place == c[-1].place) || !name_range(p, s->pid, frames + c->from, c->nr))
			return false;
	}
	return true;
}

/* Finds the addresses of all frames of a stack. Returns false if one is not known. */
static bool name_frames(struct python_stacks *p, const struct python_kept *s, const struct python_frame *frames)
{
	p->found.nr = 0;
	return s->flags & PYTHON_SEVERAL ? name_calls(p, s, frames) : name_range(p, s->pid, frames, s->nr);
}

bool python_stacks_find(struct python_stacks *p, uint32_t tid, uint64_t time, bool at_switch, uint32_t *pid)
{
	const struct python_generation *g = &p->now;
	const struct python_kept *s = at_switch ? find_switch(g, tid, time) : find_stack(g, tid, time);

	if (!s) {
		g = &p->before;
		s = at_switch ? find_switch(g, tid, time) : find_stack(g, tid, time);
	}
	if (!s || (!s->nr && !s->flags))
		return false;
	if (s->flags & (PYTHON_BROKEN | PYTHON_AMBIGUOUS) ||
	    !name_frames(p, s, s->nr ? g->frames.v + s->at : NULL)) {
		p->nr_unknown++;
		return false;
	}
	p->nr_found++;
	*pid = s->pid;
	return true;
}

void python_stacks_release(struct python_stacks *p)
{
	python_codes_release(&p->codes);
	forget(&p->now);
	forget(&p->before);
	vec_free(&p->found);
	vec_free(&p->calls);
}
