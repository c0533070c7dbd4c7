/*
 * Adds symbols such as "malloc@plt" for the stubs of the procedure linkage table (PLT), through which a program calls its
 * libraries. core/model/load.c calls it after it has read the other symbols.
 */
#include "core/binary/elf.h"

#include <gelf.h>
#include <string.h>

#include "core/binary/elf_internal.h"

/* A stub jumps through a slot of the global offset table (GOT). The slot's relocation names the function. */
struct slot {
	uint64_t at;		/* address of the slot in the GOT */
	uint64_t addend;	/* for R_*_IRELATIVE, the address of the function's resolver */
	uint32_t symbol;	/* number of the function's symbol in .dynsym; 0: none */
};

struct slots {
	VEC(struct slot) list;
	const struct elf_file *file;
	Elf_Data *table;	/* .dynsym */
	size_t strings;		/* number of the section with the names of .table */
};

ORDER(compare_slot, struct slot, compare_numbers(a->at, b->at))

/* True for a relocation of a pointer to the file's own data. Large programs have 100,000s of these in .rela.dyn. */
static bool is_relative(const struct slots *s, const GElf_Rela *a)
{
	return s->file->ehdr.e_machine == EM_X86_64 && GELF_R_TYPE(a->r_info) == R_X86_64_RELATIVE;
}

static void add_slots(struct slots *s, const char *section)
{
	GElf_Shdr header, table;
	Elf_Scn *scn = elf_section(s->file, section, &header), *symbols;
	Elf_Data *data = elf_contents(scn);
	GElf_Rela a;
	GElf_Rel r;

	if (!data || !(symbols = elf_getscn(s->file->elf, header.sh_link)) || !gelf_getshdr(symbols, &table))
		return;
	s->table = elf_contents(symbols);
	if (s->table && s->table->d_type != ELF_T_SYM)
		s->table = NULL;
	s->strings = table.sh_link;
	for (int i = 0; data->d_type == ELF_T_RELA && gelf_getrela(data, i, &a); i++)
		if (!is_relative(s, &a))
			vec_push(&s->list,
				 (struct slot){ a.r_offset, (uint64_t)a.r_addend, (uint32_t)GELF_R_SYM(a.r_info) });
	for (int i = 0; data->d_type == ELF_T_REL && gelf_getrel(data, i, &r); i++)
		vec_push(&s->list, (struct slot){ r.r_offset, 0, (uint32_t)GELF_R_SYM(r.r_info) });
}

/* The name for a slot: that of its dynamic symbol, or of the file's symbol at the address of its resolver. NULL: unknown. */
static const char *slot_name(const struct slots *s, const struct slot *slot, const struct symbols *known)
{
	const struct symbol *own;
	const char *name;
	GElf_Sym sym;

	if (slot->symbol) {
		if (!s->table || slot->symbol > INT32_MAX || !gelf_getsym(s->table, (int)slot->symbol, &sym))
			return NULL;
		name = elf_strptr(s->file->elf, s->strings, sym.st_name);
		return name && *name ? name : NULL;
	}
	own = slot->addend ? symbols_find(known, slot->addend) : NULL;
	return own && own->start == slot->addend ? own->name : NULL;
}

struct stubs { VEC(struct symbol) list; };

/* Adds a symbol for a stub. Takes over @text, its name. */
static void add_stub(struct stubs *out, struct symbols *names, char *text, uint64_t start, uint64_t size)
{
	vec_push(&names->text, text);
	vec_push(&out->list, (struct symbol){
		.start = start, .end = start + size, .name = text, .binding = SYMBOL_GLOBAL, .function = true,
	});
}

/* ---- x86-64 ---- */

/* Finds the address of the slot through which the stub jumps. False: the code is no stub. */
static bool jump_slot(const uint8_t *code, uint64_t size, uint64_t at, uint64_t *slot)
{
	for (uint64_t i = 0; i + 6 <= size; i++) {
		int32_t disp;

		if (code[i] != 0xff || code[i + 1] != 0x25)
			continue;
		memcpy(&disp, code + i + 2, 4);
		*slot = at + i + 6 + (uint64_t)(int64_t)disp;
		return true;
	}
	return false;
}

/*
 * Returns the size of a stub: as the section header says, or else @usual. A stub of a static program, which is for a function with
 * a resolver, is a jump and two bytes of padding. Source: x86-64 psABI, "Procedure Linkage Table".
 */
static uint64_t x86_stub_size(const GElf_Shdr *header, const Elf_Data *data, uint64_t usual)
{
	const uint8_t *code = data->d_buf;

	if (header->sh_entsize == 8 || header->sh_entsize == 16)
		return header->sh_entsize;
	return data->d_size >= 16 && code[0] == 0xff && code[1] == 0x25 && code[8] == 0xff && code[9] == 0x25 ? 8 : usual;
}

