/*
 * The entries of call frame information: CIEs, each with what some FDEs have in common, and FDEs, one a function.
 *
 * A section is walked once to list its functions, and these are compiled in order of address, so that the rows come sorted.
 * Layer: unwind
 */
#include "core/unwind/cfi.h"

#include <dwarf.h>

#include "core/unwind/cfi_program.h"

#define FIRST_MAX	512	/* bytes of the instructions of a CIE: each FDE may name another; compilers need ten */
#define TEXT_MAX	64	/* of an augmentation */

struct fde {
	uint64_t start, end;		/* of the function */
	struct bytes program;
	uint32_t cie;			/* number */
	uint32_t order;			/* in the section */
};

struct compiler {
	const struct cfi_section *section;
	struct rule_table *out;
	VEC(struct cfi_cie) cies;
	VEC(uint64_t) cie_at;		/* by number: where in the section */
	struct index by_offset;		/* CIEs */
	VEC(struct fde) fdes;
};

struct entry {			/* an FDE or CIE, from after its length on */
	struct bytes rest;
	uint64_t id_at;		/* where in the section the next word is, which tells which of both it is, */
	uint64_t id;		/* and what is there */
	bool wide;		/* lengths have 64 bits */
};

/* ---- entries ---- */

static bool is_cie(const struct cfi_section *s, const struct entry *e)
{
	if (s->eh)
		return !e->id;
	return e->id == (e->wide ? UINT64_MAX : UINT32_MAX);
}

/* The entry at @b, which goes after it; false: there is none. */
static bool read_entry(const struct cfi_section *s, struct bytes *b, struct entry *e)
{
	uint64_t length = bytes_number(b, 4);

	e->wide = length == UINT32_MAX;
	if (e->wide)
		length = bytes_number(b, 8);
	e->rest = bytes_take(b, length);
	e->id_at = (uint64_t)(e->rest.pos - s->data);
	e->id = length ? bytes_number(&e->rest, e->wide ? 8 : 4) : 0;
	return !b->bad;
}

/* After "z" each letter says what stands there. */
static bool read_letter(const struct cfi_section *s, struct cfi_cie *cie, char letter, struct bytes *added)
{
	uint64_t ignored;

	switch (letter) {
	case 'R':
		cie->encoding = bytes_u8(added);
		return true;
	case 'L':
		bytes_u8(added);
		return true;
	case 'P':
		/* Where it leads is of no interest, so that it may well be unknown. */
		return cfi_number(s, added, bytes_u8(added) & 0x0f, &ignored);
	case 'S':
		cie->is_signal = true;
		return true;
	case 'B':		/* arm64: signed with the other key */
	case 'G':		/* arm64: memory tags */
		return true;
	default:
		return false;
	}
}

/* What is not understood comes after what is: the size says where the instructions begin. */
static bool read_added(const struct cfi_section *s, struct cfi_cie *cie, const char *letters, struct bytes *b)
{
	struct bytes added;

	if (!*letters)
		return true;
	if (*letters != 'z')
		return false;
	cie->has_size = true;
	added = bytes_take(b, bytes_uleb(b));
	while (*++letters && read_letter(s, cie, *letters, &added))
		;
	return !added.bad && !b->bad;
}

static bool read_text(struct bytes *b, char text[TEXT_MAX])
{
	for (unsigned i = 0; i < TEXT_MAX; i++) {
		text[i] = (char)bytes_u8(b);
		if (!text[i])
			return !b->bad;
	}
	return false;
}

/* Since version 4 of .debug_frame: the size of addresses, and of segments, which nobody has. */
static bool read_sizes(const struct cfi_section *s, uint8_t version, struct bytes *b)
{
	if (s->eh || version < 4)
		return true;
	return bytes_u8(b) == s->word && !bytes_u8(b);
}

static bool read_cie(struct compiler *c, const struct entry *e, struct cfi_cie *cie)
{
	const struct cfi_section *s = c->section;
	struct bytes b = e->rest;
	uint8_t version = bytes_u8(&b);
	char letters[TEXT_MAX];
	uint64_t reg;

	if (version < 1 || version > 4 || version == 2 || !read_text(&b, letters) || !read_sizes(s, version, &b))
		return false;
	cie->code_align = bytes_uleb(&b);
	cie->data_align = bytes_sleb(&b);
	reg = version == 1 ? bytes_u8(&b) : bytes_uleb(&b);
	if (reg >= UNWIND_REGS || !read_added(s, cie, letters, &b) || b.bad || bytes_left(&b) > FIRST_MAX)
		return false;
	cie->return_reg = (uint8_t)reg;
	return cfi_run_first(s, cie, b, c->out);
}

