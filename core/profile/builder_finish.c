/*
 * Makes the finished profile from the rows in a builder (builder.h): sorts each table and gives its rows new numbers. builder.c
 * adds the rows.
 */
#include "core/profile/builder.h"

#include <string.h>

#include "core/base/phase.h"
#include "core/base/radix.h"
#include "core/profile/builder_impl.h"
#include "core/profile/profile_impl.h"

struct maps { uint32_t *strings, *processes, *threads, *dsos, *functions, *frames, *stacks, *addresses, *weights; };

static uint32_t renumber(const uint32_t *map, uint32_t old)
{
	return old == PROFILE_NONE ? PROFILE_NONE : map[old];
}

/* Moves the rows of a table to @table, which is a table of struct profile_data. */
#define move_rows(table, unique) do {			\
	(table)->v = (void *)(unique)->rows;		\
	(table)->nr = (unique)->nr;			\
	(unique)->rows = NULL;				\
} while (0)

#define each(type, row, unique) \
	type *row = (type *)(void *)(unique)->rows; row && row < (type *)(void *)(unique)->rows + (unique)->nr; row++

/* ---- strings ---- */

struct text { const char *text; size_t n; uint32_t number; };

ORDER(compare_texts, struct text, compare_bytes(a->text, a->n, b->text, b->n))

static uint32_t *sort_strings(struct profile *p, const struct byte_table *strings)
{
	size_t nr = strings->ends.nr;
	struct text *texts = xmalloc(nr * sizeof(*texts));
	uint32_t *map = xmalloc(nr * sizeof(*map));
	char *to = p->text = xmalloc(strings->bytes.len + nr);

	for (uint32_t i = 0; i < nr; i++) {
		texts[i].text = byte_table_get(strings, i, &texts[i].n);
		texts[i].number = i;
	}
	qsort(texts, nr, sizeof(*texts), compare_texts);
	p->strings = xmalloc(nr * sizeof(*p->strings));
	for (uint32_t i = 0; i < nr; i++) {
		map[texts[i].number] = i;
		p->strings[i] = to;
		if (texts[i].n)
			memcpy(to, texts[i].text, texts[i].n);
		to += texts[i].n;
		*to++ = 0;
	}
	free(texts);
	p->data.nr_strings = nr;
	return map;
}

/* ---- threads ---- */

static void finish_threads(struct profile_builder *b, struct profile *p, struct maps *m)
{
	struct profile_thread *threads;
	struct profile_name *names;
	struct builder_name *from;

	for (each(struct profile_process, process, &b->processes))
		process->name = m->strings[process->name];
	m->processes = unique_sort(&b->processes);
	for (each(struct profile_thread, thread, &b->threads))
		thread->process = m->processes[thread->process];
	m->threads = unique_sort(&b->threads);
	for (each(struct builder_name, name, &b->names)) {
		name->thread = m->threads[name->thread];
		name->name = m->strings[name->name];
	}
	free(unique_sort(&b->names));
	threads = unique_at(&b->threads, 0);
	from = unique_at(&b->names, 0);
	names = xmalloc(MAX(b->names.nr, 1) * sizeof(*names));
	for (uint32_t i = 0; i < b->names.nr; i++) {
		struct profile_thread *t = &threads[from[i].thread];

		names[i] = (struct profile_name){ from[i].from, from[i].name };
		if (!t->nr_names++)
			t->first_name = i;
	}
	p->data.names.v = names;
	p->data.names.nr = b->names.nr;
	move_rows(&p->data.processes, &b->processes);
	move_rows(&p->data.threads, &b->threads);
}

/* ---- places ---- */

