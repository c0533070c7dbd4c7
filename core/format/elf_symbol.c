/* Look-up in .symtab, then in .dynsym. Layer: format */
#include "core/format/elf_symbol.h"

#include <errno.h>
#include <gelf.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/suggest.h"
#include "core/base/util.h"

struct symbols {
	Elf *elf;
	int fd;
};

static int open_elf(struct symbols *s, const char *path)
{
	elf_version(EV_CURRENT);
	s->fd = open_regular(path);
	if (s->fd < 0)
		return s->fd == -EINVAL ? -ENOEXEC : s->fd;
	s->elf = elf_begin(s->fd, ELF_C_READ_MMAP, NULL);
	if (s->elf && elf_kind(s->elf) == ELF_K_ELF)
		return 0;
	elf_end(s->elf);
	close(s->fd);
	return -ENOEXEC;
}

static void close_elf(struct symbols *s)
{
	elf_end(s->elf);
	close(s->fd);
}

/* Call @each with every symbol that is defined, of the table of @type; until it returns true. */
static bool walk(Elf *elf, uint32_t type, bool (*each)(void *arg, const char *name, const GElf_Sym *sym), void *arg)
{
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		Elf_Data *data;
		GElf_Shdr shdr;
		GElf_Sym sym;

		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != type)
			continue;
		data = elf_getdata(scn, NULL);
		for (int i = 0; data && gelf_getsym(data, i, &sym); i++) {
			const char *name = elf_strptr(elf, shdr.sh_link, sym.st_name);

			if (name && sym.st_shndx != SHN_UNDEF && sym.st_value && each(arg, name, &sym))
				return true;
		}
	}
	return false;
}

struct search {
	const char *name;
	GElf_Sym found;
};

static bool same_name(void *arg, const char *name, const GElf_Sym *sym)
{
	struct search *s = arg;
	unsigned type = GELF_ST_TYPE(sym->st_info);

	if (!str_eq(name, s->name) || type == STT_FILE || type == STT_SECTION || type == STT_TLS)
		return false;
	s->found = *sym;
	return true;
}

static void locate(Elf *elf, struct elf_position *p)
{
	GElf_Ehdr ehdr;
	GElf_Phdr phdr;
	size_t nr = 0;
	bool first = true;

	p->offset = UINT64_MAX;
	p->relocated = gelf_getehdr(elf, &ehdr) && ehdr.e_type == ET_DYN;
	elf_getphdrnum(elf, &nr);
	for (size_t i = 0; i < nr && gelf_getphdr(elf, (int)i, &phdr); i++) {
		if (phdr.p_type != PT_LOAD)
			continue;
		if (first)
			p->first_vaddr = phdr.p_vaddr;
		first = false;
		if (p->vaddr >= phdr.p_vaddr && p->vaddr - phdr.p_vaddr < phdr.p_filesz)
			p->offset = p->vaddr - phdr.p_vaddr + phdr.p_offset;
	}
}

int elf_position_of(const char *path, const char *symbol, struct elf_position *out)
{
	struct search search = { .name = symbol };
	struct symbols s;
	int err = open_elf(&s, path);

	*out = (struct elf_position){0};
	if (err)
		return err;
	if (walk(s.elf, SHT_SYMTAB, same_name, &search) || walk(s.elf, SHT_DYNSYM, same_name, &search)) {
		out->vaddr = search.found.st_value;
		out->size = search.found.st_size;
		locate(s.elf, out);
	} else {
		err = -ENOENT;
	}
	close_elf(&s);
	return err;
}

static bool add_name(void *arg, const char *name, const GElf_Sym *sym)
{
	if (GELF_ST_TYPE(sym->st_info) == STT_FUNC && *name)
		names_add(arg, name);
	return false;
}

void elf_function_names(const char *path, struct names *out)
{
	struct symbols s;

	if (open_elf(&s, path))
		return;
	walk(s.elf, SHT_SYMTAB, add_name, out);
	walk(s.elf, SHT_DYNSYM, add_name, out);
	close_elf(&s);
	names_sort(out);
}

struct telling {
	Elf *elf;
	void (*each)(void *arg, const char *name, const struct elf_position *p, bool global);
	void *arg;
	bool any;
};

/* A label has no type; "$x" and its like are no labels but marks of what follows (ELF for the Arm 64-bit architecture). */
static bool is_code(Elf *elf, const char *name, const GElf_Sym *sym)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);
	GElf_Shdr shdr;

	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return *name;
	return type == STT_NOTYPE && *name && *name != '$' && gelf_getshdr(elf_getscn(elf, sym->st_shndx), &shdr) &&
	       shdr.sh_flags & SHF_EXECINSTR;
}

static bool tell_code(void *arg, const char *name, const GElf_Sym *sym)
{
	struct telling *t = arg;
	struct elf_position p = { .vaddr = sym->st_value, .size = sym->st_size };

	if (!is_code(t->elf, name, sym))
		return false;
	locate(t->elf, &p);
	t->each(t->arg, name, &p, GELF_ST_BIND(sym->st_info) == STB_GLOBAL);
	t->any = true;
	return false;
}

int elf_functions(const char *path, void (*each)(void *arg, const char *name, const struct elf_position *p, bool global),
		  void *arg)
{
	struct telling t = { .each = each, .arg = arg };
	struct symbols s;
	int err = open_elf(&s, path);

	if (err)
		return err;
	t.elf = s.elf;
	walk(s.elf, SHT_SYMTAB, tell_code, &t);
	if (!t.any)
		walk(s.elf, SHT_DYNSYM, tell_code, &t);
	close_elf(&s);
	return 0;
}
