/*
 * Disassembles a function (core/binary/disasm.h), and attaches its samples and source lines to the instructions.
 * core/model/code.h reads the machine code.
 */
#include "core/code/listing.h"

#include <stdlib.h>
#include <string.h>

#include "core/read/session.h"
#include "core/model/machine_archive.h"
#include "core/model/code.h"
#include "core/binary/disasm.h"
#include "core/ui/finding.h"
#include "core/ui/fit.h"

#define MAX_CODE	(4u << 20)	/* bytes of a function that are listed at most, because the size in a symbol may be wrong */

/* Reads one instruction. Returns false if the code is not known. */
static bool read_insn(const struct listing *l, struct listed_insn *i, uint64_t left)
{
	const struct arch *arch = machine_arch(l->machine);
	size_t (*read)(const struct machine *, uint32_t, uint64_t, void *, size_t) =
		l->flags & LISTING_IF_KNOWN ? code_if_known : code_at;
	size_t n = read(l->machine, l->f->space, i->ip, i->code, MIN(sizeof(i->code), left));

	if (!n || !arch || !arch->insn)
		return false;
	if (arch->insn(&i->insn, i->code, n, insn_mode_of(&l->f->location)) || i->insn.size > n) {
		i->insn = (struct insn){ .size = (uint8_t)(arch->family == ARCH_ARM ? MIN(n, 4) : 1) };
		i->bad = true;
	}
	return true;
}

static void read_code(struct listing *l)
{
	const struct symbol *symbol = l->f->location.symbol;
	uint64_t end = MIN(symbol->end, symbol->start + MAX_CODE);

	for (uint64_t addr = symbol->start; addr < end;) {
		struct listed_insn i = { .addr = addr, .ip = addr_location_unmap(&l->f->location, addr) };

		if (!read_insn(l, &i, end - addr))
			break;
		vec_push(&l->insns, i);
		addr += i.insn.size;
	}
}

/* Without code, lists the sampled addresses. */
static void list_addresses(struct listing *l)
{
	vec_for(w, &l->f->weights)
		if (!l->insns.nr || l->insns.v[l->insns.nr - 1].addr != w->addr)
			vec_push(&l->insns, ((struct listed_insn){ .addr = w->addr,
								   .ip = addr_location_unmap(&l->f->location, w->addr) }));
}

/* Finds the weights of each instruction. Both lists are in order of address. */
static void find_weights(struct listing *l)
{
	uint32_t at = 0;

	vec_for(i, &l->insns) {
		while (at < l->f->weights.nr && l->f->weights.v[at].addr < i->addr)
			at++;
		i->first = at;
		while (at < l->f->weights.nr && l->f->weights.v[at].addr < i->addr + MAX(i->insn.size, 1))
			at++;
		i->end = at;
	}
}

static bool jumps(const struct listed_insn *i)
{
	return i->insn.kind == INSN_JUMP || i->insn.kind == INSN_COND;
}

ORDER(by_ip, struct listed_insn, compare_numbers(a->ip, b->ip))

static void find_targets(struct listing *l)
{
	vec_for(i, &l->insns) {
		struct listed_insn *to, wanted = { .ip = i->ip + (uint64_t)i->insn.disp };

		if (!jumps(i))
			continue;
		to = bsearch(&wanted, l->insns.v, l->insns.nr, sizeof(wanted), by_ip);
		if (!to)
			continue;
		to->is_target = true;
		i->target = (uint32_t)(to - l->insns.v) + 1;
	}
}

void listing_init(struct listing *l, const struct annotation *a, const struct annotated_function *f, struct session *s,
		  unsigned flags)
{
	*l = (struct listing){ .annotation = a, .f = f, .session = s, .flags = flags, .machine = session_machine(s) };
	l->texts.archive = machine_archive(l->machine);
	for (uint32_t e = 0; e < a->totals.nr; e++)
		if (a->totals.v[e].nr)
			vec_push(&l->events, e);
	read_code(l);
	if (!l->insns.nr)
		list_addresses(l);
	find_weights(l);
	find_targets(l);
	if (machine_arch(l->machine))
		l->disasm = disasm_new(machine_arch(l->machine), flags & LISTING_INTEL);
	if (l->disasm && disasm_missing(l->disasm))
		session_found(s, FINDING_NO_DISASSEMBLY, 1, disasm_missing(l->disasm));
}

