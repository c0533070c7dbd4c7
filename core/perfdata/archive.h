/*
 * Stores symbols, source lines, code and unwind tables of the recorded addresses in the perf.data, so that prec can show it on
 * machines without the binaries. core/model/archive_save.c collects the data, and core/model/archive_load.c uses them.
 *
 * archive.c packs an archive into one of prec's own sections (FEATURE_ARCHIVE):
 *
 *	u32 version, u32 0, u64 unpacked size | compressed by zstd: texts, dsos, files, u32 hidden (struct archive)
 *
 */
#ifndef CORE_PERFDATA_ARCHIVE_H
#define CORE_PERFDATA_ARCHIVE_H

#include <stdbool.h>

#include "core/base/byte_table.h"
#include "core/base/vec.h"
#include "core/binary/build_id.h"

struct archive_symbol {
	uint64_t start, end;		/* as in struct symbol */
	uint32_t name;			/* not demangled */
	uint8_t binding, flags;		/* ARCHIVE_FUNCTION ... */
};
#define ARCHIVE_FUNCTION	1
#define ARCHIVE_LABEL		2
#define ARCHIVE_THUMB		4
#define ARCHIVE_MADE		8

struct archive_frame { uint32_t function, file, line; };
struct archive_place { uint64_t addr; uint32_t first, nr; };	/* the frames of an address, innermost first: a range of .frames */

/* Code. .at: offset in the file if .by_offset, else recorded address; .base: address of the module that has the code. */
struct archive_code { uint64_t base, at, size; bool by_offset; const void *bytes; };

/* A section with unwind tables, as core/unwind/file_tables.h reads it. */
struct archive_unwind {
	uint32_t kind;
	uint8_t word;
	bool until_zero, arm64;
	uint64_t addr;			/* address of the first byte as in the ELF file, before relocation */
	uint64_t table, table_size, end;	/* only for .ARM.exidx: as in struct unwind_section */
	const void *bytes;
	uint64_t size;
};

struct archive_segment { uint64_t vaddr, offset, size; bool can_run; };

struct archive_dso {
	uint32_t path;			/* as recorded */
	uint32_t nth;			/* index among the dsos with this path, from 0 */
	uint8_t kind, state, elf_class;	/* as in struct dso */
	bool is_stripped, relative, has_file;
	uint64_t relocation;
	struct build_id build_id;
	uint32_t why, symbols_from;		/* texts: as in struct dso */
	uint32_t missing_why, missing_help;	/* texts: the reason for addresses without a name, and the remedy */
	VEC(struct archive_segment) segments;
	VEC(struct archive_symbol) symbols;
	VEC(struct archive_place) places;
	VEC(struct archive_frame) frames;
	VEC(struct archive_code) codes;
	VEC(struct archive_unwind) unwind;
};

/* A file that was read: a whole jitdump; or a source file in which only the lines that annotate shows are not empty. */
struct archive_file { uint32_t path; const void *bytes; uint64_t size; };

/*
 * An archive refers to a text by its number, from 1 on, and 0 means no text. archive_unpack() replaces an invalid number by 0, and
 * an invalid range of frames by an empty range. archive_redact.c replaces private texts.
 */
struct archive {			/* = {0}; archive_release() */
	VEC(const char *) texts;	/* of an archive that was read; borrowed from .data or .own */
	struct byte_table added;	/* texts of an archive that is being made */
	VEC(struct archive_dso) dsos;
	VEC(struct archive_file) files;
	uint32_t hidden;		/* text: the path of the kallsyms with the kernel's symbols, if it hides addresses */
	void *data;			/* the unpacked section, into which borrowed pointers lead. Owned */
	VEC(char *) own;		/* texts with their control characters escaped */
	VEC(void *) kept;		/* copies of archive_keep() */
};

/* The number of @text, added if it is new; NULL: 0. */
uint32_t archive_add_text(struct archive *a, const char *text);
/* A text of an archive that was read; NULL for 0. */
const char *archive_text(const struct archive *a, uint32_t number);
/* The file at @path of an archive that was read, borrowed; NULL: it has none, or @a is NULL. */
const struct archive_file *archive_find_file(const struct archive *a, const char *path);
/* Copies @n bytes. The copy lives as long as the archive. */
const void *archive_keep(struct archive *a, const void *bytes, size_t n);

/* Appends the section's bytes to @out. Returns 0, or -EINVAL if zstd fails. */
int archive_pack(struct archive *a, struct buf *out);
/* Reads a section. Returns 0, -EINVAL (damaged) or -ENOTSUP (another version). Memory is proportional to the section's size. */
int archive_unpack(struct archive *out, const void *section, size_t size);
void archive_release(struct archive *a);

#endif
