/*
 * Opens ELF files with libelf, and reads their sections, segments and symbol tables. The other elf_*.c files read parts that
 * need more code, such as the PLT or Go's function table.
 */
#include "core/binary/elf.h"

#include <endian.h>
#include <errno.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/binary/elf_internal.h"

#define PAGE_SIZE 4096ull

int elf_file_open(struct elf_file **out, const char *path)
{
	struct elf_file *e;
	int fd = open_regular(path);

	if (fd < 0)
		return fd;
	elf_version(EV_CURRENT);
	e = xcalloc(1, sizeof(*e));
	e->fd = fd;
	e->elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (e->elf && elf_kind(e->elf) != ELF_K_ELF)
		elf_unpack(e);
	if (!e->elf || elf_kind(e->elf) != ELF_K_ELF || !gelf_getehdr(e->elf, &e->ehdr)) {
		elf_file_close(e);
		return -ENOEXEC;
	}
	if (elf_getshdrstrndx(e->elf, &e->section_names))
		e->section_names = 0;
	*out = e;
	return 0;
}

void elf_file_close(struct elf_file *e)
{
	if (!e)
		return;
	elf_end(e->elf);
	free(e->unpacked);
	close(e->fd);
	free(e);
}

unsigned elf_file_class(const struct elf_file *e)
{
	return gelf_getclass(e->elf) == ELFCLASS32 ? 32 : 64;
}

/* ---- sections ---- */

const char *elf_section_name(const struct elf_file *e, const GElf_Shdr *header)
{
	const char *name = e->section_names ? elf_strptr(e->elf, e->section_names, header->sh_name) : NULL;

	return name ? name : "";
}

Elf_Scn *elf_section(const struct elf_file *e, const char *name, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(e->elf, section)))
		if (gelf_getshdr(section, header) && str_eq(elf_section_name(e, header), name))
			return section;
	return NULL;
}

Elf_Data *elf_contents(Elf_Scn *section)
{
	GElf_Shdr header;
	Elf_Data *data;

	if (!section || !gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
		return NULL;
	data = elf_getdata(section, NULL);
	return data && data->d_buf && data->d_size ? data : NULL;
}

bool elf_file_has(const struct elf_file *e, const char *name)
{
	GElf_Shdr header;

	return elf_contents(elf_section(e, name, &header)) != NULL;
}

void elf_file_build_id(const struct elf_file *e, struct build_id *out)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	*out = (struct build_id){0};
	while ((section = elf_nextscn(e->elf, section))) {
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_NOTE)
			continue;
		data = elf_rawdata(section, NULL);
		if (data && data->d_buf && !build_id_of_notes(out, data->d_buf, data->d_size))
			return;
	}
}

const char *elf_file_debuglink(const struct elf_file *e, uint32_t *crc)
{
	GElf_Shdr header;
	Elf_Data *data = elf_contents(elf_section(e, ".gnu_debuglink", &header));
	const char *name = data ? data->d_buf : NULL, *end = name ? memchr(name, '\0', data->d_size) : NULL;
	size_t at = end ? round_up((size_t)(end - name) + 1, 4) : 0;

	if (!end || end == name || strchr(name, '/') || at > data->d_size || data->d_size - at < sizeof(*crc))
		return NULL;
	memcpy(crc, name + at, sizeof(*crc));
	*crc = e->ehdr.e_ident[EI_DATA] == ELFDATA2MSB ? be32toh(*crc) : le32toh(*crc);
	return name;
}

uint32_t elf_file_crc(const struct elf_file *e)
{
	uint32_t table[256], crc = UINT32_MAX;
	size_t size = 0;
	const uint8_t *bytes = (const uint8_t *)elf_rawfile(e->elf, &size);

	for (uint32_t i = 0; i < ARRAY_SIZE(table); i++) {
		table[i] = i;
		for (int bit = 0; bit < 8; bit++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320 : 0);
	}
	for (size_t i = 0; bytes && i < size; i++)
		crc = crc >> 8 ^ table[(crc ^ bytes[i]) & 0xff];
	return ~crc;
}

/* ---- segments ---- */

void elf_file_segments(const struct elf_file *e, struct elf_segments *out)
{
	size_t nr;

	if (elf_getphdrnum(e->elf, &nr))
		return;
	for (size_t i = 0; i < nr && i < UINT16_MAX; i++) {
		GElf_Phdr p;

		if (gelf_getphdr(e->elf, (int)i, &p) && p.p_type == PT_LOAD)
			vec_push(&out->list, (struct elf_segment){ p.p_vaddr, p.p_offset, p.p_filesz, p.p_flags & PF_X,
								     p.p_memsz });
	}
}

