/*
 * Opens the DWARF debug information of an ELF file with libdw, after a check that this file and its split debug files are not
 * damaged. core/model/srcline.c reads source lines and inlined functions from it.
 */
#ifndef CORE_BINARY_DWARF_FILE_H
#define CORE_BINARY_DWARF_FILE_H

#include <elfutils/libdw.h>
#include <stdbool.h>

#include "core/binary/dwp.h"

struct dwarf_file {		/* = {0} */
	struct elf_file *file, *alternate_file;
	Dwarf *dwarf, *alternate;	/* .dwarf is NULL if there is nothing to read */
	char *alternate_path;		/* owned; NULL: none is open */
	bool alternate_missing;		/* the file refers to an alternate file that is missing */
	struct dwp *package;		/* the package of split units (.dwp) next to the file; NULL: there is none */
};

/*
 * Opens the debug information of @path. -v prints which parts are unusable and why. @recorded is the path at which the file was
 * recorded. If @path is a copy, files that it refers to are also looked for there. Call dwarf_file_close() in any case.
 *
 * The information may be spread over further files: dwz's alternate file and split units (.dwo, .dwp). libdw would open these files
 * without a check, so they are checked first: each must be a regular file, and its compressed sections must not claim absurd sizes.
 */
void dwarf_file_open(struct dwarf_file *d, const char *path, const char *recorded);
void dwarf_file_close(struct dwarf_file *d);
/*
 * Returns the split unit of @skeleton, a unit of .dwarf, from a file of its own (.dwo) or from a package (.dwp). Returns
 * { .addr = NULL } if it cannot be read. Warns once about a package that cannot be used.
 */
Dwarf_Die dwarf_file_split(struct dwarf_file *d, Dwarf_Die *skeleton);

#endif
