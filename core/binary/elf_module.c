/*
 * Computes the code of a loaded kernel module: lays out the executable sections of its file (.ko) as the kernel does, and
 * applies relocations in the code. core/model/load_kernel.c uses the layout for the addresses of symbols.
 */
#include "core/binary/elf_module.h"

#include <string.h>

#include "core/base/buf.h"
#include "core/binary/elf_internal.h"

#define CODE_MAX	(64u << 20)	/* maximum bytes of a module's code; the largest modules have some MB */
#define NOT_HERE	SIZE_MAX

/* As layout_sections() in kernel/module/main.c: executable sections come first. Sections named .init* are elsewhere. */
uint64_t *elf_file_module_layout(const struct elf_file *e)
{
	struct elf_headers headers = {0};
	uint64_t *at, end = 0;

	if (e->ehdr.e_type != ET_REL)
		return NULL;
	elf_headers(e, &headers);
	at = xmalloc(headers.list.nr * sizeof(*at));
	for (size_t i = 0; i < headers.list.nr; i++) {
		const GElf_Shdr *h = &headers.list.v[i];
		uint64_t align = is_power_of_two(h->sh_addralign) ? h->sh_addralign : 1;

		at[i] = UINT64_MAX;
		if ((h->sh_flags & (SHF_ALLOC | SHF_EXECINSTR)) != (SHF_ALLOC | SHF_EXECINSTR) ||
		    str_starts(elf_section_name(e, h), ".init") || h->sh_size > UINT32_MAX || align > UINT32_MAX)
			continue;
		at[i] = round_up(end, align);
		end = at[i] + h->sh_size;
	}
	vec_free(&headers.list);
	return at;
}

/* ---- what the kernel fills in ---- */

enum relocation { ABS64, ABS32, REL64, REL32, ARM_CALL, ARM_COND };

/* Relocations in code. The numbers are from the processor supplements to the ELF ABI. */
static const struct { uint16_t machine; uint8_t relocation; uint32_t type; } relocations[] = {
	{ EM_X86_64, ABS64, R_X86_64_64 }, { EM_X86_64, ABS32, R_X86_64_32 }, { EM_X86_64, ABS32, R_X86_64_32S },
	{ EM_X86_64, REL32, R_X86_64_PC32 }, { EM_X86_64, REL32, R_X86_64_PLT32 }, { EM_X86_64, REL64, R_X86_64_PC64 },
	{ EM_AARCH64, ARM_CALL, R_AARCH64_CALL26 }, { EM_AARCH64, ARM_CALL, R_AARCH64_JUMP26 },
	{ EM_AARCH64, ARM_COND, R_AARCH64_CONDBR19 },
};

struct known_symbol { bool tried, found, is_fentry; uint64_t addr; };

/*
 * A module's file is an object file, whose branches have no targets before relocation. References to the module's own data stay as
 * they are in the file, because the layout has only sections with code.
 */
struct module {
	const struct elf_file *file;
	uint64_t base;
	uint64_t *layout;		/* by section: offset from .base; UINT64_MAX: elsewhere */
	struct elf_headers headers;
	struct buf bytes;
	VEC(size_t) at;			/* by section: offset in .bytes, or NOT_HERE */
	elf_symbol_fn *find;
	void *ctx;
	Elf_Data *symbols;
	size_t names;			/* number of the section with the symbols' names */
	VEC(struct known_symbol) known;	/* by symbol */
};

static void find_symbol(struct module *m, uint32_t number, struct known_symbol *k)
{
	const char *name;
	GElf_Sym sym;

	k->tried = true;
	if (!gelf_getsym(m->symbols, (int)number, &sym))
		return;
	name = elf_strptr(m->file->elf, m->names, sym.st_name);
	if (sym.st_shndx == SHN_UNDEF) {
		k->found = name && *name && m->find(m->ctx, name, &k->addr);
		k->is_fentry = name && str_eq(name, "__fentry__");
	} else if (sym.st_shndx < m->headers.list.nr && m->layout[sym.st_shndx] != UINT64_MAX) {
		k->addr = m->base + m->layout[sym.st_shndx] + sym.st_value;
		k->found = true;
	}
}

static uint64_t get_le(const uint8_t *p, unsigned n)
{
	uint64_t v = 0;

	while (n)
		v = v << 8 | p[--n];
	return v;
}

static void put_le(uint8_t *p, uint64_t v, unsigned n)
{
	for (; n; n--, v >>= 8)
		*p++ = (uint8_t)v;
}

