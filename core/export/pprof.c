/*
 * The format of pprof, gzipped: go tool pprof, Pyroscope, Parca and Speedscope take it.
 *
 *	stack node --run of inlined frames--> location {mapping, address, lines, the innermost first} --> function
 *
 * A location is an address with all functions that are inlined there: the nodes from one that is not inlined to the last inlined
 * below it. Samples of one event have the types samples and that event's; of several, two types each, as perf_data_converter
 * names them. Functions, strings and mappings have the profile's numbers, but that numbers here begin with 1 where 0 is none.
 * Source: proto/profile.proto of google/pprof.
 * Layer: export
 */
#include "core/export/writers.h"

#include <stdio.h>
#include <string.h>

#include "core/base/deflate.h"
#include "core/base/hash.h"
#include "core/base/utf8.h"
#include "core/base/vec.h"
#include "core/export/protobuf.h"

enum {		/* fields of messages */
	PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE, PROFILE_MAPPING, PROFILE_LOCATION, PROFILE_FUNCTION, PROFILE_STRING_TABLE,
	PROFILE_DURATION_NANOS = 10, PROFILE_PERIOD_TYPE, PROFILE_PERIOD, PROFILE_COMMENT, PROFILE_DEFAULT_SAMPLE_TYPE,
	TYPE_NAME = 1, TYPE_UNIT,
	SAMPLE_LOCATION = 1, SAMPLE_VALUE, SAMPLE_LABEL,
	LABEL_KEY = 1, LABEL_STR, LABEL_NUM, LABEL_NUM_UNIT,
	MAPPING_ID = 1, MAPPING_START, MAPPING_LIMIT, MAPPING_OFFSET, MAPPING_FILENAME, MAPPING_BUILD_ID, MAPPING_HAS_FUNCTIONS,
	MAPPING_HAS_FILENAMES, MAPPING_HAS_LINES, MAPPING_HAS_INLINES,
	LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_ADDRESS, LOCATION_LINE,
	LINE_FUNCTION = 1, LINE_NUMBER,
	FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILENAME,
};

#define NO_RUN UINT32_MAX

struct run { uint32_t outer, frame; };		/* outer: the run without its last inlined frame; NO_RUN */
struct pprof_location { uint32_t run; bool calls; };	/* calls: of a caller, whose address is behind its call */

struct pprof {
	struct deflate *deflate;
	struct buf text, message, part;
	VEC(struct run) runs;
	VEC(uint32_t) run_of;			/* by stack */
	VEC(struct pprof_location) locations;		/* [n] has id n + 1 */
	struct index by_run, by_location;
	uint32_t *mapping_of;			/* by dso: id */
	uint32_t *file_of;			/* by function: a string */
	uint64_t *low, *high;			/* by dso: addresses in it */
	uint64_t *file_names;			/* by dso, the last of none: what functions without a name read as; 0: not yet */
	VEC(uint32_t) events;			/* that have samples */
	VEC(char *) more;			/* strings behind the profile's; owned */
	size_t nr_strings;			/* of the profile */
};

static void flush(struct export *x)
{
	struct pprof *f = x->state;

	deflate_put(f->deflate, f->text.data, f->text.len);
	f->text.len = 0;
	outfile_some(x->out);
}

/* The number of a string that the profile does not have. */
static uint64_t add_string(struct pprof *f, const char *text)
{
	for (size_t i = 0; i < f->more.nr; i++)
		if (str_eq(f->more.v[i], text))
			return f->nr_strings + i;
	vec_push(&f->more, xstrdup(text));
	return f->nr_strings + f->more.nr - 1;
}

/* ---- locations ---- */

static const struct profile_function *function_of(const struct profile_data *d, uint32_t frame)
{
	return &d->functions.v[d->frames.v[frame].function];
}

static uint32_t add_run(struct pprof *f, uint32_t outer, uint32_t frame)
{
	uint64_t h = hash_pair(outer, frame);
	uint32_t pos;

	for (size_t i = index_first(&f->by_run, h); (pos = index_at(&f->by_run, i, h)) != INDEX_END; i++)
		if (pos != INDEX_OTHER && f->runs.v[pos].outer == outer && f->runs.v[pos].frame == frame)
			return pos;
	index_add(&f->by_run, h, (uint32_t)f->runs.nr);
	vec_push(&f->runs, ((struct run){ outer, frame }));
	return (uint32_t)f->runs.nr - 1;
}

