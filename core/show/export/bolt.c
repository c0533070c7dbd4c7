/*
 * Writes a branch profile in BOLT's format fdata (llvm-bolt -data), for prec export --format bolt. core/code/code_counts.h
 * counts how often each branch was taken.
 * Sources: LLVM's bolt/include/bolt/Profile/DataReader.h, and for names bolt/lib/Rewrite/RewriteInstance.cpp.
 */
#include <inttypes.h>
#include <string.h>

#include "core/arch.h"
#include "core/base/hash.h"
#include "core/base/log.h"
#include "core/show/export/writers.h"
#include "core/binary/symbol.h"
#include "core/model/dso.h"

struct bolt {
	const struct code_counts *counts;
	const struct symbols *symbols;
	VEC(uint32_t) locals;		/* by symbol: its number among the local symbols of its name, from 1; 0: it is global */
	struct buf *out;
};

/* ---- names ---- */

static uint64_t hash_name(const char *name)
{
	return hash_bytes(name, strlen(name));
}

/* BOLT numbers local symbols of one name in order of address. */
static void number_locals(struct bolt *b)
{
	struct index last = {0};

	for (uint32_t n = 0; n < b->symbols->list.nr; n++) {
		const struct symbol *s = &b->symbols->list.v[n];
		uint64_t h = hash_name(s->name);
		uint32_t before = 0;

		vec_push(&b->locals, 0);
		if (s->binding != SYMBOL_LOCAL)
			continue;
		index_for(pos, &last, h)
			if (str_eq(b->symbols->list.v[pos].name, s->name))
				before = MAX(before, b->locals.v[pos]);
		b->locals.v[n] = before + 1;
		index_add(&last, h, n);
	}
	index_release(&last);
}

/* True if BOLT accepts the name. A blank would end it. Stubs of the PLT ("puts@plt") have no name in BOLT. */
static bool is_writable(const struct symbol *s)
{
	return s && *s->name && !strpbrk(s->name, " @\n");
}

static const struct symbol *find(const struct bolt *b, uint32_t file, uint64_t addr)
{
	const struct symbol *s = file == 0 ? symbols_find(b->symbols, addr) : NULL;

	return is_writable(s) ? s : NULL;
}

/* @s: NULL if BOLT knows no function. */
static void put_place(const struct bolt *b, const struct symbol *s, uint64_t addr)
{
	uint32_t local;

	if (!s) {
		buf_puts(b->out, "0 [unknown] 0 ");
		return;
	}
	local = b->locals.v[s - b->symbols->list.v];
	buf_printf(b->out, "1 %s", s->name);
	if (local)
		buf_printf(b->out, "/%u", local);
	buf_printf(b->out, " %" PRIx64 " ", addr - s->start);
}

/* Leaves out a branch if BOLT knows neither of its ends. */
static void put_branch(const struct bolt *b, const struct code_branch *j)
{
	const struct symbol *from = find(b, j->from_file, j->from), *to = find(b, j->to_file, j->to);

	if (!from && !to)
		return;
	put_place(b, from, j->from);
	put_place(b, to, j->to);
	buf_printf(b->out, "%" PRIu64 " %" PRIu64 "\n", j->missed, j->nr);
}

/* Writes a line for each conditional branch that fell through, as a branch to the next instruction. */
static void put_not_taken(const struct bolt *b, const struct code_file *f)
{
	vec_for(insn, &f->insns)
		if (insn->kind == INSN_COND && insn->passed)
			put_branch(b, &(struct code_branch){ .from = insn->addr, .to = insn->addr + insn->size,
							     .nr = insn->passed });
}

static int write_code(struct export *x, const struct code_counts *c)
{
	struct bolt b = { .counts = c, .out = &x->out->buf };

	if (!c->files.nr)
		return error("no branch is in a file: fdata is of a trace, or of samples with branch stacks (record -b)");
	b.symbols = &c->files.v[0].dso->symbols;
	number_locals(&b);
	info("fdata is of one program: '%s' (--dsos chooses another)", c->files.v[0].dso->path);
	vec_for(j, &c->branches) {
		put_branch(&b, j);
		outfile_maybe_flush(x->out);
	}
	put_not_taken(&b, &c->files.v[0]);
	vec_free(&b.locals);
	return 0;
}

const struct profile_writer bolt_writer = {
	.name = "bolt", .suffixes = ".fdata", .description = "llvm-bolt", .flags = WRITER_LINKAGE_NAMES, .code = write_code,
};