/* The number of the CIE at @offset, read when it is first named. */
static uint32_t cie_at(struct compiler *c, uint64_t offset)
{
	const struct cfi_section *s = c->section;
	struct bytes b = { s->data, s->data + s->size, false };
	uint64_t hash = hash_u64(offset);
	struct cfi_cie cie = {0};
	struct entry e;
	uint32_t at;

	for (size_t i = index_first(&c->by_offset, hash); (at = index_at(&c->by_offset, i, hash)) != INDEX_END; i++)
		if (at != INDEX_OTHER && c->cie_at.v[at] == offset)
			return at;
	bytes_take(&b, offset);
	cie.good = read_entry(s, &b, &e) && is_cie(s, &e) && read_cie(c, &e, &cie);
	at = (uint32_t)c->cies.nr;
	vec_push(&c->cies, cie);
	vec_push(&c->cie_at, offset);
	index_add(&c->by_offset, hash, at);
	return at;
}

static void read_fde(struct compiler *c, const struct entry *e)
{
	const struct cfi_section *s = c->section;
	uint64_t at = s->eh ? e->id_at - e->id : e->id, size;
	struct fde fde = { .order = (uint32_t)c->fdes.nr };
	struct bytes b = e->rest;
	const struct cfi_cie *cie;

	if (at >= s->size)
		return;
	fde.cie = cie_at(c, at);
	cie = &c->cies.v[fde.cie];
	/* A function at 0 was left out by the linker. */
	if (!cie->good || !cfi_pointer(s, &b, cie->encoding, &fde.start) || !fde.start ||
	    !cfi_pointer(s, &b, cie->encoding & 0x0f, &size) || fde.start + size <= fde.start)
		return;
	if (cie->has_size)
		bytes_take(&b, bytes_uleb(&b));
	fde.end = fde.start + size;
	if (b.bad || (s->to && (fde.start < s->from || fde.end > s->to)))
		return;
	fde.program = b;
	vec_push(&c->fdes, fde);
}

static void list_functions(struct compiler *c)
{
	const struct cfi_section *s = c->section;
	struct bytes b = { s->data, s->data + s->size, false };
	struct entry e;

	while (bytes_left(&b) >= 4 && read_entry(s, &b, &e)) {
		/* A length of 0 ends the parts of some linkers, too. */
		if (!bytes_left(&e.rest) && s->until_zero)
			break;
		if (!e.rest.bad && !is_cie(s, &e))
			read_fde(c, &e);
	}
}

static int compare_fde(const void *pa, const void *pb)
{
	const struct fde *a = pa, *b = pb;

	return a->start != b->start ? compare_numbers(a->start, b->start) : compare_numbers(a->order, b->order);
}

/* Where functions overlap, the one that begins later has what it covers; of two that begin alike, the first. */
static void compile_functions(struct compiler *c)
{
	size_t next;

	for (size_t i = 0; i < c->fdes.nr; i = next) {
		const struct fde *f = &c->fdes.v[i];
		uint64_t to = f->end;

		for (next = i + 1; next < c->fdes.nr && c->fdes.v[next].start == f->start;)
			next++;
		if (next < c->fdes.nr)
			to = MIN(to, c->fdes.v[next].start);
		cfi_run(c->section, &c->cies.v[f->cie], f->program, f->start, to, c->out);
	}
}

static bool is_sorted(const struct compiler *c)
{
	for (size_t i = 1; i < c->fdes.nr; i++)
		if (c->fdes.v[i].start < c->fdes.v[i - 1].start)
			return false;
	return true;
}

static void compile_section(struct rule_table *out, const struct cfi_section *s)
{
	struct compiler c = { .section = s, .out = out };

	list_functions(&c);
	if (!is_sorted(&c))
		qsort(c.fdes.v, c.fdes.nr, sizeof(*c.fdes.v), compare_fde);
	if (c.fdes.nr && !out->rows.nr)
		out->base = c.fdes.v[0].start;
	compile_functions(&c);
	vec_free(&c.cies);
	vec_free(&c.cie_at);
	vec_free(&c.fdes);
	index_release(&c.by_offset);
}

void cfi_compile_all(struct rule_table *out, const struct cfi_section *s, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		compile_section(out, &s[i]);
	rule_table_finish(out);
}

void cfi_compile(struct rule_table *out, const struct cfi_section *s)
{
	cfi_compile_all(out, s, 1);
}
