/*
 * Writes a profile for speedscope, for prec export --format speedscope: for each thread and event the call stacks in order of
 * time, or the begin and end of each traced call.
 * Source: src/lib/file-format-spec.ts of jlfwong/speedscope, 1.25.0.
 */
#include "core/show/export/writers.h"

#include <inttypes.h>
#include <string.h>

#include "core/base/json.h"
#include "core/base/vec.h"
#include "core/perfdata/event_table.h"
#include "core/sched/wall.h"

/* .place: number in order of time. .begin, .end: for an event of a clock, the time of the sample; else 0. */
struct speedscope_sample { uint32_t thread, event, stack, count; uint64_t place, period, begin, end; };

struct speedscope {
	struct json json;
	uint32_t *frame_of;			/* by function: its frame in the file; owned */
	VEC(struct speedscope_sample) samples;	/* sorted by event, thread and time */
	VEC(uint32_t) path;
	VEC(const struct profile_call *) open;	/* calls */
	uint64_t at;				/* ns: of the last event of a call */
	uint32_t call_event;			/* the event of time in calls */
	uint64_t heaviest;			/* weight of .active */
	uint32_t nr_profiles, active;
};

/* ---- frames ---- */

static void put_frame(struct json *j, const struct profile *p, uint32_t function)
{
	const struct profile_data *d = profile_data(p);
	uint32_t dso = d->functions.v[function].dso;
	struct buf name = {0};

	profile_put_function(p, function, &name);
	json_open(j, '{');
	json_key_string(j, "name", buf_str(&name));
	if (dso != PROFILE_NONE)
		json_key_string(j, "file", profile_string(p, d->dsos.v[dso].path));
	json_close(j, '}');
	buf_release(&name);
}

/* Functions with the same text are one frame, because speedscope tells frames apart by their number alone. */
static void put_frames(struct speedscope *s, const struct profile *p)
{
	uint32_t nr = 0;

	s->frame_of = profile_same_functions(p);
	json_key_open(&s->json, "shared", '{');
	json_key_open(&s->json, "frames", '[');
	for (uint32_t i = 0; i < profile_data(p)->functions.nr; i++) {
		if (s->frame_of[i] == i) {
			put_frame(&s->json, p, i);
			s->frame_of[i] = nr++;
		} else {
			s->frame_of[i] = nr - 1;	/* it follows the first of its like */
		}
	}
	json_close(&s->json, ']');
	json_close(&s->json, '}');
}

/* ---- samples ---- */

ORDER(compare_samples, struct speedscope_sample,
	compare_numbers(a->event, b->event) ?: compare_numbers(a->thread, b->thread) ?: compare_numbers(a->place, b->place))

/* True if a sample's weight is its duration: a sample comes each time that a thread ran for the period. Not so for waits. */
static bool is_clock(const struct export *x, uint32_t event)
{
	const struct profile_event *e = &profile_data(x->profile)->events.v[event];
	const char *name = profile_string(x->profile, e->name);

	return e->unit == PROFILE_NS && !x->opts->samples && !str_eq(name, OFF_CPU_NAME) && !str_eq(name, WALL_EVENT);
}

static void collect(struct speedscope *s, const struct export *x)
{
	const struct profile_data *d = profile_data(x->profile);
	struct profile_cursor c;
	struct profile_sample sample;
	uint64_t place = 0;

	for (profile_cursor_init(&c, x->profile); profile_cursor_next(&c, &sample); place++) {
		const struct profile_weight *w = &d->weights.v[sample.weight];

		struct speedscope_sample own = { w->thread, w->event, w->stack, 1, place, sample.period, 0, 0 };

		if (d->events.v[w->event].calls) {
			s->call_event = w->event;
			continue;
		}
		if (x->opts->event != PROFILE_NONE && x->opts->event != w->event)
			continue;
		if (is_clock(x, w->event)) {
			own.begin = sample.time - MIN(sample.time, sample.period);
			own.end = sample.time;
		}
		vec_push(&s->samples, own);
	}
	profile_cursor_release(&c);
	vec_sort(&s->samples, compare_samples);
}

static bool is_same_lane(const struct speedscope_sample *a, const struct speedscope_sample *b)
{
	return a->event == b->event && a->thread == b->thread;
}

