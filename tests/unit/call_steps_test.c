/* Steps of calls against a stable sort: those of many streams, added as pieces come and taken as far as no other can come. */
#include "core/profile/call_steps.h"

#include "tests/unit/check.h"

#define STREAMS	9
#define MOST	4000

struct world {
	struct call_event added[MOST];	/* .from: its number */
	size_t nr;
	struct call_event taken[MOST];
	size_t nr_taken;
	uint64_t before;		/* only earlier ones may be given */
};

static int compare(const void *a, const void *b)
{
	const struct call_event *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

static void take(void *ctx, const struct call_event *s)
{
	struct world *w = ctx;

	CHECK(s->at < w->before, "%" PRIu64 " of those before %" PRIu64, s->at, w->before);
	if (w->nr_taken < MOST)
		w->taken[w->nr_taken++] = *s;
}

/* A piece of a stream: ascending, most steps at the time of the one before. */
static void add_piece(struct world *w, struct call_steps *c, uint64_t *at, uint64_t *state)
{
	for (uint64_t n = random_below(state, 40); n && w->nr < MOST; n--) {
		struct call_event s = { .at = *at, .from = w->nr };

		*at += random_below(state, 3) ? 0 : random_below(state, 20);
		w->added[w->nr++] = s;
		call_steps_add(c, &s);
	}
}

/* Until all is taken: streams that are behind go on, and what all have passed is taken. */
static void check_round(struct world *w, uint64_t streams, uint64_t *state)
{
	struct call_steps c = {0};
	uint64_t at[STREAMS] = {0};

	w->nr = w->nr_taken = 0;
	while (w->nr < MOST) {
		for (uint64_t i = 0; i < streams; i++)
			add_piece(w, &c, &at[random_below(state, streams)], state);
		w->before = at[0];
		for (uint64_t i = 1; i < streams; i++)
			w->before = MIN(w->before, at[i]);
		call_steps_pop(&c, w->before, take, w);
		CHECK(c.runs.nr <= w->nr - w->nr_taken, "%zu runs of %zu steps", c.runs.nr, w->nr - w->nr_taken);
	}
	w->before = UINT64_MAX;
	call_steps_pop(&c, w->before, take, w);
	call_steps_release(&c);
	qsort(w->added, w->nr, sizeof(*w->added), compare);
	CHECK(w->nr_taken == w->nr, "%zu of %zu", w->nr_taken, w->nr);
	for (size_t i = 0; i < w->nr_taken; i++)
		CHECK(w->taken[i].from == w->added[i].from, "step %zu of %" PRIu64 " streams", i, streams);
}

/* Dropped steps that were never taken are freed. */
static void check_release(void)
{
	struct call_steps c = {0};

	for (uint64_t i = 0; i < 100; i++)
		call_steps_add(&c, &(struct call_event){ .at = i * 37 % 50 });
	call_steps_release(&c);
}

int main(void)
{
	static struct world w;
	uint64_t state = 4242;

	for (unsigned round = 0; round < 60 && !nr_failed; round++)
		check_round(&w, 1 + random_below(&state, STREAMS), &state);
	check_release();
	return checks_done();
}
