/*
 * Counts how often each instruction ran and each branch was taken in a recording, for prec export to BOLT, AutoFDO and LCOV. The
 * counts are by file and address.
 */
#ifndef CORE_CODE_CODE_COUNTS_H
#define CORE_CODE_CODE_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/vec.h"

struct dso;
struct event;
struct filter;
struct insn;
struct machine;
struct session;
struct symbol;

struct code_insn {
	uint64_t addr;			/* in the dso's terms: ELF virtual address */
	uint64_t nr;			/* how often it ran */
	uint64_t passed;		/* how often the next instruction in memory ran after it: for a branch, how often it was not
					 * taken */
	uint8_t size, kind;		/* bytes; enum insn_kind */
};

struct code_branch {
	uint64_t from, to;		/* as code_insn.addr */
	uint32_t from_file, to_file;	/* index in code_counts.files; CODE_NOWHERE: nothing is mapped there */
	uint64_t nr, missed;		/* .nr: how often it was taken; .missed: how often it was mispredicted */
	uint8_t kind;			/* enum insn_kind of the instruction at .from; INSN_OTHER: no branch, or unknown */
};

#define CODE_NOWHERE UINT32_MAX

struct code_file {
	struct dso *dso;		/* borrowed from the machine */
	uint32_t space;			/* an address space in which the file is mapped */
	uint64_t bias;			/* its addresses in .space are those of the dso plus .bias */
	uint64_t nr;			/* instructions that ran in it */
	VEC(struct code_insn) insns;	/* by address */
};

/*
 * The counts of instructions come from the branches of a hardware trace or of branch stacks (LBR), if there are any: all
 * instructions between the target of one branch and the source of the next one ran. Without branches, the number of samples at each
 * instruction is an estimate.
 */
struct code_counts {
	VEC(struct code_file) files;	/* the file in which most instructions ran comes first */
	VEC(struct code_branch) branches;	/* by from_file, from, to_file, to */
	uint64_t nr_branches;		/* number of branches seen */
	bool from_samples;		/* there were no branches: .nr counts the samples at each instruction */
	const struct machine *machine;	/* borrowed */
};

struct code_counts_opts {
	const struct filter *filter;	/* borrowed; its names of dsos select files */
	const struct event *event;	/* only its samples' stacks; NULL: all. Borrowed */
	bool samples_will_do;		/* without branches, count samples: of .event, or of the first that is no tracepoint */
};

/* Counts over all of @s. A hardware trace's decoder must be attached, and give all branches. Owned: code_counts_free(). */
struct code_counts *code_counts_new(struct session *s, const struct code_counts_opts *o);
void code_counts_free(struct code_counts *c);

/* The symbol that covers @addr of a file; NULL: none. */
const struct symbol *code_symbol(const struct code_file *f, uint64_t addr);
/* Copies up to @n bytes of the code at @addr of a file. Returns how many; 0: the code is not known. */
size_t code_read(const struct code_counts *c, const struct code_file *f, uint64_t addr, void *out, size_t n);
/* Decodes an instruction, as insn() of the recording's struct arch does in 64-bit mode. */
int code_decode(const struct code_counts *c, struct insn *out, const uint8_t *code, size_t n);
/* The instruction at @addr; NULL: it did not run. */
const struct code_insn *code_insn_at(const struct code_file *f, uint64_t addr);

#endif
