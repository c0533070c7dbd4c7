/*
 * Reads DWARF package files (.dwp), which hold the split units of a program. dwarf_file.c calls it, because libdw 0.188 reads only
 * files with a single unit (.dwo).
 * Format: DWARF 5, section 7.3.5. Version 2 of the index is GNU's, for DWARF 4.
 */
#ifndef CORE_BINARY_DWP_H
#define CORE_BINARY_DWP_H

#include <elfutils/libdw.h>

#include "core/binary/elf.h"

struct dwp;

/* Makes a reader for the package at @path, which is opened when a unit is first needed. Borrows @program and @dwarf. */
struct dwp *dwp_open(const char *path, const struct elf_file *program, Dwarf *dwarf);
void dwp_close(struct dwp *d);		/* also frees the units; @d may be NULL */
/*
 * Returns the split unit of @skeleton, which is a unit of the program. The package has an index by unit id, and sections with the
 * parts of all units. The unit's parts are copied into a file in memory that has a single unit, as a .dwo file. Borrowed until
 * dwp_close(). Returns { .addr = NULL } if the unit cannot be read; the first time, prints a warning.
 */
Dwarf_Die dwp_unit(struct dwp *p, Dwarf_Die *skeleton);

#endif
