/*
 * Writes gzipped profile.proto, which go tool pprof, Pyroscope and Parca read, for prec export --format pprof. inline_frames.h
 * computes the address of each frame and how deep it is inlined.
 * Source: proto/profile.proto of google/pprof, which also defines the field numbers.
 */
#include "core/show/export/writers.h"

#include <stdio.h>
#include <string.h>

#include "core/compression/deflate.h"
#include "core/base/varint.h"
#include "core/show/export/inline_frames.h"

enum profile_field {
	PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE, PROFILE_MAPPING, PROFILE_LOCATION, PROFILE_FUNCTION, PROFILE_STRING_TABLE,
	PROFILE_DURATION_NANOS = 10, PROFILE_PERIOD_TYPE, PROFILE_PERIOD, PROFILE_COMMENT, PROFILE_DEFAULT_SAMPLE_TYPE,
};
enum value_type_field { VALUE_TYPE_TYPE = 1, VALUE_TYPE_UNIT };
enum sample_field { SAMPLE_LOCATION_ID = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum label_field { LABEL_KEY = 1, LABEL_STR, LABEL_NUM, LABEL_NUM_UNIT };
enum mapping_field {
	MAPPING_ID = 1, MAPPING_MEMORY_START, MAPPING_MEMORY_LIMIT, MAPPING_FILENAME = 5, MAPPING_BUILD_ID,
	MAPPING_HAS_FUNCTIONS, MAPPING_HAS_FILENAMES, MAPPING_HAS_LINE_NUMBERS, MAPPING_HAS_INLINE_FRAMES,
};
enum location_field { LOCATION_ID = 1, LOCATION_MAPPING_ID, LOCATION_ADDRESS, LOCATION_LINE };
enum line_field { LINE_FUNCTION_ID = 1, LINE_LINE };
enum function_field { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILENAME };

enum wire_type { WIRE_VARINT = 0, WIRE_LENGTH = 2 };	/* protobuf.dev/programming-guides/encoding */

#define NOTHING	UINT32_MAX

/* The functions at an address, as a linked list: the innermost, and in .up the function into which it is inlined. */
struct pprof_location { uint32_t frame, up; };	/* .frame: of inline_frames.frames; .up: of .locations, or NOTHING */

struct pprof_range { uint64_t low, high; };

struct pprof {
	struct deflate *deflate;
	struct buf message, part, inner;	/* the messages that are being written: outer, inside it, inside that */
	struct inline_frames frames;
	VEC(struct pprof_location) locations;
	struct index by_frame;
	uint32_t *location_of;			/* by stack */
	bool *starts_location;			/* by location: true if a stack begins with it, false if only in .up of others */
	uint32_t *type_of;			/* by event: position of its two values; NOTHING: it has no samples */
	uint32_t nr_types;
	VEC(char *) strings;			/* owned; numbered after the strings of the profile */
	uint32_t nr_strings;			/* strings of the profile */
};

static void protobuf_number(struct buf *b, unsigned field, uint64_t v)
{
	if (!v)		/* left out, as in proto3 */
		return;
	buf_varint(b, field << 3 | WIRE_VARINT);
	buf_varint(b, v);
}

/* Appends bytes: a string, a message, or packed numbers; also if there are none. */
static void protobuf_bytes(struct buf *b, unsigned field, const void *p, size_t n)
{
	buf_varint(b, field << 3 | WIRE_LENGTH);
	buf_varint(b, n);
	buf_put(b, p, n);
}

/* Adds a string that is not in the profile. Returns its number. */
static uint32_t add_string(struct pprof *p, const char *text)
{
	for (size_t i = 0; i < p->strings.nr; i++)
		if (str_eq(p->strings.v[i], text))
			return p->nr_strings + (uint32_t)i;
	vec_push(&p->strings, xstrdup(text));
	return p->nr_strings + (uint32_t)p->strings.nr - 1;
}

/* Appends .part as a field of the profile message. */
static void put_part(struct pprof *p, enum profile_field field)
{
	protobuf_bytes(&p->message, field, p->part.data, p->part.len);
	p->part.len = 0;
	if (p->message.len < 65536)
		return;
	deflate_put(p->deflate, p->message.data, p->message.len);
	p->message.len = 0;
}

/* ---- locations ---- */

static uint32_t add_location(struct pprof *p, uint32_t frame, uint32_t up)
{
	uint64_t h = hash_pair(frame, up);

	index_for(pos, &p->by_frame, h)
		if (p->locations.v[pos].frame == frame && p->locations.v[pos].up == up)
			return pos;
	index_add(&p->by_frame, h, (uint32_t)p->locations.nr);
	vec_push(&p->locations, ((struct pprof_location){ frame, up }));
	return (uint32_t)p->locations.nr - 1;
}

static const struct inline_frame *frame_of_stack(const struct pprof *p, uint32_t stack)
{
	return &p->frames.frames.v[p->frames.stacks.v[stack - 1].frame];
}

static void make_locations(struct pprof *p, const struct profile_data *d)
{
	p->location_of = xcalloc(d->stacks.nr, sizeof(*p->location_of));
	for (uint32_t i = 1; i < d->stacks.nr; i++)
		p->location_of[i] = add_location(p, p->frames.stacks.v[i - 1].frame,
			frame_of_stack(p, i)->inline_depth ? p->location_of[d->stacks.v[i].parent] : NOTHING);
	p->starts_location = xcalloc(MAX(p->locations.nr, 1), sizeof(*p->starts_location));
}

/* ---- samples ---- */

/* Writes the locations of a stack, the innermost first. A location also has the functions inlined there. */
static void put_stack(struct pprof *p, const struct profile_data *d, uint32_t stack)
{
	p->inner.len = 0;
	while (stack != PROFILE_ROOT) {
		p->starts_location[p->location_of[stack]] = true;
		buf_varint(&p->inner, p->location_of[stack] + 1);
		while (frame_of_stack(p, stack)->inline_depth)
			stack = d->stacks.v[stack].parent;
		stack = d->stacks.v[stack].parent;
	}
	protobuf_bytes(&p->part, SAMPLE_LOCATION_ID, p->inner.data, p->inner.len);
}

static void put_values(struct pprof *p, const struct profile_weight *w)
{
	p->inner.len = 0;
	for (uint32_t i = 0; i < p->nr_types; i++)
		buf_varint(&p->inner, i == p->type_of[w->event] ? w->nr :
			   i == p->type_of[w->event] + 1 ? MIN(w->period, (uint64_t)INT64_MAX) : 0);
	protobuf_bytes(&p->part, SAMPLE_VALUE, p->inner.data, p->inner.len);
}

static void put_label(struct pprof *p, const char *key, uint32_t text, uint64_t number)
{
	p->inner.len = 0;
	protobuf_number(&p->inner, LABEL_KEY, add_string(p, key));
	protobuf_number(&p->inner, LABEL_STR, text);
	protobuf_number(&p->inner, LABEL_NUM, number);
	/* pprof ignores a label that is 0 and has no unit. */
	if (!text)
		protobuf_number(&p->inner, LABEL_NUM_UNIT, add_string(p, "number"));
	protobuf_bytes(&p->part, SAMPLE_LABEL, p->inner.data, p->inner.len);
}

static void put_sample(struct pprof *p, const struct profile_data *d, const struct profile_weight *w)
{
	const struct profile_thread *t = &d->threads.v[w->thread];

	put_stack(p, d, w->stack);
	put_values(p, w);
	put_label(p, "thread", w->comm, 0);
	put_label(p, "tid", 0, (uint64_t)(int32_t)t->tid);
	put_label(p, "pid", 0, (uint64_t)(int32_t)d->processes.v[t->process].pid);
	if (w->cpu != PROFILE_NONE)
		put_label(p, "cpu", 0, w->cpu);
	put_part(p, PROFILE_SAMPLE);
}

/* ---- tables ---- */

/* A location is an address with its functions: inlined ones first, from the innermost; the one with the code last. */
static void put_locations(struct pprof *p, const struct profile_data *d)
{
	for (uint32_t i = 0; i < p->locations.nr; i++) {
		const struct inline_frame *f = &p->frames.frames.v[p->locations.v[i].frame];
		uint32_t dso = d->functions.v[f->symbol].dso;

		if (!p->starts_location[i])
			continue;
		protobuf_number(&p->part, LOCATION_ID, i + 1);
		protobuf_number(&p->part, LOCATION_MAPPING_ID, dso == PROFILE_NONE ? 0 : dso + 1);
		protobuf_number(&p->part, LOCATION_ADDRESS, f->address);
		for (uint32_t n = i; n != NOTHING; n = p->locations.v[n].up) {
			const struct profile_frame *frame = &d->frames.v[p->frames.frames.v[p->locations.v[n].frame].frame];

			p->inner.len = 0;
			protobuf_number(&p->inner, LINE_FUNCTION_ID, frame->function + 1);
			protobuf_number(&p->inner, LINE_LINE, frame->line);
			protobuf_bytes(&p->part, LOCATION_LINE, p->inner.data, p->inner.len);
		}
		put_part(p, PROFILE_LOCATION);
	}
}

static uint32_t name_of(struct pprof *p, const struct profile_function *f)
{
	char text[32];

	if (f->name)
		return f->name;
	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)f->address);
	vec_push(&p->strings, xstrdup(text));
	return p->nr_strings + (uint32_t)p->strings.nr - 1;
}

