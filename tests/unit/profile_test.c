/*
 * A profile through the builder: things are read back once and with their sums; the order of adding does not matter; samples
 * come in order of time from any start; and additional data, a column, an interval, an instant and a link, arrive at a
 * writer.
 */
#include "core/profile/builder.h"

#include <fcntl.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/profile/writer.h"
#include "tests/unit/check.h"

/* ---- a profile of random samples, each of which says all it is about ---- */

#define NR_FACTS	20000
#define MAX_DEPTH	6
#define NR_FUNCTIONS	9

struct fact { uint32_t event, thread, cpu, depth, functions[MAX_DEPTH]; uint64_t time, period, wait; };

static struct fact facts[NR_FACTS];

static void make_facts(uint64_t *state)
{
	for (size_t i = 0; i < NR_FACTS; i++) {
		struct fact *f = &facts[i];

		*f = (struct fact){ (uint32_t)random_below(state, 2), (uint32_t)random_below(state, 3),
				    (uint32_t)random_below(state, 2), (uint32_t)random_below(state, MAX_DEPTH + 1) };
		for (uint32_t d = 0; d < f->depth; d++)
			f->functions[d] = (uint32_t)random_below(state, NR_FUNCTIONS);
		f->time = 1000000000000 + random_below(state, 1000000);
		f->period = random_below(state, 1000);
		f->wait = random_below(state, 2) ? 0 : random_u64(state);
	}
}

static uint32_t add_function(struct profile_builder *b, uint32_t n)
{
	char name[8] = { (char)('a' + n % NR_FUNCTIONS) };
	uint32_t dso = n % 2 ? PROFILE_NONE : profile_add_dso(b, &(struct profile_dso){
		.path = profile_add_string(b, "/bin/prog"), .name = profile_add_string(b, "prog"),
		.build_id = { 4, { 1, 2, 3, 4 } },
	});

	return profile_add_function(b, &(struct profile_function){
		.name = profile_add_string(b, name), .dso = dso, .address = 16 * n, .size = 16, .level = '.' });
}

/* @append: without looking whether it is there. */
static uint32_t add_stack(struct profile_builder *b, const struct fact *f, bool append)
{
	uint32_t stack = PROFILE_ROOT;

	for (uint32_t d = 0; d < f->depth; d++) {
		uint32_t frame = profile_add_frame(b, &(struct profile_frame){
			.function = add_function(b, f->functions[d]), .line = f->functions[d] + 1 });

		stack = append ? profile_append_stack(b, stack, frame) : profile_add_stack(b, stack, frame);
	}
	return stack;
}

static uint32_t add_thread(struct profile_builder *b, uint32_t n)
{
	char name[16];
	uint32_t thread;

	snprintf(name, sizeof(name), "thread%u", n);
	thread = profile_add_thread(b, &(struct profile_thread){
		.process = profile_add_process(b, 100 + n / 2, profile_add_string(b, "prog")),
		.tid = 200 + n, .from = 1, .to = 2 });
	profile_add_name(b, thread, 10, profile_add_string(b, name));
	profile_add_name(b, thread, 0, profile_add_string(b, "young"));
	return thread;
}

/* @order: of the facts. */
static struct profile *build(const uint32_t *order)
{
	struct profile_builder *b = profile_builder_new();
	uint32_t threads[3];

	for (unsigned i = 3; i-- > 0;)
		threads[(i + order[0]) % 3] = add_thread(b, (i + order[0]) % 3);
	profile_add_event(b, &(struct profile_event){ .name = profile_add_string(b, "cpu-clock"), .unit = PROFILE_NS });
	profile_add_event(b, &(struct profile_event){ .name = profile_add_string(b, "faults") });
	profile_add_column(b, &(struct profile_column){ .name = profile_add_string(b, "wait"), .unit = PROFILE_NS });
	profile_add_column(b, &(struct profile_column){ .name = profile_add_string(b, "state"), .text = true });
	for (size_t i = 0; i < NR_FACTS; i++) {
		const struct fact *f = &facts[order[i]];
		uint32_t weight = profile_add_weight(b, &(struct profile_weight){
			.event = f->event, .thread = threads[f->thread], .comm = profile_add_string(b, "comm"), .cpu = f->cpu,
			.stack = add_stack(b, f, i % 3 == 0), .address = PROFILE_NONE, .nr = 1, .period = f->period });
		const uint64_t values[] = { f->wait, profile_add_string(b, f->wait % 2 ? "D" : "S") };

		profile_add_sample(b, f->time, weight, f->period, values);
	}
	return profile_builder_finish(b);
}

