/*
 * Formats the addresses that prec script prints, as in "main+0x10 (/usr/bin/app)", from symbols, source lines and disassembly. A
 * hash table keeps each text, because many samples have the same address.
 */
#include "core/show/script/address_text.h"

#include <string.h>

#include "core/arch.h"
#include "core/read/filter.h"
#include "core/perfdata/feature.h"
#include "core/model/addr_key.h"
#include "core/model/code.h"
#include "core/binary/disasm.h"
#include "core/model/machine.h"
#include "core/model/srcline.h"
#include "core/unwind/caller.h"

#define NOT_FOUND	UINT32_MAX
#define INSN_MAX	16	/* bytes of the longest instruction, rounded up */

/* True if the recording's table of build ids has the file of a module, which is then printed by its path, not its short name. */
static bool is_listed(const struct features *f, const struct dso *dso)
{
	vec_for(listed, &f->build_ids)
		if (listed->filename && str_eq(listed->filename, dso->path))
			return true;
	return false;
}

static const char *dso_text(const struct address_text_opts *o, const struct dso *dso)
{
	if (!dso)
		return "[unknown]";
	if (dso->kind == DSO_KERNEL && o->kernel_path && dso->symbols_from)
		return dso->symbols_from;
	if (dso->kind == DSO_MODULE && !is_listed(o->features, dso))
		return dso->name;
	return dso->path;
}

static void put_offset(struct buf *out, uint64_t offset)
{
	buf_put(out, "+0x", 3);
	buf_hex(out, offset, 0);
}

static void put_symbol(struct buf *out, const struct addr_location *l, const char *name, bool offset)
{
	if (!l->symbol) {
		buf_puts(out, "[unknown]");
		return;
	}
	buf_puts(out, name);
	if (offset)
		put_offset(out, l->addr - l->symbol->start);
}

static void put_dso(struct address_texts *t, const struct addr_location *l, unsigned form)
{
	buf_put(&t->arena, " (", 2);
	buf_puts(&t->arena, dso_text(t->opts, l->dso));
	if (form & ADDRESS_DSOFF && l->dso && l->dso->kind == DSO_USER)
		put_offset(&t->arena, l->file_addr);
	buf_putc(&t->arena, ')');
}

/* Writes address, symbol and dso in one line. */
static void put_plain(struct address_texts *t, uint64_t ip, const struct addr_location *l, unsigned form)
{
	if (form & ADDRESS_IP)
		buf_hex(&t->arena, ip, 16);
	if (form & ADDRESS_SYM) {
		buf_putc(&t->arena, ' ');
		put_symbol(&t->arena, l, l->symbol ? l->symbol->name : NULL, form & ADDRESS_SYMOFF);
	}
	if (form & ADDRESS_DSO)
		put_dso(t, l, form);
}

static bool stops_chain(const struct address_text_opts *o, const char *name)
{
	for (const char *const *stop = o->stop_at; stop && *stop; stop++)
		if (str_eq(*stop, name))
			return true;
	return false;
}

/* Appends the place in the source, or if that is unknown, the place in the file. */
static void put_line(const struct address_text_opts *o, struct buf *out, const struct addr_location *l, const struct frame *f)
{
	const char *name;

	if (!f || !f->file) {
		buf_puts(out, l->dso->name);
		buf_putc(out, '[');
		buf_hex(out, l->addr, 0);
		buf_putc(out, ']');
		return;
	}
	name = o->full_source_path ? NULL : strrchr(f->file, '/');
	buf_puts(out, name ? name + 1 : f->file);
	buf_putc(out, ':');
	buf_dec(out, f->line, 0);
}

void address_put_line(const struct address_text_opts *o, struct buf *out, const struct addr_location *l)
{
	struct frames frames = addr_location_frames(l);

	put_line(o, out, l, frames.nr ? &frames.v[0] : NULL);
}

/* Writes the source line on a new line. */
static void put_srcline(struct address_texts *t, const struct addr_location *l, const struct frame *f)
{
	if (!l->dso)
		return;
	buf_put(&t->arena, "\n  ", 3);
	put_line(t->opts, &t->arena, l, f);
}