static void finish_places(struct profile_builder *b, struct profile *p, struct maps *m)
{
	for (each(struct profile_dso, dso, &b->dsos)) {
		dso->path = m->strings[dso->path];
		dso->name = m->strings[dso->name];
	}
	m->dsos = unique_sort(&b->dsos);
	for (each(struct profile_function, function, &b->functions)) {
		function->name = m->strings[function->name];
		function->dso = renumber(m->dsos, function->dso);
	}
	m->functions = unique_sort(&b->functions);
	for (each(struct profile_frame, frame, &b->frames)) {
		frame->function = m->functions[frame->function];
		frame->file = m->strings[frame->file];
	}
	m->frames = unique_sort(&b->frames);
	for (each(struct profile_address, address, &b->addresses)) {
		address->function = m->functions[address->function];
		address->own = m->functions[address->own];
		address->dso = renumber(m->dsos, address->dso);
	}
	m->addresses = unique_sort(&b->addresses);
	move_rows(&p->data.dsos, &b->dsos);
	move_rows(&p->data.functions, &b->functions);
	move_rows(&p->data.frames, &b->frames);
	move_rows(&p->data.addresses, &b->addresses);
}

static void finish_code(struct profile_builder *b, struct profile *p, const struct maps *m)
{
	for (each(struct profile_insn, insn, &b->insns)) {
		insn->function = m->functions[insn->function];
		insn->text = m->strings[insn->text];
		insn->file = m->strings[insn->file];
		insn->inlined = m->strings[insn->inlined];
	}
	for (each(struct profile_source, source, &b->sources)) {
		source->file = m->strings[source->file];
		source->text = m->strings[source->text];
	}
	free(unique_sort(&b->insns));
	free(unique_sort(&b->sources));
	move_rows(&p->data.insns, &b->insns);
	move_rows(&p->data.sources, &b->sources);
}

/* ---- stacks: level after level, so that parents are before children, and siblings are adjacent ---- */

/* Computes the depth of each node. Works in one pass, because a parent was added before its children. Returns the maximum depth. */
static uint32_t find_depths(const struct builder_stack *nodes, size_t nr, uint32_t *depths)
{
	uint32_t most = 0;

	depths[PROFILE_ROOT] = 0;
	for (size_t i = 1; i < nr; i++) {
		depths[i] = depths[nodes[i].parent] + 1;
		most = MAX(most, depths[i]);
	}
	return most;
}

/* Fills @order with the nodes, grouped by depth. Returns the index in @order at which each depth begins; owned by the caller. */
static size_t *group_by_depth(const uint32_t *depths, size_t nr, uint32_t most, uint32_t *order)
{
	size_t *begin = xcalloc((size_t)most + 2, sizeof(*begin)), *at = xcalloc((size_t)most + 2, sizeof(*at));

	for (size_t i = 0; i < nr; i++)
		begin[depths[i] + 1]++;
	for (uint32_t d = 0; d <= most; d++)
		begin[d + 1] += begin[d];
	memcpy(at, begin, ((size_t)most + 1) * sizeof(*at));
	for (uint32_t i = 0; i < nr; i++)
		order[at[depths[i]]++] = i;
	free(at);
	return begin;
}

/*
 * Numbers the nodes of a level, and merges equal ones. In @level, .low is the parent's new number << 32 | the frame, and .number is
 * the node's old number. @next is the first new number. Returns the number after the last one.
 */
static uint32_t number_level(struct radix_item *level, size_t nr, uint32_t next, uint32_t depth, struct profile_stack *out,
			     uint32_t *map)
{
	radix_sort(level, nr);
	for (size_t i = 0; i < nr; i++) {
		uint32_t parent = (uint32_t)(level[i].low >> 32);

		if (!i || level[i].low != level[i - 1].low) {
			out[next] = (struct profile_stack){ .frame = (uint32_t)level[i].low, .parent = parent, .depth = depth };
			if (!out[parent].nr_children++)
				out[parent].first_child = next;
			next++;
		}
		map[level[i].number] = next - 1;
	}
	return next;
}

