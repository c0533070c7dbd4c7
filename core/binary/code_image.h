/*
 * Holds the machine code of a file, and reads it by address. core/model/code.c decides which file has the code of a dso (a
 * mapped file), and keeps the code image in the struct dso_code of the dso.
 */
#ifndef CORE_BINARY_CODE_IMAGE_H
#define CORE_BINARY_CODE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/vec.h"

struct code_span { uint64_t start, end, offset; };	/* addresses [start, end), whose bytes begin at .offset */

/* The bytes are mapped from the file or are in memory. A file that cannot be mapped (/proc/kcore) is read at each access. */
struct code_image {		/* = {0} has no bytes */
	uint8_t *data;		/* owned; NULL: read the bytes from .fd */
	uint64_t size;
	bool mapped;		/* .data is a mapping; else it is malloc'ed */
	int fd;			/* owned, if .data is NULL and .size is not 0 */
	VEC(struct code_span) spans;	/* sorted by start */
};

/* Opens the regular file at @path. Returns 0 or -errno. */
int code_image_open(struct code_image *image, const char *path);
/* Takes over @data, which was malloc'ed. */
void code_image_init(struct code_image *image, void *data, size_t size);
void code_image_release(struct code_image *image);

/* Adds the addresses [start, start + size) for the bytes from @offset on; nothing if that overflows. */
void code_image_add(struct code_image *image, uint64_t start, uint64_t size, uint64_t offset);
/* Call it after the last code_image_add(). */
void code_image_finish(struct code_image *image);

/*
 * Copies up to @n bytes from @offset on. Returns how many. Files are not trusted, so any offset or address is safe: a read stays
 * within the bytes of the file. This and code_image_at() are safe from any thread.
 */
size_t code_image_read(const struct code_image *image, uint64_t offset, void *out, size_t n);
/* The same for the bytes at @addr. */
size_t code_image_at(const struct code_image *image, uint64_t addr, void *out, size_t n);

struct code_note { uint64_t at, size; };	/* .at: with dso_code.by_offset an offset in the file, else a recorded address */

/* Sort the notes of @c, and join those that touch. */
struct dso_code;
void code_notes_join(struct dso_code *c);

/* A dso's code, found at the first lookup: see code.c. */
struct dso_code {
	struct dso_code *next;	/* the code of the same dso at another .base */
	uint64_t base;		/* the address of a module whose code depends on it; else 0 */
	bool by_offset;		/* bytes are found by their offset in the file, not by address */
	bool archived;		/* .own is from an archive; with .by_offset its spans are offsets, else addresses */
	VEC(struct code_note) notes;	/* the ranges that were read, if the machine tracks lookups; under the dso's lock */
	size_t nr_joined;	/* the number of .notes when they were last sorted and joined */
	uint64_t shift;		/* address as recorded - address in the image */
	const struct code_image *image;	/* &.own, or the machine's kcore */
	struct code_image own;
};

/* Frees the whole list. */
void dso_code_free(struct dso_code *c);

#endif
