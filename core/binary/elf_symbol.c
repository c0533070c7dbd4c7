/*
 * Finds a function or variable by name in an ELF file, first in .symtab and then in .dynsym, for uprobes and address filters. It
 * also lists functions. elf.c reads all symbols, by which names are found for addresses.
 */
#include "core/binary/elf_symbol.h"

#include <errno.h>

#include "core/ui/suggest.h"
#include "core/binary/elf.h"
#include "core/binary/elf_internal.h"

static const char *const tables[] = { ".symtab", ".dynsym" };

struct search {
	const char *name;
	GElf_Sym found;
};

static bool is_defined(const GElf_Sym *sym)
{
	return sym->st_shndx != SHN_UNDEF && sym->st_value;
}

static bool same_name(void *arg, const char *name, const GElf_Sym *sym)
{
	struct search *s = arg;
	unsigned type = GELF_ST_TYPE(sym->st_info);

	if (!is_defined(sym) || !str_eq(name, s->name) || type == STT_FILE || type == STT_SECTION || type == STT_TLS)
		return false;
	s->found = *sym;
	return true;
}

static struct elf_position position_of(const struct elf_file *e, const GElf_Sym *sym)
{
	struct elf_position p = { .vaddr = sym->st_value, .size = sym->st_size, .offset = UINT64_MAX,
				  .relocated = e->ehdr.e_type == ET_DYN };
	struct elf_segments segments = {0};

	elf_file_segments(e, &segments);
	if (segments.list.nr)
		p.first_vaddr = segments.list.v[0].vaddr;
	vec_for(segment, &segments.list)
		if (p.vaddr >= segment->vaddr && p.vaddr - segment->vaddr < segment->size)
			p.offset = p.vaddr - segment->vaddr + segment->offset;
	vec_free(&segments.list);
	return p;
}

static int open_elf(struct elf_file **out, const char *path)
{
	int err = elf_file_open(out, path);

	return err == -EINVAL ? -ENOEXEC : err;		/* a directory or device */
}

int elf_position_of(const char *path, const char *symbol, struct elf_position *out)
{
	struct search search = { .name = symbol };
	struct elf_file *e;
	int err = open_elf(&e, path);

	*out = (struct elf_position){0};
	if (err)
		return err;
	err = -ENOENT;
	for (size_t i = 0; i < ARRAY_SIZE(tables) && err; i++)
		if (elf_each_symbol(e, tables[i], same_name, &search))
			err = 0;
	if (!err)
		*out = position_of(e, &search.found);
	elf_file_close(e);
	return err;
}

static bool add_name(void *arg, const char *name, const GElf_Sym *sym)
{
	if (is_defined(sym) && GELF_ST_TYPE(sym->st_info) == STT_FUNC)
		names_add(arg, name);
	return false;
}

void elf_function_names(const char *path, struct names *out)
{
	struct elf_file *e;

	if (open_elf(&e, path))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		elf_each_symbol(e, tables[i], add_name, out);
	elf_file_close(e);
	names_sort(out);
}

struct symbol_visit {
	const struct elf_file *e;
	void (*each)(void *arg, const char *name, const struct elf_position *p, bool global);
	void *arg;
	bool any;
};

/* A label has no type. "$x" and "$d" are Arm mapping symbols, not labels (ELF for the Arm 64-bit Architecture). */
static bool is_code(const struct elf_file *e, const char *name, const GElf_Sym *sym)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);
	GElf_Shdr shdr;

	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return true;
	return type == STT_NOTYPE && *name != '$' && gelf_getshdr(elf_getscn(e->elf, sym->st_shndx), &shdr) &&
	       shdr.sh_flags & SHF_EXECINSTR;
}

static bool on_code(void *arg, const char *name, const GElf_Sym *sym)
{
	struct symbol_visit *t = arg;
	struct elf_position p;

	if (!is_defined(sym) || !is_code(t->e, name, sym))
		return false;
	p = position_of(t->e, sym);
	t->each(t->arg, name, &p, GELF_ST_BIND(sym->st_info) == STB_GLOBAL);
	t->any = true;
	return false;
}

int elf_functions(const char *path, void (*each)(void *arg, const char *name, const struct elf_position *p, bool global),
		  void *arg)
{
	struct symbol_visit t = { .each = each, .arg = arg };
	struct elf_file *e;
	int err = open_elf(&e, path);

	if (err)
		return err;
	t.e = e;
	for (size_t i = 0; i < ARRAY_SIZE(tables) && !t.any; i++)
		elf_each_symbol(e, tables[i], on_code, &t);
	elf_file_close(e);
	return 0;
}