static void put_functions(struct pprof *p, const struct profile_data *d)
{
	for (uint32_t i = 0; i < d->functions.nr; i++) {
		uint32_t name = name_of(p, &d->functions.v[i]), file = p->frames.file_of.v[i];

		protobuf_number(&p->part, FUNCTION_ID, i + 1);
		protobuf_number(&p->part, FUNCTION_NAME, name);
		protobuf_number(&p->part, FUNCTION_SYSTEM_NAME, name);
		protobuf_number(&p->part, FUNCTION_FILENAME, file == PROFILE_NONE ? 0 : p->frames.files.v[file]);
		put_part(p, PROFILE_FUNCTION);
	}
}

/* The range of addresses that occur in each file: a location must be inside its mapping. Owned by the caller. */
static struct pprof_range *find_ranges(const struct pprof *p, const struct profile_data *d)
{
	struct pprof_range *ranges = xcalloc(MAX(d->dsos.nr, 1), sizeof(*ranges));

	for (size_t i = 0; i < d->dsos.nr; i++)
		ranges[i] = (struct pprof_range){ UINT64_MAX, 0 };
	vec_for(f, &p->frames.frames) {
		uint32_t dso = d->functions.v[f->symbol].dso;

		if (dso == PROFILE_NONE)
			continue;
		ranges[dso].low = MIN(ranges[dso].low, f->address);
		ranges[dso].high = MAX(ranges[dso].high, f->address);
	}
	return ranges;
}

