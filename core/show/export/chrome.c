/*
 * Writes Chrome's trace event format, a timeline that Perfetto (ui.perfetto.dev) and chrome://tracing open, for prec export
 * --format chrome.
 *
 * Calls and intervals become complete events ("X") of their thread. Samples and single points in time become instants ("i"). Links
 * such as wake-ups become flows from one thread to another ("s", "f").
 * Source: "Trace Event Format" of the Chromium project's catapult, and Perfetto's documentation of the events that it reads.
 */
#include "core/base/json.h"
#include "core/show/export/writers.h"

struct chrome {
	struct json json;
	uint64_t origin;		/* ns: the time that is 0 in the file */
};

#define NOBODY_PID 0			/* the pid of events without a thread; its lanes are CPUs */

/* ---- the members of an event ---- */

/* Writes a time in microseconds with three decimals. */
static void put_us(struct chrome *c, const char *key, uint64_t ns)
{
	json_key(&c->json, key);
	json_fixed(&c->json, (double)ns / 1000, 3);
}

static uint64_t since_origin(const struct chrome *c, uint64_t time)
{
	return time > c->origin ? time - c->origin : 0;
}

static void put_owner(struct chrome *c, const struct profile_data *d, uint32_t thread, uint32_t cpu)
{
	uint32_t tid = thread != PROFILE_NONE ? d->threads.v[thread].tid : cpu != PROFILE_NONE ? cpu + 1 : 0;

	json_key_i64(&c->json, "pid",
		     thread == PROFILE_NONE ? NOBODY_PID : (int32_t)d->processes.v[d->threads.v[thread].process].pid);
	json_key_i64(&c->json, "tid", (int32_t)tid);
}

/* Begins an event. The caller writes its other members and json_close(). */
static void open_event(struct chrome *c, const char *phase, const char *category)
{
	json_open(&c->json, '{');
	json_key_string(&c->json, "ph", phase);
	if (category)
		json_key_string(&c->json, "cat", category);
}

/* ---- names of processes and threads ---- */

static void put_name(struct chrome *c, const char *what, int64_t pid, int64_t tid, const char *name)
{
	open_event(c, "M", NULL);
	json_key_string(&c->json, "name", what);
	json_key_i64(&c->json, "pid", pid);
	json_key_i64(&c->json, "tid", tid);
	json_key_open(&c->json, "args", '{');
	json_key_string(&c->json, "name", name);
	json_close(&c->json, '}');
	json_close(&c->json, '}');
}

static void put_names(struct chrome *c, const struct profile *p)
{
	const struct profile_data *d = profile_data(p);

	vec_for(process, &d->processes)
		put_name(c, "process_name", (int32_t)process->pid, (int32_t)process->pid, profile_string(p, process->name));
	for (uint32_t i = 0; i < d->threads.nr; i++)
		put_name(c, "thread_name", (int32_t)d->processes.v[d->threads.v[i].process].pid, (int32_t)d->threads.v[i].tid,
			 profile_string(p, profile_thread_name(p, i)));
}

/* ---- calls ---- */

static void put_function(struct chrome *c, const struct profile *p, uint32_t stack)
{
	const struct profile_data *d = profile_data(p);
	struct buf name = {0};

	profile_put_function(p, d->frames.v[d->stacks.v[stack].frame].function, &name);
	json_key(&c->json, "name");
	json_string_n(&c->json, name.data, name.len);
	buf_release(&name);
}

/* Writes the file of the function, and which end of the call is inferred. */
static void put_call_args(struct chrome *c, const struct profile *p, const struct profile_call *call)
{
	const struct profile_data *d = profile_data(p);
	uint32_t dso = d->functions.v[d->frames.v[d->stacks.v[call->stack].frame].function].dso;

	json_key_open(&c->json, "args", '{');
	if (dso != PROFILE_NONE)
		json_key_string(&c->json, "file", profile_string(p, d->dsos.v[dso].name));
	if (call->flags & CALL_BEGIN_INFERRED)
		json_key_string(&c->json, "begin", "inferred: it ran when tracing began");
	if (call->flags & CALL_END_INFERRED)
		json_key_string(&c->json, "end", "inferred: it ran when tracing ended");
	json_close(&c->json, '}');
}

static void put_calls(struct chrome *c, struct export *x)
{
	const struct profile_data *d = profile_data(x->profile);

	vec_for(call, &d->calls) {
		open_event(c, "X", call->flags & CALL_UNTRACED ? "untraced" : "call");
		put_function(c, x->profile, call->stack);
		put_owner(c, d, call->thread, PROFILE_NONE);
		put_us(c, "ts", since_origin(c, call->begin));
		put_us(c, "dur", call->end - call->begin);
		put_call_args(c, x->profile, call);
		json_close(&c->json, '}');
		outfile_maybe_flush(x->out);
	}
}

/* ---- intervals, instants, links ---- */

/* Intervals do not nest in the calls of a thread, so they become asynchronous events, in lanes below the thread. */
static void put_interval_end(struct chrome *c, const struct export *x, const struct profile_interval *i, size_t number,
			     const char *phase, uint64_t time)
{
	const struct profile_data *d = profile_data(x->profile);

	open_event(c, phase, "interval");
	json_key_string(&c->json, "name", profile_string(x->profile, i->kind));
	json_key_u64(&c->json, "id", number + 1);
	put_owner(c, d, i->thread, i->cpu);
	put_us(c, "ts", since_origin(c, time));
	json_key_open(&c->json, "args", '{');
	if (i->cpu != PROFILE_NONE)
		json_key_u64(&c->json, "cpu", i->cpu);
	json_close(&c->json, '}');
	json_close(&c->json, '}');
}

