/*
 * Reads DWARF package files (.dwp), which hold the split units of a program. Each unit that is needed is copied into a file in
 * memory that libdw can read (dwp.h).
 */
#include "core/binary/dwp.h"

#include <dwarf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/base/vec.h"
#include "core/binary/elf_internal.h"

#define RATIO_MAX	32	/* maximum size of all units' files together, as a multiple of the package's size */
#define HEADER		16	/* bytes of the index's header: version, columns, units, slots */
#define COLUMNS_MAX	16

/* Columns of the index that are read, DWARF 5 table 7.1. Source lines are in the program; locations and macros are not needed. */
enum { INFO = 1, ABBREV = 3, STR_OFFSETS = 6, RNGLISTS = 8, USED = 9 };

struct part { const char *name; const void *data; size_t size; };

struct dwp {
	char *path;
	const struct elf_file *program;
	Dwarf *dwarf;			/* the program's debug information */
	struct elf_file *file;		/* the package; NULL: not opened yet, or it cannot be opened */
	const char *error;		/* the reason why the whole package is unusable; NULL: none */
	struct part index, strings, sections[USED];
	uint32_t columns, units, slots;
	uint32_t column[USED];		/* number of the column in this index; UINT32_MAX: the index has no such column */
	uint64_t made;			/* bytes of all units' files so far */
	int fd;				/* the file in memory that libdw opens next, with one unit */
	Dwarf *skeletons;		/* copies of the program's skeleton units that name .fd as their file */
	VEC(Dwarf_Off) places;		/* offsets in .debug_info of the program's skeletons, in the order of .skeletons */
	bool opened, warned;
};

/* ---- the index ---- */

static uint32_t number_at(const struct part *p, uint64_t offset)
{
	uint32_t n;

	memcpy(&n, (const char *)p->data + offset, sizeof(n));
	return n;
}

/* @out is empty if the file has no such section. */
static void read_section(const struct elf_file *e, const char *name, struct part *out)
{
	GElf_Shdr header;
	Elf_Scn *section = elf_section(e, name, &header);
	Elf_Data *data;

	*out = (struct part){ .name = name };
	if (section && (header.sh_flags & SHF_COMPRESSED) && elf_compress(section, 0, 0) < 0)
		return;
	data = elf_contents(section);
	if (data) {
		out->data = data->d_buf;
		out->size = data->d_size;
	}
}

static const char *read_index(struct dwp *d)
{
	uint16_t version;

	read_section(d->file, ".debug_cu_index", &d->index);
	if (d->index.size < HEADER)
		return "it has no .debug_cu_index";
	memcpy(&version, d->index.data, sizeof(version));
	if (number_at(&d->index, 0) != 2 && version != 5)
		return "the version of its .debug_cu_index is neither 2 nor 5";
	d->columns = number_at(&d->index, 4);
	d->units = number_at(&d->index, 8);
	d->slots = number_at(&d->index, 12);
	if (!d->columns || d->columns > COLUMNS_MAX || d->units > d->slots || !d->slots || (d->slots & (d->slots - 1)) ||
	    HEADER + 12ull * d->slots + 4ull * d->columns + 8ull * d->units * d->columns > d->index.size)
		return "its .debug_cu_index is damaged: it cannot hold as many columns, units and slots as it claims";
	for (size_t i = 0; i < USED; i++)
		d->column[i] = UINT32_MAX;
	for (uint32_t i = 0; i < d->columns; i++) {
		uint32_t id = number_at(&d->index, HEADER + 12ull * d->slots + 4ull * i);

		if (id < USED)
			d->column[id] = i;
	}
	if (version != 5)
		d->column[RNGLISTS] = UINT32_MAX;	/* in version 2, this number is that of another section */
	return NULL;
}

/* Returns the number of the row for unit @id in the tables of the index, from 1 on; 0: there is none. */
static uint32_t find_row(const struct dwp *d, uint64_t id)
{
	uint32_t mask = d->slots - 1, slot = (uint32_t)id & mask, step = ((uint32_t)(id >> 32) & mask) | 1;
	uint64_t at;

	for (uint32_t i = 0; i < d->slots; i++, slot = (slot + step) & mask) {
		uint32_t row = number_at(&d->index, HEADER + 8ull * d->slots + 4ull * slot);

		memcpy(&at, (const char *)d->index.data + HEADER + 8ull * slot, sizeof(at));
		if (!row || at == id)
			return row <= d->units ? row : 0;
	}
	return 0;
}

