/*
 * Draws the browser's timeline: a line of samples over time for all threads together, then one for each thread. threads.h lists
 * the threads, and filters.h selects the samples.
 */
#include <stdlib.h>
#include <string.h>

#include "core/show/browse/command.h"
#include "core/show/browse/threads.h"
#include "core/show/browse/views.h"

#define NAME_WIDTH	24u
#define LEAST_SLOTS	10u
#define LARGE_STEP	10u	/* slots that PageUp and PageDown move by */

/* The screen has a column for each slot. Slots are intervals of equal length. */
struct timeline {
	struct thread_rows threads;
	uint64_t start, first, slot_ns;	/* .start: the time when slot 0 begins; .first: the first slot that is shown */
	unsigned nr_slots;
	uint64_t *periods;		/* by line, then by slot; line 0 has all threads. Owned */
	uint64_t most[2];		/* the largest sum of a slot: [0]: of all threads; [1]: of any thread */
	unsigned column, mark;		/* slots: the cursor, and the other end of the range; .mark == .nr_slots: none */
};

/* ---- the sums ---- */

/* The shortest round length of a slot with at most @slots in @span. Close enough that @span fills at least three quarters. */
static uint64_t slot_for(uint64_t span, unsigned slots)
{
	static const unsigned tenths[] = { 10, 12, 15, 20, 25, 30, 40, 50, 60, 80 };

	for (uint64_t ten = 1; ten < UINT64_MAX / 1000; ten *= 10)
		for (size_t i = 0; i < ARRAY_SIZE(tenths); i++) {
			uint64_t slot = ten * tenths[i] / 10;

			if (span / slot + 2 <= slots)
				return slot;
		}
	return span;
}

static uint64_t last_end(const struct browser *b)
{
	const struct model *m = &b->model;
	uint64_t end = m->nr_samples ? m->times[m->nr_samples - 1] : 0;

	for (size_t i = m->some_last ? 0 : m->nr_samples; i < m->nr_samples; i++) {
		uint32_t weight = m->sample_weights[i];

		if (m->lasts[weight] && b->selection.weights[weight].nr && m->periods[i] < UINT64_MAX - m->times[i])
			end = MAX(end, m->times[i] + m->periods[i]);
	}
	return end;
}

/* Slots begin at multiples of their length since the first sample, as with prec report -s time --time-quantum +LENGTH. */
static void find_slots(struct timeline *t, const struct browser *b)
{
	unsigned slots = b->width > NAME_WIDTH + LEAST_SLOTS ? b->width - NAME_WIDTH : LEAST_SLOTS;
	uint64_t from, to;

	filters_time(&b->filters, &from, &to);
	from = MAX(from, b->model.nr_samples ? b->model.times[0] : 0);
	to = MIN(to, last_end(b));
	to = MAX(from, to);
	t->slot_ns = slot_for(to - from, slots);
	t->start = MIN(b->model.d->info.first_time, from);
	t->first = (from - t->start) / t->slot_ns;
	t->nr_slots = (unsigned)((to - t->start) / t->slot_ns - t->first + 1);
}

/* Returns the line of each thread of the profile, or 0 for threads without a line. Owned by the caller. */
static uint32_t *lines_of_threads(const struct timeline *t, const struct browser *b)
{
	const struct profile_data *d = b->model.d;
	uint32_t *lines = xcalloc(MAX(d->threads.nr, 1), sizeof(*lines));

	for (uint32_t r = 0; r < t->threads.list.nr; r++)
		for (uint32_t i = t->threads.list.v[r].thread + 1; i-- > 0 && d->threads.v[i].tid == t->threads.list.v[r].tid;)
			lines[i] = r + 1;
	return lines;
}

static uint64_t slot_begin(const struct timeline *t, unsigned slot)
{
	return t->start + (t->first + slot) * t->slot_ns;
}

static void add(struct timeline *t, uint32_t line, unsigned slot, uint64_t period)
{
	uint64_t *sum = &t->periods[(size_t)line * t->nr_slots + slot];

	add_saturated(sum, period);
	t->most[line > 0] = MAX(t->most[line > 0], *sum);
}

