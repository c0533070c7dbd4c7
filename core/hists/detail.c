/*
 * Writes the detail of a sample, which is a byte string with its weight, memory access and similar values (detail.h), and reads
 * values from it. A report's columns decide which values a detail has, and thus the offset of each.
 * Layer: hists
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

static unsigned nr_words(const struct layout *l)
{
	unsigned nr = 0;

	for (unsigned i = 0; i < l->nr_keys; i++)
		nr += l->keys[i]->word != NULL;
	return nr;
}

void detail_put(const void *plan, const struct sample_view *v, struct buf *out)
{
	const struct detail_plan *p = plan;

	for (unsigned i = 0; i < p->layout->nr_keys; i++) {
		const struct key *k = p->layout->keys[i];
		uint64_t word = k->word ? k->word(v) : 0;

		if (k->word)
			buf_put(out, &word, sizeof(word));
	}
	for (unsigned i = 0; i < NR_WEIGHTS && p->needs & NEED_WEIGHTS; i++) {
		uint64_t weight = weight_of(v->item, i);

		buf_put(out, &weight, sizeof(weight));
	}
	if (p->needs & NEED_RUNNING) {
		uint64_t running = v->running;

		buf_put(out, &running, sizeof(running));
	}
	if (p->needs & NEED_DELAY) {
		const struct wait_view *wait = v->item->sample->wait;
		uint64_t delay = wait ? wait_delay(wait->wait) : 0;

		buf_put(out, &delay, sizeof(delay));
	}
	for (unsigned i = 0; i < NR_BRANCH_SUMS && p->needs & NEED_BRANCH_SUMS; i++) {
		uint64_t sum = v->branch_sums ? v->branch_sums[i] : 0;

		buf_put(out, &sum, sizeof(sum));
	}
	if (p->needs & NEED_MEM)
		mem_put(&p->mem, v->item, out);
	if (p->needs & NEED_TRACE)
		trace_keys_put(p->traces, v->item, out);
}

size_t detail_weights_at(const struct detail_plan *p)
{
	return nr_words(p->layout) * sizeof(uint64_t);
}

size_t detail_running_at(const struct detail_plan *p)
{
	return detail_weights_at(p) + (p->needs & NEED_WEIGHTS ? NR_WEIGHTS * sizeof(uint64_t) : 0);
}

size_t detail_delay_at(const struct detail_plan *p)
{
	return detail_running_at(p) + (p->needs & NEED_RUNNING ? sizeof(uint64_t) : 0);
}

size_t detail_branches_at(const struct detail_plan *p)
{
	return detail_delay_at(p) + (p->needs & NEED_DELAY ? sizeof(uint64_t) : 0);
}

size_t detail_access_at(const struct detail_plan *p)
{
	return detail_branches_at(p) + (p->needs & NEED_BRANCH_SUMS ? NR_BRANCH_SUMS * sizeof(uint64_t) : 0);
}

size_t detail_trace_at(const struct detail_plan *p)
{
	return detail_access_at(p) + (p->needs & NEED_MEM ? mem_put_size : 0);
}

uint64_t detail_word(const struct byte_table *details, uint32_t number, unsigned n)
{
	uint64_t word;
	size_t size;

	memcpy(&word, byte_table_get(details, number, &size) + n * sizeof(word), sizeof(word));
	return word;
}

uint64_t detail_value(const struct key_context *v, const struct key *k, const struct bucket_key *bucket, uint32_t location,
		      unsigned *word)
{
	if (k->word)
		return detail_word(v->details, bucket->detail, (*word)++);
	return k->column ? trace_values_number(v->traces, bucket->detail, k) : k->value(v, bucket, location);
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
		v->mem = mem_values_new(details, detail_access_at(p));
	if (p->needs & NEED_TRACE)
		v->traces = trace_values_new(p->traces, details, detail_trace_at(p));
}

void detail_context_release(struct key_context *v)
{
	trace_values_free(v->traces);
	mem_values_free(v->mem);
	key_context_release(v);
}