static void put_mapping(struct pprof *p, const struct profile_data *d, uint32_t number, struct pprof_range range)
{
	const struct profile_dso *dso = &d->dsos.v[number];
	char id[BUILD_ID_TEXT];

	protobuf_number(&p->part, MAPPING_ID, number + 1);
	if (range.low <= range.high) {
		protobuf_number(&p->part, MAPPING_MEMORY_START, range.low);
		protobuf_number(&p->part, MAPPING_MEMORY_LIMIT, MAX(range.high + 1, range.high));
	}
	protobuf_number(&p->part, MAPPING_FILENAME, dso->path);
	if (dso->build_id.size)
		protobuf_number(&p->part, MAPPING_BUILD_ID, add_string(p, build_id_text(&dso->build_id, id)));
	for (unsigned field = MAPPING_HAS_FUNCTIONS; field <= MAPPING_HAS_INLINE_FRAMES; field++)
		protobuf_number(&p->part, field, 1);	/* otherwise pprof searches files of these names for symbols */
	put_part(p, PROFILE_MAPPING);
}

/* The program: the file in user space with the most samples. NOTHING: no such file. */
static uint32_t find_program(const struct profile_data *d)
{
	uint64_t *nr = xcalloc(MAX(d->dsos.nr, 1), sizeof(*nr));
	uint32_t best = NOTHING;

	vec_for(w, &d->weights) {
		uint32_t dso = w->address == PROFILE_NONE ? PROFILE_NONE : d->addresses.v[w->address].dso;

		if (dso != PROFILE_NONE)
			nr[dso] += w->nr;
	}
	for (uint32_t i = 0; i < d->dsos.nr; i++)
		if (d->dsos.v[i].kind == PROFILE_DSO_USER && nr[i] && (best == NOTHING || nr[i] > nr[best]))
			best = i;
	free(nr);
	return best;
}

/* Readers take the first mapping for the program. */
static void put_mappings(struct pprof *p, const struct profile_data *d)
{
	struct pprof_range *ranges = find_ranges(p, d);
	uint32_t program = find_program(d);

	if (program != NOTHING)
		put_mapping(p, d, program, ranges[program]);
	for (uint32_t i = 0; i < d->dsos.nr; i++)
		if (i != program)
			put_mapping(p, d, i, ranges[i]);
	free(ranges);
}

static void put_strings(struct pprof *p, const struct profile *profile)
{
	for (uint32_t i = 0; i < p->nr_strings; i++) {
		buf_puts(&p->part, profile_string(profile, i));
		put_part(p, PROFILE_STRING_TABLE);
	}
	vec_for(s, &p->strings) {
		buf_puts(&p->part, *s);
		put_part(p, PROFILE_STRING_TABLE);
	}
}

/* ---- what the numbers are ---- */

