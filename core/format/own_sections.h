/*
 * Where a perf.data holds what only prec knows of: behind everything that the header names, where perf neither looks nor writes.
 * A bit of the header would not do: whatever rewrites a header, `perf inject` for one, ends by SIGSEGV on a bit that it does not
 * know (6.1, 7.3).
 *
 *	| header, ids, attrs | data | table, sections | magic, own sections, table {number, offset, size}, trailer |
 *
 * The trailer is the last of the file, and is found from its end; where it is not there and the magic is, it was cut. A program
 * that writes the file anew leaves all this behind, and loses nothing else. Recordings made before this have bits for these
 * sections, and none of this. All is u64 in the file's order.
 * Layer: format
 */
#ifndef CORE_FORMAT_OWN_SECTIONS_H
#define CORE_FORMAT_OWN_SECTIONS_H

#include "core/base/wire.h"

#define OWN_SECTIONS_MAGIC	0x314e574f43455250ull	/* "PRECOWN1", little endian */
#define OWN_TRAILER_SIZE	32u
#define OWN_ENTRY_SIZE		24u

struct own_entry { uint64_t number, offset, size; };	/* enum feature; where in the file, bytes */
struct own_trailer { uint64_t table, nr, file_size, magic; };	/* where the table is, its entries; of the whole file */

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