static void find_runs(struct pprof *f, const struct profile_data *d)
{
	vec_push(&f->run_of, NO_RUN);
	for (size_t i = 1; i < d->stacks.nr; i++) {
		const struct profile_stack *s = &d->stacks.v[i];
		uint32_t outer = function_of(d, s->frame)->inlined ? f->run_of.v[s->parent] : NO_RUN;

		vec_push(&f->run_of, add_run(f, outer, s->frame));
	}
}

/* Its id. */
static uint32_t location_of(struct pprof *f, uint32_t run, bool calls)
{
	uint64_t h = hash_pair(run, calls);
	uint32_t pos;

	for (size_t i = index_first(&f->by_location, h); (pos = index_at(&f->by_location, i, h)) != INDEX_END; i++)
		if (pos != INDEX_OTHER && f->locations.v[pos].run == run && f->locations.v[pos].calls == calls)
			return pos + 1;
	index_add(&f->by_location, h, (uint32_t)f->locations.nr);
	vec_push(&f->locations, ((struct pprof_location){ run, calls }));
	return (uint32_t)f->locations.nr;
}

/* The address is that of the outermost frame of the run. */
static uint32_t base_of(const struct pprof *f, uint32_t run)
{
	while (f->runs.v[run].outer != NO_RUN)
		run = f->runs.v[run].outer;
	return f->runs.v[run].frame;
}

static uint64_t address_of(const struct pprof *f, const struct profile_data *d, const struct pprof_location *l)
{
	uint64_t address = d->frames.v[base_of(f, l->run)].address;

	return address - (l->calls && address);
}

static void put_line(struct pprof *f, const struct profile_data *d, uint32_t frame)
{
	const struct profile_frame *fr = &d->frames.v[frame];

	protobuf_u64(&f->part, LINE_FUNCTION, fr->function + 1ull);
	protobuf_u64(&f->part, LINE_NUMBER, fr->line);
	protobuf_message(&f->message, LOCATION_LINE, &f->part);
}

static void put_location(struct pprof *f, const struct profile_data *d, uint32_t number)
{
	const struct pprof_location *l = &f->locations.v[number];
	uint32_t dso = function_of(d, base_of(f, l->run))->dso;
	uint64_t address = address_of(f, d, l);

	protobuf_u64(&f->message, LOCATION_ID, number + 1ull);
	if (dso != PROFILE_NONE) {
		protobuf_u64(&f->message, LOCATION_MAPPING, f->mapping_of[dso]);
		f->low[dso] = MIN(f->low[dso], address);
		f->high[dso] = MAX(f->high[dso], address);
	}
	protobuf_u64(&f->message, LOCATION_ADDRESS, address);
	for (uint32_t r = l->run; r != NO_RUN; r = f->runs.v[r].outer)
		put_line(f, d, f->runs.v[r].frame);
	protobuf_message(&f->text, PROFILE_LOCATION, &f->message);
}

/* ---- mappings and functions ---- */

/* The file with most of the events is shown as the program: pprof takes the first mapping for it. */
static uint32_t find_main(const struct profile_data *d, const struct profile *p)
{
	uint64_t *sums = xcalloc(MAX(d->dsos.nr, 1), sizeof(*sums));
	uint32_t best = 0;

	vec_for(w, &d->weights)
		if (w->address != PROFILE_NONE && d->addresses.v[w->address].dso != PROFILE_NONE)
			sums[d->addresses.v[w->address].dso] += w->nr;
	for (uint32_t i = 0; i < d->dsos.nr; i++) {
		if (d->dsos.v[i].kind != PROFILE_DSO_USER || strstr(profile_string(p, d->dsos.v[i].name), ".so"))
			sums[i] = 0;
		if (sums[i] > sums[best])
			best = i;
	}
	free(sums);
	return best;
}

static void number_mappings(struct pprof *f, const struct profile *p)
{
	const struct profile_data *d = profile_data(p);
	uint32_t first = find_main(d, p);

	f->mapping_of = xcalloc(MAX(d->dsos.nr, 1), sizeof(*f->mapping_of));
	f->low = xmalloc(MAX(d->dsos.nr, 1) * sizeof(*f->low));
	f->high = xcalloc(MAX(d->dsos.nr, 1), sizeof(*f->high));
	for (uint32_t i = 0; i < d->dsos.nr; i++) {
		f->mapping_of[i] = i == first ? 1 : i < first ? i + 2 : i + 1;
		f->low[i] = UINT64_MAX;
	}
}

