/*
 * Checks how large the compressed sections of an ELF file claim to be when unpacked. Callers check this before libelf or libdw
 * unpacks the sections, so that a small hostile file cannot fill the memory.
 */
#include <endian.h>
#include <string.h>

#include "core/base/util.h"
#include "core/binary/elf_internal.h"

#define RATIO_MAX	32	/* maximum ratio of all sections' unpacked size to the file's size; compilers make 3 to 10 */
#define LINE_RATIO_MAX	16	/* the same for line tables, a byte of which may become a row of 40 bytes; compilers make 2 to 4 */

uint64_t elf_section_unpacked_size(Elf_Scn *section, const GElf_Shdr *header, const char *name)
{
	GElf_Chdr chdr;
	Elf_Data *data;
	uint64_t size;

	if (header->sh_type == SHT_NOBITS)
		return 0;
	if (header->sh_flags & SHF_COMPRESSED)
		return gelf_getchdr(section, &chdr) ? chdr.ch_size : UINT64_MAX;
	if (!str_starts(name, ".zdebug"))
		return header->sh_size;
	/* "ZLIB" and the size, big-endian: the format of GNU tools before there was SHF_COMPRESSED. */
	data = elf_rawdata(section, NULL);
	if (!data || !data->d_buf || data->d_size < 12 || memcmp(data->d_buf, "ZLIB", 4))
		return header->sh_size;
	memcpy(&size, (const char *)data->d_buf + 4, sizeof(size));
	return be64toh(size);
}

static bool is_line_table(const char *name)
{
	return str_eq(name, ".debug_line") || str_eq(name, ".zdebug_line");
}

bool elf_sections_are_valid(const struct elf_file *e)
{
	const char *name;
	Elf_Scn *section = NULL;
	uint64_t sum = 0, size;
	GElf_Shdr header;
	size_t file_size = 0;

	elf_rawfile(e->elf, &file_size);
	while ((section = elf_nextscn(e->elf, section))) {
		if (!gelf_getshdr(section, &header))
			continue;
		name = elf_section_name(e, &header);
		size = elf_section_unpacked_size(section, &header, name);
		if (is_line_table(name) && size > ELF_LINES_UNPACKED_MAX && size / LINE_RATIO_MAX > header.sh_size)
			return false;
		sum += MIN(size, UINT64_MAX - sum);
	}
	return sum <= ELF_UNPACKED_MAX || sum / RATIO_MAX <= file_size;
}
