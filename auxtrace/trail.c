/*
 * Call stacks and last branches from branches. A stack that is open at its lower end is a list of what is to be done to
 * whatever lies there, with all taken out that its own calls settle.
 * Layer: auxtrace
 */
#include "auxtrace/trail.h"

#include "core/format/abi.h"
#include "core/format/sample.h"

#define DEEPEST_CHAIN	1024	/* more frames than anybody asks for */

/* Bits of struct perf_branch_entry (linux/perf_event.h). */
#define JUMP_IN_TX	(1u << 2)
#define JUMP_ABORT	(1u << 3)

/* ---- sets ---- */

struct trails *trails_new(const struct trail_opts *opts, bool open)
{
	struct trails *t = xcalloc(1, sizeof(*t));

	t->opts = *opts;
	t->open = open;
	return t;
}

static void trail_free(struct trail *t)
{
	vec_free(&t->marks);
	free(t->jumps);
	free(t);
}

void trails_clear(struct trails *t)
{
	vec_for(trail, &t->list)
		trail_free(*trail);
	vec_free(&t->list);
	index_release(&t->by_tid);
}

void trails_free(struct trails *t)
{
	if (!t)
		return;
	trails_clear(t);
	free(t);
}

static struct trail *trail_new(const struct trail_opts *opts, uint32_t tid, uint32_t era, bool open)
{
	struct trail *t = xcalloc(1, sizeof(*t));

	*t = (struct trail){ .tid = tid, .era = era, .first_era = era, .opts = opts, .open = open };
	return t;
}

static struct trail *add(struct trails *t, struct trail *trail)
{
	index_add(&t->by_tid, hash_u64(trail->tid), (uint32_t)t->list.nr);
	vec_push(&t->list, trail);
	return trail;
}

/* Where in the list; NULL: it has none. */
static struct trail **find_trail(const struct trails *t, uint32_t tid)
{
	uint64_t h = hash_u64(tid);
	uint32_t pos;

	for (size_t i = index_first(&t->by_tid, h); (pos = index_at(&t->by_tid, i, h)) != INDEX_END; i++)
		if (pos != INDEX_OTHER && t->list.v[pos]->tid == tid)
			return &t->list.v[pos];
	return NULL;
}

const struct trail *trails_find(const struct trails *t, uint32_t tid)
{
	struct trail **found = find_trail(t, tid);

	return found ? *found : NULL;
}

static void forget(struct trail *t)
{
	t->open = false;
	t->below = 0;
	t->marks.nr = t->low = 0;
	t->nr_jumps = 0;
}

struct trail *trails_of(struct trails *t, uint32_t tid, uint32_t era)
{
	struct trail **found = find_trail(t, tid);

	if (!found)
		return add(t, trail_new(&t->opts, tid, era, t->open));
	if ((*found)->era != era) {
		forget(*found);
		(*found)->era = era;
	}
	return *found;
}

/* ---- calls ---- */

static bool is_call(const struct trail_mark *m)
{
	return m->kind == TRAIL_CALL || m->kind == TRAIL_LAST_CALL;
}

static void push(struct trail *t, uint64_t ip, uint32_t kind)
{
	vec_push(&t->marks, (struct trail_mark){ ip, kind });
}

static void cut_to(struct trail *t, size_t nr)
{
	t->marks.nr = nr;
	t->low = MIN(t->low, nr);
}

static void take_return(struct trail *t, uint64_t ip)
{
	size_t i = t->marks.nr;

	while (i && is_call(&t->marks.v[i - 1])) {
		if (t->marks.v[--i].ip == ip) {
			cut_to(t, i);
			return;
		}
	}
	if (t->open)
		push(t, ip, TRAIL_RETURN);
}