static void finish_stacks(struct profile_builder *b, struct profile *p, struct maps *m)
{
	const struct builder_stack *nodes = unique_at(&b->stacks, 0);
	size_t nr = b->stacks.nr;
	uint32_t *depths = xmalloc(nr * sizeof(*depths)), *order = xmalloc(nr * sizeof(*order));
	uint32_t most = find_depths(nodes, nr, depths), next = PROFILE_ROOT + 1;
	size_t *begin = group_by_depth(depths, nr, most, order);
	struct profile_stack *out = xmalloc(nr * sizeof(*out));
	struct radix_item *level = xmalloc(nr * sizeof(*level));

	m->stacks = xmalloc(nr * sizeof(*m->stacks));
	m->stacks[PROFILE_ROOT] = PROFILE_ROOT;
	out[PROFILE_ROOT] = (struct profile_stack){ .frame = PROFILE_NONE };
	for (uint32_t d = 1; d <= most; d++) {
		size_t nr_level = begin[d + 1] - begin[d];

		for (size_t i = 0; i < nr_level; i++) {
			uint32_t node = order[begin[d] + i];

			level[i] = (struct radix_item){
				.low = (uint64_t)m->stacks[nodes[node].parent] << 32 | m->frames[nodes[node].frame],
				.number = node,
			};
		}
		next = number_level(level, nr_level, next, d, out, m->stacks);
	}
	p->data.stacks.v = out;
	p->data.stacks.nr = next;
	unique_release(&b->stacks);
	free(depths);
	free(order);
	free(begin);
	free(level);
}

/* ---- sums and samples ---- */

static bool is_same_weight(const struct profile_weight *a, const struct profile_weight *b)
{
	return a->event == b->event && a->thread == b->thread && a->comm == b->comm && a->cpu == b->cpu &&
	       a->stack == b->stack && a->address == b->address;
}

/* Merges equal weights, which are adjacent after sorting. Updates @map, the new number of each weight. */
static void join_weights(struct unique *weights, uint32_t *map)
{
	struct profile_weight *w = unique_at(weights, 0);
	uint32_t *place = xmalloc(MAX(weights->nr, 1) * sizeof(*place));
	uint32_t nr = 0;

	for (uint32_t i = 0; i < weights->nr; i++) {
		if (nr && is_same_weight(&w[nr - 1], &w[i])) {
			w[nr - 1].nr += w[i].nr;
			add_saturated(&w[nr - 1].period, w[i].period);
		} else {
			w[nr++] = w[i];
		}
		place[i] = nr - 1;
	}
	for (uint32_t i = 0; i < weights->nr; i++)
		map[i] = place[map[i]];
	weights->nr = nr;
	free(place);
}

static void finish_weights(struct profile_builder *b, struct profile *p, struct maps *m)
{
	vec_for(event, &b->events) {
		event->name = m->strings[event->name];
		event->nr = event->period = 0;
	}
	for (each(struct profile_weight, weight, &b->weights)) {
		struct profile_event *event = &b->events.v[weight->event];

		weight->thread = renumber(m->threads, weight->thread);
		weight->comm = m->strings[weight->comm];
		weight->stack = m->stacks[weight->stack];
		weight->address = renumber(m->addresses, weight->address);
		event->nr += weight->nr;
		add_saturated(&event->period, weight->period);
	}
	m->weights = unique_sort(&b->weights);
	join_weights(&b->weights, m->weights);
	move_rows(&p->data.weights, &b->weights);
	p->data.events.v = b->events.v;
	p->data.events.nr = b->events.nr;
}

/* Gives the strings in columns their new numbers, and writes the samples. */
static void finish_samples(struct profile_builder *b, struct profile *p, const struct maps *m)
{
	for (size_t c = 0; c < b->columns.nr; c++) {
		b->columns.v[c].name = m->strings[b->columns.v[c].name];
		for (size_t i = c; b->columns.v[c].text && i < b->values.nr; i += b->columns.nr)
			if (b->values.v[i] != PROFILE_NO_VALUE)
				b->values.v[i] = m->strings[b->values.v[i]];
	}
	builder_write_samples(b, p, m->weights);
	p->data.nr_samples = b->nr_samples;
	p->data.columns.v = b->columns.v;
	p->data.columns.nr = b->columns.nr;
}

/* ---- intervals, instants, links and calls ---- */

