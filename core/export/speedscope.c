/*
 * The file format of speedscope: a profile for each thread and event, its samples in order of time. The format knows no times, only
 * weights one after another: what passed between two samples of a clock is a sample without a stack.
 * Source: src/lib/file-format-spec.ts of jlfwong/speedscope.
 * Layer: export
 */
#include "core/export/writers.h"

#include <inttypes.h>

#include "core/base/json.h"
#include "core/export/thread_samples.h"

struct speedscope {
	struct json json;
	thread_samples samples;
	struct buf stacks;		/* as JSON, one after another */
	struct { size_t at, len; } *stack_texts;	/* by stack; at 0: not made yet */
	uint32_t *path;
};

static void put_pair(struct json *j, const char *key, const char *value)
{
	json_key(j, key);
	json_string(j, value);
}

static void put_frames(struct export *x)
{
	const struct profile_data *d = profile_data(x->profile);
	struct speedscope *s = x->state;
	struct buf name = {0};

	json_key(&s->json, "shared");
	json_open(&s->json, '{');
	json_key(&s->json, "frames");
	json_open(&s->json, '[');
	vec_for(frame, &d->frames) {
		const struct profile_function *f = &d->functions.v[frame->function];

		name.len = 0;
		if (f->name)
			buf_puts(&name, profile_string(x->profile, f->name));
		else
			buf_printf(&name, "0x%" PRIx64, f->address);
		json_open(&s->json, '{');
		put_pair(&s->json, "name", buf_str(&name));
		if (frame->file)
			put_pair(&s->json, "file", profile_string(x->profile, frame->file));
		else if (f->dso != PROFILE_NONE)
			put_pair(&s->json, "file", profile_string(x->profile, d->dsos.v[f->dso].path));
		json_close(&s->json, '}');
		outfile_some(x->out);
	}
	json_close(&s->json, ']');
	json_close(&s->json, '}');
	buf_release(&name);
}

/* The list of a stack's frames, the outermost first; made once. */
static void put_stack(struct speedscope *s, const struct profile_data *d, uint32_t stack)
{
	size_t nr = 0;

	if (!s->stack_texts[stack].at) {
		s->stack_texts[stack].at = s->stacks.len;
		for (uint32_t n = stack; n != PROFILE_ROOT; n = d->stacks.v[n].parent)
			s->path[nr++] = d->stacks.v[n].frame;
		while (nr--) {
			buf_dec(&s->stacks, s->path[nr], 0);
			if (nr)
				buf_putc(&s->stacks, ',');
		}
		s->stack_texts[stack].len = s->stacks.len - s->stack_texts[stack].at;
	}
	json_open(&s->json, '[');
	buf_put(s->json.out, s->stacks.data + s->stack_texts[stack].at, s->stack_texts[stack].len);
	json_close(&s->json, ']');
}

/* ns before a sample in which the thread has none; @begin: where its time begins. */
static uint64_t gap_before(const struct sample_run *run, size_t i, uint64_t begin)
{
	uint64_t before = i ? run->v[i - 1].time : begin, passed = run->v[i].time - before;

	return passed > run->v[i].period ? passed - run->v[i].period : 0;
}

/* Only where weights are times that passed. */
static bool has_gaps(const struct profile_data *d, const struct profile_weight *w)
{
	return d->nr_samples && d->events.v[w->event].unit == PROFILE_NS;
}

static void put_samples(struct export *x, const struct sample_run *run, bool gaps)
{
	const struct profile_data *d = profile_data(x->profile);
	struct speedscope *s = x->state;

	json_key(&s->json, "samples");
	json_open(&s->json, '[');
	for (size_t i = 0; i < run->nr; i++) {
		if (gaps && gap_before(run, i, d->info.first_time))
			put_stack(s, d, PROFILE_ROOT);
		put_stack(s, d, d->weights.v[run->v[i].weight].stack);
		outfile_some(x->out);
	}
	json_close(&s->json, ']');
}

