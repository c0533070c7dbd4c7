/*
 * Prints the table of prec report --total-cycles: the cycles that branch stacks (LBR) recorded, by basic block. A block begins at
 * the target of a branch and ends at the next branch, whose LBR entry has the cycles of the block. A row has a block's cycles, its
 * range of source lines or addresses, and its function.
 */
#include "core/show/report/own_tables.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/hash.h"
#include "core/base/vec.h"
#include "core/model/machine.h"
#include "core/model/srcline.h"
#include "core/perfdata/branch_flags.h"
#include "core/read/filter.h"
#include "core/read/item.h"
#include "core/read/session.h"

/* If several blocks end at the same branch, their sum is shown for the longest of them. */
struct cycle_block {
	struct addr_location end;	/* the branch; .symbol is never NULL */
	uint64_t start;			/* address in the symbol's dso where the block begins; the symbol's start if unknown */
	uint64_t cycles, nr;		/* .cycles: sum over all blocks that end there; .nr: how often they ran, at least 1 */
	uint32_t space;
};

struct blocks {
	const struct machine *machine;
	VEC(struct cycle_block) list;	/* the most cycles first */
	struct index by_end;
	uint64_t cycles;		/* sum over all branches with cycles, with or without a symbol */
	uint64_t average;		/* the sum of .cycles / .nr of all blocks */
};

/* A block and its sums. .start: 0: unknown; .end: the branch that ends it; .user, .kernel: the thread's address spaces. */
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

/* The newest branch comes first. The code between two is a block only if all kinds of branches were recorded. */
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

static struct cycle_block *block_of(struct blocks *b, const struct addr_location *end, uint32_t space)
{
	uint64_t hash = hash_pair(end->addr, end->dso->number);

	index_for(pos, &b->by_end, hash) {
		struct cycle_block *known = &b->list.v[pos];

		if (known->end.dso == end->dso && known->end.addr == end->addr)
			return known;
	}
	index_add(&b->by_end, hash, (uint32_t)b->list.nr);
	vec_push(&b->list, ((struct cycle_block){ .end = *end, .start = UINT64_MAX, .space = space }));
	return &b->list.v[b->list.nr - 1];
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
static void add_block(struct blocks *b, const struct pair *p, const struct filter *filter)
{
	struct addr_location end, start;
	uint32_t space = resolve(b->machine, p, p->end, &end);
	struct cycle_block *block;

	if (!end.symbol || (filter && filter_has_names(filter) && !filter_location(filter, &end, p->end)))
		return;
	block = block_of(b, &end, space);
	block->cycles += p->cycles;
	block->nr += p->nr;
	if (!p->start)
		return;
	resolve(b->machine, p, p->start, &start);
	if (start.symbol == end.symbol && start.addr <= end.addr)
		block->start = MIN(block->start, start.addr);
}

ORDER(by_cycles, struct cycle_block,
	compare_numbers(b->cycles, a->cycles) ?: strcmp(a->end.dso->path, b->end.dso->path) ?:
	compare_numbers(a->end.addr, b->end.addr))

/* Sums cycles by the addresses where blocks begin and end, then looks up their functions and joins blocks with the same end. */
static void find_blocks(struct blocks *out, struct session *s, const struct event *event, const struct filter *filter)
{
	struct block_pass pass = { .event = event, .filter = filter };
	const struct sample_pass samples = { .worker_size = sizeof(struct pairs), .sample = on_sample, .merge = merge_worker };

	session_samples(s, &samples, &pass);
	out->cycles = pass.all.cycles;
	vec_for(pair, &pass.all.list)
		add_block(out, pair, filter);
	vec_for(block, &out->list) {
		if (block->start == UINT64_MAX)
			block->start = block->end.symbol->start;
		out->average += block->cycles / block->nr;
	}
	vec_sort(&out->list, by_cycles);
	release_pairs(&pass.all);
}

/* ---- text ---- */

/* Appends "main.c:12". False: the line is not known, and nothing is appended. */
static bool put_line(const struct machine *m, const struct cycle_block *b, uint64_t addr, struct buf *out)
{
	struct addr_location location;
	struct frames frames;
	const char *name;

	machine_resolve(m, b->space, addr_location_unmap(&b->end, addr), &location);
	frames = location.dso ? addr_location_frames(&location) : (struct frames){0};
	if (!frames.nr || !frames.v[0].file || !frames.v[0].line)
		return false;
	name = strrchr(frames.v[0].file, '/');
	buf_printf(out, "%s:%" PRIu32, name ? name + 1 : frames.v[0].file, frames.v[0].line);
	return true;
}

/* Appends "[main.c:12 -> main.c:14]", or the same with offsets in the function. */
static void put_range(const struct machine *m, const struct cycle_block *b, struct buf *out)
{
	size_t start = out->len;
	bool known;

	buf_putc(out, '[');
	known = put_line(m, b, b->start, out);
	buf_puts(out, " -> ");
	known = known && put_line(m, b, b->end.addr, out);
	if (!known) {
		out->len = start;
		buf_printf(out, "[%7" PRIx64 " -> %7" PRIx64, b->start - b->end.symbol->start,
			   b->end.addr - b->end.symbol->start);
	}
	buf_putc(out, ']');
}

struct widths { size_t range, dso; };

static void measure(const struct blocks *b, struct widths *w)
{
	struct buf text = {0};

	vec_for(block, &b->list) {
		text.len = 0;
		put_range(b->machine, block, &text);
		w->range = MAX(w->range, text.len);
		w->dso = MAX(w->dso, strlen(block->end.dso->name));
	}
	buf_release(&text);
}

static void put_titles(const struct widths *w, struct buf *out)
{
	buf_printf(out, "# Sampled Cycles%%  Sampled Cycles  Avg Cycles%%  Avg Cycles  %*s  %*s  Symbol\n"
		   "# ...............  ..............  ...........  ..........  ", (int)w->range, "[Program Block Range]",
		   (int)w->dso, "Shared Object");
	buf_fill(out, '.', w->range);
	buf_puts(out, "  ");
	buf_fill(out, '.', w->dso);
	buf_puts(out, "  ......\n#\n");
}

static double percent(uint64_t part, uint64_t all)
{
	return all ? 100.0 * (double)part / (double)all : 0;
}

static void put_row(const struct blocks *b, const struct cycle_block *block, const struct widths *w, struct buf *out)
{
	uint64_t average = block->cycles / block->nr;
	struct buf range = {0};

	put_range(b->machine, block, &range);
	buf_printf(out, "%16.2f%%  %14" PRIu64 "  %10.2f%%  %10" PRIu64 "  %*s  %*s  %s\n", percent(block->cycles, b->cycles),
		   block->cycles, percent(average, b->average), average, (int)w->range, buf_str(&range), (int)w->dso,
		   block->end.dso->name, block->end.symbol->name);
	buf_release(&range);
}

void blocks_print(struct session *s, const struct event *event, const struct filter *filter, double min_percent, bool titles,
		  struct buf *out)
{
	struct widths w = { strlen("[Program Block Range]"), strlen("Shared Object") };
	struct blocks b = { .machine = session_machine(s) };

	find_blocks(&b, s, event, filter);
	measure(&b, &w);
	if (titles) {
		buf_printf(out, "# Cycles of branches of event '%s': %" PRIu64 "\n#\n", event->name, b.cycles);
		put_titles(&w, out);
	}
	vec_for(block, &b.list)
		if (percent(block->cycles, b.cycles) >= min_percent)
			put_row(&b, block, &w, out);
	buf_putc(out, '\n');
	vec_free(&b.list);
	index_release(&b.by_end);
}