/* The range that was seen. Names are there as far as there are any: pprof is not to look for others. */
static void put_mapping(struct pprof *f, const struct profile_data *d, uint32_t dso)
{
	char id[BUILD_ID_TEXT];

	protobuf_u64(&f->message, MAPPING_ID, f->mapping_of[dso]);
	if (f->low[dso] <= f->high[dso]) {
		protobuf_u64(&f->message, MAPPING_START, f->low[dso]);
		protobuf_u64(&f->message, MAPPING_LIMIT, f->high[dso] + (f->high[dso] != UINT64_MAX));
	}
	protobuf_u64(&f->message, MAPPING_FILENAME, d->dsos.v[dso].path);
	if (d->dsos.v[dso].build_id.size)
		protobuf_u64(&f->message, MAPPING_BUILD_ID, add_string(f, build_id_text(&d->dsos.v[dso].build_id, id)));
	for (unsigned has = MAPPING_HAS_FUNCTIONS; has <= MAPPING_HAS_INLINES; has++)
		protobuf_u64(&f->message, has, 1);
	protobuf_message(&f->text, PROFILE_MAPPING, &f->message);
}

static void put_mappings(struct pprof *f, const struct profile_data *d)
{
	for (uint32_t id = 1; id <= d->dsos.nr; id++)
		for (uint32_t dso = id > 1 ? id - 2 : 0; dso < d->dsos.nr; dso++)
			if (f->mapping_of[dso] == id) {
				put_mapping(f, d, dso);
				break;
			}
}

/* A function has one file here: that of its first frame. */
static void find_files(struct pprof *f, const struct profile_data *d)
{
	f->file_of = xcalloc(MAX(d->functions.nr, 1), sizeof(*f->file_of));
	vec_for(frame, &d->frames)
		if (!f->file_of[frame->function])
			f->file_of[frame->function] = frame->file;
}

/* Without a name pprof would look for symbols itself, or show nothing: such functions are one for each file. */
static uint64_t name_of(struct pprof *f, const struct profile *p, uint32_t number)
{
	const struct profile_function *fn = &profile_data(p)->functions.v[number];
	uint64_t *name = &f->file_names[fn->dso == PROFILE_NONE ? profile_data(p)->dsos.nr : fn->dso];

	if (fn->name)
		return fn->name;
	if (!*name) {
		profile_put_function(p, number, &f->part);
		*name = add_string(f, buf_str(&f->part));
		f->part.len = 0;
	}
	return *name;
}

static void put_function(struct pprof *f, const struct profile *p, uint32_t number)
{
	uint64_t name = name_of(f, p, number);

	protobuf_u64(&f->message, FUNCTION_ID, number + 1ull);
	protobuf_u64(&f->message, FUNCTION_NAME, name);
	protobuf_u64(&f->message, FUNCTION_SYSTEM_NAME, name);
	protobuf_u64(&f->message, FUNCTION_FILENAME, f->file_of[number]);
	protobuf_message(&f->text, PROFILE_FUNCTION, &f->message);
}

/* ---- samples ---- */

static void put_label(struct pprof *f, const char *key, uint32_t text, uint64_t number)
{
	protobuf_u64(&f->part, LABEL_KEY, add_string(f, key));
	protobuf_u64(&f->part, LABEL_STR, text);
	if (!text) {	/* "count" is printed without a unit */
		buf_varint(&f->part, LABEL_NUM << 3 | PROTOBUF_VARINT);
		buf_varint(&f->part, number);
		protobuf_u64(&f->part, LABEL_NUM_UNIT, add_string(f, "count"));
	}
	protobuf_message(&f->message, SAMPLE_LABEL, &f->part);
}

static void put_labels(struct pprof *f, const struct profile_data *d, const struct profile_weight *w)
{
	if (w->comm)
		put_label(f, "thread", w->comm, 0);
	if (w->thread != PROFILE_NONE) {
		put_label(f, "pid", 0, (uint64_t)(int32_t)d->processes.v[d->threads.v[w->thread].process].pid);
		put_label(f, "tid", 0, (uint64_t)(int32_t)d->threads.v[w->thread].tid);
	}
	if (w->cpu != PROFILE_NONE)
		put_label(f, "cpu", 0, w->cpu);
}