static void put_intervals(struct chrome *c, struct export *x)
{
	const struct profile_data *d = profile_data(x->profile);

	for (size_t n = 0; n < d->intervals.nr; n++) {
		put_interval_end(c, x, &d->intervals.v[n], n, "b", d->intervals.v[n].begin);
		put_interval_end(c, x, &d->intervals.v[n], n, "e", d->intervals.v[n].end);
		outfile_maybe_flush(x->out);
	}
}

static void put_instants(struct chrome *c, struct export *x)
{
	const struct profile_data *d = profile_data(x->profile);

	vec_for(i, &d->instants) {
		open_event(c, "i", "instant");
		json_key_string(&c->json, "name", profile_string(x->profile, i->kind));
		put_owner(c, d, i->thread, i->cpu);
		put_us(c, "ts", since_origin(c, i->time));
		json_key_string(&c->json, "s", i->thread == PROFILE_NONE ? "p" : "t");
		json_key_open(&c->json, "args", '{');
		json_key_u64(&c->json, "value", i->value);
		json_close(&c->json, '}');
		json_close(&c->json, '}');
		outfile_maybe_flush(x->out);
	}
}

static void put_link_end(struct chrome *c, const struct export *x, const struct profile_link *l, size_t number, bool from)
{
	open_event(c, from ? "s" : "f", "link");
	json_key_string(&c->json, "name", profile_string(x->profile, l->kind));
	json_key_u64(&c->json, "id", number + 1);
	put_owner(c, profile_data(x->profile), from ? l->from_thread : l->to_thread, PROFILE_NONE);
	put_us(c, "ts", since_origin(c, from ? l->from_time : l->to_time));
	if (!from)
		json_key_string(&c->json, "bp", "e");
	json_close(&c->json, '}');
}

static void put_links(struct chrome *c, struct export *x)
{
	const struct profile_data *d = profile_data(x->profile);

	for (size_t n = 0; n < d->links.nr; n++) {
		put_link_end(c, x, &d->links.v[n], n, true);
		put_link_end(c, x, &d->links.v[n], n, false);
		outfile_maybe_flush(x->out);
	}
}

/* ---- samples ---- */

/* Writes a sample as an instant with its call stack. Time in calls is not written as samples, but as calls. */
static void put_sample(struct chrome *c, const struct profile *p, const struct profile_sample *s)
{
	const struct profile_data *d = profile_data(p);
	const struct profile_weight *w = &d->weights.v[s->weight];
	struct buf stack = {0};

	open_event(c, "i", "sample");
	json_key_string(&c->json, "name", profile_string(p, d->events.v[w->event].name));
	put_owner(c, d, w->thread, w->cpu);
	put_us(c, "ts", since_origin(c, s->time));
	json_key_string(&c->json, "s", "t");
	json_key_open(&c->json, "args", '{');
	json_key_u64(&c->json, "period", s->period);
	for (uint32_t n = w->stack; n != PROFILE_ROOT; n = d->stacks.v[n].parent) {
		profile_put_function(p, d->frames.v[d->stacks.v[n].frame].function, &stack);
		buf_putc(&stack, '\n');
	}
	json_key(&c->json, "stack");
	json_string_n(&c->json, stack.data, stack.len);
	json_close(&c->json, '}');
	json_close(&c->json, '}');
	buf_release(&stack);
}

static void put_samples(struct chrome *c, struct export *x)
{
	const struct profile_data *d = profile_data(x->profile);
	struct profile_cursor cursor;
	struct profile_sample s;

	for (profile_cursor_init(&cursor, x->profile); profile_cursor_next(&cursor, &s);) {
		uint32_t event = d->weights.v[s.weight].event;

		if ((x->opts->event != PROFILE_NONE && event != x->opts->event) || d->events.v[event].calls)
			continue;
		put_sample(c, x->profile, &s);
		outfile_maybe_flush(x->out);
	}
	profile_cursor_release(&cursor);
}

/* ---- the file ---- */

static uint64_t origin_of(const struct profile_data *d)
{
	uint64_t first = d->info.first_time;

	if (d->calls.nr)
		vec_for(c, &d->calls)
			first = MIN(first, c->begin);
	if (d->intervals.nr)
		first = MIN(first, d->intervals.v[0].begin);
	if (d->instants.nr)
		first = MIN(first, d->instants.v[0].time);
	if (d->links.nr)
		first = MIN(first, d->links.v[0].from_time);
	return first == UINT64_MAX ? 0 : first;
}

static void begin(struct export *x)
{
	struct chrome c = { .json.out = &x->out->buf, .origin = origin_of(profile_data(x->profile)) };

	json_open(&c.json, '{');
	json_key_string(&c.json, "displayTimeUnit", "ns");
	json_key_open(&c.json, "otherData", '{');
	json_key_string(&c.json, "command", profile_string(x->profile, profile_data(x->profile)->info.command));
	json_key_u64(&c.json, "first ns", c.origin);
	json_close(&c.json, '}');
	json_key_open(&c.json, "traceEvents", '[');
	put_names(&c, x->profile);
	put_calls(&c, x);
	put_intervals(&c, x);
	put_instants(&c, x);
	put_links(&c, x);
	put_samples(&c, x);
	json_close(&c.json, ']');
	json_close(&c.json, '}');
	buf_putc(&x->out->buf, '\n');
}

const struct profile_writer chrome_writer = {
	.name = "chrome", .suffixes = ".trace.json", .description = "for Perfetto and chrome://tracing",
	.flags = WRITER_TIMES | WRITER_TIMELINE, .begin = begin,
};
