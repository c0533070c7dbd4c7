/*
 * Keeps the call stack and the last branches of each thread, and updates them at each branch in a hardware trace. worker.c fills
 * the call chains and branch stacks of samples from them.
 */
#include "auxtrace/thread_stack.h"

#include "core/perfdata/abi.h"
#include "core/perfdata/sample.h"

#define DEEPEST_CHAIN	1024	/* more frames than any caller asks for */

/* Bits of struct perf_branch_entry (linux/perf_event.h). */
#define ENTRY_IN_TX	(1u << 2)
#define ENTRY_ABORT	(1u << 3)

/* ---- sets ---- */

struct thread_stacks *thread_stacks_new(const struct thread_stack_opts *opts, bool open)
{
	struct thread_stacks *t = xcalloc(1, sizeof(*t));

	t->opts = *opts;
	t->open = open;
	return t;
}

static void thread_stack_free(struct thread_stack *t)
{
	vec_free(&t->marks);
	free(t->branch_entries);
	free(t);
}

void thread_stacks_clear(struct thread_stacks *t)
{
	vec_for(stack, &t->list)
		thread_stack_free(*stack);
	vec_free(&t->list);
	index_release(&t->by_tid);
}

void thread_stacks_free(struct thread_stacks *t)
{
	if (!t)
		return;
	thread_stacks_clear(t);
	free(t);
}

static struct thread_stack *thread_stack_new(const struct thread_stack_opts *opts, uint32_t tid, uint32_t epoch, bool open)
{
	struct thread_stack *t = xcalloc(1, sizeof(*t));

	*t = (struct thread_stack){ .tid = tid, .epoch = epoch, .first_epoch = epoch, .opts = opts, .open = open };
	return t;
}

static struct thread_stack *add(struct thread_stacks *t, struct thread_stack *stack)
{
	index_add(&t->by_tid, hash_u64(stack->tid), (uint32_t)t->list.nr);
	vec_push(&t->list, stack);
	return stack;
}

static struct thread_stack **find_thread_stack(const struct thread_stacks *t, uint32_t tid)
{
	uint64_t h = hash_u64(tid);

	index_for(pos, &t->by_tid, h)
		if (t->list.v[pos]->tid == tid)
			return &t->list.v[pos];
	return NULL;
}

const struct thread_stack *thread_stacks_find(const struct thread_stacks *t, uint32_t tid)
{
	struct thread_stack **found = find_thread_stack(t, tid);

	return found ? *found : NULL;
}

static void forget(struct thread_stack *t)
{
	t->open = false;
	t->nr_below = 0;
	t->marks.nr = t->low = 0;
	t->nr_branch_entries = 0;
}

struct thread_stack *thread_stacks_of(struct thread_stacks *t, uint32_t tid, uint32_t epoch)
{
	struct thread_stack **found = find_thread_stack(t, tid);

	if (!found)
		return add(t, thread_stack_new(&t->opts, tid, epoch, t->open));
	if ((*found)->epoch != epoch) {
		forget(*found);
		(*found)->epoch = epoch;
	}
	return *found;
}

/* ---- calls ---- */

static bool is_call(const struct thread_stack_mark *m)
{
	return m->kind == STACK_CALL || m->kind == STACK_LAST_CALL;
}

static void push(struct thread_stack *t, uint64_t ip, uint32_t kind)
{
	vec_push(&t->marks, (struct thread_stack_mark){ ip, kind });
}

static void cut_to(struct thread_stack *t, size_t nr)
{
	t->marks.nr = nr;
	t->low = MIN(t->low, nr);
}

/*
 * In an open stack, a return whose call is unknown may belong to a call in an earlier piece. It is kept as a mark until
 * thread_stacks_follow() knows these calls.
 */
static void on_return(struct thread_stack *t, uint64_t ip)
{
	size_t i = t->marks.nr;

	while (i && is_call(&t->marks.v[i - 1])) {
		if (t->marks.v[--i].ip == ip) {
			cut_to(t, i);
			return;
		}
	}
	if (t->open)
		push(t, ip, STACK_RETURN);
}

