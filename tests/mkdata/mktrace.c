/*
 * mktrace [-r RAW] OUT.data ROUNDS SEED FORMAT...: a recording of made-up hits, ROUNDS of each tracepoint whose format
 * file (DIR/SYSTEM/EVENT/format) is named, with random and boundary values in every field. RAW: the hits alone, each
 * after its size (4 bytes).
 *
 * The oracle is another program that prints the same file; so what matters is that every kind of value occurs:
 * zeros, ones, small numbers, all bits, single bits, text with and without its NUL, empty and full dynamic arrays.
 */
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/perfdata/data_writer.h"
#include "core/perfdata/event_table.h"
#include "core/perfdata/feature.h"
#include "core/perfdata/record.h"
#include "core/tracepoint/tracing_data.h"

#define DYNAMIC_MAX 32		/* bytes of a dynamic field */

/* How the kernel's own buffers are laid out: readers want to see it, though no recording has such pages. */
static const char header_page[] =
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
	"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
	"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";
static const char header_event[] = "# compressed entry header\n";

struct maker {
	VEC(struct trace_text) formats;
	VEC(struct trace_event *) events;
	struct event_table table;
	struct buf records, hits;
	uint64_t time;
};

static uint64_t random_value(void)
{
	uint64_t bits = (uint64_t)rand() << 42 ^ (uint64_t)rand() << 21 ^ (uint64_t)rand();

	switch (rand() % 6) {
	case 0: return 0;
	case 1: return (uint64_t)rand() % 16;
	case 2: return 1ull << rand() % 64;
	case 3: return UINT64_MAX;
	default: return bits;
	}
}

static void random_text(uint8_t *p, uint32_t size)
{
	uint32_t n = size ? (uint32_t)rand() % size : 0;

	for (uint32_t i = 0; i < n; i++)
		p[i] = (uint8_t)('a' + rand() % 26);
	if (size)
		p[n] = '\0';
}

static void fill_inline(const struct trace_field *f, uint8_t *raw)
{
	uint32_t step = f->is_array ? f->element_size : f->size;

	if (f->is_array && f->is_string) {
		random_text(raw + f->offset, f->size);
		return;
	}
	for (uint32_t at = 0; at + step <= f->size; at += step) {
		uint64_t v = random_value();

		memcpy(raw + f->offset + at, &v, step < 8 ? step : 8);
	}
}

/* The field's bytes go to the end of the record; returns the new end. */
static uint32_t fill_dynamic(const struct trace_field *f, uint8_t *raw, uint32_t end)
{
	uint32_t size = f->is_string ? 1 + (uint32_t)rand() % DYNAMIC_MAX : (uint32_t)rand() % 4 * f->element_size;
	uint32_t base = f->location == TRACE_REL_LOC ? f->offset + f->size : 0, location;

	if (f->is_string)
		random_text(raw + end, size);
	else
		for (uint32_t i = 0; i < size; i++)
			raw[end + i] = (uint8_t)rand();
	location = (end - base) | size << 16;
	memcpy(raw + f->offset, &location, 4);
	return end + size;
}

/* An array whose length is another field is never longer than that in the kernel's records. */
static void fill_lengths(const struct trace_event *ev, uint8_t *raw)
{
	char array[64], length[64];
	uint32_t location;

	for (const char *at = ev->print_fmt; at && (at = strstr(at, "__print_")); at++) {
		if (sscanf(at, "__print_%*[a-z_](__get_dynamic_array(%63[a-zA-Z0-9_]), REC->%63[a-zA-Z0-9_]", array, length) != 2 &&
		    sscanf(at, "__print_%*[a-z_](REC->%63[a-zA-Z0-9_], REC->%63[a-zA-Z0-9_]", array, length) != 2)
			continue;
		const struct trace_field *a = trace_event_field(ev, array), *l = trace_event_field(ev, length);

		if (!a || !l || l->is_array)
			continue;
		memcpy(&location, raw + a->offset, 4);
		uint64_t n = a->location == TRACE_INLINE ? (uint64_t)rand() % (a->size / a->element_size + 1) :
							   (location >> 16) / a->element_size;
		memcpy(raw + l->offset, &n, MIN(l->size, 8));
	}
}

static uint32_t make_raw(const struct trace_event *ev, uint8_t *raw, uint32_t room)
{
	uint32_t end = 0;

	memset(raw, 0, room);
	vec_for(f, &ev->fields) {
		end = MAX(end, f->offset + f->size);
		if (f->location == TRACE_INLINE && f->size <= 4096)
			fill_inline(f, raw);
	}
	memcpy(raw, &(uint16_t){ (uint16_t)ev->id }, 2);
	memcpy(raw + 4, &(int32_t){ 100 }, 4);
	end = (uint32_t)round_up(end, 4);
	vec_for(f, &ev->fields)
		if (f->location != TRACE_INLINE)
			end = fill_dynamic(f, raw, end);
	fill_lengths(ev, raw);
	/* The kernel pads so that size word and data together end on 8 bytes. */
	return (uint32_t)round_up(end + 4, 8) - 4;
}