/* True for a section with code in this file. Sections that were moved to a debug file have no contents. */
static bool is_code_section(const GElf_Shdr *header)
{
	return header->sh_type != SHT_NOBITS && header->sh_size &&
	       (header->sh_flags & (SHF_ALLOC | SHF_EXECINSTR)) == (SHF_ALLOC | SHF_EXECINSTR);
}

bool elf_file_code(const struct elf_file *e, struct elf_segments *out)
{
	struct elf_segments segments = {0};
	Elf_Scn *section = NULL;
	bool any_section = false, any = false;
	GElf_Shdr header;

	while ((section = elf_nextscn(e->elf, section))) {
		any_section = true;
		if (!gelf_getshdr(section, &header) || !is_code_section(&header))
			continue;
		any = true;
		if (out)
			vec_push(&out->list, (struct elf_segment){ header.sh_addr, header.sh_offset, header.sh_size });
	}
	if (any_section)
		return any;
	elf_file_segments(e, out ? out : &segments);
	any = (out ? out : &segments)->list.nr;
	vec_free(&segments.list);
	return any;
}

uint64_t elf_segments_addr(const struct elf_segments *s, uint64_t offset)
{
	const struct elf_segment *near = NULL;

	/* Try the exact bounds of segments first, because a page in which two segments meet is mapped for both. */
	vec_for(seg, &s->list)
		if (offset - seg->offset < seg->size)
			return offset - seg->offset + seg->vaddr;
	vec_for(seg, &s->list) {
		uint64_t start = seg->offset & ~(PAGE_SIZE - 1);

		if (offset - start < round_up(seg->offset - start + seg->size, PAGE_SIZE))
			near = seg;
	}
	return near ? offset - near->offset + near->vaddr : offset;
}

bool elf_segments_can_run(const struct elf_segments *s, uint64_t addr)
{
	/* The rest of a segment's last page is executable, too. */
	vec_for(seg, &s->list)
		if (seg->can_run && addr >= seg->vaddr && addr < round_up(seg->vaddr + seg->size, PAGE_SIZE))
			return true;
	return false;
}

/* ---- symbols ---- */

static bool is_code_or_data(const struct elf_file *e, const GElf_Shdr *header)
{
	const char *name = elf_section_name(e, header);

	return strstr(name, "text") || strstr(name, "data");
}

/* True for Arm's symbols that mark where code or data begins: $a, $d, $t, $x, or the same with a ".suffix". */
static bool is_mapping_symbol(const struct elf_file *e, const char *name)
{
	if (e->ehdr.e_machine != EM_ARM && e->ehdr.e_machine != EM_AARCH64)
		return false;
	return name[0] == '$' && name[1] && strchr("adtx", name[1]) && (!name[2] || name[2] == '.');
}

static bool is_wanted(const struct elf_file *e, const GElf_Sym *sym, const GElf_Shdr *header)
{
	switch (GELF_ST_TYPE(sym->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
	case STT_OBJECT:
		return true;
	case STT_NOTYPE:
		return GELF_ST_VISIBILITY(sym->st_other) != STV_HIDDEN &&
		       GELF_ST_VISIBILITY(sym->st_other) != STV_INTERNAL && is_code_or_data(e, header);
	default:
		return false;
	}
}

static enum symbol_binding binding_of(const GElf_Sym *sym)
{
	switch (GELF_ST_BIND(sym->st_info)) {
	case STB_LOCAL:
		return SYMBOL_LOCAL;
	case STB_WEAK:
		return SYMBOL_WEAK;
	default:
		return SYMBOL_GLOBAL;
	}
}

/* Returns the end of a symbol. For a symbol without a size, returns @limit, the end of its section, as the last possible end. */
static uint64_t symbol_end(const GElf_Sym *sym, uint64_t start, uint64_t limit)
{
	if (!sym->st_size)
		return MAX(start, limit);
	return start + sym->st_size < start ? UINT64_MAX : start + sym->st_size;
}

static struct symbol symbol_of(const struct elf_file *e, const GElf_Sym *sym, const char *name, uint64_t limit)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);
	uint64_t start = sym->st_value;
	bool thumb = e->ehdr.e_machine == EM_ARM && type == STT_FUNC && start & 1;

	start -= thumb;
	return (struct symbol){
		.start = start, .end = symbol_end(sym, start, limit), .bounded = !sym->st_size && limit > start,
		.name = name, .binding = binding_of(sym),
		.function = type == STT_FUNC || type == STT_GNU_IFUNC, .label = type == STT_NOTYPE, .thumb = thumb,
	};
}

