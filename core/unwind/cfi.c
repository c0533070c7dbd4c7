/*
 * Compiles DWARF call frame information (.eh_frame, .debug_frame) into unwind rules (rules.h): parses the CIEs and FDEs of a
 * section. cfi_program.c runs the instructions in them.
 */
#include "core/unwind/cfi.h"

#include <dwarf.h>

#include "core/unwind/cfi_program.h"

#define FIRST_MAX	512	/* maximum bytes of instructions in a CIE, as each FDE may have its own; compilers write some ten */
#define TEXT_MAX	64	/* maximum bytes of an augmentation string */

/*
 * The entry (FDE) of a function. CIEs have the data that several FDEs share. One walk over a section lists its functions.
 * cfi_compile_all() compiles all functions into one table, in order of address. cfi_functions_find() compiles a function when it is
 * first needed.
 */
struct fde {
	uint64_t start, end;		/* addresses of the function; .end is at most the start of the next function */
	const uint8_t *program;		/* its instructions, in the section; FDEs are also ordered by this address */
	uint32_t size;			/* bytes of the program */
	uint32_t cie;			/* number of its CIE */
	struct rule_table *table;	/* owned; NULL: not compiled yet */
};

struct cfi_functions {
	struct cfi_section section;
	uint8_t *copy;			/* owned copy of the section; NULL: .section refers to the caller's bytes */
	VEC(struct cfi_cie) cies;
	VEC(struct fde) fdes;		/* in order of address */
	size_t nr_queued;		/* bytes of the compiled tables */
};

struct lister {			/* state while the functions of a section are listed */
	struct cfi_functions *into;
	struct rule_table *programs;	/* keeps the DWARF expressions of CIEs */
	VEC(uint64_t) cie_at;		/* offset of a CIE in the section, by the CIE's number */
	struct index by_offset;		/* numbers of CIEs by their offset */
};

struct entry {			/* an FDE or CIE; .rest has the bytes after .id */
	struct bytes rest;
	uint64_t id_at;		/* offset in the section of the word after the length, which distinguishes CIE and FDE */
	uint64_t id;		/* the value of this word */
	bool wide;		/* lengths have 64 bits */
};

/* ---- entries ---- */

static bool is_cie(const struct cfi_section *s, const struct entry *e)
{
	if (s->eh)
		return !e->id;
	return e->id == (e->wide ? UINT64_MAX : UINT32_MAX);
}

/* Reads the entry at @b, and moves @b to its end. False: there is no entry. */
static bool read_entry(const struct cfi_section *s, struct bytes *b, struct entry *e)
{
	uint64_t length = bytes_number(b, 4);

	e->wide = length == UINT32_MAX;
	if (e->wide)
		length = bytes_number(b, 8);
	e->rest = bytes_cut(b, length);
	e->id_at = (uint64_t)(e->rest.pos - s->data);
	e->id = length ? bytes_number(&e->rest, e->wide ? 8 : 4) : 0;
	return !b->bad;
}

/* Reads the data that a letter of the augmentation string, after "z", stands for. False: the letter is unknown. */
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
		/* The personality routine's address is not used, so it may be unknown. */
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