static void take_begin(struct trail *t)
{
	const struct trail_mark *last;

	while (t->marks.nr && t->marks.v[t->marks.nr - 1].kind == TRAIL_LAST_CALL)
		cut_to(t, t->marks.nr - 1);
	last = t->marks.nr ? &t->marks.v[t->marks.nr - 1] : NULL;
	if (t->open && (!last || last->kind == TRAIL_RETURN))
		push(t, 0, TRAIL_BEGIN);
}

static void take_call(struct trail *t, const struct trail_branch *b)
{
	uint64_t ip = b->from + b->size;

	/* A call of the next instruction only reads its address. */
	if (b->to && b->to != ip)
		push(t, ip, b->flags & SYNTH_END ? TRAIL_LAST_CALL : TRAIL_CALL);
}

/* ---- last branches ---- */

static void take_jump(struct trail *t, const struct trail_jump *jump)
{
	unsigned size = t->opts->branches;

	if (!t->jumps)
		t->jumps = xcalloc(size, sizeof(*t->jumps));
	t->jumps[t->next_jump] = *jump;
	t->next_jump = t->next_jump + 1 < size ? t->next_jump + 1 : 0;
	t->nr_jumps += t->nr_jumps < size;
}

static const struct trail_jump *jump_at(const struct trail *t, unsigned back)
{
	return &t->jumps[back <= t->next_jump ? t->next_jump - back : t->next_jump + t->opts->branches - back];
}

static void break_run(struct trail *t)
{
	t->nr_jumps = 0;
	t->broken = true;
}

void trail_take(struct trail *t, const struct trail_branch *b)
{
	if (t->opts->unbroken && b->flags & (SYNTH_BEGIN | SYNTH_END))
		break_run(t);
	else if (t->opts->branches)
		take_jump(t, &(struct trail_jump){ b->from, b->to, (b->flags & SYNTH_IN_TX ? JUMP_IN_TX : 0) |
								   (b->flags & SYNTH_ABORT ? JUMP_ABORT : 0) });
	if (!t->opts->calls)
		return;
	if (b->flags & SYNTH_CALL) {
		take_call(t, b);
	} else if (b->flags & SYNTH_BEGIN) {
		take_return(t, b->to);
		take_begin(t);
	} else if (b->flags & SYNTH_RETURN && b->from && b->to) {
		take_return(t, b->to);
	}
}

/* ---- piece after piece ---- */

static void copy_jumps(struct trail *out, const struct trail *t)
{
	for (unsigned back = t->nr_jumps; back; back--)
		take_jump(out, jump_at(t, back));
}

/* The trail behind both. @before may be NULL. */
static struct trail *joined(const struct trail_opts *opts, const struct trail *before, const struct trail *log)
{
	struct trail *t = trail_new(opts, log->tid, log->era, false);

	if (before && log->open && before->era == log->first_era) {
		t->below = before->below;
		vec_for(mark, &before->marks)
			vec_push(&t->marks, *mark);
		t->low = t->marks.nr;
		if (!log->broken)
			copy_jumps(t, before);
	}
	vec_for(mark, &log->marks) {
		if (is_call(mark))
			push(t, mark->ip, mark->kind);
		else if (mark->kind == TRAIL_RETURN)
			take_return(t, mark->ip);
		else
			take_begin(t);
	}
	copy_jumps(t, log);
	return t;
}

/* What is needed of @t where no more than @low of its calls stay: what lies deeper is in nobody's chain. */
static struct trail *top_of(const struct trail_opts *opts, const struct trail *t, size_t low)
{
	struct trail *top = trail_new(opts, t->tid, t->era, false);
	size_t from = low > DEEPEST_CHAIN ? low - DEEPEST_CHAIN : 0;

	top->below = t->below + from;
	for (size_t i = from; i < t->marks.nr; i++)
		vec_push(&top->marks, t->marks.v[i]);
	copy_jumps(top, t);
	return top;
}

struct trails *trails_follow(struct trails *t, const struct trails *log)
{
	struct trails *start = trails_new(&t->opts, false);

