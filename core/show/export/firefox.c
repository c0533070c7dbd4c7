/*
 * Writes a profile for the Firefox Profiler as gzipped JSON, for prec export --format firefox. The user drops the file onto
 * profiler.firefox.com, which sends it nowhere. inline_frames.h computes the address of each frame.
 *
 * A thread is written once for each event with samples in it, and the Firefox Profiler shows each as a thread. The tables of the
 * file refer to each other:
 *
 *	stack --> frame with an address and a depth of inlining --> function --> library
 *
 * Source: docs-developer/CHANGELOG-formats.md and src/types/profile.ts of firefox-devtools/profiler.
 */
#include "core/show/export/writers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/compression/deflate.h"
#include "core/base/json.h"
#include "core/show/export/inline_frames.h"
#include "core/show/export/thread_samples.h"

#define FORMAT_VERSION	66	/* meta.preprocessedProfileVersion: the version of the processed format */
#define GECKO_VERSION	30	/* meta.version: must be there, but is not read */
#define TYPE_LIBRARY	1	/* the type of a resource */

enum category { OTHER, USER, KERNEL, NR_CATEGORIES };

struct firefox {
	struct deflate *deflate;
	struct buf text;
	struct json json;
	struct inline_frames frames;
	thread_samples samples;		/* sorted */
	thread_markers markers;
};

/* Compresses the text so far, to save memory. */
static void flush(struct firefox *f)
{
	deflate_put(f->deflate, f->text.data, f->text.len);
	f->text.len = 0;
}

/* Writes "name": [value, ...]. The last argument is a call, such as json_u64(j, ...), that writes the value of a row. */
#define LIST(f, name, table, row, write) do {		\
	struct json *j = &(f)->json;			\
							\
	json_key_open(j, name, '[');			\
	vec_for(row, table)				\
		write;					\
	json_close(j, ']');				\
	flush(f);					\
} while (0)

static void open_table(struct firefox *f, const char *name)
{
	json_key_open(&f->json, name, '{');
}

static void close_table(struct firefox *f, size_t nr)
{
	json_key_u64(&f->json, "length", nr);
	json_close(&f->json, '}');
	flush(f);
}

static void put_or_null(struct json *j, uint32_t number)
{
	if (number == PROFILE_NONE)
		json_null(j);
	else
		json_u64(j, number);
}

/* Writes @number, or null for 0, which means unknown. */
static void put_known(struct json *j, uint64_t number)
{
	if (number)
		json_u64(j, number);
	else
		json_null(j);
}

/* ---- meta ---- */