/* The ns off the CPU between two samples. If a sample would fit, it is written without a stack: samples lie side by side. */
static uint64_t idle_between(const struct speedscope_sample *a, const struct speedscope_sample *b)
{
	uint64_t idle = b->begin > a->end ? b->begin - a->end : 0;

	return is_same_lane(a, b) && b->end && idle >= b->end - b->begin ? idle : 0;
}

static void join_samples(struct speedscope *s)
{
	size_t nr = 0;

	vec_for(sample, &s->samples) {
		struct speedscope_sample *last = nr ? &s->samples.v[nr - 1] : NULL;

		if (last && is_same_lane(last, sample) && last->stack == sample->stack && !idle_between(last, sample)) {
			add_saturated(&last->period, sample->period);
			last->count += sample->count;
			last->end = sample->end;
		} else {
			s->samples.v[nr++] = *sample;
		}
	}
	s->samples.nr = nr;
}

/* ---- a profile for each thread and event ---- */

static void put_stack(struct speedscope *s, const struct profile_data *d, uint32_t stack)
{
	s->path.nr = 0;
	for (; stack != PROFILE_ROOT; stack = d->stacks.v[stack].parent)
		vec_push(&s->path, s->frame_of[d->frames.v[d->stacks.v[stack].frame].function]);
	json_open(&s->json, '[');
	while (s->path.nr)
		json_u64(&s->json, s->path.v[--s->path.nr]);
	json_close(&s->json, ']');
}

/* Begins a profile of one thread and event. Its values end at @end; @weight: how heavy it is. The caller writes json_close(). */
static void begin_profile(struct speedscope *s, const struct profile *p, const char *type, uint32_t thread, uint32_t event,
			  const char *unit, uint64_t weight, uint64_t end)
{
	const struct profile_data *d = profile_data(p);
	struct buf name = {0};

	if (weight > s->heaviest) {
		s->heaviest = weight;
		s->active = s->nr_profiles;
	}
	s->nr_profiles++;
	if (thread != PROFILE_NONE)
		buf_printf(&name, "%s %d, ", profile_string(p, profile_thread_name(p, thread)),
			   (int)d->threads.v[thread].tid);
	buf_puts(&name, profile_string(p, d->events.v[event].name));
	json_open(&s->json, '{');
	json_key_string(&s->json, "type", type);
	json_key_string(&s->json, "name", buf_str(&name));
	json_key_string(&s->json, "unit", unit);
	json_key_u64(&s->json, "startValue", 0);
	json_key_u64(&s->json, "endValue", end);
	buf_release(&name);
}

static const char *unit_name(const struct export *x, uint32_t event)
{
	enum profile_unit unit = profile_data(x->profile)->events.v[event].unit;

	return x->opts->samples || unit == PROFILE_COUNT ? "none" : unit == PROFILE_NS ? "nanoseconds" : "bytes";
}

static uint64_t sample_weight(const struct export *x, const struct speedscope_sample *sample)
{
	return x->opts->samples ? sample->count : sample->period;
}

static void put_stacks(struct export *x, const struct speedscope_sample *first, const struct speedscope_sample *end)
{
	struct speedscope *s = x->state;

	json_key_open(&s->json, "samples", '[');
	for (const struct speedscope_sample *sample = first; sample < end; sample++) {
		if (sample > first && idle_between(sample - 1, sample))
			put_stack(s, profile_data(x->profile), PROFILE_ROOT);
		put_stack(s, profile_data(x->profile), sample->stack);
		outfile_maybe_flush(x->out);
	}
	json_close(&s->json, ']');
}

static void put_weights(struct export *x, const struct speedscope_sample *first, const struct speedscope_sample *end)
{
	struct speedscope *s = x->state;

	json_key_open(&s->json, "weights", '[');
	for (const struct speedscope_sample *sample = first; sample < end; sample++) {
		if (sample > first && idle_between(sample - 1, sample))
			json_u64(&s->json, idle_between(sample - 1, sample));
		json_u64(&s->json, sample_weight(x, sample));
	}
	json_close(&s->json, ']');
}

static void put_profile(struct export *x, const struct speedscope_sample *first, const struct speedscope_sample *end)
{
	struct speedscope *s = x->state;
	uint64_t sum = 0, idle = 0;

	for (const struct speedscope_sample *sample = first; sample < end; sample++) {
		sum += sample_weight(x, sample);
		idle += sample > first ? idle_between(sample - 1, sample) : 0;
	}
	begin_profile(s, x->profile, "sampled", first->thread, first->event, unit_name(x, first->event), sum, sum + idle);
	put_stacks(x, first, end);
	put_weights(x, first, end);
	json_close(&s->json, '}');
	outfile_maybe_flush(x->out);
}

