/*
 * Stores samples that wait for unwinding in a spill file if memory has no room for them. The file is in TMPDIR or /tmp, and
 * unlinked. One thread writes records and drops them, in the same order; any thread may read.
 * Layer: live
 */
#ifndef CORE_RECORD_LIVE_LIVE_SPILL_H
#define CORE_RECORD_LIVE_LIVE_SPILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct live_spill {		/* = {0}, but .most; live_spill_release() */
	uint64_t most;		/* bytes that may wait in it; at its first use limited to half of the free disk space */
	int fd;			/* once it is .open */
	bool open, full;	/* full: a write failed; until the file is empty */
	uint64_t end;		/* of the file, bytes */
	uint64_t waiting;	/* bytes that take room in it */
};

/* True if there seems to be room for @n bytes more. */
bool live_spill_has_room(const struct live_spill *s, uint64_t n);
/* Appends @n bytes; *at is set to their offset in the file. Returns 0, or -errno if nothing was appended. */
int live_spill_put(struct live_spill *s, const void *p, size_t n, uint64_t *at);
/* Reads @n bytes at offset @at. Ends the program if they cannot be read. */
void live_spill_read(const struct live_spill *s, void *p, size_t n, uint64_t at);
/* Frees the oldest bytes: the @n bytes at offset @at. */
void live_spill_drop(struct live_spill *s, uint64_t at, uint64_t n);
void live_spill_release(struct live_spill *s);

#endif