/* Finds the part of a section for the unit in @row; *out is empty if there is none. False: the part is outside of the section. */
static bool find_part(const struct dwp *d, uint32_t row, unsigned column, struct part *out)
{
	uint64_t offsets = HEADER + 12ull * d->slots + 4ull * d->columns, at;
	uint32_t offset, size;

	*out = (struct part){ .name = d->sections[column].name };
	if (d->column[column] == UINT32_MAX)
		return true;
	at = 4 * ((uint64_t)(row - 1) * d->columns + d->column[column]);
	offset = number_at(&d->index, offsets + at);
	size = number_at(&d->index, offsets + 4ull * d->units * d->columns + at);
	if (offset > d->sections[column].size || size > d->sections[column].size - offset)
		return false;
	out->data = (const char *)d->sections[column].data + offset;
	out->size = size;
	return true;
}

/* ---- files for libdw ---- */

/* Writes an ELF file with the sections @parts to .fd. */
static bool write_parts(struct dwp *d, const struct part *parts, size_t nr)
{
	int fd = memfd_create("package", MFD_CLOEXEC);
	Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_WRITE, NULL) : NULL;
	struct buf names = {0};
	GElf_Ehdr header;
	bool done = false;

	buf_put(&names, "\0.shstrtab", sizeof("\0.shstrtab"));
	if (!elf || !gelf_newehdr(elf, gelf_getclass(d->program->elf)) || !gelf_getehdr(elf, &header))
		goto out;
	for (size_t i = 0; i <= nr; i++) {
		Elf_Scn *section;
		GElf_Shdr s = { .sh_name = 1, .sh_type = SHT_STRTAB, .sh_addralign = 1 };
		Elf_Data *data;

		if (i < nr && !parts[i].size)
			continue;
		section = elf_newscn(elf);
		data = section ? elf_newdata(section) : NULL;
		if (!data)
			goto out;
		if (i < nr) {
			s.sh_name = (GElf_Word)names.len;
			s.sh_type = SHT_PROGBITS;
			buf_put(&names, parts[i].name, strlen(parts[i].name) + 1);
		}
		data->d_buf = i < nr ? (void *)(uintptr_t)parts[i].data : names.data;
		data->d_size = i < nr ? parts[i].size : names.len;
		data->d_version = EV_CURRENT;
		s.sh_size = data->d_size;
		header.e_shstrndx = (GElf_Half)elf_ndxscn(section);
		if (!gelf_update_shdr(section, &s))
			goto out;
	}
	header.e_ident[EI_DATA] = d->program->ehdr.e_ident[EI_DATA];
	header.e_machine = d->program->ehdr.e_machine;
	header.e_type = ET_REL;
	header.e_version = EV_CURRENT;
	done = gelf_update_ehdr(elf, &header) && elf_update(elf, ELF_C_WRITE) > 0;
out:
	elf_end(elf);
	done = done && dup3(fd, d->fd, O_CLOEXEC) >= 0;
	if (fd >= 0)
		close(fd);
	buf_release(&names);
	return done;
}

/* ---- the program's skeletons ---- */

/* A skeleton unit in DWARF 4's form. libdw accepts it for split units of all versions, because only the ids must match. */
struct __attribute__((packed)) skeleton {
	uint32_t length;
	uint16_t version;
	uint32_t abbreviations;
	uint8_t address_size, code;
	uint32_t name, ranges_base, addr_base;
	uint64_t id;
	uint8_t low_pc[8];
};

static const uint8_t abbreviations[] = {
	1, DW_TAG_compile_unit, DW_CHILDREN_no,
	0xb0, 0x42, DW_FORM_strp,		/* DW_AT_GNU_dwo_name */
	0xb2, 0x42, DW_FORM_sec_offset,		/* DW_AT_GNU_ranges_base */
	0xb3, 0x42, DW_FORM_sec_offset,		/* DW_AT_GNU_addr_base */
	0xb1, 0x42, DW_FORM_data8,		/* DW_AT_GNU_dwo_id */
	DW_AT_low_pc, DW_FORM_addr,
	0, 0, 0
};

/* Reads a base offset. Returns false if it is above 4 GiB. */
static bool read_base(Dwarf_Die *die, unsigned name, unsigned other_name, uint32_t *out)
{
	Dwarf_Attribute attr;
	Dwarf_Word value = 0;

	if (dwarf_attr(die, name, &attr) || (other_name && dwarf_attr(die, other_name, &attr)))
		dwarf_formudata(&attr, &value);
	*out = (uint32_t)value;
	return value <= UINT32_MAX;
}