/* Appends the line of an inlined function, with the offset in the function around it. Returns true if the chain ends there. */
static bool put_inlined(struct address_texts *t, uint64_t ip, const struct addr_location *l, const struct frame *f, unsigned form)
{
	const char *name = f->function ? f->function : "[unknown]";

	buf_putc(&t->arena, '\t');
	buf_hex(&t->arena, ip, 16);
	if (form & ADDRESS_SYM) {
		buf_putc(&t->arena, ' ');
		put_symbol(&t->arena, l, name, form & ADDRESS_SYMOFF);
	}
	if (form & ADDRESS_SRCLINE)
		put_srcline(t, l, f);
	buf_puts(&t->arena, " (inlined)\n");
	return stops_chain(t->opts, name);
}

/* The functions inlined at the address. A caller's address is after its call, and may be in another line, so looks before it. */
static struct frames frames_of(const struct address_texts *t, const struct addr_location *l, unsigned form)
{
	struct addr_location at = *l;

	if (form & ADDRESS_CALLER && !t->opts->at_return && at.addr)
		at.addr--;
	return addr_location_frames(&at);
}

/* Appends a frame. Sets a->stop if the chain ends there, a->apart if lines of inlined functions, with the address, are above. */
static void put_frame(struct address_texts *t, uint32_t space, uint64_t ip, const struct addr_location *l, struct address_text *a)
{
	unsigned form = a->form;
	bool inlined = !t->opts->no_inline && l->symbol;
	struct frames frames = inlined || form & ADDRESS_SRCLINE ? frames_of(t, l, form) : (struct frames){0};
	uint32_t i = 0;

	a->dso = l->dso;
	a->broken = form & ADDRESS_CALLER && !can_be_caller(t->opts->machine, space, ip);
	for (; inlined && i + 1 < frames.nr; i++) {
		a->apart = true;
		a->stop = put_inlined(t, ip, l, &frames.v[i], form);
		if (a->stop)
			return;
	}
	a->lead = !a->apart;
	if (!a->lead)
		buf_putc(&t->arena, '\t');
	put_plain(t, ip, l, a->lead ? form & ~ADDRESS_IP : form);
	if (form & ADDRESS_SRCLINE)
		put_srcline(t, l, i < frames.nr ? &frames.v[i] : NULL);
	buf_putc(&t->arena, '\n');
	a->stop = l->symbol && stops_chain(t->opts, l->symbol->name);
}

static void put_single(struct address_texts *t, uint64_t ip, const struct addr_location *l, unsigned form)
{
	struct frames frames = form & ADDRESS_SRCLINE ? addr_location_frames(l) : (struct frames){0};

	put_plain(t, ip, l, form);
	if (form & ADDRESS_SRCLINE)
		put_srcline(t, l, frames.nr ? &frames.v[0] : NULL);
}

/* The offset of the address in its map: in the kernel from its first address, in others as in their files. */
static uint64_t map_offset(const struct addr_location *l, uint64_t ip)
{
	if (!l->map)
		return ip;
	return l->dso->kind == DSO_KERNEL ? ip - l->map->start : l->file_addr;
}

static void put_branch(struct address_texts *t, uint64_t ip, const struct addr_location *l, unsigned form)
{
	if (form & ADDRESS_SYM) {
		put_symbol(&t->arena, l, l->symbol ? l->symbol->name : NULL, true);
	} else {
		buf_put(&t->arena, "0x", 2);
		buf_hex(&t->arena, form & ADDRESS_MAP_OFFSET ? map_offset(l, ip) : ip, 0);
	}
	if (form & ADDRESS_DSO)
		put_dso(t, l, form);
}

/* Reads the instruction's bytes into @code. Returns its size, or 0 if it cannot be read. */
static unsigned read_insn(const struct address_texts *t, uint32_t space, uint64_t ip, const struct addr_location *l,
			  uint8_t code[INSN_MAX])
{
	const struct arch *arch = t->opts->arch;
	struct insn insn;
	size_t n;

	if (!l->dso || !arch || !arch->insn)
		return 0;
	n = code_at(t->opts->machine, space, ip, code, INSN_MAX);
	if (!n || arch->insn(&insn, code, n, insn_mode_of(l)))
		return 0;
	return MIN(insn.size, n);
}

