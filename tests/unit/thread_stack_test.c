/* Thread stacks: what calls, returns and interruptions leave; pieces put together know what one run over all would. */
#include <stdio.h>
#include <string.h>

#include <linux/perf_event.h>

#include "auxtrace/thread_stack.h"
#include "core/perfdata/sample.h"
#include "tests/unit/check.h"

#define KERNEL		(1ull << 63)
#define NR_THREADS	3
#define DEPTH		40

static struct thread_stack_branch call(uint64_t from, uint64_t to, uint32_t more)
{
	return (struct thread_stack_branch){ from, to, SYNTH_BRANCH | SYNTH_CALL | more, 5 };
}

static struct thread_stack_branch ret(uint64_t from, uint64_t to)
{
	return (struct thread_stack_branch){ from, to, SYNTH_BRANCH | SYNTH_RETURN, 1 };
}

static struct thread_stack_branch begin(uint64_t to)
{
	return (struct thread_stack_branch){ 0, to, SYNTH_BRANCH | SYNTH_BEGIN, 0 };
}

static void take(struct thread_stack *t, struct thread_stack_branch b)
{
	thread_stack_on_branch(t, &b);
}

/* "7,105": sample at 7 called from in front of 105, without markers. */
static const char *chain_of(const struct thread_stack *t, uint64_t ip, size_t max)
{
	static char text[400];
	uint64_t words[64];
	size_t n = thread_stack_chain(t, words, max, ip, KERNEL), len = 0;

	text[0] = 0;
	for (size_t i = 0; i < n; i++) {
		if (words[i] == (uint64_t)PERF_CONTEXT_USER)
			len += (size_t)snprintf(text + len, sizeof(text) - len, "U");
		else if (words[i] == (uint64_t)PERF_CONTEXT_KERNEL)
			len += (size_t)snprintf(text + len, sizeof(text) - len, "K");
		else
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%llx,", words[i] & ~KERNEL);
	}
	return text;
}

static void one_stack(void)
{
	struct thread_stacks *set = thread_stacks_new(&(struct thread_stack_opts){ .calls = true, .branches = 2 }, false);
	struct thread_stack *t = thread_stacks_of(set, 1, 0);
	struct branch_entry branch_entries[4];

	CHECK_TEXT(chain_of(NULL, 7, 20), "U7,");
	take(t, call(0x100, 0x200, 0));
	take(t, call(0x200, 0x205, 0));			/* reads its address only */
	take(t, call(0x210, 0, SYNTH_END));
	take(t, call(0x210, 0x300 | KERNEL, SYNTH_SYSCALL));
	CHECK_TEXT(chain_of(t, 0x301 | KERNEL, 20), "K301,U215,105,");
	CHECK_TEXT(chain_of(t, 0x301 | KERNEL, 4), "K301,U215,");
	CHECK_TEXT(chain_of(t, 0x301 | KERNEL, 3), "K301,");
	CHECK_TEXT(chain_of(t, 0x301 | KERNEL, 1), "");
	take(t, ret(0x302, 0x999));			/* its call was not seen */
	CHECK(thread_stack_depth(t) == 2);
	take(t, call(0x400, 0x500, SYNTH_END));		/* left for what is not traced */
	CHECK(thread_stack_depth(t) == 3);
	take(t, begin(0x405));				/* and came back */
	CHECK_TEXT(chain_of(t, 0x405, 20), "U405,215,105,");
	take(t, call(0x400, 0x500, SYNTH_END));
	take(t, begin(0x777));				/* somewhere else: the call is not expected to return */
	CHECK_TEXT(chain_of(t, 0x777, 20), "U777,215,105,");
	take(t, call(0x777, 0x800, 0));
	take(t, ret(0x801, 0x105));			/* over three frames at once */
	CHECK(thread_stack_depth(t) == 0);
	CHECK(thread_stack_branches(t, branch_entries, 4) == 2 && branch_entries[0].from == 0x801 && branch_entries[1].to == 0x800);
	CHECK(thread_stack_branches(t, branch_entries, 1) == 1 && branch_entries[0].to == 0x105);
	take(t, (struct thread_stack_branch){ 1, 2, SYNTH_BRANCH | SYNTH_ABORT, 0 });
	CHECK(thread_stack_branches(t, branch_entries, 1) == 1 && branch_entries[0].flags == 1 << 3);
	take(t, call(1, 9, 0));
	t = thread_stacks_of(set, 1, 1);
	CHECK(thread_stack_depth(t) == 0 && thread_stack_branches(t, branch_entries, 4) == 0);
	thread_stacks_free(set);
}

/* A branch of some thread among few addresses, so that returns hit and miss. */
struct step { uint32_t tid, epoch; struct thread_stack_branch branch; };

