/*
 * Defines prec's own sections, which are at the end of a perf.data, where perf neither reads nor writes. data_writer.c writes
 * the sections, and data_file.c reads them.
 *
 *	| header, ids, attrs | data | table, sections | magic, own sections, table {number, offset, size}, trailer |
 *
 * The header has no bits for these sections, because `perf inject` and other programs that rewrite a header die of SIGSEGV on an
 * unknown bit (perf 6.1 and 7.3). Such a program drops only these sections. Older recordings of prec have header bits for them.
 */
#ifndef CORE_PERFDATA_OWN_SECTIONS_H
#define CORE_PERFDATA_OWN_SECTIONS_H

#include "core/base/wire.h"

#define OWN_SECTIONS_MAGIC	0x314e574f43455250ull	/* "PRECOWN1", little endian */
#define OWN_TRAILER_SIZE	32u
#define OWN_ENTRY_SIZE		24u

/* All numbers are u64 in the file's byte order. The trailer ends the file: one with the magic, but no trailer, was truncated. */
struct own_entry { uint64_t number, offset, size; };	/* .number: enum feature; .offset: in the file; .size: bytes */
struct own_trailer { uint64_t table, nr, file_size, magic; };	/* .table: offset of the table in the file; .nr: its entries */

static inline void own_entry_pass(struct wire *w, struct own_entry *e)
{
	wire_u64(w, &e->number);
	wire_u64(w, &e->offset);
	wire_u64(w, &e->size);
}

static inline void own_trailer_pass(struct wire *w, struct own_trailer *t)
{
	wire_u64(w, &t->table);
	wire_u64(w, &t->nr);
	wire_u64(w, &t->file_size);
	wire_u64(w, &t->magic);
}

#endif