/* ---- everything in it, as text ---- */

static void put_stack(const struct profile *p, uint32_t stack, struct buf *out)
{
	const struct profile_data *d = profile_data(p);

	for (; stack != PROFILE_ROOT; stack = d->stacks.v[stack].parent)
		buf_printf(out, "%s:%u<", profile_string(p, profile_frame_name(p, d->stacks.v[stack].frame)),
			   d->frames.v[d->stacks.v[stack].frame].line);
}

static void put_numbers(const struct profile *p, struct buf *out)
{
	const struct profile_data *d = profile_data(p);
	struct profile_cursor c;
	struct profile_sample s;

	vec_for(w, &d->weights)
		buf_printf(out, "%u %u %u %u %u %" PRIu64 " %" PRIu64 "\n", w->event, w->thread, w->comm, w->cpu, w->stack, w->nr,
			   w->period);
	vec_for(s2, &d->stacks)
		buf_printf(out, "%u %u %u %u %u\n", s2->frame, s2->parent, s2->depth, s2->first_child, s2->nr_children);
	for (size_t i = 0; i < d->nr_strings; i++)
		buf_printf(out, "%s\n", profile_string(p, (uint32_t)i));
	for (profile_cursor_init(&c, p); profile_cursor_next(&c, &s);)
		buf_printf(out, "%" PRIu64 " %u %" PRIu64 " %" PRIx64 " %" PRIx64 "\n", s.time, s.weight, s.period, s.values[0],
			   s.values[1]);
	profile_cursor_release(&c);
}

/* ---- the checks ---- */

static bool is_of(const struct profile *p, const struct profile_weight *w, const struct fact *f)
{
	const struct profile_data *d = profile_data(p);
	uint32_t stack = w->stack;

	if (w->event != f->event || d->threads.v[w->thread].tid != 200 + f->thread || w->cpu != f->cpu ||
	    d->stacks.v[stack].depth != f->depth)
		return false;
	for (uint32_t i = f->depth; i-- > 0; stack = d->stacks.v[stack].parent)
		if (d->frames.v[d->stacks.v[stack].frame].line != f->functions[i] + 1)
			return false;
	return stack == PROFILE_ROOT;
}

static void check_weights(const struct profile *p)
{
	const struct profile_data *d = profile_data(p);
	uint64_t all = 0;

	for (size_t i = 0; i < d->weights.nr; i += 97) {
		const struct profile_weight *w = &d->weights.v[i];
		uint64_t nr = 0, period = 0;

		for (size_t n = 0; n < NR_FACTS; n++)
			if (is_of(p, w, &facts[n])) {
				nr++;
				period += facts[n].period;
			}
		CHECK(w->nr == nr && w->period == period, "weight %zu", i);
	}
	vec_for(e, &d->events)
		all += e->nr;
	CHECK(all == NR_FACTS);
}

static void check_tree(const struct profile *p)
{
	const struct profile_data *d = profile_data(p);
	struct profile_sum *total = xcalloc(d->stacks.nr, sizeof(*total)), *self = xcalloc(d->stacks.nr, sizeof(*self));

	profile_sum_stacks(p, 0, total, self);
	CHECK(total[PROFILE_ROOT].nr == d->events.v[0].nr && total[PROFILE_ROOT].period == d->events.v[0].period);
	for (uint32_t i = 0; i < d->stacks.nr; i++) {
		const struct profile_stack *s = &d->stacks.v[i];
		uint64_t nr = self[i].nr, period = self[i].period;

		CHECK(i == PROFILE_ROOT || s->parent < i);
		for (uint32_t c = s->first_child; c < s->first_child + s->nr_children; c++) {
			CHECK(d->stacks.v[c].parent == i && d->stacks.v[c].depth == s->depth + 1);
			CHECK(c == s->first_child || d->stacks.v[c - 1].frame < d->stacks.v[c].frame, "node %u twice", c);
			nr += total[c].nr;
			period += total[c].period;
		}
		CHECK(total[i].nr == nr && total[i].period == period, "node %u", i);
	}
	free(total);
	free(self);
}