static void add_skeleton(struct dwp *d, Dwarf_Die *die, uint64_t id, struct buf *out)
{
	struct skeleton s = { .length = sizeof(s) - sizeof(s.length), .version = 4, .code = 1, .id = id };
	uint32_t ranges_base, addr_base, low;
	Dwarf_Addr low_pc = 0;
	Dwarf_Die unit;

	if (!dwarf_diecu(die, &unit, &s.address_size, NULL) ||
	    !read_base(die, DW_AT_GNU_ranges_base, 0, &ranges_base) ||
	    !read_base(die, DW_AT_addr_base, DW_AT_GNU_addr_base, &addr_base))
		return;
	if (dwarf_lowpc(die, &low_pc))
		low_pc = 0;
	low = (uint32_t)low_pc;
	if (s.address_size == sizeof(low))
		memcpy(s.low_pc, &low, sizeof(low));
	else
		memcpy(s.low_pc, &low_pc, sizeof(low_pc));
	s.ranges_base = ranges_base;
	s.addr_base = addr_base;
	buf_put(out, &s, sizeof(s));
	vec_push(&d->places, dwarf_dieoffset(die));
}

static const char *make_skeletons(struct dwp *d)
{
	struct buf info = {0};
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;
	char name[32];
	uint64_t id;
	bool written;

	d->fd = memfd_create("package", MFD_CLOEXEC);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", d->fd);
	while (!dwarf_get_units(d->dwarf, cu, &cu, NULL, &type, &die, NULL))
		if (type == DW_UT_skeleton && !dwarf_cu_info(cu, NULL, NULL, NULL, NULL, &id, NULL, NULL))
			add_skeleton(d, &die, id, &info);
	struct part parts[] = {
		{ ".debug_info", info.data, info.len }, { ".debug_abbrev", abbreviations, sizeof(abbreviations) },
		{ ".debug_str", name, strlen(name) + 1 }, {0}, {0},
	};
	read_section(d->program, ".debug_addr", &parts[3]);
	read_section(d->program, ".debug_ranges", &parts[4]);
	written = d->fd >= 0 && write_parts(d, parts, ARRAY_SIZE(parts));
	buf_release(&info);
	if (written)
		d->skeletons = dwarf_begin(d->fd, DWARF_C_READ);
	/* Stop libelf from using .fd any more, because it will be another file. */
	if (!d->skeletons || elf_cntl(dwarf_getelf(d->skeletons), ELF_C_FDDONE))
		return "there is no memory, file descriptor or /proc for its units";
	return NULL;
}

ORDER(compare_places, Dwarf_Off, compare_numbers(*a, *b))

/* Finds the copy in .skeletons of the program's @skeleton. Returns false if there is no copy. */
static bool find_skeleton(const struct dwp *d, Dwarf_Die *skeleton, Dwarf_Die *out)
{
	Dwarf_Off offset = dwarf_dieoffset(skeleton);
	const Dwarf_Off *place = d->places.nr ? bsearch(&offset, d->places.v, d->places.nr, sizeof(offset), compare_places) : NULL;

	return place && dwarf_offdie(d->skeletons, (Dwarf_Off)(place - d->places.v) * sizeof(struct skeleton) +
						   offsetof(struct skeleton, code), out);
}

/* ---- units ---- */

static bool has_room(const struct dwp *d)
{
	return d->made <= ELF_UNPACKED_MAX || d->made / RATIO_MAX <= d->index.size + d->strings.size + d->sections[INFO].size;
}

/* Copies the strings of one unit to @strings, and their new offsets to @table, as all units' strings are too many for each file. */
static const char *copy_strings(struct dwp *d, const struct part *offsets, size_t header, struct buf *table, struct buf *strings)
{
	buf_put(table, offsets->data, MIN(header, offsets->size));
	buf_putc(strings, '\0');
	for (size_t i = header; i + 4 <= offsets->size; i += 4) {
		uint32_t from = number_at(offsets, i), to = (uint32_t)strings->len;
		const char *s = from < d->strings.size ? (const char *)d->strings.data + from : NULL;
		size_t size = s ? strnlen(s, d->strings.size - from) + 1 : 0;

		if (!s || size > d->strings.size - from)
			return "its .debug_str_offsets.dwo is damaged: an offset is outside .debug_str.dwo";
		d->made += size;
		if (!has_room(d) || strings->len > UINT32_MAX - size)
			return "its units claim more strings than it can sensibly hold";
		buf_put(strings, s, size);
		buf_put(table, &to, sizeof(to));
	}
	return NULL;
}

