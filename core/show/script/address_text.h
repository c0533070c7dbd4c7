/*
 * Makes the texts that prec script prints for addresses, such as "main+0x10 (/usr/bin/app)". It keeps each text by file and
 * offset (core/model/addr_key.h), so processes that map the same file share it.
 */
#ifndef CORE_SHOW_SCRIPT_ADDRESS_TEXT_H
#define CORE_SHOW_SCRIPT_ADDRESS_TEXT_H

#include "core/base/buf.h"
#include "core/base/hash.h"
#include "core/base/vec.h"

struct arch;
struct features;
struct filter;
struct machine;
struct addr_location;
struct addr_key_finder;

/* Bits for the form of a text. At most one of these is set: FRAME, BRANCH, NAME, or the group INSN, INSNLEN and DISASM. */
enum address_form {
	ADDRESS_IP = 1,
	ADDRESS_SYM = 2,
	ADDRESS_SYMOFF = 4,
	ADDRESS_DSO = 8,
	ADDRESS_DSOFF = 16,
	ADDRESS_SRCLINE = 32,
	ADDRESS_FRAME = 64,		/* a frame of a call chain: tab, functions inlined there, newline */
	ADDRESS_BRANCH = 128,		/* in a branch stack: 0xIP, or symbol+offset with ADDRESS_SYM */
	ADDRESS_MAP_OFFSET = 256,		/* with ADDRESS_BRANCH: the address relative to its map */
	ADDRESS_INSN = 512,		/* the bytes of the instruction */
	ADDRESS_INSNLEN = 1024,
	ADDRESS_DISASM = 2048,		/* the instruction as assembler text */
	ADDRESS_NAME = 4096,		/* the function alone, or else the address */
	ADDRESS_CALLER = 8192,		/* with ADDRESS_FRAME: the address is a return address */
};

struct address_text_opts {
	const struct machine *machine;
	const struct arch *arch;	/* NULL: unknown */
	const struct features *features;
	const struct filter *filter;	/* NULL: none */
	const char *const *stop_at;	/* symbols that end a chain, NULL-terminated; NULL: none */
	bool no_inline, full_source_path, kernel_path;
	bool at_return;			/* a caller has the line and inlined functions of the return address, not of the call */
};

struct address_text {
	uint64_t at;		/* .at and .owner: the address key; with .apart the address and its address space */
	uint32_t owner;
	uint16_t form;
	bool apart;		/* the text is for this address only, not for its place in the file */
	bool lead;		/* the text is preceded by a tab (ADDRESS_FRAME) and the address (ADDRESS_IP) */
	bool shown;		/* passes the filter by names */
	bool stop;		/* a chain ends here */
	bool broken;		/* with ADDRESS_CALLER: no call can return there, see core/unwind/caller.h */
	uint32_t len;
	size_t text;		/* where it begins in .arena */
	const struct dso *dso;	/* with ADDRESS_FRAME: the file of the address; borrowed; NULL: it is in no file */
};

#define ADDRESS_RECENT	1024
#define ADDRESS_WANTED	512
#define ADDRESS_SHORT	32		/* most texts are not longer */

struct recent_text { uint64_t ip; uint32_t space, form, number; };	/* .number: 1 + its index in .list; 0: none */
struct wanted_text { uint64_t ip, hash; uint32_t space, form; };

/*
 * The address itself differs by process, and is printed before the cached text. In a call chain an address with inlined functions
 * takes several lines, each with the address, so such a text is cached for one address (.apart).
 */
struct address_texts {		/* a worker's own; = {0} with .opts set is an empty one */
	const struct address_text_opts *opts;
	VEC(struct address_text) list;
	struct index by_address;
	struct recent_text recent[ADDRESS_RECENT];	/* by address_slot(): the last text that was returned */
	struct wanted_text wanted[ADDRESS_WANTED];
	unsigned nr_wanted;
	struct addr_key_finder *finder;	/* owned */
	struct buf arena;		/* all texts; ADDRESS_SHORT bytes from the start of a text may be read */
	struct disasm *disasm;		/* owned */
};

static inline size_t address_slot(uint64_t ip)
{
	return (ip ^ ip >> 10) % ADDRESS_RECENT;
}

/* The slow half of address_text(). */
const struct address_text *address_text_find(struct address_texts *t, uint32_t space, uint64_t ip, unsigned form);

/* The text if it is among the recent ones, or NULL. */
static inline const struct address_text *address_recent(const struct address_texts *t, uint32_t space, uint64_t ip, unsigned form)
{
	size_t slot = address_slot(ip);

	if (t->recent[slot].ip != ip || t->recent[slot].space != space || t->recent[slot].form != form || !t->recent[slot].number)
		return NULL;
	return &t->list.v[t->recent[slot].number - 1];
}

/* Returns the text of @ip in the address space @space, made if necessary. Borrowed until the next call with the same @t. */
static inline const struct address_text *address_text(struct address_texts *t, uint32_t space, uint64_t ip, unsigned form)
{
	const struct address_text *recent = address_recent(t, space, ip, form);

	return recent ? recent : address_text_find(t, space, ip, form);
}

/*
 * Prefetch: address_text_want() notes a text that will be asked for soon; address_texts_fetch() prefetches the memory for all noted
 * ones together, so that their cache misses overlap. Notes at most ADDRESS_WANTED.
 */
void address_text_want(struct address_texts *t, uint32_t space, uint64_t ip, unsigned form);
void address_texts_fetch(struct address_texts *t);

/*
 * Appends the instruction @code of @size bytes at @ip as assembler text, with its target by name. Returns false and appends nothing
 * if the disassembler does not know the instruction.
 */
bool address_put_disasm(struct address_texts *t, struct buf *out, uint32_t space, uint64_t ip, const struct addr_location *l,
		      const uint8_t *code, unsigned size);
/* Appends "file:line" of @l, whose dso must be known. If no line is known, appends its place in the file: "name[address]". */
void address_put_line(const struct address_text_opts *o, struct buf *out, const struct addr_location *l);

void address_texts_release(struct address_texts *t);

/* Appends the text @a of @ip. */
static inline void address_text_put(struct buf *out, const struct address_texts *t, const struct address_text *a, uint64_t ip)
{
	if (a->lead && a->form & ADDRESS_FRAME)
		buf_putc(out, '\t');
	if (a->lead && a->form & ADDRESS_IP)
		buf_hex(out, ip, 16);
	if (a->len <= ADDRESS_SHORT)
		memcpy(buf_room(out, ADDRESS_SHORT), t->arena.data + a->text, ADDRESS_SHORT);
	else
		memcpy(buf_room(out, a->len), t->arena.data + a->text, a->len);
	out->len += a->len;
}

#endif
