/*
 * Prints the instructions that ran between the branches of a sample's branch stack, for the columns brstackinsn, brstackinsnlen and
 * brstackdisasm of prec script. column_address.c prints the other columns of branch stacks.
 */
#include <errno.h>
#include <string.h>

#include "core/arch.h"
#include "core/perfdata/branch_flags.h"
#include "core/model/code.h"
#include "core/model/machine.h"
#include "core/read/session.h"
#include "core/show/script/branch_counters.h"
#include "core/show/script/column.h"
#include "core/show/script/line_plan.h"

#define BLOCK_MAX	16384	/* bytes, as in perf; a longer block has a wrong end */
#define INSN_MAX	15	/* bytes of the longest instruction */
#define GUESS		128	/* bytes to print after the last branch if the sample is not after its target */
#define TEXT_WIDTH	30	/* columns of an instruction that has numbers after it */

struct branch { uint64_t from, to, flags, number; };

struct blocks {
	struct line *l;
	struct buf *out;
	const struct dso *dso;		/* the file of .symbol; NULL: no function was printed yet */
	const struct symbol *symbol;	/* the function whose name was printed last */
	uint64_t cycles;		/* the sum over all branches so far */
	/* The block that is being printed: its address, address space, file and code. */
	uint64_t start;
	uint32_t space;
	struct addr_location al;		/* where .start is */
	size_t size;
	uint8_t code[BLOCK_MAX];
};

static struct branch branch_at(const struct line *l, uint64_t i)
{
	const struct words *w = &l->sample->branches;

	return (struct branch){ words_at(w, 3 * i), words_at(w, 3 * i + 1), words_at(w, 3 * i + 2), i };
}

/* Reads the code from @start to the end of the instruction at @end. -ENXIO: just one is in the kernel; -ENOENT: unknown code. */
static int read_block(struct blocks *b, uint64_t start, uint64_t end)
{
	const struct machine *m = b->l->plan->address.machine;
	size_t wanted, n;

	if (!start || !end)
		return -ENOENT;
	b->space = column_space(b->l, start);
	if (b->space != column_space(b->l, end))
		return -ENXIO;
	if (end - start > BLOCK_MAX - INSN_MAX)
		return -ENOENT;
	wanted = (size_t)(end - start) + INSN_MAX;
	b->start = start;
	for (b->size = 0; b->size < wanted; b->size += n) {
		n = code_at(m, b->space, start + b->size, b->code + b->size, wanted - b->size);
		if (!n)
			break;
	}
	if (!b->size)
		return -ENOENT;
	machine_resolve(m, b->space, start, &b->al);
	return 0;
}

static void put_line(struct blocks *b, uint64_t ip, const char *before, const char *after)
{
	struct addr_location l;

	if (!line_has(b->l, FIELD_BIT(SRCLINE)))
		return;
	machine_resolve(b->l->plan->address.machine, b->space, ip, &l);
	if (!l.dso)
		return;
	buf_puts(b->out, before);
	address_put_line(&b->l->plan->address, b->out, &l);
	buf_puts(b->out, after);
}

/* Writes the function's name if it is not the last one that was written. */
static void put_function(struct blocks *b, uint64_t ip)
{
	struct addr_location l;

	machine_resolve(b->l->plan->address.machine, b->space, ip, &l);
	if (!l.symbol || (b->dso == l.dso && l.addr >= b->symbol->start && l.addr < b->symbol->end))
		return;
	b->dso = l.dso;
	b->symbol = l.symbol;
	buf_printf(b->out, "\t%s", l.symbol->name);
	if (l.addr != l.symbol->start)
		buf_printf(b->out, "+%llu", (unsigned long long)(l.addr - l.symbol->start));
	buf_putc(b->out, ':');
	put_line(b, ip, "\t", "");
	buf_putc(b->out, '\n');
}

/* Writes the instruction at offset @at of the block. Returns its size, or 0 if no instruction is there. */
static unsigned put_insn(struct blocks *b, size_t at, struct insn *insn)
{
	const struct arch *arch = b->l->plan->address.arch;
	const uint8_t *code = b->code + at;
	unsigned size;

	buf_putc(b->out, '\t');
	buf_hex0(b->out, b->start + at, 16);
	buf_putc(b->out, '\t');
	if (at >= b->size || arch->insn(insn, code, b->size - at, insn_mode_of(&b->al))) {
		buf_puts(b->out, "<bad>");
		return 0;
	}
	size = insn->size;
	if (line_has(b->l, FIELD_BIT(BRSTACKDISASM)) &&
	    address_put_disasm(&b->l->addresses, b->out, b->space, b->start + at, &b->al, code, size))
		return size;
	buf_puts(b->out, "insn: ");
	for (unsigned i = 0; i < size; i++) {
		buf_hex0(b->out, code[i], 2);
		buf_putc(b->out, ' ');
	}
	return size;
}

static void put_size(struct blocks *b, const char *before, unsigned size, const char *after)
{
	if (line_has(b->l, FIELD_BIT(BRSTACKINSNLEN)))
		buf_printf(b->out, "%silen: %u%s", before, size, after);
}

/* Writes an instruction that is not the block's last. Returns its size, as put_insn(). */
static unsigned put_step(struct blocks *b, size_t at, struct insn *insn)
{
	unsigned size = put_insn(b, at, insn);

	put_size(b, "\t", size, "");
	buf_putc(b->out, '\n');
	if (size)
		put_source(b->l, b->space, b->start + at, "", "\n");
	return size;
}

