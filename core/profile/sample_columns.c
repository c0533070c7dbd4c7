/*
 * Adds columns with the values of sort keys to the samples of a profile, for prec query and prec export. Because equal samples
 * have been summed before (core/hists/bucket.h), each value is computed once for many samples.
 */
#include "core/profile/session_parts.h"

#include "core/base/buf.h"
#include "core/read/session.h"
#include "core/model/machine.h"
#include "core/hists/trace_key.h"

/* Converts the key of a bucket for sort keys. In a profile, buckets have a thread's number, but sort keys need its tid. */
static struct bucket_key key_of(const struct bucket *bucket, const struct machine *m)
{
	struct bucket_key key = bucket->key;

	if (key.tid < machine_nr_threads(m))
		key.tid = machine_thread(m, key.tid)->tid;
	return key;
}

/* The number of the string for a value, without padding; PROFILE_NO_VALUE: the text is empty. */
static uint64_t text_of(const struct sample_columns *c, const struct key *k, uint64_t value, struct profile_builder *builder,
			struct buf *text)
{
	size_t blank;

	text->len = 0;
	key_print(k, &c->view, value, text);
	blank = strspn(buf_str(text), " ");
	return text->len == blank ? PROFILE_NO_VALUE : profile_add_string_n(builder, text->data + blank, text->len - blank);
}

static uint64_t cell_of(const struct sample_columns *c, const struct key *k, uint64_t value, struct profile_builder *builder,
			struct buf *text)
{
	uint64_t number;

	if (!(k->flags & KEY_NUMBER))
		return text_of(c, k, value, builder, text);
	if (!k->column)
		return value;
	return trace_values_integer(c->view.traces, k, value, &number) ? number : PROFILE_NO_VALUE;
}

void sample_columns_plan(struct sample_columns *c, const struct layout *layout, const struct trace_keys *traces,
			 const struct session *s, struct bucket_opts *opts)
{
	c->plan = (struct detail_plan){ .layout = layout, .traces = traces, .machine = session_machine(s) };
	opts->needs |= layout_needs(layout);
	if (opts->needs & NEED_TID)
		opts->needs |= NEED_THREAD;
	opts->describes_raw = (opts->needs & NEED_DETAIL) == NEED_TRACE;
	c->plan.needs = opts->needs;
	opts->describe = detail_put;
	opts->describe_ctx = &c->plan;
}

static void add_columns(const struct layout *l, struct profile_builder *builder)
{
	for (unsigned i = 0; i < l->nr_keys; i++)
		profile_add_column(builder, &(struct profile_column){
			.name = profile_add_string(builder, l->keys[i]->name), .unit = PROFILE_COUNT,
			.text = !(l->keys[i]->flags & KEY_NUMBER), .is_signed = l->keys[i]->flags & KEY_SIGNED,
		});
}

/* Returns the cell for a key's value, which is made once for each value. */
struct cell { uint64_t value, cell; };
struct cell_memory { struct index by_value; VEC(struct cell) cells; };

static uint64_t remembered_cell(const struct sample_columns *c, const struct key *k, uint64_t value, struct cell_memory *memory,
				struct profile_builder *builder, struct buf *text)
{
	uint64_t hash = hash_u64(value), cell;

	index_for(pos, &memory->by_value, hash)
		if (memory->cells.v[pos].value == value)
			return memory->cells.v[pos].cell;
	cell = cell_of(c, k, value, builder, text);
	index_add(&memory->by_value, hash, (uint32_t)memory->cells.nr);
	vec_push(&memory->cells, ((struct cell){ value, cell }));
	return cell;
}

void sample_columns_make(struct sample_columns *c, const struct buckets *buckets, const struct locations *locations,
			 const struct session *s, struct profile_builder *builder)
{
	const struct layout *l = c->plan.layout;
	struct cell_memory *memory;
	struct buf text = {0};
	size_t at = 0;

	if (!l)
		return;
	memory = xcalloc(l->nr_keys, sizeof(*memory));
	detail_context_init(&c->view, s, &c->plan, &buckets->details, locations);
	c->view.nanoseconds = true;
	add_columns(l, builder);
	c->values = xcalloc(MAX(buckets->table.buckets.nr, 1) * l->nr_keys, sizeof(*c->values));
	for (size_t i = 0; i < buckets->table.buckets.nr; i++) {
		const struct bucket *bucket = &buckets->table.buckets.v[i];
		struct bucket_key key = key_of(bucket, session_machine(s));
		const struct named_addr_key *addr_key = &locations->addr_keys.v[bucket->addr_key];
		uint32_t location = c->plan.needs & NEED_OFFSET ? addr_key->location : addr_key->own;
		unsigned words = 0;

		for (unsigned k = 0; k < l->nr_keys; k++, at++) {
			uint64_t value = detail_value(&c->view, l->keys[k], &key, location, &words);

			c->values[at] = remembered_cell(c, l->keys[k], value, &memory[k], builder, &text);
		}
	}
	for (unsigned k = 0; k < l->nr_keys; k++) {
		index_release(&memory[k].by_value);
		vec_free(&memory[k].cells);
	}
	free(memory);
	buf_release(&text);
}

const uint64_t *sample_columns_of(const struct sample_columns *c, uint32_t bucket)
{
	return c->plan.layout ? c->values + (size_t)bucket * c->plan.layout->nr_keys : NULL;
}

void sample_columns_release(struct sample_columns *c)
{
	if (!c->plan.layout)
		return;
	detail_context_release(&c->view);
	free(c->values);
	*c = (struct sample_columns){ 0 };
}