static void put_locations(struct pprof *f, const struct profile_data *d, uint32_t stack)
{
	bool calls = false;

	while (stack != PROFILE_ROOT) {
		buf_varint(&f->part, location_of(f, f->run_of.v[stack], calls));
		while (function_of(d, d->stacks.v[stack].frame)->inlined && d->stacks.v[stack].parent != PROFILE_ROOT)
			stack = d->stacks.v[stack].parent;
		stack = d->stacks.v[stack].parent;
		calls = true;
	}
	protobuf_message(&f->message, SAMPLE_LOCATION, &f->part);
}

/* @sum is of the event that is number @place of those with samples. */
static void put_sample(struct export *x, const struct profile_weight *sum, size_t place)
{
	struct pprof *f = x->state;

	put_locations(f, profile_data(x->profile), sum->stack);
	for (size_t i = 0; i < f->events.nr; i++) {
		buf_varint(&f->part, i == place ? sum->nr : 0);
		buf_varint(&f->part, i == place ? sum->period : 0);
	}
	protobuf_message(&f->message, SAMPLE_VALUE, &f->part);
	put_labels(f, profile_data(x->profile), sum);
	protobuf_message(&f->text, PROFILE_SAMPLE, &f->message);
	if (f->text.len > 1 << 16)
		flush(x);
}

static bool is_same_sample(const struct profile_weight *a, const struct profile_weight *b)
{
	return a->event == b->event && a->thread == b->thread && a->comm == b->comm && a->cpu == b->cpu && a->stack == b->stack;
}

/* Weights are in order, so that those of one stack stand together. */
static void put_samples(struct export *x, uint32_t event, size_t place)
{
	const struct profile_data *d = profile_data(x->profile);
	struct profile_weight sum = { .event = PROFILE_NONE };

	vec_for(w, &d->weights) {
		if (w->event != event)
			continue;
		if (is_same_sample(&sum, w)) {
			sum.nr += w->nr;
			sum.period += w->period;
			continue;
		}
		if (sum.event != PROFILE_NONE)
			put_sample(x, &sum, place);
		sum = *w;
	}
	if (sum.event != PROFILE_NONE)
		put_sample(x, &sum, place);
}

/* ---- what samples are of ---- */

static const char *unit_name(enum profile_unit unit)
{
	return unit == PROFILE_NS ? "nanoseconds" : unit == PROFILE_BYTES ? "bytes" : "count";
}

static void put_type(struct pprof *f, unsigned field, const char *name, const char *unit)
{
	protobuf_u64(&f->message, TYPE_NAME, add_string(f, name));
	protobuf_u64(&f->message, TYPE_UNIT, add_string(f, unit));
	protobuf_message(&f->text, field, &f->message);
}

/* A clock's type is cpu, as Go has it. */
static const char *type_name(const struct profile *p, const struct profile_event *e)
{
	return e->unit == PROFILE_NS ? "cpu" : profile_string(p, e->name);
}

static void put_types(struct export *x)
{
	struct pprof *f = x->state;
	const struct profile_event *events = profile_data(x->profile)->events.v;
	char *name;

	vec_for(event, &f->events) {
		const struct profile_event *e = &events[*event];

		name = f->events.nr == 1 ? xstrdup("samples") : xasprintf("%s_sample", profile_string(x->profile, e->name));
		put_type(f, PROFILE_SAMPLE_TYPE, name, "count");
		if (x->opts->samples && event == f->events.v)
			protobuf_u64(&f->text, PROFILE_DEFAULT_SAMPLE_TYPE, add_string(f, name));
		free(name);
		name = f->events.nr == 1 ? xstrdup(type_name(x->profile, e)) :
					   xasprintf("%s_event", profile_string(x->profile, e->name));
		put_type(f, PROFILE_SAMPLE_TYPE, name, unit_name(e->unit));
		if (!x->opts->samples && event == f->events.v)
			protobuf_u64(&f->text, PROFILE_DEFAULT_SAMPLE_TYPE, add_string(f, name));
		free(name);
	}
}