static void add_at(struct timeline *t, uint32_t line, uint64_t time, uint64_t period)
{
	uint64_t slot = (MAX(time, t->start) - t->start) / t->slot_ns - t->first;

	if (slot < t->nr_slots)
		add(t, line, (unsigned)slot, period);
}

/* Spreads @period ns from @time on over the slots that it covers. */
static void add_lasting(struct timeline *t, uint32_t line, uint64_t time, uint64_t period)
{
	uint64_t end = period < UINT64_MAX - time ? time + period : UINT64_MAX, start = slot_begin(t, 0);

	for (uint64_t slot = time > start ? (time - start) / t->slot_ns : 0; slot < t->nr_slots; slot++) {
		uint64_t begin = slot_begin(t, (unsigned)slot);

		if (begin >= end)
			break;
		add(t, line, (unsigned)slot, MIN(end, begin + t->slot_ns) - MAX(time, begin));
	}
}

static void sum_samples(struct timeline *t, const struct browser *b)
{
	const struct model *m = &b->model;
	uint32_t *lines = lines_of_threads(t, b);
	uint64_t from, to;

	filters_time(&b->filters, &from, &to);
	for (size_t i = model_first_in(m, from); i < m->nr_samples && m->times[i] <= to; i++) {
		uint32_t weight = m->sample_weights[i], thread = m->d->weights.v[weight].thread;
		void (*add_one)(struct timeline *t, uint32_t line, uint64_t time, uint64_t period) =
			m->lasts[weight] ? add_lasting : add_at;

		if (!b->selection.weights[weight].nr)
			continue;
		add_one(t, 0, m->times[i], m->periods[i]);
		if (thread != PROFILE_NONE && lines[thread])
			add_one(t, lines[thread], m->times[i], m->periods[i]);
	}
	free(lines);
}

static void make(struct browser *b, struct view *v)
{
	struct timeline *t = v->state;

	thread_rows_make(&t->threads, b);
	find_slots(t, b);
	free(t->periods);
	t->periods = xcalloc((t->threads.list.nr + 1) * t->nr_slots, sizeof(*t->periods));
	t->most[0] = t->most[1] = 0;
	t->column = MIN(t->column, t->nr_slots - 1);
	t->mark = t->nr_slots;
	sum_samples(t, b);
}

static void release(struct view *v)
{
	struct timeline *t = v->state;

	vec_free(&t->threads.list);
	free(t->periods);
}

static size_t count(struct browser *b, const struct view *v)
{
	return ((const struct timeline *)v->state)->threads.list.nr + 1;
}

/* ---- keys ---- */

static void range(const struct timeline *t, unsigned *from, unsigned *to)
{
	unsigned mark = t->mark < t->nr_slots ? t->mark : t->column;

	*from = MIN(mark, t->column);
	*to = MAX(mark, t->column);
}

static void filter_range(struct browser *b, struct timeline *t)
{
	unsigned from, to;

	range(t, &from, &to);
	if (!b->model.nr_samples) {
		browser_say(b, "no sample has a time");
		return;
	}
	t->column = 0;
	browser_filter_time(b, slot_begin(t, from), slot_begin(t, to + 1) - 1);
	browser_leave(b);
}

static void filter_thread(struct browser *b, struct view *v)
{
	const struct timeline *t = v->state;

	if (v->cursor)
		browser_filter(b, FILTER_THREAD, t->threads.list.v[v->cursor - 1].tid, NULL);
	else
		browser_say(b, "this line is of all threads");
}