	vec_for(piece, &log->list) {
		struct trail **before = find_trail(t, (*piece)->tid);
		struct trail *behind = joined(&t->opts, before ? *before : NULL, *piece);

		if (!before) {
			add(t, behind);
			continue;
		}
		add(start, top_of(&start->opts, *before, MIN(behind->low, (*before)->marks.nr)));
		trail_free(*before);
		*before = behind;
	}
	return start;
}

struct trails *trails_copy(const struct trails *t)
{
	struct trails *copy = trails_new(&t->opts, false);

	vec_for(trail, &t->list)
		add(copy, top_of(&copy->opts, *trail, 0));
	return copy;
}

void trails_lend(struct trails *to, const struct trails *from, uint32_t tid)
{
	const struct trail *t = trails_find(from, tid);

	if (t && !trails_find(to, tid))
		add(to, top_of(&to->opts, t, 0));
}

/* ---- for samples ---- */

uint64_t trail_depth(const struct trail *t)
{
	return t ? t->below + t->marks.nr : 0;
}

static uint64_t context_of(uint64_t ip, uint64_t kernel_start)
{
	return ip < kernel_start ? (uint64_t)PERF_CONTEXT_USER : (uint64_t)PERF_CONTEXT_KERNEL;
}

/* @left of the calls are callers of @ip. */
static size_t chain_of(const struct trail *t, size_t left, uint64_t *out, size_t max, uint64_t ip, uint64_t kernel_start)
{
	uint64_t context = context_of(ip, kernel_start);
	size_t n = 0;

	if (max < 2)
		return 0;
	out[n++] = context;
	out[n++] = ip;
	while (left && n < max) {
		uint64_t frame = t->marks.v[--left].ip;

		if (context_of(frame, kernel_start) != context) {
			if (n + 1 >= max)
				break;
			context = context_of(frame, kernel_start);
			out[n++] = context;
		}
		out[n++] = frame;
	}
	return n;
}

size_t trail_chain(const struct trail *t, uint64_t *out, size_t max, uint64_t ip, uint64_t kernel_start)
{
	return chain_of(t, t ? t->marks.nr : 0, out, max, ip, kernel_start);
}

/* An interrupt at @ip is a call, too, that returns there. */
size_t trail_late_chain(const struct trail *t, uint64_t *out, size_t max, uint64_t ip, uint64_t kernel_start)
{
	size_t left = t ? t->marks.nr : 0;

	while (left && t->marks.v[left - 1].ip >= kernel_start && t->marks.v[left - 1].ip != ip)
		left--;
	if (left && t->marks.v[left - 1].ip == ip)
		left--;
	return chain_of(t, left, out, max, ip, kernel_start);
}

size_t trail_jumps(const struct trail *t, struct trail_jump *out, size_t max)
{
	size_t n = t ? MIN(t->nr_jumps, max) : 0;

	for (unsigned i = 0; i < n; i++)
		out[i] = *jump_at(t, i + 1);
	return n;
}

/* Was the sample at @ip taken after @jump? @next: the branch after it, NULL: none is known. */
static bool is_before(const struct trail_jump *jump, const struct trail_jump *next, uint64_t ip, uint64_t kernel_start)
{
	bool to_user = jump->to && jump->to < kernel_start;

	if (ip < kernel_start)
		return to_user;
	return to_user || jump->from < kernel_start || (next && ip >= jump->to && ip <= next->from);
}

size_t trail_late_jumps(const struct trail *t, struct trail_jump *out, size_t max, uint64_t ip, uint64_t kernel_start)
{
	const struct trail_jump *next = NULL;
	unsigned back = 1;
	size_t n = 0;

	for (; t && back <= t->nr_jumps && !is_before(jump_at(t, back), next, ip, kernel_start); back++)
		next = jump_at(t, back);
	for (; t && back <= t->nr_jumps && n < max; back++)
		out[n++] = *jump_at(t, back);
	return n;
}