/* Writes the hash sign before the data of a branch, after which event counts come, as in perf. */
static void put_counters(struct blocks *b, uint64_t number)
{
	const struct line_plan *plan = b->l->plan;
	const struct words *counts = &b->l->sample->branch_counters;

	if (!line_has(b->l, FIELD_BIT(BRCNTR))) {
		buf_putc(b->out, '#');
		return;
	}
	buf_puts(b->out, "\t# br_cntr: ");
	branch_counters_put(session_events(plan->session), b->l->event->event, plan->counter_width,
			    number < counts->nr ? words_at(counts, number) : 0, b->out);
	buf_putc(b->out, ' ');
}

/* Writes the instruction that jumped, with the data of its branch. It is number @nr of its block. */
static void put_jump(struct blocks *b, size_t at, const struct branch *branch, unsigned nr)
{
	size_t start = b->out->len + 1 + 16 + 1, width;
	uint64_t flags = branch->flags, cycles = BRANCH_CYCLES(flags);
	struct insn insn;
	unsigned size = put_insn(b, at, &insn);

	width = b->out->len - start;
	buf_fill(b->out, ' ', width < TEXT_WIDTH ? TEXT_WIDTH - width : 0);
	buf_putc(b->out, '\t');
	put_size(b, "", size, "\t");
	put_line(b, b->start + at, " srcline: ", "\t");
	put_counters(b, branch->number);
	buf_printf(b->out, "%s%s%s%s", flags & BRANCH_PREDICTED ? " PRED" : "", flags & BRANCH_MISPREDICTED ? " MISPRED" : "",
		   flags & BRANCH_IN_TX ? " INTX" : "", flags & BRANCH_ABORT ? " ABORT" : "");
	if (cycles) {
		b->cycles += cycles;
		buf_printf(b->out, " %llu cycles [%llu]", (unsigned long long)cycles, (unsigned long long)b->cycles);
		if (nr)
			buf_printf(b->out, " %.2f IPC", (double)((float)nr / (float)cycles));
	}
	buf_putc(b->out, '\n');
	put_source(b->l, b->space, b->start + at, "", "\n");
}

/* Writes the code of the block up to the jump at @end. */
static void put_block(struct blocks *b, uint64_t end, const struct branch *branch)
{
	unsigned nr = 0, size;
	struct insn insn;
	size_t at = 0;

	put_function(b, b->start);
	for (; at < b->size; at += size) {
		put_function(b, b->start + at);
		nr++;
		if (b->start + at == end) {
			put_jump(b, at, branch, nr);
			return;
		}
		size = put_step(b, at, &insn);
		if (!size)
			break;
	}
	if (at != end - b->start)
		buf_puts(b->out, "\tmismatch of LBR data and executable\n");
}

static bool always_jumps(const struct insn *insn)
{
	return insn->kind != INSN_OTHER && insn->kind != INSN_COND && insn->kind != INSN_PTWRITE &&
	       insn->kind != INSN_MOV_CR3 && insn->kind != INSN_ISB;
}

/* Writes the code from the last branch to the sample, if the branch leads there. */
static void put_rest(struct blocks *b, uint64_t start)
{
	uint64_t types = b->l->event->event->attr.branch_sample_type, ip = b->l->sample->ip;
	uint64_t end = ip < start ? start + GUESS : ip;
	struct insn insn;
	unsigned size;

	if (read_block(b, start, end)) {
		if (!read_block(b, ip, ip)) {
			put_function(b, start);
			put_step(b, 0, &insn);
		}
		return;
	}
	put_function(b, start);
	for (size_t at = 0; at <= end - start; at += size) {
		size = put_step(b, at, &insn);
		if (!size)
			return;
		/* Ends at a jump that was not recorded, unless a filter kept it from being recorded. */
		if ((!types || types & PERF_SAMPLE_BRANCH_ANY) && always_jumps(&insn) && start + at != ip) {
			buf_puts(b->out, "\t... not reaching sample ...\n");
			return;
		}
	}
}

/* Prints the oldest branch, then the code from each branch's target to the next branch, in order of time, up to the sample. */
static void put_blocks(struct blocks *b, uint64_t nr)
{
	struct branch oldest = branch_at(b->l, nr - 1), newest = branch_at(b->l, 0);

	/* The start of the oldest branch's block is unknown, so only the branch is written. */
	if (!read_block(b, oldest.from, oldest.from)) {
		put_function(b, oldest.from);
		put_jump(b, 0, &oldest, 0);
	}
	for (uint64_t i = nr - 1; i > 0; i--) {
		struct branch before = branch_at(b->l, i), branch = branch_at(b->l, i - 1);
		int err = read_block(b, before.to, branch.from);

		/* If a filter left out the branch into the kernel or out of it, goes on with the next branch. */
		if (err == -ENXIO && i > 1) {
			branch = branch_at(b->l, --i - 1);
			err = read_block(b, before.to, branch.from);
		}
		if (!err)
			put_block(b, branch.from, &branch);
	}
	/* Code after the newest branch has not run if this branch is the sampled instruction or an abort. */
	if (newest.from != b->l->sample->ip && !(newest.flags & BRANCH_ABORT))
		put_rest(b, newest.to);
}

void column_blocks(struct line *l)
{
	uint64_t nr = l->sample->branch_nr, most = l->plan->opts.max_blocks;
	struct blocks b = { .l = l, .out = l->out };

	if (!nr)
		return;
	buf_putc(l->out, '\n');
	if (l->plan->address.arch && l->plan->address.arch->insn)
		put_blocks(&b, most && nr > most ? most + 1 : nr);
}