/* ---- calls of a thread, as they began and ended ---- */

static void put_event(struct speedscope *s, const char *type, uint32_t frame, uint64_t at)
{
	json_open(&s->json, '{');
	json_key_string(&s->json, "type", type);
	json_key_u64(&s->json, "frame", frame);
	json_key_u64(&s->json, "at", at);
	json_close(&s->json, '}');
}

static uint32_t frame_of_stack(const struct speedscope *s, const struct profile_data *d, uint32_t stack)
{
	return s->frame_of[d->frames.v[d->stacks.v[stack].frame].function];
}

/* Ends open calls until only @depth are open. */
static void close_calls(struct speedscope *s, const struct profile_data *d, uint32_t depth, uint64_t origin)
{
	while (s->open.nr && d->stacks.v[s->open.v[s->open.nr - 1]->stack].depth >= depth) {
		const struct profile_call *call = s->open.v[--s->open.nr];

		s->at = MAX(s->at, call->end - origin);
		put_event(s, "C", frame_of_stack(s, d, call->stack), s->at);
	}
}

static void put_call_events(struct export *x, const struct profile_call *first, const struct profile_call *end)
{
	const struct profile_data *d = profile_data(x->profile);
	struct speedscope *s = x->state;

	s->at = 0;
	json_key_open(&s->json, "events", '[');
	for (const struct profile_call *call = first; call < end; call++) {
		close_calls(s, d, d->stacks.v[call->stack].depth, first->begin);
		s->at = MAX(s->at, call->begin - first->begin);
		put_event(s, "O", frame_of_stack(s, d, call->stack), s->at);
		vec_push(&s->open, call);
		outfile_maybe_flush(x->out);
	}
	close_calls(s, d, 0, first->begin);
	json_close(&s->json, ']');
}

static void put_calls_of_thread(struct export *x, const struct profile_call *first, const struct profile_call *end)
{
	struct speedscope *s = x->state;
	uint64_t last = 0;

	for (const struct profile_call *call = first; call < end; call++)
		last = MAX(last, call->end - first->begin);
	begin_profile(s, x->profile, "evented", first->thread, s->call_event, "nanoseconds", last, last);
	put_call_events(x, first, end);
	json_close(&s->json, '}');
}

static void put_calls(struct export *x)
{
	const struct profile_data *d = profile_data(x->profile);
	const struct profile_call *end = d->calls.v + d->calls.nr, *next;

	for (const struct profile_call *first = d->calls.v; first != end; first = next) {
		for (next = first + 1; next != end && next->thread == first->thread;)
			next++;
		put_calls_of_thread(x, first, next);
	}
}

static void put_profiles(struct export *x)
{
	struct speedscope *s = x->state;
	const struct speedscope_sample *first = s->samples.v, *end = first + s->samples.nr, *next;

	json_key_open(&s->json, "profiles", '[');
	put_calls(x);
	for (; first != end; first = next) {
		for (next = first + 1; next != end && is_same_lane(first, next);)
			next++;
		put_profile(x, first, next);
	}
	json_close(&s->json, ']');
}

static void end(struct export *x)
{
	struct speedscope *s = x->state;
	uint32_t command = profile_data(x->profile)->info.command;

	s->json.out = &x->out->buf;
	json_open(&s->json, '{');
	json_key_string(&s->json, "$schema", "https://www.speedscope.app/file-format-schema.json");
	json_key_string(&s->json, "exporter", "prec");
	json_key_string(&s->json, "name", command ? profile_string(x->profile, command) : "profile");
	put_frames(s, x->profile);
	collect(s, x);
	join_samples(s);
	put_profiles(x);
	json_key_u64(&s->json, "activeProfileIndex", s->active);
	json_close(&s->json, '}');
	buf_putc(&x->out->buf, '\n');
	free(s->frame_of);
	vec_free(&s->samples);
	vec_free(&s->path);
	vec_free(&s->open);
}

const struct profile_writer speedscope_writer = {
	.name = "speedscope", .suffixes = ".speedscope.json", .description = "for speedscope.app",
	.flags = WRITER_TIMES, .state_size = sizeof(struct speedscope),
	.end = end,
};
