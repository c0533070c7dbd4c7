/*
 * Collects bytes that callers append first and read in order later, such as the samples of a profile. More than SPILL_STEP bytes
 * go to a temporary file, so memory stays bounded. core/base/buf.h keeps all bytes in memory.
 */
#ifndef CORE_BASE_SPILL_H
#define CORE_BASE_SPILL_H

#include "core/base/buf.h"

#define SPILL_STEP (4u << 20)	/* when this many bytes are in memory, they are written to the file */
#define SPILL_PASSED (256u << 10)	/* when this many bytes were read, their pages are released */

struct spill {			/* {0} is an empty one; spill_release() */
	struct buf tail;	/* data that are not in the file yet */
	uint64_t in_file;	/* bytes */
	int fd;			/* an unlinked file in $TMPDIR or /tmp; only valid if .in_file is not 0 */
	const uint8_t *map;	/* the mapped file; NULL before spill_all() */
};

/* The slow path of spill_more(). */
void spill_write(struct spill *s);

/* Returns the buffer to append the next bytes to. Ends the program if the file cannot be written. */
static inline struct buf *spill_more(struct spill *s)
{
	if (s->tail.len >= SPILL_STEP)
		spill_write(s);
	return &s->tail;
}

/* Maps the file, and returns all bytes, *size of them, borrowed until spill_release(). Nothing may be appended afterwards. */
const uint8_t *spill_all(struct spill *s, uint64_t *size);

/* Releases the pages of the bytes before @at. *from is the end of those released so far: at first, the result of spill_all(). */
void spill_passed(const struct spill *s, const uint8_t **from, const uint8_t *at);

void spill_release(struct spill *s);

#endif
