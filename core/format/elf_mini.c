/*
 * Symbols that a stripped program carries with it, as Fedora's do: an ELF file of nothing else, packed with xz, in
 * .gnu_debugdata. libdwfl unpacks it and tells it apart from the file itself.
 * Layer: format
 */
#include <elfutils/libdwfl.h>
#include <string.h>

#include "core/format/elf.h"
#include "core/format/elf_internal.h"

/* Nothing but the file itself is looked at: debug files elsewhere are found otherwise. */
static int no_debug_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, const char *file, const char *link,
			 GElf_Word crc, char **found)
{
	(void)module, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc, (void)found;
	return -1;
}

/* The file that most of the module's symbols after the first are of, unless it is the module's own. */
static Elf *packed_file(Dwfl_Module *module)
{
	int nr = dwfl_module_getsymtab(module);
	GElf_Addr bias, addr;
	GElf_Word section;
	GElf_Sym symbol;
	Elf *own = dwfl_module_getelf(module, &bias), *of = NULL;

	for (int i = 1; i < nr; i++)
		if (dwfl_module_getsym_info(module, i, &symbol, &addr, &section, &of, &bias) && of && of != own)
			return of;
	return NULL;
}

static size_t add_packed(Elf *elf, struct symbols *out)
{
	struct elf_file e = { .fd = -1, .elf = elf };

	if (!gelf_getehdr(elf, &e.ehdr) || elf_getshdrstrndx(elf, &e.section_names))
		return 0;
	return elf_file_symbols(&e, ".symtab", NULL, out);
}

size_t elf_file_packed_symbols(const char *path, struct symbols *out)
{
	static const Dwfl_Callbacks callbacks = {
		.find_debuginfo = no_debug_file, .section_address = dwfl_offline_section_address,
	};
	Dwfl *dwfl = dwfl_begin(&callbacks);
	Dwfl_Module *module = dwfl ? dwfl_report_offline(dwfl, "", path, -1) : NULL;
	Elf *packed = NULL;
	size_t nr = 0;

	if (module && !dwfl_report_end(dwfl, NULL, NULL))
		packed = packed_file(module);
	if (packed)
		nr = add_packed(packed, out);
	dwfl_end(dwfl);
	return nr;
}
