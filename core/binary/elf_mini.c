/*
 * Reads the symbols in the section .gnu_debugdata (MiniDebugInfo) of stripped programs, as Fedora has them. The section is an ELF
 * file with nothing but symbols, packed with xz (GDB manual, "Debugging information in a special section").
 */
#include <errno.h>

#include "core/base/buf.h"
#include "core/binary/elf.h"
#include "core/binary/elf_internal.h"
#include "core/compression/unpack.h"

static int add_symbols(const struct buf *bytes, struct symbols *out)
{
	struct elf_file e = { .fd = -1, .elf = elf_memory(bytes->data, bytes->len) };
	int err = -ENOEXEC;

	if (e.elf && elf_kind(e.elf) == ELF_K_ELF && gelf_getehdr(e.elf, &e.ehdr) &&
	    !elf_getshdrstrndx(e.elf, &e.section_names))
		err = elf_file_symbols(&e, ".symtab", NULL, out) ? 0 : -ENOENT;
	elf_end(e.elf);
	return err;
}

int elf_file_packed_symbols(const struct elf_file *e, struct symbols *out)
{
	GElf_Shdr header;
	Elf_Data *packed = elf_contents(elf_section(e, ".gnu_debugdata", &header));
	struct buf bytes = {0};
	int err = packed ? unpack(packed->d_buf, packed->d_size, ELF_UNPACKED_MAX, &bytes) : -ENOENT;

	if (!err)
		err = bytes.len ? add_symbols(&bytes, out) : -ENOEXEC;
	buf_release(&bytes);
	return err;
}
