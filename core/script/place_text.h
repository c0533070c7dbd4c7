/*
 * Addresses as text: (site, form) -> the bytes that a line shows for it, made once for all processes that have the
 * file mapped. The address itself stands before them and is theirs. A chain's frame holds the inlined functions above
 * it as lines of their own, each with the address: such texts are made for each address.
 * Layer: script
 */
#ifndef CORE_SCRIPT_PLACE_TEXT_H
#define CORE_SCRIPT_PLACE_TEXT_H

#include "core/base/buf.h"
#include "core/base/hash.h"
#include "core/base/vec.h"

struct arch;
struct features;
struct filter;
struct machine;
struct place;
struct site_finder;

enum place_form {			/* what to show; PLACE_FRAME, _BRANCH, _CODE are forms of their own */
	PLACE_IP = 1,
	PLACE_SYM = 2,
	PLACE_SYMOFF = 4,
	PLACE_DSO = 8,
	PLACE_DSOFF = 16,
	PLACE_SRCLINE = 32,
	PLACE_FRAME = 64,		/* of a call chain: tab, inlined functions, newline */
	PLACE_BRANCH = 128,		/* in a branch stack: 0xIP, or symbol+offset with PLACE_SYM */
	PLACE_MAP_OFFSET = 256,		/* with PLACE_BRANCH: the address relative to its map */
	PLACE_INSN = 512,		/* the bytes of the instruction */
	PLACE_INSNLEN = 1024,
	PLACE_DISASM = 2048,		/* the instruction as assembler text */
	PLACE_NAME = 4096,		/* the function alone, or else the address */
};

struct place_opts {
	const struct machine *machine;
	const struct arch *arch;	/* NULL: unknown */
	const struct features *features;
	const struct filter *filter;	/* NULL: none */
	const char *const *stop_at;	/* symbols that end a chain, NULL-terminated; NULL: none */
	bool no_inline, full_source_path, kernel_path;
};

struct place_text {
	uint64_t at;		/* the site's, or of one with .apart the address and its space */
	uint32_t home;
	uint16_t form;
	bool apart;
	bool lead;		/* before the text stand a tab, with PLACE_FRAME, and the address, with PLACE_IP */
	bool shown;		/* passes the filter by names */
	bool stop;		/* a chain ends here */
	uint32_t len;
	size_t text;		/* in the arena */
};

#define PLACE_RECENT	1024
#define PLACE_WANTED	512
#define PLACE_SHORT	32		/* most texts are not longer */

struct place_texts {		/* a worker's own; = {0} with .opts set is an empty one */
	const struct place_opts *opts;
	VEC(struct place_text) list;
	struct index by_place;
	/* By address: the number in the list of the last one, from 1; 0: none. */
	struct { uint64_t ip; uint32_t space, form, number; } recent[PLACE_RECENT];
	struct { uint64_t ip, hash; uint32_t space, form; } wanted[PLACE_WANTED];
	unsigned nr_wanted;
	struct site_finder *finder;	/* owned */
	struct buf arena;		/* PLACE_SHORT bytes behind its text may be read */
	struct disasm *disasm;		/* owned */
};

static inline size_t place_slot(uint64_t ip)
{
	return (ip ^ ip >> 10) % PLACE_RECENT;
}

/* The slow half of place_text(). */
const struct place_text *place_text_find(struct place_texts *t, uint32_t space, uint64_t ip, unsigned form);

/* One of those asked for last, or NULL. */
static inline const struct place_text *place_recent(const struct place_texts *t, uint32_t space, uint64_t ip, unsigned form)
{
	size_t slot = place_slot(ip);

	if (t->recent[slot].ip != ip || t->recent[slot].space != space || t->recent[slot].form != form || !t->recent[slot].number)
		return NULL;
	return &t->list.v[t->recent[slot].number - 1];
}

/* Borrowed until the next call with the same table. */
static inline const struct place_text *place_text(struct place_texts *t, uint32_t space, uint64_t ip, unsigned form)
{
	const struct place_text *recent = place_recent(t, space, ip, form);

	return recent ? recent : place_text_find(t, space, ip, form);
}

/*
 * The text will be asked for soon: note it, and with others fetch what finding it will read, so that waiting for memory is
 * done for all of them at once. More than PLACE_WANTED are not noted.
 */
void place_text_want(struct place_texts *t, uint32_t space, uint64_t ip, unsigned form);
void place_texts_fetch(struct place_texts *t);

/* In which mode, as struct arch has it, the code at @p is; its dso is loaded. */
unsigned place_insn_mode(const struct place *p);
/*
 * Append the instruction @code of @size bytes at @ip as assembler text; an address that it goes to by its name. false, and
 * nothing is appended, where nobody knows it.
 */
bool place_put_disasm(struct place_texts *t, struct buf *out, uint32_t space, uint64_t ip, const struct place *p,
		      const uint8_t *code, unsigned size);
/* Append "file:line" of @p, whose dso is known, or else its place in the file: "name[address]". */
void place_put_line(const struct place_opts *o, struct buf *out, const struct place *p);

void place_texts_release(struct place_texts *t);

/* Append it as that of @ip, for which it was asked. */
static inline void place_text_put(struct buf *out, const struct place_texts *t, const struct place_text *p, uint64_t ip)
{
	if (p->lead && p->form & PLACE_FRAME)
		buf_putc(out, '\t');
	if (p->lead && p->form & PLACE_IP)
		buf_hex(out, ip, 16);
	if (p->len <= PLACE_SHORT)
		memcpy(buf_room(out, PLACE_SHORT), t->arena.data + p->text, PLACE_SHORT);
	else
		memcpy(buf_room(out, p->len), t->arena.data + p->text, p->len);
	out->len += p->len;
}

#endif