static void on_begin(struct thread_stack *t)
{
	const struct thread_stack_mark *last;

	while (t->marks.nr && t->marks.v[t->marks.nr - 1].kind == STACK_LAST_CALL)
		cut_to(t, t->marks.nr - 1);
	last = t->marks.nr ? &t->marks.v[t->marks.nr - 1] : NULL;
	if (t->open && (!last || last->kind == STACK_RETURN))
		push(t, 0, STACK_BEGIN);
}

static void on_call(struct thread_stack *t, const struct thread_stack_branch *b)
{
	uint64_t ip = b->from + b->size;

	/* A call of the next instruction only gets the address of code: no return belongs to it. */
	if (b->to && b->to != ip)
		push(t, ip, b->flags & SYNTH_END ? STACK_LAST_CALL : STACK_CALL);
}

/* ---- last branches ---- */

static void on_entry(struct thread_stack *t, const struct branch_entry *entry)
{
	unsigned size = t->opts->branches;

	if (!t->branch_entries)
		t->branch_entries = xcalloc(size, sizeof(*t->branch_entries));
	t->branch_entries[t->next_entry] = *entry;
	t->next_entry = t->next_entry + 1 < size ? t->next_entry + 1 : 0;
	t->nr_branch_entries += t->nr_branch_entries < size;
}

static const struct branch_entry *entry_at(const struct thread_stack *t, unsigned back)
{
	return &t->branch_entries[back <= t->next_entry ? t->next_entry - back : t->next_entry + t->opts->branches - back];
}

static void break_run(struct thread_stack *t)
{
	t->nr_branch_entries = 0;
	t->broken = true;
}

void thread_stack_on_branch(struct thread_stack *t, const struct thread_stack_branch *b)
{
	if (t->opts->unbroken && b->flags & (SYNTH_BEGIN | SYNTH_END))
		break_run(t);
	else if (t->opts->branches)
		on_entry(t, &(struct branch_entry){ b->from, b->to, (b->flags & SYNTH_IN_TX ? ENTRY_IN_TX : 0) |
								   (b->flags & SYNTH_ABORT ? ENTRY_ABORT : 0) });
	if (!t->opts->calls)
		return;
	if (b->flags & SYNTH_CALL) {
		on_call(t, b);
	} else if (b->flags & SYNTH_BEGIN) {
		on_return(t, b->to);
		on_begin(t);
	} else if (b->flags & SYNTH_RETURN && b->from && b->to) {
		on_return(t, b->to);
	}
}

/* ---- piece after piece ---- */

static void copy_entries(struct thread_stack *out, const struct thread_stack *t)
{
	for (unsigned back = t->nr_branch_entries; back; back--)
		on_entry(out, entry_at(t, back));
}

/* Joins @log, of the next piece, to @before. Returns the closed thread stack after both. @before may be NULL. */
static struct thread_stack *joined(const struct thread_stack_opts *opts, const struct thread_stack *before,
				   const struct thread_stack *log)
{
	struct thread_stack *t = thread_stack_new(opts, log->tid, log->epoch, false);

	if (before && log->open && before->epoch == log->first_epoch) {
		t->nr_below = before->nr_below;
		vec_for(mark, &before->marks)
			vec_push(&t->marks, *mark);
		t->low = t->marks.nr;
		if (!log->broken)
			copy_entries(t, before);
	}
	vec_for(mark, &log->marks) {
		if (is_call(mark))
			push(t, mark->ip, mark->kind);
		else if (mark->kind == STACK_RETURN)
			on_return(t, mark->ip);
		else
			on_begin(t);
	}
	copy_entries(t, log);
	return t;
}

/* Copies @t without calls that are too deep for any call chain, if at least the lowest @low calls stay on the stack. */
static struct thread_stack *top_of(const struct thread_stack_opts *opts, const struct thread_stack *t, size_t low)
{
	struct thread_stack *top = thread_stack_new(opts, t->tid, t->epoch, false);
	size_t from = low > DEEPEST_CHAIN ? low - DEEPEST_CHAIN : 0;