static const char *make_unit(struct dwp *d, uint32_t row)
{
	static const unsigned columns[] = { INFO, ABBREV, RNGLISTS, STR_OFFSETS };
	struct buf table = {0}, strings = {0};
	const char *error = NULL;
	struct part parts[ARRAY_SIZE(columns) + 1];
	uint16_t version;

	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		if (!find_part(d, row, columns[i], &parts[i]))
			return "its .debug_cu_index is damaged: a unit is outside the sections";
		d->made += parts[i].size;
	}
	if (parts[0].size < 12 || number_at(&parts[0], 0) == UINT32_MAX)
		return "a unit is empty, or in 64-bit DWARF";
	memcpy(&version, (const char *)parts[0].data + 4, sizeof(version));
	error = copy_strings(d, &parts[3], version < 5 ? 0 : 8, &table, &strings);
	parts[3] = (struct part){ parts[3].name, table.data, table.len };
	parts[4] = (struct part){ d->strings.name, strings.data, strings.len };
	if (!error && (!has_room(d) || !write_parts(d, parts, ARRAY_SIZE(parts))))
		error = "there is no memory for its units";
	buf_release(&table);
	buf_release(&strings);
	return error;
}

static bool is_of_host(const struct elf_file *e)
{
	return e->ehdr.e_ident[EI_DATA] == (__BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB);
}

static const char *open_package(struct dwp *d)
{
	const char *error;

	if (elf_file_open(&d->file, d->path))
		return "it is no ELF file";
	if (!elf_sections_are_valid(d->file))
		return "its compressed sections claim to be more than they can sensibly be";
	if (!is_of_host(d->file) || !is_of_host(d->program))
		return "its byte order is not this machine's";
	error = read_index(d);
	if (error)
		return error;
	read_section(d->file, ".debug_info.dwo", &d->sections[INFO]);
	read_section(d->file, ".debug_abbrev.dwo", &d->sections[ABBREV]);
	read_section(d->file, ".debug_str_offsets.dwo", &d->sections[STR_OFFSETS]);
	read_section(d->file, ".debug_rnglists.dwo", &d->sections[RNGLISTS]);
	read_section(d->file, ".debug_str.dwo", &d->strings);
	return make_skeletons(d);
}

static const char *find_unit(struct dwp *d, Dwarf_Die *program_skeleton, Dwarf_Die *out)
{
	Dwarf_Die skeleton;
	const char *error;
	uint32_t row;
	uint64_t id;

	if (!d->opened)
		d->error = open_package(d);
	d->opened = true;
	if (d->error)
		return d->error;
	if (!find_skeleton(d, program_skeleton, &skeleton) ||
	    dwarf_cu_info(skeleton.cu, NULL, NULL, NULL, NULL, &id, NULL, NULL))
		return "the program refers beyond 4 GiB";
	row = find_row(d, id);
	if (!row)
		return "it lacks a unit of the program";
	error = make_unit(d, row);
	if (error)
		return error;
	dwarf_cu_info(skeleton.cu, NULL, NULL, NULL, out, NULL, NULL, NULL);
	return out->addr ? NULL : "a unit is not the one of the index";
}

Dwarf_Die dwp_unit(struct dwp *p, Dwarf_Die *skeleton)
{
	Dwarf_Die unit = {0};
	const char *error = find_unit(p, skeleton, &unit);

	if (error && !p->warned) {
		warning("'%s': %s; inlined functions are missing", p->path, error);
		p->warned = true;
	}
	return error ? (Dwarf_Die){0} : unit;
}

struct dwp *dwp_open(const char *path, const struct elf_file *program, Dwarf *dwarf)
{
	struct dwp *p = xcalloc(1, sizeof(*p));

	p->path = xstrdup(path);
	p->program = program;
	p->dwarf = dwarf;
	p->fd = -1;
	return p;
}

void dwp_close(struct dwp *d)
{
	if (!d)
		return;
	dwarf_end(d->skeletons);
	elf_file_close(d->file);
	if (d->fd >= 0)
		close(d->fd);
	vec_free(&d->places);
	free(d->path);
	free(d);
}