static const char *unit_name(enum profile_unit unit)
{
	return unit == PROFILE_NS ? "nanoseconds" : unit == PROFILE_BYTES ? "bytes" : "count";
}

static void put_value_type(struct pprof *p, enum profile_field field, uint32_t type, const char *unit)
{
	protobuf_number(&p->part, VALUE_TYPE_TYPE, type);
	protobuf_number(&p->part, VALUE_TYPE_UNIT, add_string(p, unit));
	put_part(p, field);
}

/* CPU time gets the name by which readers of the format know it. */
static uint32_t type_name(struct pprof *p, const struct profile_event *e)
{
	return e->unit == PROFILE_NS ? add_string(p, "cpu") : e->name;
}

/* Each event with samples has two values: the number of samples, and their period. */
static void put_types(struct export *x, uint32_t nr_events)
{
	const struct profile_data *d = profile_data(x->profile);
	struct pprof *p = x->state;
	const struct profile_event *first = NULL;

	for (uint32_t i = 0; i < d->events.nr; i++) {
		const struct profile_event *e = &d->events.v[i];
		struct buf name = {0};

		if (p->type_of[i] == NOTHING)
			continue;
		if (nr_events > 1)
			buf_printf(&name, "%s:", profile_string(x->profile, e->name));
		buf_puts(&name, "samples");
		put_value_type(p, PROFILE_SAMPLE_TYPE, add_string(p, buf_str(&name)), "count");
		put_value_type(p, PROFILE_SAMPLE_TYPE, nr_events > 1 ? e->name : type_name(p, e), unit_name(e->unit));
		buf_release(&name);
		first = first ? first : e;
	}
	if (!first)
		return;
	put_value_type(p, PROFILE_PERIOD_TYPE, type_name(p, first), unit_name(first->unit));
	protobuf_number(&p->message, PROFILE_PERIOD, !first->by_frequency ? first->rate :
			first->unit == PROFILE_NS && first->rate ? 1000000000 / first->rate : 0);
	protobuf_number(&p->message, PROFILE_DEFAULT_SAMPLE_TYPE, nr_events > 1 ? first->name : type_name(p, first));
}

static uint32_t choose_types(struct export *x)
{
	const struct profile_data *d = profile_data(x->profile);
	struct pprof *p = x->state;

	p->type_of = xcalloc(MAX(d->events.nr, 1), sizeof(*p->type_of));
	for (uint32_t i = 0; i < d->events.nr; i++) {
		bool wanted = d->events.v[i].nr && (x->opts->event == PROFILE_NONE || x->opts->event == i);

		p->type_of[i] = wanted ? p->nr_types : NOTHING;
		p->nr_types += wanted ? 2 : 0;
	}
	return p->nr_types / 2;
}

/* ---- the file ---- */

static void begin(struct export *x)
{
	const struct profile_data *d = profile_data(x->profile);
	struct pprof *p = x->state;

	p->deflate = deflate_begin(DEFLATE_GZIP, &x->out->buf);
	p->nr_strings = (uint32_t)d->nr_strings;
	inline_frames_make(&p->frames, d);
	make_locations(p, d);
	put_types(x, choose_types(x));
	if (d->info.first_time <= d->info.last_time)
		protobuf_number(&p->message, PROFILE_DURATION_NANOS, d->info.last_time - d->info.first_time);
	if (d->info.command)
		protobuf_number(&p->message, PROFILE_COMMENT, d->info.command);
	vec_for(w, &d->weights)
		if (p->type_of[w->event] != NOTHING)
			put_sample(p, d, w);
	put_mappings(p, d);
	put_locations(p, d);
	put_functions(p, d);
	put_strings(p, x->profile);
	deflate_put(p->deflate, p->message.data, p->message.len);
	deflate_end(p->deflate);
}

static void end(struct export *x)
{
	struct pprof *p = x->state;

	inline_frames_release(&p->frames);
	vec_free(&p->locations);
	index_release(&p->by_frame);
	free(p->location_of);
	free(p->starts_location);
	free(p->type_of);
	vec_for(s, &p->strings)
		free(*s);
	vec_free(&p->strings);
	buf_release(&p->message);
	buf_release(&p->part);
	buf_release(&p->inner);
}

const struct profile_writer pprof_writer = {
	.name = "pprof", .suffixes = ".pb.gz .pprof", .description = "for go tool pprof, Pyroscope, Parca",
	.frames = PROFILE_BY_ADDRESS, .flags = WRITER_CPUS | WRITER_BINARY, .state_size = sizeof(struct pprof),
	.begin = begin, .end = end,
};
