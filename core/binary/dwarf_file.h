/*
 * The debug information of an ELF file, and what it refers to in other files: dwz's alternate file, split units (.dwo). libdw would
 * open those by itself, whatever they are; here they are regular files, and none unpacks to what it cannot sensibly hold.
 * Layer: binary
 */
#ifndef CORE_BINARY_DWARF_FILE_H
#define CORE_BINARY_DWARF_FILE_H

#include <elfutils/libdw.h>
#include <stdbool.h>

#include "core/binary/elf.h"

struct dwarf_file {		/* = {0} */
	struct elf_file *file, *alternate_file;
	Dwarf *dwarf, *alternate;	/* .dwarf is NULL where there is nothing to read */
	char *package;			/* of split units (.dwp), beside the file; owned. NULL: there is none, or that was said */
};

/*
 * Opens @path; -v prints unusable parts and why. @recorded: the file's path when it ran, if @path is a copy; files that it
 * refers to may still be there. Always close it.
 */
void dwarf_file_open(struct dwarf_file *d, const char *path, const char *recorded);
void dwarf_file_close(struct dwarf_file *d);
/*
 * The unit that @skeleton, a unit of .dwarf, stands for, in a file of its own; { .addr = NULL } where it cannot be had. Says once
 * if it is packed with others (.dwp), which is not read.
 */
Dwarf_Die dwarf_file_split(struct dwarf_file *d, Dwarf_Die *skeleton);

#endif
