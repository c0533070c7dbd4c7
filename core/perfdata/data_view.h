/*
 * Reads part of a recording's data section from front to back with pread(2), for example for core/read/scan.c. Reading the mapped
 * file (data_file.c) instead would be slower, because of page faults.
 */
#ifndef CORE_PERFDATA_DATA_VIEW_H
#define CORE_PERFDATA_DATA_VIEW_H

#include <stdbool.h>
#include <stdint.h>

struct data_file;

/* A copy costs less than page faults and TLB misses: 184 MB take 0.04 s by pread(2), 0.13 s by mmap(2), in a virtual machine. */
struct data_view {			/* {0}: nothing; data_view_release() */
	const struct data_file *file;	/* borrowed; the file with the stretch; NULL: it is in no open file */
	const uint8_t *data;		/* borrowed: the stretch, as mapped */
	uint64_t size;
	uint8_t *copy;			/* owned */
	uint64_t room;			/* bytes of .copy */
	uint64_t from, nr;		/* the bytes of the stretch that are in .copy */
};

/* Makes @v a view of the @size bytes at @data, which @f has mapped, or which are elsewhere in memory. */
void data_view_set(struct data_view *v, const struct data_file *f, const uint8_t *data, uint64_t size);
/*
 * Returns the bytes from offset @at on, which must be below .size: at least @least bytes, or all that are left. *nr: how many.
 * Borrowed until the next call. If the file cannot be read, returns the mapped bytes.
 */
const uint8_t *data_view_at(struct data_view *v, uint64_t at, uint64_t least, uint64_t *nr);
/* Returns the @size bytes from offset @at on, all below .size: the copied bytes if .copy has all of them, else the mapped bytes. */
static inline const uint8_t *data_view_peek(const struct data_view *v, uint64_t at, uint64_t size)
{
	return at >= v->from && at + size <= v->from + v->nr ? v->copy + (at - v->from) : v->data + at;
}
void data_view_release(struct data_view *v);

/* Reads, from the file, the @size mapped bytes at @data into @to. False: no file of @f has them, or they cannot be read. */
bool data_file_copy(const struct data_file *f, const uint8_t *data, uint64_t size, uint8_t *to);

#endif