static bool act(struct browser *b, struct view *v, enum action action)
{
	struct timeline *t = v->state;

	switch (action) {
	case ACTION_LEFT: case ACTION_PAGE_UP:
		t->column -= MIN(t->column, action == ACTION_LEFT ? 1 : LARGE_STEP);
		return true;
	case ACTION_RIGHT: case ACTION_PAGE_DOWN:
		t->column = MIN(t->column + (action == ACTION_RIGHT ? 1 : LARGE_STEP), t->nr_slots - 1);
		return true;
	case ACTION_MARK:
		t->mark = t->mark == t->column ? t->nr_slots : t->column;
		browser_say(b, t->mark < t->nr_slots ? "a range begins here: go on, then Enter" : "no range begins here any more");
		return true;
	case ACTION_ENTER:
		filter_range(b, t);
		return true;
	case ACTION_THREAD:
		filter_thread(b, v);
		return true;
	default:
		return false;
	}
}

/* ---- drawing ---- */

/* Returns how many decimals of seconds the length of a slot has, 9 at most. */
static int digits_of(uint64_t slot_ns)
{
	int digits = 1;

	for (uint64_t ns = 100000000; slot_ns % ns && digits < 9; ns /= 10)
		digits++;
	return digits;
}

/* Draws the sum of the line under the cursor in the marked range: "12.10-12.30 s: 0.20 s". */
static void draw_titles(struct browser *b, struct view *v, struct canvas *c, unsigned y)
{
	const struct timeline *t = v->state;
	struct buf text = {0};
	unsigned from, to;
	uint64_t sum = 0;

	range(t, &from, &to);
	for (unsigned i = from; i <= to; i++)
		add_saturated(&sum, t->periods[MIN(v->cursor, t->threads.list.nr) * t->nr_slots + i]);
	buf_printf(&text, "%.*f-%.*f s: ", digits_of(t->slot_ns), (double)(slot_begin(t, from) - t->start) / 1e9,
		   digits_of(t->slot_ns), (double)(slot_begin(t, to + 1) - t->start) / 1e9);
	browser_put_amount(b, sum, &text);
	buf_printf(&text, " (%.2f%%)  a column is ", browser_percent(b, sum));
	if (t->slot_ns >= 1000000)
		buf_printf(&text, "%g ms", (double)t->slot_ns / 1e6);
	else
		buf_printf(&text, "%g us", (double)t->slot_ns / 1e3);
	canvas_put(c, y, 0, c->width, 0, LOOK_TITLE, text.data, text.len);
	buf_release(&text);
}

/* @most: the period of full height. The line of all threads has its own, and the lines of the threads share one. */
static uint32_t sign_of(const struct canvas *c, uint64_t period, uint64_t most)
{
	static const char ascii[] = ".:-=+*#@";
	unsigned height;

	if (!period || !most)
		return ' ';
	height = (unsigned)MIN(8 * (double)period / (double)most, 7);
	return c->utf8 ? 0x2581 + height : (uint32_t)ascii[height];
}

static void draw_row(struct browser *b, struct view *v, struct canvas *c, unsigned y, size_t row)
{
	const struct timeline *t = v->state;
	struct buf name = {0};
	unsigned from, to;

	range(t, &from, &to);
	if (row) {
		buf_printf(&name, "%7u ", t->threads.list.v[row - 1].tid);
		thread_put_name(b, &t->threads.list.v[row - 1], &name);
	} else {
		buf_puts(&name, "    all threads");
	}
	canvas_put(c, y, 0, NAME_WIDTH - 1, 0, row == v->cursor ? LOOK_TITLE : LOOK_PLAIN, name.data, name.len);
	for (unsigned i = 0; i < t->nr_slots; i++)
		canvas_fill(c, y, NAME_WIDTH + i, 1, i >= from && i <= to ? LOOK_FOUND : LOOK_PLAIN,
			    sign_of(c, t->periods[row * t->nr_slots + i], t->most[row > 0]));
	buf_release(&name);
}

static void command(struct browser *b, struct view *v, struct buf *out)
{
	command_put_timeline(b, ((const struct timeline *)v->state)->slot_ns, out);
}

const struct view_ops view_timeline = {
	.name = "timeline", .state_size = sizeof(struct timeline), .make = make, .release = release, .count = count,
	.draw_titles = draw_titles, .draw_row = draw_row, .act = act, .command = command,
	.hints = "2,3 type a range\0v mark\0Enter only it\0t thread\0Backspace undo\0",
};