/* Stops at the first unknown letter, because its data have an unknown size. The instructions are found by the size of all data. */
static bool read_added(const struct cfi_section *s, struct cfi_cie *cie, const char *letters, struct bytes *b)
{
	struct bytes added;

	if (!*letters)
		return true;
	if (*letters != 'z')
		return false;
	cie->has_size = true;
	added = bytes_cut(b, bytes_uleb(b));
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

/* Checks the sizes of addresses and of segment selectors, which .debug_frame has since version 4. */
static bool read_sizes(const struct cfi_section *s, uint8_t version, struct bytes *b)
{
	if (s->eh || version < 4)
		return true;
	return bytes_u8(b) == s->word && !bytes_u8(b);
}

static bool read_cie(struct lister *l, const struct entry *e, struct cfi_cie *cie)
{
	const struct cfi_section *s = &l->into->section;
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
	cie->program = b;
	return cfi_run_first(s, cie, l->programs);
}

/* The number of the CIE at @offset, which is read when it is first needed. */
static uint32_t cie_at(struct lister *l, uint64_t offset)
{
	const struct cfi_section *s = &l->into->section;
	struct bytes b = { s->data, s->data + s->size, false };
	uint64_t hash = hash_u64(offset);
	struct cfi_cie cie = {0};
	struct entry e;
	uint32_t at;

	index_for(pos, &l->by_offset, hash)
		if (l->cie_at.v[pos] == offset)
			return pos;
	bytes_cut(&b, offset);
	cie.good = read_entry(s, &b, &e) && is_cie(s, &e) && read_cie(l, &e, &cie);
	at = (uint32_t)l->into->cies.nr;
	vec_push(&l->into->cies, cie);
	vec_push(&l->cie_at, offset);
	index_add(&l->by_offset, hash, at);
	return at;
}

static void read_fde(struct lister *l, const struct entry *e)
{
	const struct cfi_section *s = &l->into->section;
	uint64_t at = s->eh ? e->id_at - e->id : e->id, size;
	struct bytes b = e->rest;
	const struct cfi_cie *cie;
	struct fde fde = {0};

	if (at >= s->size)
		return;
	fde.cie = cie_at(l, at);
	cie = &l->into->cies.v[fde.cie];
	/* A function at address 0 was removed by the linker. */
	if (!cie->good || !cfi_pointer(s, &b, cie->encoding, &fde.start) || !fde.start ||
	    !cfi_pointer(s, &b, cie->encoding & 0x0f, &size) || fde.start + size <= fde.start)
		return;
	if (cie->has_size)
		bytes_cut(&b, bytes_uleb(&b));
	fde.end = fde.start + size;
	if (b.bad || (s->to && (fde.start < s->from || fde.end > s->to)) || bytes_left(&b) > UINT32_MAX)
		return;
	fde.program = b.pos;
	fde.size = (uint32_t)bytes_left(&b);
	vec_push(&l->into->fdes, fde);
}

static void read_entries(struct lister *l)
{
	const struct cfi_section *s = &l->into->section;
	struct bytes b = { s->data, s->data + s->size, false };
	struct entry e;

	while (bytes_left(&b) >= 4 && read_entry(s, &b, &e)) {
		/* Some linkers end each part of the section by a length of 0, so this is the end only if the size is unknown. */
		if (!bytes_left(&e.rest) && s->until_zero)
			break;
		if (!e.rest.bad && !is_cie(s, &e))
			read_fde(l, &e);
	}
}

/* ---- functions ---- */

ORDER(compare_fde, struct fde,
	compare_numbers(a->start, b->start) ?: compare_numbers((uintptr_t)a->program, (uintptr_t)b->program))

static bool is_sorted(const struct cfi_functions *f)
{
	for (size_t i = 1; i < f->fdes.nr; i++)
		if (f->fdes.v[i].start < f->fdes.v[i - 1].start)
			return false;
	return true;
}

/* Ends each function at the start of the next one. If several functions have the same start, keeps the first of them. */
static void part_functions(struct cfi_functions *f)
{
	size_t nr = 0;

	for (size_t i = 0; i < f->fdes.nr; i++) {
		struct fde fde = f->fdes.v[i];

		if (nr && f->fdes.v[nr - 1].start == fde.start)
			continue;
		if (nr)
			f->fdes.v[nr - 1].end = MIN(f->fdes.v[nr - 1].end, fde.start);
		f->fdes.v[nr++] = fde;
	}
	f->fdes.nr = nr;
}

static void list_functions(struct cfi_functions *f, struct rule_table *programs)
{
	struct lister l = { .into = f, .programs = programs };

	read_entries(&l);
	vec_free(&l.cie_at);
	index_release(&l.by_offset);
	if (!is_sorted(f))
		vec_sort(&f->fdes, compare_fde);
	part_functions(f);
}

static void run_fde(const struct cfi_functions *f, const struct cfi_cie *cie, const struct fde *fde, struct rule_table *out)
{
	struct bytes program = { fde->program, fde->program + fde->size, false };

	cfi_run(&f->section, cie, program, fde->start, fde->end, out);
}

static void release(struct cfi_functions *f)
{
	vec_for(fde, &f->fdes)
		if (fde->table) {
			rule_table_release(fde->table);
			free(fde->table);
		}
	vec_free(&f->cies);
	vec_free(&f->fdes);
	free(f->copy);
}

/* ---- all at once ---- */

static void compile_section(struct rule_table *out, const struct cfi_section *s)
{
	struct cfi_functions f = { .section = *s };

	list_functions(&f, out);
	if (f.fdes.nr && !out->rows.nr)
		out->base = f.fdes.v[0].start;
	vec_for(fde, &f.fdes)
		run_fde(&f, &f.cies.v[fde->cie], fde, out);
	release(&f);
}

void cfi_compile_all(struct rule_table *out, const struct cfi_section *s, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		compile_section(out, &s[i]);
	rule_table_finish(out);
}

/* ---- each when it is asked for ---- */

struct cfi_functions *cfi_functions_new(const struct cfi_section *s)
{
	struct cfi_functions *f = xcalloc(1, sizeof(*f));
	struct rule_table scratch = {0};

	f->section = *s;
	if (s->size)
		f->section.data = f->copy = memcpy(xmalloc(s->size), s->data, s->size);
	list_functions(f, &scratch);
	rule_table_release(&scratch);
	return f;
}

void cfi_functions_free(struct cfi_functions *f)
{
	if (f)
		release(f);
	free(f);
}

/* Runs the CIE again, because rules refer to DWARF expressions in their own table. */
static struct rule_table *compile_fde(const struct cfi_functions *f, const struct fde *fde)
{
	struct rule_table *t = xcalloc(1, sizeof(*t));
	struct cfi_cie cie = f->cies.v[fde->cie];

	t->base = fde->start;
	cie.first = (struct cfi_state){0};
	if (cfi_run_first(&f->section, &cie, t))
		run_fde(f, &cie, fde, t);
	rule_table_finish(t);
	return t;
}

/* Two threads may compile the same table; the second one discards its own. */
static const struct rule_table *table_of(struct cfi_functions *f, struct fde *fde)
{
	struct rule_table *known = __atomic_load_n(&fde->table, __ATOMIC_ACQUIRE), *t;

	if (known)
		return known;
	t = compile_fde(f, fde);
	if (!__atomic_compare_exchange_n(&fde->table, &known, t, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		rule_table_release(t);
		free(t);
		return known;
	}
	__atomic_add_fetch(&f->nr_queued, sizeof(*t) + rule_table_bytes(t), __ATOMIC_RELAXED);
	return t;
}

size_t cfi_functions_nr(const struct cfi_functions *f)
{
	return f->fdes.nr;
}

const struct rule_table *cfi_functions_table(struct cfi_functions *f, size_t i)
{
	return table_of(f, &f->fdes.v[i]);
}

const struct rule_table *cfi_functions_find(struct cfi_functions *f, uint64_t addr)
{
	size_t low = 0, nr = f->fdes.nr;

	/* The last function that starts at or below @addr is in [low, low + nr). */
	while (nr > 1) {
		size_t half = nr / 2;

		if (f->fdes.v[low + half].start <= addr)
			low += half;
		nr -= half;
	}
	return nr && addr >= f->fdes.v[low].start && addr < f->fdes.v[low].end ? table_of(f, &f->fdes.v[low]) : NULL;
}

size_t cfi_functions_bytes(const struct cfi_functions *f)
{
	return sizeof(*f) + (f->copy ? f->section.size : 0) + f->cies.nr * sizeof(*f->cies.v) + f->fdes.nr * sizeof(*f->fdes.v) +
	       __atomic_load_n(&f->nr_queued, __ATOMIC_RELAXED);
}
