/*
 * Reads the symbols of ELF files, and the headers by which symbols are found and placed: segments, PLT, build id and debug link.
 * The files elf*.c implement these functions. core/model/load.c loads symbols with them.
 */
#ifndef CORE_BINARY_ELF_H
#define CORE_BINARY_ELF_H

#include "core/binary/build_id.h"
#include "core/binary/symbol.h"

/* An open file, for one thread at a time, as libelf is not thread-safe. Files are not trusted: invalid data are skipped. */
struct elf_file;

/* A PT_LOAD segment. .size: bytes in the file; .memory: bytes in memory; .can_run: it is executable. */
struct elf_segment { uint64_t vaddr, offset, size; bool can_run; uint64_t memory; };
struct elf_segments { VEC(struct elf_segment) list; };

/* Opens a regular file. Returns 0 and *out (elf_file_close()), or -errno; -ENOEXEC: it is no ELF file. */
int elf_file_open(struct elf_file **out, const char *path);
void elf_file_close(struct elf_file *e);

unsigned elf_file_class(const struct elf_file *e);	/* 32 or 64 */
/* True if the file has a section of that name, with contents. */
bool elf_file_has(const struct elf_file *e, const char *section);
/* Gets the build id; .size 0: there is none. */
void elf_file_build_id(const struct elf_file *e, struct build_id *out);
/* The file name in .gnu_debuglink, borrowed, without a directory; NULL: none. *crc: the file's checksum, by elf_file_crc(). */
const char *elf_file_debuglink(const struct elf_file *e, uint32_t *crc);
uint32_t elf_file_crc(const struct elf_file *e);
void elf_file_segments(const struct elf_file *e, struct elf_segments *out);

/* True if the file has code sections, or without sections, segments. Adds them to *out, unless it is NULL. */
bool elf_file_code(const struct elf_file *e, struct elf_segments *out);

/*
 * Adds the functions, objects and code labels of @section (".symtab" or ".dynsym") to @out. @section_at: for an ET_REL file, the
 * addresses of its sections by number, which are added to the symbols' values; else NULL. Returns how many were added.
 */
size_t elf_file_symbols(const struct elf_file *e, const char *section, const uint64_t *section_at, struct symbols *out);
/*
 * Adds the symbols of the ELF file in section .gnu_debugdata. Returns 0; -ENOENT: there is no such section; -EFBIG: the unpacked
 * file would be too large; -ENOTSUP: this build has no library to unpack it; -EINVAL, -ENOEXEC: it is damaged.
 */
int elf_file_packed_symbols(const struct elf_file *e, struct symbols *out);
/* Adds the functions in .gopclntab, the table of Go's runtime, which stripping does not remove. Returns how many were added. */
size_t elf_file_go_symbols(const struct elf_file *e, struct symbols *out);
/* Adds symbols "NAME@0xADDRESS" for functions of the unwind tables that @known, which must be finished and stays so, lacks. */
void elf_file_starts(const struct elf_file *e, const char *name, struct symbols *known);
/* Adds symbols "name@plt" for the stubs of calls of libraries to @known, which must be finished, and be finished again. */
void elf_file_plt(const struct elf_file *e, struct symbols *known);
/* The value of a symbol of .symtab. Returns 0 or -ENOENT. */
int elf_file_value(const struct elf_file *e, const char *name, uint64_t *value);
/* The ELF address of a file offset, by the segments; @offset itself if no segment holds it. */
uint64_t elf_segments_addr(const struct elf_segments *s, uint64_t offset);
/* True if the ELF address @addr is code, by the segments' flags. */
bool elf_segments_can_run(const struct elf_segments *s, uint64_t addr);

#endif