	top->nr_below = t->nr_below + from;
	for (size_t i = from; i < t->marks.nr; i++)
		vec_push(&top->marks, t->marks.v[i]);
	copy_entries(top, t);
	return top;
}

struct thread_stacks *thread_stacks_follow(struct thread_stacks *t, const struct thread_stacks *log)
{
	struct thread_stacks *start = thread_stacks_new(&t->opts, false);

	vec_for(piece, &log->list) {
		struct thread_stack **before = find_thread_stack(t, (*piece)->tid);
		struct thread_stack *other = joined(&t->opts, before ? *before : NULL, *piece);

		if (!before) {
			add(t, other);
			continue;
		}
		add(start, top_of(&start->opts, *before, MIN(other->low, (*before)->marks.nr)));
		thread_stack_free(*before);
		*before = other;
	}
	return start;
}

struct thread_stacks *thread_stacks_copy(const struct thread_stacks *t)
{
	struct thread_stacks *copy = thread_stacks_new(&t->opts, false);

	vec_for(stack, &t->list)
		add(copy, top_of(&copy->opts, *stack, 0));
	return copy;
}

void thread_stacks_lend(struct thread_stacks *to, const struct thread_stacks *from, uint32_t tid)
{
	const struct thread_stack *t = thread_stacks_find(from, tid);

	if (t && !thread_stacks_find(to, tid))
		add(to, top_of(&to->opts, t, 0));
}

/* ---- for samples ---- */

uint64_t thread_stack_depth(const struct thread_stack *t)
{
	return t ? t->nr_below + t->marks.nr : 0;
}

static uint64_t context_of(uint64_t ip, uint64_t kernel_start)
{
	return ip < kernel_start ? (uint64_t)PERF_CONTEXT_USER : (uint64_t)PERF_CONTEXT_KERNEL;
}

/* Writes the call chain of @ip, whose callers are the lowest @left calls of @t. */
static size_t chain_of(const struct thread_stack *t, size_t left, uint64_t *out, size_t max, uint64_t ip, uint64_t kernel_start)
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

size_t thread_stack_chain(const struct thread_stack *t, uint64_t *out, size_t max, uint64_t ip, uint64_t kernel_start)
{
	return chain_of(t, t ? t->marks.nr : 0, out, max, ip, kernel_start);
}

/* The interrupt at @ip is on the stack as a call that returns to @ip. It and the calls above it are left out. */
size_t thread_stack_late_chain(const struct thread_stack *t, uint64_t *out, size_t max, uint64_t ip, uint64_t kernel_start)
{
	size_t left = t ? t->marks.nr : 0;

	while (left && t->marks.v[left - 1].ip >= kernel_start && t->marks.v[left - 1].ip != ip)
		left--;
	if (left && t->marks.v[left - 1].ip == ip)
		left--;
	return chain_of(t, left, out, max, ip, kernel_start);
}

size_t thread_stack_branches(const struct thread_stack *t, struct branch_entry *out, size_t max)
{
	size_t n = t ? MIN(t->nr_branch_entries, max) : 0;

	for (unsigned i = 0; i < n; i++)
		out[i] = *entry_at(t, i + 1);
	return n;
}

/* True if the sample at @ip was taken after @entry. @next: the branch after @entry; NULL: unknown. */
static bool is_before(const struct branch_entry *entry, const struct branch_entry *next, uint64_t ip, uint64_t kernel_start)
{
	bool to_user = entry->to && entry->to < kernel_start;

	if (ip < kernel_start)
		return to_user;
	return to_user || entry->from < kernel_start || (next && ip >= entry->to && ip <= next->from);
}

size_t thread_stack_late_branches(const struct thread_stack *t, struct branch_entry *out, size_t max, uint64_t ip,
				  uint64_t kernel_start)
{
	const struct branch_entry *next = NULL;
	unsigned back = 1;
	size_t n = 0;

	for (; t && back <= t->nr_branch_entries && !is_before(entry_at(t, back), next, ip, kernel_start); back++)
		next = entry_at(t, back);
	for (; t && back <= t->nr_branch_entries && n < max; back++)
		out[n++] = *entry_at(t, back);
	return n;
}