/* Returns the sum. */
static uint64_t put_weights(struct export *x, const struct sample_run *run, bool gaps)
{
	const struct profile_data *d = profile_data(x->profile);
	struct speedscope *s = x->state;
	uint64_t sum = 0;

	json_key(&s->json, "weights");
	json_open(&s->json, '[');
	for (size_t i = 0; i < run->nr; i++) {
		uint64_t gap = gaps ? gap_before(run, i, d->info.first_time) : 0;
		uint64_t weight = x->opts->samples ? run->v[i].nr : run->v[i].period;

		if (gap)
			json_u64(&s->json, gap);
		json_u64(&s->json, weight);
		sum += gap + weight;
	}
	json_close(&s->json, ']');
	return sum;
}

static void put_name(struct export *x, const struct profile_weight *w)
{
	const struct profile_data *d = profile_data(x->profile);
	const struct profile_thread *t = &d->threads.v[w->thread];
	struct speedscope *s = x->state;
	struct buf name = {0};

	buf_printf(&name, "%s %d", profile_string(x->profile, d->names.v[t->first_name + t->nr_names - 1].name), (int)t->tid);
	buf_printf(&name, ", %s", profile_string(x->profile, d->events.v[w->event].name));
	put_pair(&s->json, "name", buf_str(&name));
	buf_release(&name);
}

static void put_profile(struct export *x, const struct sample_run *run)
{
	const struct profile_data *d = profile_data(x->profile);
	const struct profile_weight *w = &d->weights.v[run->v[0].weight];
	enum profile_unit unit = d->events.v[w->event].unit;
	struct speedscope *s = x->state;
	bool gaps = !x->opts->samples && has_gaps(d, w);
	uint64_t sum;

	json_open(&s->json, '{');
	put_pair(&s->json, "type", "sampled");
	put_name(x, w);
	put_pair(&s->json, "unit", x->opts->samples || unit == PROFILE_COUNT ? "none" : unit == PROFILE_NS ? "nanoseconds" : "bytes");
	put_samples(x, run, gaps);
	sum = put_weights(x, run, gaps);
	json_key(&s->json, "startValue");
	json_u64(&s->json, 0);
	json_key(&s->json, "endValue");
	json_u64(&s->json, sum);
	json_close(&s->json, '}');
}

static void put_profiles(struct export *x)
{
	const struct profile_data *d = profile_data(x->profile);
	struct speedscope *s = x->state;
	struct sample_run run;
	size_t at = 0;

	json_key(&s->json, "profiles");
	json_open(&s->json, '[');
	while (thread_samples_next(&s->samples, x->profile, &at, &run))
		if (x->opts->event == PROFILE_NONE || x->opts->event == d->weights.v[run.v[0].weight].event)
			put_profile(x, &run);
	json_close(&s->json, ']');
}

static void begin(struct export *x)
{
	const struct profile_data *d = profile_data(x->profile);
	const char *command = profile_string(x->profile, d->info.command);
	struct speedscope *s = x->state;
	uint32_t deepest = 0;

	vec_for(stack, &d->stacks)
		deepest = MAX(deepest, stack->depth);
	s->path = xcalloc(deepest + 1, sizeof(*s->path));
	s->stack_texts = xcalloc(d->stacks.nr, sizeof(*s->stack_texts));
	buf_putc(&s->stacks, ' ');	/* no text is at 0 */
	thread_samples_take(&s->samples, x->profile);
	thread_samples_sort(&s->samples, x->profile);
	s->json.out = &x->out->buf;
	json_open(&s->json, '{');
	put_pair(&s->json, "$schema", "https://www.speedscope.app/file-format-schema.json");
	put_pair(&s->json, "exporter", "prec");
	put_pair(&s->json, "name", *command ? command : "profile");
	put_frames(x);
	put_profiles(x);
	json_close(&s->json, '}');
}

static void end(struct export *x)
{
	struct speedscope *s = x->state;

	vec_free(&s->samples);
	buf_release(&s->stacks);
	free(s->stack_texts);
	free(s->path);
}

const struct profile_writer speedscope_writer = {
	.name = "speedscope", .suffixes = ".speedscope.json", .description = "for speedscope.app",
	.flags = WRITER_TIMES, .state_size = sizeof(struct speedscope),
	.begin = begin, .end = end,
};
