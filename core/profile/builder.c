/*
 * Adds rows to the tables of a profile that is being built, such as threads, functions, stacks and samples. Equal threads,
 * files, functions, frames and stacks are stored once. builder_finish.c makes the finished profile from the rows.
 */
#include "core/profile/builder.h"

#include <string.h>

#include "core/profile/builder_impl.h"

/* ---- the rows of each table as words, by which they are sorted ---- */

static uint64_t pair(uint32_t first, uint32_t second)
{
	return (uint64_t)first << 32 | second;
}

static void process_words(const void *row, uint64_t *out)
{
	out[0] = ((const struct profile_process *)row)->pid;
}

static void thread_words(const void *row, uint64_t *out)
{
	const struct profile_thread *t = row;

	out[0] = pair(t->process, t->tid);
	out[1] = t->from;
}

static void dso_words(const void *row, uint64_t *out)
{
	const struct profile_dso *d = row;

	memset(out, 0, 5 * sizeof(*out));
	out[0] = pair(d->path, d->name);
	out[1] = (uint64_t)d->kind << 8 | d->build_id.size;
	memcpy(out + 2, d->build_id.data, MIN(d->build_id.size, BUILD_ID_MAX));
}

static void function_words(const void *row, uint64_t *out)
{
	const struct profile_function *f = row;

	out[0] = pair(f->dso, f->name);
	out[1] = f->address;
	out[2] = f->size;
	out[3] = (uint64_t)(uint8_t)f->level << 2 | (unsigned)f->made << 1 | f->inlined;
}

static void frame_words(const void *row, uint64_t *out)
{
	const struct profile_frame *f = row;

	out[0] = pair(f->function, f->file);
	out[1] = f->line;
	out[2] = f->address;
}

static void stack_words(const void *row, uint64_t *out)
{
	const struct builder_stack *s = row;

	out[0] = pair(s->parent, s->frame);
}

static void address_words(const void *row, uint64_t *out)
{
	const struct profile_address *a = row;

	out[0] = pair(a->dso, a->function);
	out[1] = a->address;
}

static void insn_words(const void *row, uint64_t *out)
{
	const struct profile_insn *i = row;

	out[0] = i->function;
	out[1] = i->address;
}

static void source_words(const void *row, uint64_t *out)
{
	const struct profile_source *s = row;

	out[0] = pair(s->file, s->line);
	out[1] = s->text;
}

static void weight_words(const void *row, uint64_t *out)
{
	const struct profile_weight *w = row;

	out[0] = pair(w->event, w->thread);
	out[1] = pair(w->comm, w->cpu);
	out[2] = pair(w->stack, w->address);
}

static void name_words(const void *row, uint64_t *out)
{
	const struct builder_name *n = row;

	out[0] = n->thread;
	out[1] = n->from;
	out[2] = n->name;
}

static void interval_words(const void *row, uint64_t *out)
{
	const struct profile_interval *i = row;

	out[0] = i->begin;
	out[1] = i->end;
	out[2] = pair(i->thread, i->cpu);
	out[3] = pair(i->kind, i->stack);
}

static void instant_words(const void *row, uint64_t *out)
{
	const struct profile_instant *i = row;

	out[0] = i->time;
	out[1] = pair(i->thread, i->cpu);
	out[2] = i->kind;
	out[3] = i->value;
}

static void link_words(const void *row, uint64_t *out)
{
	const struct profile_link *l = row;

	out[0] = l->from_time;
	out[1] = l->to_time;
	out[2] = pair(l->from_thread, l->to_thread);
	out[3] = l->kind;
}

static const struct unique_kind process_kind = { sizeof(struct profile_process), 1, process_words };
static const struct unique_kind thread_kind = { sizeof(struct profile_thread), 2, thread_words };
static const struct unique_kind dso_kind = { sizeof(struct profile_dso), 5, dso_words };
static const struct unique_kind function_kind = { sizeof(struct profile_function), 4, function_words };
static const struct unique_kind frame_kind = { sizeof(struct profile_frame), 3, frame_words };
static const struct unique_kind stack_kind = { sizeof(struct builder_stack), 1, stack_words };
static const struct unique_kind address_kind = { sizeof(struct profile_address), 2, address_words };
static const struct unique_kind insn_kind = { sizeof(struct profile_insn), 2, insn_words };
static const struct unique_kind source_kind = { sizeof(struct profile_source), 2, source_words };
static const struct unique_kind weight_kind = { sizeof(struct profile_weight), 3, weight_words };
static const struct unique_kind name_kind = { sizeof(struct builder_name), 3, name_words };
static const struct unique_kind interval_kind = { sizeof(struct profile_interval), 4, interval_words };
static const struct unique_kind instant_kind = { sizeof(struct profile_instant), 4, instant_words };
static const struct unique_kind link_kind = { sizeof(struct profile_link), 4, link_words };

/* ---- adding ---- */