void elf_headers(const struct elf_file *e, struct elf_headers *out)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	vec_push(&out->list, (GElf_Shdr){0});
	while ((section = elf_nextscn(e->elf, section)))
		vec_push(&out->list, gelf_getshdr(section, &header) ? header : (GElf_Shdr){0});
}

static Elf_Data *symbol_names(const struct elf_file *e, const char *table)
{
	GElf_Shdr header;

	return elf_section(e, table, &header) ? elf_contents(elf_getscn(e->elf, header.sh_link)) : NULL;
}

/* Returns the number of symbols, limited to those that the file really contains. */
static size_t nr_symbols(const struct elf_file *e, const char *table)
{
	GElf_Shdr header;
	Elf_Data *symbols = elf_contents(elf_section(e, table, &header));

	return symbols ? symbols->d_size / gelf_fsize(e->elf, ELF_T_SYM, 1, EV_CURRENT) : 0;
}

bool elf_each_symbol(const struct elf_file *e, const char *table, elf_symbol_each_fn *each, void *arg)
{
	GElf_Shdr header;
	Elf_Data *symbols = elf_contents(elf_section(e, table, &header)), *names = symbol_names(e, table);
	size_t limit;
	GElf_Sym sym;

	if (!symbols || !names || symbols->d_type != ELF_T_SYM)
		return false;
	/* Leave out a name at the end of the table that has no NUL. */
	for (limit = names->d_size; limit && ((const char *)names->d_buf)[limit - 1]; limit--)
		;
	for (int i = 1; gelf_getsym(symbols, i, &sym); i++)
		if (sym.st_name && sym.st_name < limit && each(arg, (const char *)names->d_buf + sym.st_name, &sym))
			return true;
	return false;
}

struct symbol_adder {
	const struct elf_file *e;
	struct elf_headers headers;
	const uint64_t *section_at;
	const char *names, *kept;	/* .names: the names in the file; .kept: their copy in .out */
	struct symbols *out;
};

static bool add_symbol(void *arg, const char *name, const GElf_Sym *elf_symbol)
{
	const struct symbol_adder *a = arg;
	const GElf_Shdr *header = a->headers.list.v + elf_symbol->st_shndx;
	GElf_Sym sym = *elf_symbol;
	struct symbol found;
	uint64_t at;

	if (sym.st_shndx == SHN_UNDEF || sym.st_shndx >= a->headers.list.nr || !is_wanted(a->e, &sym, header) ||
	    is_mapping_symbol(a->e, name) || (a->section_at && a->section_at[sym.st_shndx] == UINT64_MAX))
		return false;
	at = a->section_at ? a->section_at[sym.st_shndx] : header->sh_addr;
	if (a->section_at)
		sym.st_value += at;
	found = symbol_of(a->e, &sym, a->kept + (name - a->names), at + header->sh_size);
	symbols_add(a->out, &found);
	return false;
}

size_t elf_file_symbols(const struct elf_file *e, const char *section, const uint64_t *section_at, struct symbols *out)
{
	struct symbol_adder a = { .e = e, .section_at = section_at, .out = out };
	Elf_Data *names = symbol_names(e, section);
	size_t before = out->list.nr;

	if (!names)
		return 0;
	a.names = names->d_buf;
	a.kept = symbols_keep(out, names->d_buf, names->d_size);
	symbols_reserve(out, nr_symbols(e, section));
	elf_headers(e, &a.headers);
	elf_each_symbol(e, section, add_symbol, &a);
	vec_free(&a.headers.list);
	return out->list.nr - before;
}

struct value_search { const char *name; uint64_t value; };

static bool has_name(void *arg, const char *name, const GElf_Sym *sym)
{
	struct value_search *s = arg;

	if (!str_eq(name, s->name))
		return false;
	s->value = sym->st_value;
	return true;
}

int elf_file_value(const struct elf_file *e, const char *name, uint64_t *value)
{
	struct value_search s = { .name = name };

	if (!elf_each_symbol(e, ".symtab", has_name, &s))
		return -ENOENT;
	*value = s.value;
	return 0;
}