static void put_categories(struct json *j)
{
	static const char *const rows[NR_CATEGORIES][2] = {
		[OTHER] = { "Other", "grey" }, [USER] = { "User", "yellow" }, [KERNEL] = { "Kernel", "orange" },
	};

	json_key_open(j, "categories", '[');
	for (int i = 0; i < NR_CATEGORIES; i++) {
		json_open(j, '{');
		json_key_string(j, "name", rows[i][0]);
		json_key_string(j, "color", rows[i][1]);
		json_key_open(j, "subcategories", '[');
		json_string(j, "Other");
		json_close(j, ']');
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void put_field(struct json *j, const char *key, const char *label)
{
	json_open(j, '{');
	json_key_string(j, "key", key);
	json_key_string(j, "label", label);
	json_key_string(j, "format", "integer");
	json_close(j, '}');
}

/* Markers are intervals and instants. Each kind of marker has a schema, which is found by its name. */
static void put_schema(struct json *j, const char *kind)
{
	json_open(j, '{');
	json_key_string(j, "name", kind);
	json_key_open(j, "display", '[');
	json_string(j, "marker-chart");
	json_string(j, "marker-table");
	json_string(j, "timeline-overview");
	json_close(j, ']');
	json_key_open(j, "fields", '[');
	put_field(j, "value", "Number");
	put_field(j, "cpu", "CPU");
	json_close(j, ']');
	json_close(j, '}');
}

static void put_schemas(struct json *j, const struct profile *p)
{
	const struct profile_data *d = profile_data(p);
	bool *seen = xcalloc(d->nr_strings, sizeof(*seen));

	vec_for(i, &d->intervals)
		seen[i->kind] = true;
	vec_for(i, &d->instants)
		seen[i->kind] = true;
	json_key_open(j, "markerSchema", '[');
	for (size_t i = 0; i < d->nr_strings; i++)
		if (seen[i])
			put_schema(j, profile_string(p, (uint32_t)i));
	json_close(j, ']');
	free(seen);
}

/* The mean distance of samples in ms. The page draws a sample with this width. */
static double interval_of(const struct profile_data *d)
{
	vec_for(e, &d->events) {
		if (e->by_frequency && e->rate)
			return 1e3 / (double)e->rate;
		if (e->unit == PROFILE_NS && e->rate)
			return (double)e->rate / 1e6;
	}
	return 1;
}

static void put_meta(struct firefox *f, const struct profile *p)
{
	const struct profile_data *d = profile_data(p);
	struct json *j = &f->json;
	const char *command = profile_string(p, d->info.command);

	json_key_open(j, "meta", '{');
	json_key_u64(j, "preprocessedProfileVersion", FORMAT_VERSION);
	json_key_u64(j, "version", GECKO_VERSION);
	json_key(j, "interval");
	json_fixed(j, interval_of(d), 6);
	json_key_u64(j, "startTime", 0);
	json_key_u64(j, "processType", 0);
	json_key_u64(j, "stackwalk", 1);
	json_key_bool(j, "symbolicated", true);
	json_key_bool(j, "usesOnlyOneStackType", true);
	json_key_bool(j, "sourceCodeIsNotOnSearchfox", true);
	json_key_string(j, "product", *command ? command : "prec");
	json_key_string(j, "oscpu", profile_string(p, d->info.os_release));
	json_key_string(j, "abi", profile_string(p, d->info.arch));
	json_key_string(j, "CPUName", profile_string(p, d->info.cpu));
	json_key_open(j, "sampleUnits", '{');
	json_key_string(j, "time", "ms");
	json_key_string(j, "eventDelay", "ms");
	json_key_string(j, "threadCPUDelta", "ns");
	json_close(j, '}');
	put_categories(j);
	put_schemas(j, p);
	json_close(j, '}');
}

/* ---- libraries ---- */

/* Writes the first 16 bytes of a build id as a breakpad GUID: three little-endian numbers, then bytes in order, then the age 0. */
static void put_breakpad_id(struct json *j, const struct build_id *id)
{
	static const uint8_t order[16] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
	char text[2 * 16 + 2] = "";

	for (size_t i = 0; id->size && i < 16; i++)
		snprintf(text + 2 * i, 3, "%02X", id->data[order[i]]);
	if (id->size)
		strcat(text, "0");
	json_key_string(j, "breakpadId", text);
}

static void put_lib(struct json *j, const struct profile *p, const struct profile_dso *dso)
{
	char id[BUILD_ID_TEXT];

	json_open(j, '{');
	json_key_string(j, "name", profile_string(p, dso->name));
	json_key_string(j, "path", profile_string(p, dso->path));
	json_key_string(j, "debugName", profile_string(p, dso->name));
	json_key_string(j, "debugPath", profile_string(p, dso->path));
	json_key_string(j, "arch", profile_string(p, profile_data(p)->info.arch));
	put_breakpad_id(j, &dso->build_id);
	json_key(j, "codeId");
	if (dso->build_id.size)
		json_string(j, build_id_text(&dso->build_id, id));
	else
		json_null(j);
	json_close(j, '}');
}

/* ---- shared tables ---- */

static void put_stacks(struct firefox *f)
{
	open_table(f, "stackTable");
	LIST(f, "frame", &f->frames.stacks, s, json_u64(j, s->frame));
	LIST(f, "prefixOffset", &f->frames.stacks, s, json_u64(j, s->prefix_offset));
	close_table(f, f->frames.stacks.nr);
}

/* Writes an address relative to its library, or -1 if it is not known (0) or does not fit the format's int32. */
static void put_address(struct json *j, uint64_t address)
{
	json_i64(j, address && address <= INT32_MAX ? (int64_t)address : -1);
}

/* The number of a function's symbol. Each function has one, with the function's number, but one without a library is not used. */
static uint32_t symbol_of(const struct profile_data *d, uint32_t function)
{
	return d->functions.v[function].dso == PROFILE_NONE ? PROFILE_NONE : function;
}

static enum category category_of(const struct profile_function *f)
{
	return f->level == 'k' || f->level == 'g' ? KERNEL : f->dso == PROFILE_NONE ? OTHER : USER;
}

static void put_frames(struct firefox *f, const struct profile_data *d)
{
	open_table(f, "frameTable");
	LIST(f, "address", &f->frames.frames, r, put_address(j, r->address));
	LIST(f, "inlineDepth", &f->frames.frames, r, json_u64(j, r->inline_depth));
	LIST(f, "category", &f->frames.frames, r, json_u64(j, category_of(&d->functions.v[d->frames.v[r->frame].function])));
	LIST(f, "subcategory", &f->frames.frames, r, ((void)r, json_u64(j, 0)));
	LIST(f, "func", &f->frames.frames, r, json_u64(j, d->frames.v[r->frame].function));
	LIST(f, "nativeSymbol", &f->frames.frames, r, put_or_null(j, symbol_of(d, r->symbol)));
	LIST(f, "innerWindowID", &f->frames.frames, r, ((void)r, json_u64(j, 0)));
	LIST(f, "line", &f->frames.frames, r, put_known(j, d->frames.v[r->frame].line));
	LIST(f, "column", &f->frames.frames, r, ((void)r, json_null(j)));
	LIST(f, "originalLocation", &f->frames.frames, r, ((void)r, json_null(j)));
	close_table(f, f->frames.frames.nr);
}

static void put_functions(struct firefox *f, const struct profile_data *d)
{
	uint32_t unnamed = (uint32_t)d->nr_strings;

	open_table(f, "funcTable");
	LIST(f, "name", &d->functions, r, json_u64(j, r->name ? r->name : unnamed++));
	LIST(f, "isJS", &d->functions, r, ((void)r, json_bool(j, false)));
	LIST(f, "relevantForJS", &d->functions, r, ((void)r, json_bool(j, false)));
	LIST(f, "resource", &d->functions, r, json_i64(j, r->dso == PROFILE_NONE ? -1 : (int64_t)r->dso));
	LIST(f, "source", &f->frames.file_of, r, put_or_null(j, *r));
	LIST(f, "lineNumber", &d->functions, r, ((void)r, json_null(j)));
	LIST(f, "columnNumber", &d->functions, r, ((void)r, json_null(j)));
	LIST(f, "originalLocation", &d->functions, r, ((void)r, json_null(j)));
	close_table(f, d->functions.nr);
}

static void put_resources(struct firefox *f, const struct profile_data *d)
{
	open_table(f, "resourceTable");
	LIST(f, "lib", &d->dsos, r, json_u64(j, (uint64_t)(r - d->dsos.v)));
	LIST(f, "name", &d->dsos, r, json_u64(j, r->name));
	LIST(f, "host", &d->dsos, r, ((void)r, json_null(j)));
	LIST(f, "type", &d->dsos, r, ((void)r, json_u64(j, TYPE_LIBRARY)));
	close_table(f, d->dsos.nr);
}

static void put_symbols(struct firefox *f, const struct profile_data *d)
{
	uint32_t unnamed = (uint32_t)d->nr_strings;

	open_table(f, "nativeSymbols");
	LIST(f, "libIndex", &d->functions, r, json_u64(j, r->dso == PROFILE_NONE ? 0 : r->dso));
	LIST(f, "address", &d->functions, r, json_u64(j, r->address <= INT32_MAX ? r->address : 0));
	LIST(f, "name", &d->functions, r, json_u64(j, r->name ? r->name : unnamed++));
	LIST(f, "functionSize", &d->functions, r, put_known(j, r->size <= INT32_MAX ? r->size : 0));
	close_table(f, d->functions.nr);
}

static void put_sources(struct firefox *f)
{
	size_t nr = f->frames.files.nr;

	open_table(f, "sources");
	LIST(f, "id", &f->frames.files, r, ((void)r, json_null(j)));
	LIST(f, "filename", &f->frames.files, r, json_u64(j, *r));
	LIST(f, "startLine", &f->frames.files, r, ((void)r, json_u64(j, 1)));
	LIST(f, "startColumn", &f->frames.files, r, ((void)r, json_u64(j, 1)));
	LIST(f, "sourceMapURL", &f->frames.files, r, ((void)r, json_null(j)));
	LIST(f, "content", &f->frames.files, r, ((void)r, json_null(j)));
	close_table(f, nr);
	open_table(f, "sourceLocationTable");
	for (int i = 0; i < 3; i++) {
		json_key(&f->json, (const char *[]){ "source", "line", "column" }[i]);
		json_open(&f->json, '[');
		json_close(&f->json, ']');
	}
	close_table(f, 0);
}

/* Writes the strings of the profile, and then the addresses of functions without a name. */
static void put_strings(struct firefox *f, const struct profile *p)
{
	const struct profile_data *d = profile_data(p);
	struct buf text = {0};

	json_key_open(&f->json, "stringArray", '[');
	for (size_t i = 0; i < d->nr_strings; i++) {
		json_string(&f->json, profile_string(p, (uint32_t)i));
		if (f->text.len > 65536)
			flush(f);
	}
	vec_for(r, &d->functions) {
		if (r->name)
			continue;
		text.len = 0;
		buf_printf(&text, "0x%" PRIx64, r->address);
		json_string_n(&f->json, text.data, text.len);
	}
	json_close(&f->json, ']');
	buf_release(&text);
	flush(f);
}

static void put_shared(struct firefox *f, const struct profile *p)
{
	const struct profile_data *d = profile_data(p);

	open_table(f, "shared");
	put_stacks(f);
	put_frames(f, d);
	put_functions(f, d);
	put_resources(f, d);
	put_symbols(f, d);
	put_sources(f);
	put_strings(f, p);
	json_close(&f->json, '}');
}

/* ---- threads ---- */

static double ms_since_start(const struct profile_data *d, uint64_t time)
{
	return (double)(int64_t)(time - d->info.first_time) / 1e6;
}

/* If samples have no times, places them one after the other, each as long as its weight. */
static void space_out(thread_samples *list, const struct profile_data *d)
{
	uint64_t at = d->info.first_time;

	vec_for(s, list) {
		s->time = at;
		add_saturated(&at, s->period);
	}
}

static void put_weight(struct json *j, enum profile_unit unit, uint64_t period)
{
	if (unit == PROFILE_NS)
		json_fixed(j, (double)period / 1e6, 6);
	else
		json_u64(j, period);
}

static void put_samples(struct firefox *f, const struct profile_data *d, struct sample_run list, uint32_t event)
{
	enum profile_unit unit = event == PROFILE_NONE ? PROFILE_COUNT : d->events.v[event].unit;

	open_table(f, "samples");
	LIST(f, "stack", &list, s, put_or_null(j, d->weights.v[s->weight].stack - 1));	/* the root becomes PROFILE_NONE */
	LIST(f, "time", &list, s, json_fixed(j, ms_since_start(d, s->time), 6));
	LIST(f, "weight", &list, s, put_weight(j, unit, s->period));
	if (unit == PROFILE_NS)
		LIST(f, "threadCPUDelta", &list, s, json_u64(j, s->period));
	json_key_string(&f->json, "weightType", unit == PROFILE_NS ? "tracing-ms" : unit == PROFILE_BYTES ? "bytes" : "samples");
	close_table(f, list.nr);
}

static void put_marker_data(struct json *j, const struct profile *p, const struct marker *m)
{
	json_open(j, '{');
	json_key_string(j, "type", profile_string(p, m->kind));
	if (m->instant)
		json_key_u64(j, "value", m->value);
	if (m->cpu != PROFILE_NONE)
		json_key_u64(j, "cpu", m->cpu);
	json_close(j, '}');
}

static void put_end(struct json *j, const struct profile_data *d, const struct marker *m)
{
	if (m->instant)
		json_null(j);
	else
		json_fixed(j, ms_since_start(d, m->end), 6);
}

static void put_markers(struct firefox *f, const struct profile *p, struct marker_run list)
{
	const struct profile_data *d = profile_data(p);

	open_table(f, "markers");
	LIST(f, "name", &list, m, json_u64(j, m->kind));
	LIST(f, "startTime", &list, m, json_fixed(j, ms_since_start(d, m->begin), 6));
	LIST(f, "endTime", &list, m, put_end(j, d, m));
	LIST(f, "phase", &list, m, json_u64(j, m->instant ? 0 : 1));
	LIST(f, "category", &list, m, ((void)m, json_u64(j, OTHER)));
	LIST(f, "data", &list, m, put_marker_data(j, p, m));
	close_table(f, list.nr);
}

static bool has_many_events(const struct profile_data *d)
{
	unsigned nr = 0;

	vec_for(e, &d->events)
		nr += e->nr != 0;
	return nr > 1;
}

static void put_thread_name(struct firefox *f, const struct profile *p, const struct profile_thread *t, uint32_t event)
{
	const struct profile_data *d = profile_data(p);
	struct buf name = {0};

	buf_puts(&name, profile_string(p, d->names.v[t->first_name + t->nr_names - 1].name));
	if (event != PROFILE_NONE && has_many_events(d))
		buf_printf(&name, " (%s)", profile_string(p, d->events.v[event].name));
	json_key_string(&f->json, "name", buf_str(&name));
	buf_release(&name);
}

static void put_ids(struct firefox *f, const struct profile *p, const struct profile_thread *t, uint32_t event)
{
	const struct profile_process *process = &profile_data(p)->processes.v[t->process];
	struct json *j = &f->json;
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", (int)process->pid);
	put_thread_name(f, p, t, event);
	json_key_string(j, "processName", profile_string(p, process->name));
	json_key_string(j, "pid", pid);
	json_key_i64(j, "tid", (int32_t)t->tid);
	json_key_bool(j, "isMainThread", t->tid == process->pid);
}

/* The thread of machine-wide and per-CPU events: losses. */
static void put_ids_of_none(struct json *j)
{
	json_key_string(j, "name", "Recording");
	json_key_string(j, "processName", "Recording");
	json_key_string(j, "pid", "recording");
	json_key_string(j, "tid", "recording");
	json_key_bool(j, "isMainThread", true);
}

/* @thread and @event may be PROFILE_NONE; one of @run and @markers empty. */
static void put_thread(struct firefox *f, const struct profile *p, uint32_t thread, uint32_t event, struct sample_run run,
		       struct marker_run markers)
{
	const struct profile_data *d = profile_data(p);
	struct json *j = &f->json;

	json_open(j, '{');
	if (thread == PROFILE_NONE)
		put_ids_of_none(j);
	else
		put_ids(f, p, &d->threads.v[thread], event);
	json_key_string(j, "processType", "default");
	json_key_u64(j, "processStartupTime", 0);
	json_key(j, "processShutdownTime");
	json_null(j);
	json_key(j, "registerTime");
	json_fixed(j, ms_since_start(d, run.nr ? run.v[0].time : markers.v[0].begin), 6);
	json_key(j, "unregisterTime");
	json_null(j);
	json_key_bool(j, "showMarkersInTimeline", true);
	json_key_open(j, "pausedRanges", '[');
	json_close(j, ']');
	put_samples(f, d, run, event);
	put_markers(f, p, markers);
	json_close(j, '}');
}

/* Threads with samples, once for each event, then threads with markers only. Markers are in the first copy. */
static void put_threads(struct firefox *f, const struct profile *p)
{
	const struct profile_data *d = profile_data(p);
	bool *seen = xcalloc(d->threads.nr + 1, sizeof(*seen));		/* the last: no thread */
	struct sample_run run;
	size_t at = 0;

	json_key_open(&f->json, "threads", '[');
	while (thread_samples_next(&f->samples, p, &at, &run)) {
		const struct profile_weight *w = &d->weights.v[run.v[0].weight];
		bool *before = &seen[MIN(w->thread, d->threads.nr)];

		put_thread(f, p, w->thread, w->event, run,
			   *before ? (struct marker_run){0} : thread_markers_of(&f->markers, w->thread));
		*before = true;
	}
	for (uint32_t i = 0; i <= d->threads.nr; i++) {
		uint32_t thread = i < d->threads.nr ? i : PROFILE_NONE;
		struct marker_run markers = thread_markers_of(&f->markers, thread);

		if (!seen[i] && markers.nr)
			put_thread(f, p, thread, PROFILE_NONE, (struct sample_run){0}, markers);
	}
	json_close(&f->json, ']');
	free(seen);
}

/* ---- the file ---- */

static void begin(struct export *x)
{
	struct firefox *f = x->state;
	struct profile_data data = *profile_data(x->profile);

	f->deflate = deflate_begin(DEFLATE_GZIP, &x->out->buf);
	f->json.out = &f->text;
	inline_frames_make(&f->frames, &data);
	thread_samples_collect(&f->samples, x->profile);
	thread_markers_collect(&f->markers, x->profile);
	if (!data.nr_samples)
		space_out(&f->samples, &data);
	json_open(&f->json, '{');
	put_meta(f, x->profile);
	LIST(f, "libs", &data.dsos, dso, put_lib(j, x->profile, dso));
	put_shared(f, x->profile);
	put_threads(f, x->profile);
	json_close(&f->json, '}');
	flush(f);
}

static void end(struct export *x)
{
	struct firefox *f = x->state;

	deflate_end(f->deflate);
	inline_frames_release(&f->frames);
	vec_free(&f->samples);
	vec_free(&f->markers);
	buf_release(&f->text);
}

const struct profile_writer firefox_writer = {
	.name = "firefox", .suffixes = ".json.gz", .description = "for profiler.firefox.com",
	.frames = PROFILE_BY_ADDRESS, .flags = WRITER_TIMES | WRITER_TIMELINE | WRITER_BINARY, .state_size = sizeof(struct firefox),
	.begin = begin, .end = end,
};