struct profile_builder *profile_builder_new(void)
{
	struct profile_builder *b = xmalloc(sizeof(*b));

	*b = (struct profile_builder){
		.processes.kind = &process_kind, .threads.kind = &thread_kind, .names.kind = &name_kind, .dsos.kind = &dso_kind,
		.functions.kind = &function_kind, .frames.kind = &frame_kind, .stacks.kind = &stack_kind,
		.addresses.kind = &address_kind, .insns.kind = &insn_kind, .sources.kind = &source_kind,
		.weights.kind = &weight_kind, .intervals.kind = &interval_kind, .instants.kind = &instant_kind,
		.links.kind = &link_kind, .info.first_time = UINT64_MAX,
	};
	profile_add_string(b, "");
	unique_append(&b->stacks, &(struct builder_stack){ PROFILE_NONE, PROFILE_NONE });
	return b;
}

uint32_t profile_add_string_n(struct profile_builder *b, const char *text, size_t n)
{
	return byte_table_add(&b->strings, text, n ? strnlen(text, n) : 0);
}

uint32_t profile_add_string(struct profile_builder *b, const char *text)
{
	return byte_table_add(&b->strings, text, strlen(text));
}

void profile_set_info(struct profile_builder *b, const struct profile_info *info)
{
	b->info = *info;
}

uint32_t profile_add_event(struct profile_builder *b, const struct profile_event *e)
{
	vec_push(&b->events, *e);
	return (uint32_t)b->events.nr - 1;
}

uint32_t profile_add_process(struct profile_builder *b, uint32_t pid, uint32_t name)
{
	return unique_add(&b->processes, &(struct profile_process){ pid, name });
}

uint32_t profile_add_thread(struct profile_builder *b, const struct profile_thread *t)
{
	return unique_add(&b->threads, t);
}

void profile_add_name(struct profile_builder *b, uint32_t thread, uint64_t from, uint32_t name)
{
	unique_append(&b->names, &(struct builder_name){ thread, name, from });
}

uint32_t profile_add_dso(struct profile_builder *b, const struct profile_dso *d)
{
	return unique_add(&b->dsos, d);
}

uint32_t profile_add_function(struct profile_builder *b, const struct profile_function *f)
{
	return unique_add(&b->functions, f);
}

uint32_t profile_add_frame(struct profile_builder *b, const struct profile_frame *f)
{
	return unique_add(&b->frames, f);
}

uint32_t profile_add_stack(struct profile_builder *b, uint32_t parent, uint32_t frame)
{
	return unique_add(&b->stacks, &(struct builder_stack){ parent, frame });
}

uint32_t profile_append_stack(struct profile_builder *b, uint32_t parent, uint32_t frame)
{
	return unique_append(&b->stacks, &(struct builder_stack){ parent, frame });
}

uint32_t profile_add_address(struct profile_builder *b, const struct profile_address *a)
{
	return unique_add(&b->addresses, a);
}

void profile_add_insn(struct profile_builder *b, const struct profile_insn *i)
{
	unique_append(&b->insns, i);
}

void profile_add_source(struct profile_builder *b, const struct profile_source *s)
{
	unique_add(&b->sources, s);
}

uint32_t profile_add_weight(struct profile_builder *b, const struct profile_weight *w)
{
	return unique_append(&b->weights, w);
}

void profile_reserve(struct profile_builder *b, size_t nr_stacks, size_t nr_weights)
{
	unique_reserve(&b->stacks, nr_stacks);
	unique_reserve(&b->weights, nr_weights);
}

uint32_t profile_add_column(struct profile_builder *b, const struct profile_column *c)
{
	vec_push(&b->columns, *c);
	return (uint32_t)b->columns.nr - 1;
}

void profile_add_sample(struct profile_builder *b, uint64_t time, uint32_t weight, uint64_t period, const uint64_t *values)
{
	if (b->samples.nr == SAMPLES_A_RUN) {
		buf_put(spill_more(&b->runs), b->samples.v, SAMPLES_A_RUN * sizeof(*b->samples.v));
		b->samples.nr = 0;
	}
	vec_push(&b->samples, (struct builder_sample){ time, period, weight, (uint32_t)b->nr_samples++ });
	for (size_t i = 0; i < b->columns.nr; i++)
		vec_push(&b->values, values[i]);
}

void profile_add_interval(struct profile_builder *b, const struct profile_interval *i)
{
	unique_append(&b->intervals, i);
}

void profile_add_instant(struct profile_builder *b, const struct profile_instant *i)
{
	unique_append(&b->instants, i);
}

void profile_add_link(struct profile_builder *b, const struct profile_link *l)
{
	unique_append(&b->links, l);
}

void profile_add_call(struct profile_builder *b, const struct profile_call *c)
{
	vec_push(&b->calls, *c);
}

struct findings *profile_builder_findings(struct profile_builder *b)
{
	return &b->findings;
}