bool address_put_disasm(struct address_texts *t, struct buf *out, uint32_t space, uint64_t ip, const struct addr_location *l,
		      const uint8_t *code, unsigned size)
{
	struct addr_location to;
	uint64_t target;

	if (!t->disasm)
		t->disasm = disasm_new(t->opts->arch, false);
	if (!disasm_put(t->disasm, out, code, size, ip, insn_mode_of(l), &target))
		return false;
	if (target == UINT64_MAX)
		return true;
	machine_resolve(t->opts->machine, space, target, &to);
	if (to.symbol) {
		put_symbol(out, &to, to.symbol->name, true);
	} else {
		buf_puts(out, "0x");
		buf_hex(out, target, 0);
	}
	return true;
}

static void put_insn(struct address_texts *t, uint32_t space, uint64_t ip, const struct addr_location *l, unsigned form)
{
	uint8_t code[INSN_MAX];
	unsigned size = read_insn(t, space, ip, l, code);

	if (form & ADDRESS_INSNLEN) {
		buf_puts(&t->arena, " ilen: ");
		buf_dec(&t->arena, size, 0);
	}
	if (form & ADDRESS_INSN && size)
		buf_puts(&t->arena, " insn:");
	for (unsigned i = 0; i < size && form & ADDRESS_INSN; i++) {
		buf_putc(&t->arena, ' ');
		buf_hex0(&t->arena, code[i], 2);
	}
	if (!(form & ADDRESS_DISASM) || !size)
		return;
	buf_puts(&t->arena, "\t\t");
	if (!address_put_disasm(t, &t->arena, space, ip, l, code, size))
		buf_puts(&t->arena, "(bad)");
}

static void put_name(struct address_texts *t, uint64_t ip, const struct addr_location *l)
{
	if (l->symbol)
		put_symbol(&t->arena, l, l->symbol->name, false);
	else if (ip)
		buf_hex(&t->arena, ip, 16);
}

/* True if the text is only the address. */
static bool is_address(unsigned form)
{
	return form == ADDRESS_IP || (form & ADDRESS_BRANCH && !(form & ADDRESS_SYM));
}

/* True if the text may contain an address, in addition to a name. */
static bool has_address(const struct addr_location *l, unsigned form)
{
	return form & ADDRESS_DISASM || (form & ADDRESS_NAME && !l->symbol);
}

/* True if the code may differ from the file, by time and address space: the kernel patches its own. */
static bool changes_itself(const struct addr_location *l)
{
	return !l->dso || l->dso->kind == DSO_KERNEL || l->dso->kind == DSO_MODULE || l->dso->kind == DSO_BPF;
}

static struct address_text make(struct address_texts *t, uint32_t space, uint64_t ip, unsigned form)
{
	struct address_text e = { .at = ip, .owner = space, .form = (uint16_t)form, .apart = is_address(form) };
	struct addr_location l;
	size_t start = t->arena.len;

	machine_resolve(t->opts->machine, space, ip, &l);
	e.shown = !t->opts->filter || !filter_has_names(t->opts->filter) || filter_location(t->opts->filter, &l, ip);
	e.apart |= t->opts->filter && filter_has_addresses(t->opts->filter);
	e.apart |= has_address(&l, form) || (form & (ADDRESS_INSN | ADDRESS_INSNLEN) && changes_itself(&l));
	if (form & (ADDRESS_INSN | ADDRESS_INSNLEN | ADDRESS_DISASM))
		put_insn(t, space, ip, &l, form);
	else if (form & ADDRESS_NAME)
		put_name(t, ip, &l);
	else if (form & ADDRESS_FRAME)
		put_frame(t, space, ip, &l, &e);
	else if (form & ADDRESS_BRANCH)
		put_branch(t, ip, &l, form);
	else
		put_single(t, ip, &l, (e.lead = !e.apart) ? form & ~ADDRESS_IP : form);
	e.text = start;
	e.len = (uint32_t)(t->arena.len - start);
	buf_room(&t->arena, ADDRESS_SHORT);
	return e;
}