static void finish_rest(struct profile_builder *b, struct profile *p, const struct maps *m)
{
	for (each(struct profile_interval, interval, &b->intervals)) {
		interval->thread = renumber(m->threads, interval->thread);
		interval->stack = m->stacks[interval->stack];
		interval->kind = m->strings[interval->kind];
	}
	for (each(struct profile_instant, instant, &b->instants)) {
		instant->thread = renumber(m->threads, instant->thread);
		instant->kind = m->strings[instant->kind];
	}
	for (each(struct profile_link, link, &b->links)) {
		link->from_thread = renumber(m->threads, link->from_thread);
		link->to_thread = renumber(m->threads, link->to_thread);
		link->kind = m->strings[link->kind];
	}
	p->data.joined_ns = builder_thin(b, PROFILE_MAX_TIMES);
	free(unique_sort(&b->intervals));
	free(unique_sort(&b->instants));
	free(unique_sort(&b->links));
	move_rows(&p->data.intervals, &b->intervals);
	move_rows(&p->data.instants, &b->instants);
	move_rows(&p->data.links, &b->links);
}

/* Sorts calls by thread, and keeps the order of the calls of a thread. */
static void finish_calls(struct profile_builder *b, struct profile *p, const struct maps *m)
{
	size_t nr_threads = p->data.threads.nr, *at = xcalloc(nr_threads + 1, sizeof(*at));
	struct profile_call *calls = xmalloc(MAX(b->calls.nr, 1) * sizeof(*calls));

	vec_for(c, &b->calls) {
		c->thread = m->threads[c->thread];
		c->stack = m->stacks[c->stack];
		at[c->thread + 1]++;
	}
	for (size_t i = 0; i < nr_threads; i++)
		at[i + 1] += at[i];
	vec_for(c, &b->calls)
		calls[at[c->thread]++] = *c;
	p->data.calls.v = calls;
	p->data.calls.nr = b->calls.nr;
	vec_free(&b->calls);
	free(at);
}

static void finish_info(const struct profile_builder *b, struct profile *p, const struct maps *m)
{
	struct profile_info *info = &p->data.info;

	*info = b->info;
	info->hostname = m->strings[info->hostname];
	info->os_release = m->strings[info->os_release];
	info->boot_id = m->strings[info->boot_id];
	info->arch = m->strings[info->arch];
	info->cpu = m->strings[info->cpu];
	info->command = m->strings[info->command];
}

static void builder_free(struct profile_builder *b)
{
	struct unique *all[] = { &b->processes, &b->threads, &b->dsos, &b->functions, &b->frames, &b->stacks, &b->addresses,
				 &b->insns, &b->sources, &b->weights, &b->names, &b->intervals, &b->instants, &b->links };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		unique_release(all[i]);
	byte_table_release(&b->strings);
	vec_free(&b->samples);
	spill_release(&b->runs);
	vec_free(&b->values);
	free(b);
}

/*
 * Sorts each table by its contents, before the tables that refer to it: the strings first, the weights and samples last. Therefore
 * equal contents get equal numbers, even if rows were added in another order.
 */
struct profile *profile_builder_finish(struct profile_builder *b)
{
	struct profile *p = xcalloc(1, sizeof(*p));
	struct phase phase = phase_begin();
	struct maps m = { .strings = sort_strings(p, &b->strings) };

	finish_info(b, p, &m);
	finish_threads(b, p, &m);
	finish_places(b, p, &m);
	finish_code(b, p, &m);
	finish_stacks(b, p, &m);
	finish_weights(b, p, &m);
	finish_samples(b, p, &m);
	finish_rest(b, p, &m);
	finish_calls(b, p, &m);
	phase_end(&phase, "profile");
	p->findings = b->findings;
	builder_free(b);
	free(m.strings);
	free(m.processes);
	free(m.threads);
	free(m.dsos);
	free(m.functions);
	free(m.frames);
	free(m.stacks);
	free(m.addresses);
	free(m.weights);
	return p;
}
