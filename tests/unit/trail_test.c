/* Trails: what calls, returns and interruptions leave; pieces put together know what one run over all would. */
#include <stdio.h>
#include <string.h>

#include <linux/perf_event.h>

#include "auxtrace/trail.h"
#include "core/format/sample.h"
#include "tests/unit/check.h"

#define KERNEL		(1ull << 63)
#define NR_THREADS	3
#define DEPTH		40

static struct trail_branch call(uint64_t from, uint64_t to, uint32_t more)
{
	return (struct trail_branch){ from, to, SYNTH_BRANCH | SYNTH_CALL | more, 5 };
}

static struct trail_branch ret(uint64_t from, uint64_t to)
{
	return (struct trail_branch){ from, to, SYNTH_BRANCH | SYNTH_RETURN, 1 };
}

static struct trail_branch begin(uint64_t to)
{
	return (struct trail_branch){ 0, to, SYNTH_BRANCH | SYNTH_BEGIN, 0 };
}

static void take(struct trail *t, struct trail_branch b)
{
	trail_take(t, &b);
}

/* "7,105": sample at 7 called from in front of 105, without markers. */
static const char *chain_of(const struct trail *t, uint64_t ip, size_t max)
{
	static char text[400];
	uint64_t words[64];
	size_t n = trail_chain(t, words, max, ip, KERNEL), len = 0;

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
	struct trails *set = trails_new(&(struct trail_opts){ .calls = true, .branches = 2 }, false);
	struct trail *t = trails_of(set, 1, 0);
	struct trail_jump jumps[4];

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
	CHECK(trail_depth(t) == 2);
	take(t, call(0x400, 0x500, SYNTH_END));		/* left for what is not traced */
	CHECK(trail_depth(t) == 3);
	take(t, begin(0x405));				/* and came back */
	CHECK_TEXT(chain_of(t, 0x405, 20), "U405,215,105,");
	take(t, call(0x400, 0x500, SYNTH_END));
	take(t, begin(0x777));				/* somewhere else: the call is not expected to return */
	CHECK_TEXT(chain_of(t, 0x777, 20), "U777,215,105,");
	take(t, call(0x777, 0x800, 0));
	take(t, ret(0x801, 0x105));			/* over three frames at once */
	CHECK(trail_depth(t) == 0);
	CHECK(trail_jumps(t, jumps, 4) == 2 && jumps[0].from == 0x801 && jumps[1].to == 0x800);
	CHECK(trail_jumps(t, jumps, 1) == 1 && jumps[0].to == 0x105);
	take(t, (struct trail_branch){ 1, 2, SYNTH_BRANCH | SYNTH_ABORT, 0 });
	CHECK(trail_jumps(t, jumps, 1) == 1 && jumps[0].flags == 1 << 3);
	take(t, call(1, 9, 0));
	t = trails_of(set, 1, 1);
	CHECK(trail_depth(t) == 0 && trail_jumps(t, jumps, 4) == 0);
	trails_free(set);
}

/* A branch of some thread among few addresses, so that returns hit and miss. */
struct step { uint32_t tid, era; struct trail_branch branch; };

static struct step random_step(uint64_t *seed, uint32_t *eras)
{
	struct step s = { .tid = (uint32_t)random_below(seed, NR_THREADS) };
	uint64_t from = 0x10 * random_below(seed, 12), to = 0x10 * random_below(seed, 12);

	if (!random_below(seed, 200))
		eras[s.tid]++;
	s.era = eras[s.tid];
	switch (random_below(seed, 12)) {
	case 0: s.branch = begin(random_below(seed, 2) ? to : to + 5); break;
	case 1: s.branch = call(from, to, SYNTH_END); break;
	case 2: case 3: case 4: case 5: s.branch = ret(from, to + 5); break;
	case 6: s.branch = (struct trail_branch){ from, to, SYNTH_BRANCH | SYNTH_CONDITIONAL, 2 }; break;
	default: s.branch = call(from, to, 0); break;
	}
	return s;
}

static void run(struct trails *set, const struct step *steps, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		take(trails_of(set, steps[i].tid, steps[i].era), steps[i].branch);
}

/* Do both show the same of the threads that step @s knows? */
static bool agree(struct trails *a, struct trails *b, const struct step *s)
{
	struct trail *x = trails_of(a, s->tid, s->era), *y = trails_of(b, s->tid, s->era);
	struct trail_jump jx[8], jy[8];
	size_t n = trail_jumps(x, jx, 8);
	char text[400];

	snprintf(text, sizeof(text), "%s", chain_of(x, 1, DEPTH));
	return trail_depth(x) == trail_depth(y) && str_eq(text, chain_of(y, 1, DEPTH)) && n == trail_jumps(y, jy, 8) &&
	       !memcmp(jx, jy, n * sizeof(*jx));
}

/* Cut @nr steps at random; decode each piece by itself, put them together, decode each again. */
static void pieces(uint64_t seed, size_t nr)
{
	const struct trail_opts opts = { .calls = true, .branches = 5 };
	struct trails *whole = trails_new(&opts, false), *joined = trails_new(&opts, false), *log, *start;
	uint32_t eras[NR_THREADS] = {0};
	struct step *steps = xcalloc(nr, sizeof(*steps));
	size_t bad = 0;

	for (size_t i = 0; i < nr; i++)
		steps[i] = random_step(&seed, eras);
	for (size_t at = 0, n; at < nr; at += n) {
		n = 1 + random_below(&seed, 60);
		n = MIN(nr - at, n);
		log = trails_new(&opts, true);
		run(log, steps + at, n);
		start = trails_follow(joined, log);
		for (size_t i = at; i < at + n; i++) {
			run(whole, steps + i, 1);
			run(start, steps + i, 1);
			bad += !agree(whole, start, &steps[i]);
		}
		bad += !agree(whole, joined, &steps[at + n - 1]);
		trails_free(log);
		trails_free(start);
	}
	CHECK(bad == 0);
	trails_free(whole);
	trails_free(joined);
	free(steps);
}

/* What lies too deep for any chain is not copied for a piece, but counts. */
static void deep(void)
{
	const struct trail_opts opts = { .calls = true };
	struct trails *joined = trails_new(&opts, false), *log = trails_new(&opts, true), *start, *copy;
	struct trail *t = trails_of(log, 1, 0);

	for (uint64_t i = 0; i < 5000; i++)
		take(t, call(i * 16, i * 16 + 16, 0));
	trails_free(trails_follow(joined, log));
	trails_free(log);
	log = trails_new(&opts, true);
	take(trails_of(log, 1, 0), ret(1, 4000 * 16 + 5));
	start = trails_follow(joined, log);
	t = trails_of(start, 1, 0);
	CHECK(trail_depth(t) == 5000 && t->marks.nr < 2100);
	take(t, ret(1, 4000 * 16 + 5));
	CHECK(trail_depth(t) == 4000);
	CHECK(trail_depth(trails_of(joined, 1, 0)) == 4000);
	copy = trails_copy(start);
	CHECK(trail_depth(trails_of(copy, 1, 0)) == 4000);
	trails_free(copy);
	trails_free(log);
	trails_free(start);
	trails_free(joined);
}

int main(void)
{
	one_stack();
	for (uint64_t seed = 1; seed <= 40; seed++)
		pieces(seed, 3000);
	deep();
	return checks_done();
}