/* One index has the texts of all forms, by the form and an address key or address. The arena has them one after the other. */
static uint64_t hash_address(uint64_t at, uint32_t owner, unsigned form, bool apart)
{
	return hash_pair(at, (uint64_t)owner << 32 | form << 1 | apart);
}

static uint32_t add(struct address_texts *t, const struct address_text *a)
{
	index_add(&t->by_address, hash_address(a->at, a->owner, a->form, a->apart), (uint32_t)t->list.nr);
	vec_push(&t->list, *a);
	return (uint32_t)t->list.nr - 1;
}

static uint32_t find(const struct address_texts *t, uint64_t at, uint32_t owner, unsigned form, bool apart)
{
	uint64_t hash = hash_address(at, owner, form, apart);

	index_for(pos, &t->by_address, hash) {
		const struct address_text *a = &t->list.v[pos];

		if (a->at == at && a->owner == owner && a->form == form && a->apart == apart)
			return pos;
	}
	return NOT_FOUND;
}

/* The address key, or for texts that are only an address, the address and its space. */
static struct addr_key key_of(struct address_texts *t, uint32_t space, uint64_t ip, unsigned form)
{
	if (is_address(form))
		return (struct addr_key){ .at = ip, .owner = space };
	if (!t->finder)
		t->finder = addr_key_finder_new(t->opts->machine);
	return addr_key_of(t->finder, space, ip, 0);
}

/* Returns the index of the text in .list. A text may be stored by its key or by its address (.apart), so both are looked up. */
static uint32_t find_or_make(struct address_texts *t, uint32_t space, uint64_t ip, unsigned form)
{
	struct addr_key key = key_of(t, space, ip, form);
	uint32_t pos = find(t, key.at, key.owner, form, is_address(form));
	struct address_text made;

	if (pos == NOT_FOUND && !is_address(form))
		pos = find(t, ip, space, form, true);
	if (pos != NOT_FOUND)
		return pos;
	made = make(t, space, ip, form);
	if (!made.apart) {
		made.at = key.at;
		made.owner = key.owner;
	}
	return add(t, &made);
}

const struct address_text *address_text_find(struct address_texts *t, uint32_t space, uint64_t ip, unsigned form)
{
	size_t slot = address_slot(ip);
	uint32_t pos = find_or_make(t, space, ip, form);

	t->recent[slot] = (struct recent_text){ ip, space, form, pos + 1 };
	return &t->list.v[pos];
}

void address_text_want(struct address_texts *t, uint32_t space, uint64_t ip, unsigned form)
{
	struct addr_key key;
	uint64_t hash;

	if (t->nr_wanted == ADDRESS_WANTED || address_recent(t, space, ip, form))
		return;
	key = key_of(t, space, ip, form);
	hash = hash_address(key.at, key.owner, form, is_address(form));
	index_expect(&t->by_address, hash);
	t->wanted[t->nr_wanted++] = (struct wanted_text){ ip, hash, space, form };
}

/* The memory of the index was prefetched by address_text_want(). Prefetches the entries of .list, and then the texts. */
void address_texts_fetch(struct address_texts *t)
{
	for (unsigned i = 0; i < t->nr_wanted; i++) {
		uint64_t hash = t->wanted[i].hash;
		uint32_t pos = index_at(&t->by_address, hash, hash);

		if (pos < t->list.nr)
			__builtin_prefetch(&t->list.v[pos]);
	}
	for (unsigned i = 0; i < t->nr_wanted; i++) {
		const struct address_text *text = address_text(t, t->wanted[i].space, t->wanted[i].ip, t->wanted[i].form);

		__builtin_prefetch(t->arena.data + text->text);
	}
	t->nr_wanted = 0;
}

void address_texts_release(struct address_texts *t)
{
	vec_free(&t->list);
	index_release(&t->by_address);
	addr_key_finder_free(t->finder);
	t->finder = NULL;
	buf_release(&t->arena);
	disasm_free(t->disasm);
	t->disasm = NULL;
}
