/*
 * Writes and reads the detail of a sample, a byte string with its weight, memory access and similar values (detail.h). A report's
 * columns decide which values a detail has, and thus where each of them is.
 */
#include "core/hists/detail.h"

#include <string.h>

#include "core/base/byte_table.h"
#include "core/model/machine.h"
#include "core/read/session.h"
#include "core/sched/wait_samples.h"
#include "core/hists/branch_history.h"
#include "core/hists/layout.h"
#include "core/hists/trace_key.h"
#include "core/hists/key_context.h"
#include "core/hists/weight.h"

static void put_word(struct buf *out, uint64_t word)
{
	buf_put(out, &word, sizeof(word));
}

void detail_put(const void *plan, const struct sample_view *v, struct buf *out)
{
	const struct detail_plan *p = plan;
	const struct wait_view *wait = v->item->sample->wait;

	for (unsigned i = 0; i < p->layout->nr_keys; i++)
		if (p->layout->keys[i]->word)
			put_word(out, p->layout->keys[i]->word(v));
	for (unsigned i = 0; i < NR_WEIGHTS && p->needs & NEED_WEIGHTS; i++)
		put_word(out, weight_of(v->item, i));
	if (p->needs & NEED_RUNNING)
		put_word(out, v->running);
	if (p->needs & NEED_DELAY)
		put_word(out, wait ? wait_delay(wait->wait) : 0);
	for (unsigned i = 0; i < NR_BRANCH_SUMS && p->needs & NEED_BRANCH_SUMS; i++)
		put_word(out, v->branch_sums ? v->branch_sums[i] : 0);
	if (p->needs & NEED_MEM)
		mem_put(p->machine, p->needs, v->item, out);
	if (p->needs & NEED_TRACE)
		trace_keys_put(p->traces, v->item, out);
}

/* The parts of a detail after the words of keys, in their order. */
static const struct { unsigned need; size_t size; } parts[] = {
	{ NEED_WEIGHTS, NR_WEIGHTS * sizeof(uint64_t) },
	{ NEED_RUNNING, sizeof(uint64_t) },
	{ NEED_DELAY, sizeof(uint64_t) },
	{ NEED_BRANCH_SUMS, NR_BRANCH_SUMS * sizeof(uint64_t) },
	{ NEED_MEM, MEM_PUT_SIZE },
	{ NEED_TRACE, 0 },
};

size_t detail_at(const struct detail_plan *p, unsigned part)
{
	size_t at = 0;

	for (unsigned i = 0; i < p->layout->nr_keys; i++)
		at += p->layout->keys[i]->word ? sizeof(uint64_t) : 0;
	for (unsigned i = 0; parts[i].need != part; i++)
		at += p->needs & parts[i].need ? parts[i].size : 0;
	return at;
}

uint64_t detail_word(const struct byte_table *details, uint32_t number, unsigned n)
{
	uint64_t word;
	size_t size;

	memcpy(&word, byte_table_get(details, number, &size) + n * sizeof(word), sizeof(word));
	return word;
}

uint64_t key_value(const struct key *k, const struct key_context *c, const struct bucket_key *bucket)
{
	uint32_t number;

	if (k->place)
		return k->place(c, c->locations->addr_keys.v[bucket->from].location);
	if (k->source)
		return k->source(mem_source(c->mem, bucket->detail));
	if (!k->member)
		return k->value(c, bucket);
	memcpy(&number, (const char *)bucket + k->member, sizeof(number));
	return number;
}

uint64_t detail_value(const struct key_context *v, const struct key *k, const struct bucket_key *bucket, uint32_t location,
		      unsigned *word)
{
	if (k->word)
		return detail_word(v->details, bucket->detail, (*word)++);
	if (k->flags & KEY_BY_ADDRESS)
		return k->place(v, location);
	return k->column ? trace_values_number(v->traces, bucket->detail, k) : key_value(k, v, bucket);
}

void detail_context_init(struct key_context *v, const struct session *s, const struct detail_plan *p,
			 const struct byte_table *details, const struct locations *locations)
{
	key_context_init(v, session_machine(s), locations, 1);
	v->session = s;
	v->features = session_features(s);
	v->details = details;
	if (layout_has_flag(p->layout, KEY_TASK))
		key_context_name_tasks(v);
	if (p->needs & NEED_FOLDED)
		key_context_fold_comms(v, machine_nr_comms(v->machine));
	if (p->needs & NEED_MEM)
		v->mem = mem_values_new(details, detail_at(p, NEED_MEM));
	if (p->needs & NEED_TRACE)
		v->traces = trace_values_new(p->traces, details, detail_at(p, NEED_TRACE));
}

void detail_context_release(struct key_context *v)
{
	trace_values_free(v->traces);
	mem_values_free(v->mem);
	key_context_release(v);
}
