/*
 * Sums the cycles that branch stacks (LBR) recorded, by basic block. A block begins at the target of a branch and ends at the
 * next branch, whose LBR entry has the cycles of the block.
 * Layer: code
 */
#include "core/code/block_cycles.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/read/filter.h"
#include "core/read/item.h"
#include "core/read/session.h"
#include "core/perfdata/branch_flags.h"

/*
 * A block and its sums. .start: the target of the branch before the block, or 0: unknown. .end: the address of the branch that ends
 * it. .user and .kernel are the address spaces of the thread.
 */
struct pair { uint64_t start, end, cycles, nr; uint32_t user, kernel; };

struct pairs {
	VEC(struct pair) list;
	struct index by_place;
	uint64_t cycles;
};

struct block_pass {
	const struct event *event;
	const struct filter *filter;
	struct pairs all;
};

static void add_pair(struct pairs *p, const struct pair *added)
{
	uint64_t hash = hash_pair(added->start ^ added->end << 17, (uint64_t)added->user << 32 | added->kernel);

	index_for(pos, &p->by_place, hash) {
		struct pair *known = &p->list.v[pos];

		if (known->start == added->start && known->end == added->end && known->user == added->user &&
		    known->kernel == added->kernel) {
			known->cycles += added->cycles;
			known->nr += added->nr;
			return;
		}
	}
	index_add(&p->by_place, hash, (uint32_t)p->list.nr);
	vec_push(&p->list, *added);
}

static void release_pairs(struct pairs *p)
{
	vec_free(&p->list);
	index_release(&p->by_place);
}

/*
 * Adds the branches of a sample. The code between two branches is a block only if all kinds of branches were recorded. The newest
 * branch comes first.
 */
static void on_sample(void *worker, void *ctx, const struct item *item)
{
	const struct block_pass *pass = ctx;
	const struct sample *s = item->sample;
	bool all = item->event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_ANY;
	struct pair pair = { .user = item->context->user_space, .kernel = item->context->kernel_space, .nr = 1 };
	struct pairs *p = worker;

	if (item->event != pass->event || !s->branch_nr || !BRANCH_CYCLES(words_at(&s->branches, 2)) ||
	    (pass->filter && !filter_item(pass->filter, item)))
		return;
	for (uint64_t i = s->branch_nr; i-- > 0;) {
		pair.end = words_at(&s->branches, 3 * i);
		pair.cycles = BRANCH_CYCLES(words_at(&s->branches, 3 * i + 2));
		add_pair(p, &pair);
		p->cycles += pair.cycles;
		pair.start = all ? words_at(&s->branches, 3 * i + 1) : 0;
	}
}

static void merge_worker(void *worker, void *ctx)
{
	struct pairs *p = worker;
	struct block_pass *pass = ctx;

	vec_for(pair, &p->list)
		add_pair(&pass->all, pair);
	pass->all.cycles += p->cycles;
	release_pairs(p);
}

/* ---- names ---- */

struct by_end { struct index places; struct blocks *out; };

static struct cycle_block *block_of(struct by_end *b, const struct addr_location *end, uint32_t space)
{
	uint64_t hash = hash_pair(end->addr, end->dso->number);

	index_for(pos, &b->places, hash) {
		struct cycle_block *known = &b->out->list.v[pos];

		if (known->end.dso == end->dso && known->end.addr == end->addr)
			return known;
	}
	index_add(&b->places, hash, (uint32_t)b->out->list.nr);
	vec_push(&b->out->list, ((struct cycle_block){ .end = *end, .start = UINT64_MAX, .space = space }));
	return &b->out->list.v[b->out->list.nr - 1];
}

static uint32_t resolve(const struct machine *m, const struct pair *p, uint64_t addr, struct addr_location *out)
{
	machine_resolve(m, p->user, addr, out);
	if (out->dso)
		return p->user;
	machine_resolve(m, p->kernel, addr, out);
	return p->kernel;
}

/* Adds a block if it is within one function. */
static void add_block(struct by_end *b, const struct machine *m, const struct pair *p, const struct filter *filter)
{
	struct addr_location end, start;
	uint32_t space = resolve(m, p, p->end, &end);
	struct cycle_block *block;

	if (!end.symbol || (filter && filter_has_names(filter) && !filter_location(filter, &end, p->end)))
		return;
	block = block_of(b, &end, space);
	block->cycles += p->cycles;
	block->nr += p->nr;
	if (!p->start)
		return;
	resolve(m, p, p->start, &start);
	if (start.symbol == end.symbol && start.addr <= end.addr)
		block->start = MIN(block->start, start.addr);
}

static int by_cycles(const void *pa, const void *pb)
{
	const struct cycle_block *a = pa, *b = pb;
	int order;

	if (a->cycles != b->cycles)
		return a->cycles > b->cycles ? -1 : 1;
	order = strcmp(a->end.dso->path, b->end.dso->path);
	return order ? order : compare_numbers(a->end.addr, b->end.addr);
}

/*
 * First, cycles are summed by the two addresses where a block begins and ends. Then the functions at these addresses are looked up,
 * and blocks with the same end are joined.
 */
void blocks_find(struct blocks *out, struct session *s, const struct event *event, const struct filter *filter)
{
	struct block_pass pass = { .event = event, .filter = filter };
	const struct sample_pass samples = { .worker_size = sizeof(struct pairs), .sample = on_sample, .merge = merge_worker };
	struct by_end b = { .out = out };

	*out = (struct blocks){0};
	session_samples(s, &samples, &pass);
	out->cycles = pass.all.cycles;
	vec_for(pair, &pass.all.list)
		add_block(&b, session_machine(s), pair, filter);
	vec_for(block, &out->list) {
		if (block->start == UINT64_MAX)
			block->start = block->end.symbol->start;
		out->average += block->cycles / block->nr;
	}
	vec_sort(&out->list, by_cycles);
	release_pairs(&pass.all);
	index_release(&b.places);
}

void blocks_release(struct blocks *b)
{
	vec_free(&b->list);
}