static void fill_in(uint8_t *p, enum relocation relocation, uint64_t value, uint64_t place)
{
	uint64_t insn = get_le(p, 4), words = (value - place) >> 2;

	switch (relocation) {
	case ABS64:
	case ABS32:
		put_le(p, value, relocation == ABS64 ? 8 : 4);
		break;
	case REL64:
	case REL32:
		put_le(p, value - place, relocation == REL64 ? 8 : 4);
		break;
	case ARM_CALL:
		put_le(p, (insn & 0xfc000000) | (words & 0x3ffffff), 4);
		break;
	case ARM_COND:
		put_le(p, (insn & 0xff00001f) | (words & 0x7ffff) << 5, 4);
		break;
	}
}

static void relocate(struct module *m, size_t section, const GElf_Rela *r, enum relocation relocation)
{
	static const uint8_t nop[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
	uint64_t size = m->headers.list.v[section].sh_size, number = GELF_R_SYM(r->r_info);
	unsigned width = relocation == ABS64 || relocation == REL64 ? 8 : 4;
	struct known_symbol *k;
	uint8_t *p;

	if (r->r_offset > size || size - r->r_offset < width || number >= m->known.nr)
		return;
	p = (uint8_t *)m->bytes.data + m->at.v[section] + r->r_offset;
	k = &m->known.v[number];
	if (!k->tried)
		find_symbol(m, (uint32_t)number, k);
	/* The kernel replaces calls of its function tracer by nops when it loads a module (Documentation/trace/ftrace.rst). */
	if (k->is_fentry && r->r_offset && p[-1] == 0xe8)
		memcpy(p - 1, nop, sizeof(nop));
	else if (k->found)
		fill_in(p, relocation, k->addr + (uint64_t)r->r_addend, m->base + m->layout[section] + r->r_offset);
}

static void relocate_all(struct module *m, Elf_Scn *table, const GElf_Shdr *header)
{
	Elf_Data *data = elf_contents(table);
	GElf_Rela r;

	if (!data || data->d_type != ELF_T_RELA || header->sh_info >= m->at.nr || m->at.v[header->sh_info] == NOT_HERE)
		return;
	for (int i = 0; gelf_getrela(data, i, &r); i++)
		for (size_t row = 0; row < ARRAY_SIZE(relocations); row++)
			if (relocations[row].machine == m->file->ehdr.e_machine && relocations[row].type == GELF_R_TYPE(r.r_info))
				relocate(m, header->sh_info, &r, relocations[row].relocation);
}

/* ---- the code ---- */

static void find_sections(struct module *m, struct code_image *out)
{
	for (size_t i = 0; i < m->headers.list.nr; i++) {
		Elf_Data *data = m->layout[i] == UINT64_MAX ? NULL : elf_contents(elf_getscn(m->file->elf, i));

		if (!data || data->d_size != m->headers.list.v[i].sh_size || m->bytes.len + data->d_size > CODE_MAX) {
			vec_push(&m->at, NOT_HERE);
			continue;
		}
		vec_push(&m->at, m->bytes.len);
		code_image_add(out, m->base + m->layout[i], data->d_size, m->bytes.len);
		buf_put(&m->bytes, data->d_buf, data->d_size);
	}
}

static void relocate_sections(struct module *m)
{
	Elf_Scn *section = elf_section(m->file, ".symtab", &(GElf_Shdr){0});
	GElf_Shdr header;

	m->symbols = elf_contents(section);
	if (!m->symbols || m->symbols->d_type != ELF_T_SYM || !gelf_getshdr(section, &header) || !header.sh_entsize)
		return;
	m->names = header.sh_link;
	for (size_t nr = m->symbols->d_size / header.sh_entsize; m->known.nr < nr; )
		vec_push(&m->known, (struct known_symbol){0});
	for (section = NULL; (section = elf_nextscn(m->file->elf, section)); )
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_RELA)
			relocate_all(m, section, &header);
}

void elf_module_code(const struct elf_file *e, uint64_t base, elf_symbol_fn *find, void *ctx, struct code_image *out)
{
	struct module m = { .file = e, .base = base, .layout = elf_file_module_layout(e), .find = find, .ctx = ctx };

	if (!m.layout)
		return;
	elf_headers(e, &m.headers);
	find_sections(&m, out);
	relocate_sections(&m);
	out->data = (uint8_t *)m.bytes.data;
	out->size = m.bytes.len;
	code_image_finish(out);
	free(m.layout);
	vec_free(&m.headers.list);
	vec_free(&m.at);
	vec_free(&m.known);
}