static void add_sample(struct maker *m, const struct event *ev, const struct trace_event *trace)
{
	uint8_t raw[16384];
	struct record rec = { .header = { .type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_KERNEL } };

	rec.sample = (struct sample){ .id = ev->ids.v[0], .ip = 0xffffffff81000000, .pid = 100, .tid = 100,
				      .time = m->time += 1000, .period = 1, .raw = raw };
	rec.sample.raw_size = make_raw(trace, raw, sizeof(raw));
	buf_put(&m->hits, &rec.sample.raw_size, sizeof(rec.sample.raw_size));
	buf_put(&m->hits, raw, rec.sample.raw_size);
	record_append(&m->records, &ev->layout, &rec);
}

/* The folder two up from .../SYSTEM/EVENT/format. */
static char *system_of(const char *path)
{
	char *copy = xstrdup(path), *name = xstrdup(basename(dirname(dirname(copy))));

	free(copy);
	return name;
}

static void add_format(struct maker *m, const char *path)
{
	struct buf text = {0};
	struct trace_event *ev;
	char *system = system_of(path);

	if (read_file(path, &text) || trace_event_parse(&ev, system, text.data, text.len))
		die("cannot read '%s'", path);
	vec_push(&m->events, ev);
	vec_push(&m->formats, (struct trace_text){ system, text.data, text.len });
}

static void add_events(struct maker *m)
{
	vec_for(ev, &m->events) {
		struct event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = ATTR_SIZE_VER7, .config = (*ev)->id,
					   .sample_period = 1, .sample_id_all = 1 };
		struct event *e;

		attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				   PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW;
		e = event_table_add(&m->table, &attr);
		e->name = xasprintf("%s:%s", (*ev)->system, (*ev)->name);
		event_table_add_id(&m->table, e, 1000 + e->number);
	}
	event_table_finish(&m->table);
}

static void write_file(struct maker *m, const char *path)
{
	struct data_writer_opts opts = { .path = path };
	struct tracing_source source = { .formats = m->formats.v, .nr_formats = m->formats.nr, .header_page = header_page,
					 .header_event = header_event, .printk_formats = "", .saved_cmdlines = "",
					 .page_size = (uint32_t)sysconf(_SC_PAGESIZE) };
	struct features f = {0};
	struct data_writer *w;
	struct buf section = {0};

	tracing_data_write(&source, &section);
	unlink(path);
	f.tracing_data = section.data;
	f.tracing_data_size = section.len;
	f.has[FEATURE_TRACING_DATA] = f.has[FEATURE_EVENT_DESC] = true;
	if (data_writer_open(&w, &opts, &m->table) || data_writer_append(w, m->records.data, m->records.len) ||
	    data_writer_finish(w, &f, &m->table))
		die("cannot write '%s'", path);
	data_writer_close(w);
	features_release(&f);
}

static void write_hits(const struct maker *m, const char *path)
{
	FILE *f = fopen(path, "w");

	if (!f || fwrite(m->hits.data, 1, m->hits.len, f) != m->hits.len || fclose(f))
		die("cannot write '%s'", path);
}

static void release(struct maker *m)
{
	vec_for(f, &m->formats) {
		free((char *)(uintptr_t)f->system);
		free((char *)(uintptr_t)f->text);
	}
	vec_for(ev, &m->events)
		trace_event_free(*ev);
	vec_free(&m->formats);
	vec_free(&m->events);
	event_table_release(&m->table);
	buf_release(&m->records);
	buf_release(&m->hits);
}

int main(int argc, char **argv)
{
	struct maker m = { .time = 1000000000 };
	const char *hits = NULL;
	long rounds;

	if (argc > 2 && str_eq(argv[1], "-r")) {
		hits = argv[2];
		argc -= 2;
		argv += 2;
	}
	if (argc < 5)
		die("usage: mktrace [-r RAW] OUT.data ROUNDS SEED FORMAT...");
	rounds = strtol(argv[2], NULL, 0);
	srand((unsigned)strtol(argv[3], NULL, 0));
	for (int i = 4; i < argc; i++)
		add_format(&m, argv[i]);
	add_events(&m);
	for (size_t i = 0; i < m.events.nr; i++)
		for (long n = 0; n < rounds; n++)
			add_sample(&m, m.table.events.v[i], m.events.v[i]);
	write_file(&m, argv[1]);
	if (hits)
		write_hits(&m, hits);
	release(&m);
	return 0;
}