static void check_samples(const struct profile *p, uint64_t want)
{
	struct profile_cursor c;
	struct profile_sample s;
	uint64_t last = 0, nr = 0;

	for (profile_cursor_init(&c, p); profile_cursor_next(&c, &s); nr++) {
		CHECK(s.time >= last);
		CHECK(str_eq(profile_string(p, (uint32_t)s.values[1]), s.values[0] % 2 ? "D" : "S"));
		last = s.time;
	}
	profile_cursor_release(&c);
	CHECK(nr == want, "%" PRIu64 " samples, want %" PRIu64, nr, want);
}

static void check_names(const struct profile *p)
{
	const struct profile_data *d = profile_data(p);

	CHECK(d->threads.nr == 3 && d->processes.nr == 2 && d->dsos.nr == 1 && d->functions.nr == NR_FUNCTIONS);
	CHECK_TEXT(profile_string(p, profile_thread_name(p, 1)), "thread1");
	CHECK(d->processes.v[d->threads.v[2].process].pid == 101);
	CHECK_TEXT(profile_string(p, 0), "");
	for (uint32_t i = 1; i < d->nr_strings; i++)
		CHECK(strcmp(profile_string(p, i - 1), profile_string(p, i)) < 0);
}

static void check_random(void)
{
	uint64_t state = 7;
	uint32_t *order = xmalloc(NR_FACTS * sizeof(*order));
	struct buf first = {0}, second = {0};
	struct profile *p, *q;

	make_facts(&state);
	for (uint32_t i = 0; i < NR_FACTS; i++)
		order[i] = i;
	p = build(order);
	check_weights(p);
	check_tree(p);
	check_names(p);
	check_samples(p, NR_FACTS);
	for (uint32_t i = NR_FACTS - 1; i > 0; i--) {
		uint32_t other = (uint32_t)random_below(&state, i + 1), swap = order[i];

		order[i] = order[other];
		order[other] = swap;
	}
	q = build(order);
	put_numbers(p, &first);
	put_numbers(q, &second);
	CHECK(first.len == second.len && !memcmp(first.data, second.data, first.len), "the order of adding matters");
	profile_free(p);
	profile_free(q);
	buf_release(&first);
	buf_release(&second);
	free(order);
}

/* ---- through a writer ---- */

static void dump_begin(struct export *x)
{
	const struct profile_data *d = profile_data(x->profile);

	*(int *)x->state = 1;
	vec_for(c, &d->columns)
		buf_printf(&x->out->buf, "column %s unit %d\n", profile_string(x->profile, c->name), c->unit);
}

static void dump_event(struct export *x, uint32_t event)
{
	const struct profile_event *e = &profile_data(x->profile)->events.v[event];

	buf_printf(&x->out->buf, "event %s %" PRIu64 "\n", profile_string(x->profile, e->name), e->period);
}

static void dump_tree(struct export *x, uint32_t event)
{
	struct profile_cursor c;
	struct profile_sample s;

	for (profile_cursor_init(&c, x->profile); profile_cursor_next(&c, &s);) {
		const struct profile_weight *w = &profile_data(x->profile)->weights.v[s.weight];

		if (w->event != event)
			continue;
		put_stack(x->profile, w->stack, &x->out->buf);
		buf_printf(&x->out->buf, " at %" PRIu64 " depth %" PRIu64 "\n", s.time, s.values[0]);
	}
	profile_cursor_release(&c);
}