void listing_release(struct listing *l)
{
	disasm_free(l->disasm);
	source_texts_release(&l->texts);
	vec_free(&l->insns);
	vec_free(&l->events);
}

/* ---- text ---- */

/* "13e0 <blur+0x10>" */
static void put_target(const struct listing *l, uint64_t target, struct buf *out)
{
	struct addr_location to;

	machine_resolve(l->machine, l->f->space, target, &to);
	buf_hex(out, to.symbol ? to.addr : target, 0);
	if (!to.symbol)
		return;
	buf_puts(out, " <");
	fit_name(to.symbol->name, strlen(to.symbol->name), LISTING_NAME, out);
	if (to.addr > to.symbol->start) {
		buf_puts(out, "+0x");
		buf_hex(out, to.addr - to.symbol->start, 0);
	}
	buf_putc(out, '>');
}

/* Writes the bytes of an instruction that the disassembler does not know, or that it could not be asked about. */
static void put_unknown(const struct listing *l, const struct listed_insn *i, struct buf *out)
{
	buf_puts(out, !i->insn.size ? "(no code)" : i->bad ? "(bad)" : ".byte ");
	for (unsigned b = 0; b < i->insn.size && !i->bad; b++) {
		buf_puts(out, b ? ",0x" : "0x");
		buf_hex0(out, i->code[b], 2);
	}
	if (i->insn.size && !i->bad && l->disasm && !disasm_missing(l->disasm))
		buf_puts(out, "  (not known to capstone)");
}

void listing_put_insn(struct listing *l, const struct listed_insn *i, struct buf *out)
{
	uint64_t target = UINT64_MAX;
	struct buf text = {0};
	size_t mnemonic;

	if (i->bad || !l->disasm ||
	    !disasm_put(l->disasm, &text, i->code, i->insn.size, i->ip, insn_mode_of(&l->f->location), &target)) {
		put_unknown(l, i, out);
		buf_release(&text);
		return;
	}
	mnemonic = strcspn(buf_str(&text), " ");
	buf_put(out, text.data, mnemonic);
	if (target != UINT64_MAX || mnemonic + 1 < text.len)
		buf_fill(out, ' ', MAX(7, mnemonic + 1) - mnemonic);
	if (mnemonic + 1 < text.len)
		buf_put(out, text.data + mnemonic + 1, text.len - mnemonic - 1);
	if (target != UINT64_MAX)
		put_target(l, target, out);
	buf_release(&text);
}

struct frame listing_frame(const struct listing *l, const struct listed_insn *i, bool *inlined)
{
	struct addr_location location;
	struct frames frames;

	*inlined = false;
	machine_resolve(l->machine, l->f->space, i->ip, &location);
	if (!location.dso)
		return (struct frame){0};
	frames = addr_location_frames(&location);
	*inlined = frames.nr > 1;
	return frames.nr ? frames.v[0] : (struct frame){0};
}

/* The name itself is kept, even if @strip is larger than the number of directories. */
char *source_path_moved(const char *file, const char *prefix, uint64_t strip)
{
	const char *rest = file;

	if (!prefix || *file != '/')
		return xstrdup(file);
	for (uint64_t n = 0; n < strip; n++) {
		const char *next = strchr(rest + 1, '/');

		if (!next)
			break;
		rest = next;
	}
	return xasprintf("%s%s", prefix, rest);
}

bool listing_source(struct listing *l, const char *file, uint32_t line, const char **text, size_t *len)
{
	char *path = source_path_moved(file, l->prefix, l->prefix_strip);
	bool known;

	/* Forgets which lines were shown, because a line may be shown again. */
	l->texts.last.nr = 0;
	known = source_text_next(&l->texts, l->nr_asked++, path, line, text, len);
	free(path);
	return known;
}