/* True if the table begins with a head, which first pushes a slot of its own. Static programs have no head. */
static bool has_x86_head(const Elf_Data *data)
{
	const uint8_t *code = data ? data->d_buf : NULL;

	return data && data->d_size >= 16 && code[0] == 0xff && code[1] == 0x35;
}

static void add_x86_stubs(const struct slots *s, const char *section, uint64_t size, struct symbols *known,
			  struct stubs *out)
{
	GElf_Shdr header;
	Elf_Data *data = elf_contents(elf_section(s->file, section, &header));

	if (!data)
		return;
	size = x86_stub_size(&header, data, size);
	for (uint64_t i = 0; i + size <= data->d_size; i += size) {
		struct slot key, *slot;
		const char *name;

		if (!jump_slot((const uint8_t *)data->d_buf + i, size, header.sh_addr + i, &key.at))
			continue;
		slot = bsearch(&key, s->list.v, s->list.nr, sizeof(key), compare_slot);
		name = slot ? slot_name(s, slot, known) : NULL;
		if (name)
			add_stub(out, known, xasprintf("%s@plt", name), header.sh_addr + i, size);
	}
}

/*
 * Reads the slot of each stub from its instruction `jmp *slot(%rip)`, in all kinds of tables: .plt, .plt.sec with IBT, .plt.got.
 * Only .plt begins with a head (PLT0), which calls the dynamic linker. Its symbol is ".plt", as in perf.
 */
static void x86_stubs(struct slots *s, struct symbols *known, struct stubs *out)
{
	GElf_Shdr plt;

	add_slots(s, ".rela.plt");
	add_slots(s, ".rela.dyn");
	if (!s->list.nr)
		return;
	vec_sort(&s->list, compare_slot);
	if (has_x86_head(elf_contents(elf_section(s->file, ".plt", &plt))))
		add_stub(out, known, xstrdup(".plt"), plt.sh_addr, 16);
	add_x86_stubs(s, ".plt", 16, known, out);
	add_x86_stubs(s, ".plt.sec", 16, known, out);
	add_x86_stubs(s, ".plt.got", 8, known, out);
}

/* ---- others ---- */

/*
 * Bytes of the table's head (PLT0), and of a stub, as linkers make them. Sources: i386 psABI, "Procedure Linkage Table"; for
 * AArch64, what ld makes: static programs have no head, and a stub has 24 bytes with BTI or PAC.
 */
static const struct layout {
	uint16_t machine;
	uint8_t head, stub;
} layouts[] = {
	{ EM_386, 16, 16 },
	{ EM_AARCH64, 32, 16 }, { EM_AARCH64, 32, 24 },		/* the second is with BTI or PAC */
	{ EM_AARCH64, 0, 16 }, { EM_AARCH64, 0, 24 },		/* static programs, for functions with a resolver */
	{ EM_ARM, 20, 12 }, { EM_ARM, 20, 16 }, { EM_ARM, 32, 16 },	/* GNU ld; GNU ld for Thumb; LLVM */
};

/* Returns the layout that fits the size of the table exactly; else one with a head and the longest stubs that fit. NULL: none. */
static const struct layout *layout_of(uint16_t machine, uint64_t size, uint64_t nr)
{
	const struct layout *found = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		const struct layout *l = &layouts[i];

		if (l->machine == machine && l->head + nr * l->stub == size)
			return l;
		if (l->machine == machine && l->head && l->head + nr * l->stub <= size)
			found = l;
	}
	return found;
}

/* The stubs are in the order of the relocations in .rela.plt or .rel.plt. */
static void ordered_stubs(struct slots *s, struct symbols *known, struct stubs *out)
{
	const struct layout *l;
	GElf_Shdr plt;

	add_slots(s, ".rela.plt");
	if (!s->list.nr)
		add_slots(s, ".rel.plt");
	if (!s->list.nr || !elf_section(s->file, ".plt", &plt))
		return;
	l = layout_of(s->file->ehdr.e_machine, plt.sh_size, s->list.nr);
	if (!l)
		return;
	if (l->head)
		add_stub(out, known, xstrdup(".plt"), plt.sh_addr, l->head);
	for (size_t i = 0; i < s->list.nr; i++) {
		const char *name = slot_name(s, &s->list.v[i], known);

		if (name)
			add_stub(out, known, xasprintf("%s@plt", name), plt.sh_addr + l->head + i * l->stub, l->stub);
	}
}

void elf_file_plt(const struct elf_file *e, struct symbols *known)
{
	struct slots slots = { .file = e };
	struct stubs stubs = {0};

	if (e->ehdr.e_machine == EM_X86_64)
		x86_stubs(&slots, known, &stubs);
	else
		ordered_stubs(&slots, known, &stubs);
	/* Added last, because the names of the file's functions are looked up in the same table. */
	vec_for(stub, &stubs.list)
		symbols_add(known, stub);
	vec_free(&stubs.list);
	vec_free(&slots.list);
}