static struct step random_step(uint64_t *seed, uint32_t *epochs)
{
	struct step s = { .tid = (uint32_t)random_below(seed, NR_THREADS) };
	uint64_t from = 0x10 * random_below(seed, 12), to = 0x10 * random_below(seed, 12);

	if (!random_below(seed, 200))
		epochs[s.tid]++;
	s.epoch = epochs[s.tid];
	switch (random_below(seed, 12)) {
	case 0: s.branch = begin(random_below(seed, 2) ? to : to + 5); break;
	case 1: s.branch = call(from, to, SYNTH_END); break;
	case 2: case 3: case 4: case 5: s.branch = ret(from, to + 5); break;
	case 6: s.branch = (struct thread_stack_branch){ from, to, SYNTH_BRANCH | SYNTH_CONDITIONAL, 2 }; break;
	default: s.branch = call(from, to, 0); break;
	}
	return s;
}

static void run(struct thread_stacks *set, const struct step *steps, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		take(thread_stacks_of(set, steps[i].tid, steps[i].epoch), steps[i].branch);
}

/* True if both show the same of the threads that step @s knows. */
static bool agree(struct thread_stacks *a, struct thread_stacks *b, const struct step *s)
{
	struct thread_stack *x = thread_stacks_of(a, s->tid, s->epoch), *y = thread_stacks_of(b, s->tid, s->epoch);
	struct branch_entry jx[8], jy[8];
	size_t n = thread_stack_branches(x, jx, 8);
	char text[400];

	snprintf(text, sizeof(text), "%s", chain_of(x, 1, DEPTH));
	return thread_stack_depth(x) == thread_stack_depth(y) && str_eq(text, chain_of(y, 1, DEPTH)) &&
	       n == thread_stack_branches(y, jy, 8) &&
	       !memcmp(jx, jy, n * sizeof(*jx));
}

/* Cut @nr steps at random; decode each piece by itself, put them together, decode each again. */
static void pieces(uint64_t seed, size_t nr)
{
	const struct thread_stack_opts opts = { .calls = true, .branches = 5 };
	struct thread_stacks *whole = thread_stacks_new(&opts, false), *joined = thread_stacks_new(&opts, false), *log, *start;
	uint32_t epochs[NR_THREADS] = {0};
	struct step *steps = xcalloc(nr, sizeof(*steps));
	size_t bad = 0;

	for (size_t i = 0; i < nr; i++)
		steps[i] = random_step(&seed, epochs);
	for (size_t at = 0, n; at < nr; at += n) {
		n = 1 + random_below(&seed, 60);
		n = MIN(nr - at, n);
		log = thread_stacks_new(&opts, true);
		run(log, steps + at, n);
		start = thread_stacks_follow(joined, log);
		for (size_t i = at; i < at + n; i++) {
			run(whole, steps + i, 1);
			run(start, steps + i, 1);
			bad += !agree(whole, start, &steps[i]);
		}
		bad += !agree(whole, joined, &steps[at + n - 1]);
		thread_stacks_free(log);
		thread_stacks_free(start);
	}
	CHECK(bad == 0);
	thread_stacks_free(whole);
	thread_stacks_free(joined);
	free(steps);
}

/* Calls too deep for any chain are not copied for a piece, but count. */
static void deep(void)
{
	const struct thread_stack_opts opts = { .calls = true };
	struct thread_stacks *joined = thread_stacks_new(&opts, false), *log = thread_stacks_new(&opts, true), *start, *copy;
	struct thread_stack *t = thread_stacks_of(log, 1, 0);

	for (uint64_t i = 0; i < 5000; i++)
		take(t, call(i * 16, i * 16 + 16, 0));
	thread_stacks_free(thread_stacks_follow(joined, log));
	thread_stacks_free(log);
	log = thread_stacks_new(&opts, true);
	take(thread_stacks_of(log, 1, 0), ret(1, 4000 * 16 + 5));
	start = thread_stacks_follow(joined, log);
	t = thread_stacks_of(start, 1, 0);
	CHECK(thread_stack_depth(t) == 5000 && t->marks.nr < 2100);
	take(t, ret(1, 4000 * 16 + 5));
	CHECK(thread_stack_depth(t) == 4000);
	CHECK(thread_stack_depth(thread_stacks_of(joined, 1, 0)) == 4000);
	copy = thread_stacks_copy(start);
	CHECK(thread_stack_depth(thread_stacks_of(copy, 1, 0)) == 4000);
	thread_stacks_free(copy);
	thread_stacks_free(log);
	thread_stacks_free(start);
	thread_stacks_free(joined);
}

int main(void)
{
	one_stack();
	for (uint64_t seed = 1; seed <= 40; seed++)
		pieces(seed, 3000);
	deep();
	return checks_done();
}