static void dump_end(struct export *x)
{
	const struct profile *p = x->profile;
	const struct profile_data *d = profile_data(p);
	struct buf *out = &x->out->buf;

	vec_for(i, &d->intervals) {
		buf_printf(out, "%s of %u %" PRIu64 "-%" PRIu64 " ", profile_string(p, i->kind), d->threads.v[i->thread].tid,
			   i->begin, i->end);
		put_stack(p, i->stack, out);
		buf_putc(out, '\n');
	}
	vec_for(i, &d->instants)
		buf_printf(out, "%s %" PRIu64 " at %" PRIu64 " on %u\n", profile_string(p, i->kind), i->value, i->time, i->cpu);
	vec_for(l, &d->links)
		buf_printf(out, "%s %u at %" PRIu64 " -> %u at %" PRIu64 "\n", profile_string(p, l->kind),
			   d->threads.v[l->from_thread].tid, l->from_time, d->threads.v[l->to_thread].tid, l->to_time);
	CHECK(*(int *)x->state == 1);
}

static const struct profile_writer dump_writer = {
	.name = "dump", .suffixes = ".dump", .description = "what this test looks at", .state_size = sizeof(int),
	.begin = dump_begin, .event = dump_event, .tree = dump_tree, .end = dump_end,
};

static struct profile *invent(void)
{
	struct profile_builder *b = profile_builder_new();
	uint32_t one = add_thread(b, 0), two = add_thread(b, 1), weight;
	uint32_t stack = add_stack(b, &(struct fact){ .depth = 2, .functions = { 0, 1 } }, false);

	profile_add_event(b, &(struct profile_event){ .name = profile_add_string(b, "ticks") });
	profile_add_event(b, &(struct profile_event){ .name = profile_add_string(b, "tocks") });
	profile_add_column(b, &(struct profile_column){ .name = profile_add_string(b, "depth of snow"), .unit = PROFILE_BYTES });
	for (uint32_t event = 0; event < 2; event++) {
		weight = profile_add_weight(b, &(struct profile_weight){
			.event = event, .thread = one, .cpu = PROFILE_NONE, .stack = stack, .address = PROFILE_NONE,
			.nr = 2, .period = 30 });
		profile_add_sample(b, 7, weight, 20, (const uint64_t[]){ UINT64_MAX });
		profile_add_sample(b, 5, weight, 10, (const uint64_t[]){ 3 });
	}
	profile_add_interval(b, &(struct profile_interval){ 20, 30, two, PROFILE_NONE, stack, profile_add_string(b, "sleep") });
	profile_add_interval(b, &(struct profile_interval){ 10, 40, one, PROFILE_NONE, PROFILE_ROOT,
							    profile_add_string(b, "dance") });
	profile_add_instant(b, &(struct profile_instant){ 25, 6, PROFILE_NONE, 3, profile_add_string(b, "lost") });
	profile_add_link(b, &(struct profile_link){ 11, 21, one, two, profile_add_string(b, "nudge") });
	return profile_builder_finish(b);
}

static void check_writer(void)
{
	static const char want[] = "column depth of snow unit 2\n"
		"event tocks 30\nb:2<a:1< at 5 depth 3\nb:2<a:1< at 7 depth 18446744073709551615\n"
		"dance of 200 10-40 \nsleep of 201 20-30 b:2<a:1<\n"
		"lost 6 at 25 on 3\nnudge 200 at 11 -> 201 at 21\n";
	struct export_opts opts = { .event = 1 };
	struct profile *p = invent();
	struct outfile out;
	struct buf got = {0};
	char path[] = "/tmp/profile_test.XXXXXX";
	int fd = mkstemp(path);
	char text[1000];
	ssize_t n;

	CHECK(fd >= 0 && !outfile_open(&out, path));
	profile_write(&dump_writer, p, NULL, &opts, &out);
	CHECK(!outfile_close(&out));
	close(fd);
	fd = open(path, O_RDONLY);
	n = read(fd, text, sizeof(text));
	buf_put(&got, text, n > 0 ? (size_t)n : 0);
	CHECK_TEXT(buf_str(&got), want);
	close(fd);
	unlink(path);
	buf_release(&got);
	profile_free(p);
}

static void check_empty(void)
{
	struct profile *p = profile_builder_finish(profile_builder_new());

	CHECK(profile_data(p)->stacks.nr == 1 && !profile_data(p)->weights.nr);
	check_samples(p, 0);
	profile_free(p);
}

int main(void)
{
	check_random();
	check_writer();
	check_empty();
	return checks_done();
}