/* The nominal distance of samples; of a frequency only a clock has one. */
static void put_period(struct export *x, const struct profile_event *e)
{
	struct pprof *f = x->state;
	uint64_t period = !e->by_frequency ? e->rate : e->unit == PROFILE_NS && e->rate ? 1000000000 / e->rate : 0;

	put_type(f, PROFILE_PERIOD_TYPE, type_name(x->profile, e), unit_name(e->unit));
	protobuf_u64(&f->text, PROFILE_PERIOD, period);
}

static void put_comment(struct pprof *f, const char *text)
{
	protobuf_u64(&f->text, PROFILE_COMMENT, add_string(f, text));
}

static void put_comments(struct export *x)
{
	struct pprof *f = x->state;
	struct buf text = {0};

	if (profile_data(x->profile)->info.command)
		put_comment(f, profile_string(x->profile, profile_data(x->profile)->info.command));
	vec_for(finding, &x->findings->list) {
		text.len = 0;
		buf_printf(&text, "%s: ", finding_severity_name(finding_severity(finding->code)));
		finding_sentence(finding, &text);
		put_comment(f, buf_str(&text));
	}
	buf_release(&text);
}

/* ---- the file ---- */

/* Strings are to be UTF-8. */
static void put_string(struct pprof *f, const char *text)
{
	size_t left = strlen(text);

	while (left) {
		size_t n = utf8_length(text, left);

		if (n)
			buf_put(&f->part, text, n);
		else
			buf_puts(&f->part, "\xef\xbf\xbd");
		text += MAX(n, 1);
		left -= MAX(n, 1);
	}
	protobuf_message(&f->text, PROFILE_STRING_TABLE, &f->part);
}

static void begin(struct export *x)
{
	const struct profile_data *d = profile_data(x->profile);
	struct pprof *f = x->state;

	f->deflate = deflate_begin(DEFLATE_GZIP, &x->out->buf);
	f->nr_strings = d->nr_strings;
	for (uint32_t i = 0; i < d->events.nr; i++)
		if ((x->opts->event == PROFILE_NONE || x->opts->event == i) && d->events.v[i].nr)
			vec_push(&f->events, i);
	f->file_names = xcalloc(d->dsos.nr + 1, sizeof(*f->file_names));
	find_runs(f, d);
	find_files(f, d);
	number_mappings(f, x->profile);
}

static void release(struct pprof *f)
{
	buf_release(&f->text);
	buf_release(&f->message);
	buf_release(&f->part);
	vec_free(&f->runs);
	vec_free(&f->run_of);
	vec_free(&f->locations);
	index_release(&f->by_run);
	index_release(&f->by_location);
	free(f->mapping_of);
	free(f->file_of);
	free(f->low);
	free(f->file_names);
	free(f->high);
	vec_free(&f->events);
	vec_for(text, &f->more)
		free(*text);
	vec_free(&f->more);
}

/* Mappings come behind locations, whose addresses they cover; strings behind all that adds some. */
static void end(struct export *x)
{
	const struct profile_data *d = profile_data(x->profile);
	struct pprof *f = x->state;

	put_types(x);
	if (f->events.nr)
		put_period(x, &d->events.v[f->events.v[0]]);
	if (d->info.first_time <= d->info.last_time)
		protobuf_u64(&f->text, PROFILE_DURATION_NANOS, d->info.last_time - d->info.first_time);
	for (size_t i = 0; i < f->events.nr; i++)
		put_samples(x, f->events.v[i], i);
	for (uint32_t i = 0; i < f->locations.nr; i++)
		put_location(f, d, i);
	put_mappings(f, d);
	for (uint32_t i = 0; i < d->functions.nr; i++)
		put_function(f, x->profile, i);
	put_comments(x);
	for (uint32_t i = 0; i < d->nr_strings; i++)
		put_string(f, profile_string(x->profile, i));
	vec_for(text, &f->more)
		put_string(f, *text);
	flush(x);
	deflate_end(f->deflate);
	release(f);
}

const struct profile_writer pprof_writer = {
	.name = "pprof", .suffixes = ".pb.gz .pprof", .description = "for go tool pprof, Pyroscope, Parca",
	.frames = PROFILE_BY_ADDRESS, .flags = WRITER_CPUS | WRITER_BINARY, .state_size = sizeof(struct pprof),
	.begin = begin, .end = end,
};
