/*
 * The spill file: unlinked, in TMPDIR or /tmp; it holds records that wait for unwinders if memory has no room for them. One thread
 * writes records and drops them, in the same order; any thread may read.
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
/* Append @n bytes; *at is where they are. Returns 0 or -errno: then nothing was put there. */
int live_spill_put(struct live_spill *s, const void *p, size_t n, uint64_t *at);
/* Ends the program if they cannot be read. */
void live_spill_read(const struct live_spill *s, void *p, size_t n, uint64_t at);
/* The oldest bytes are not needed any more. */
void live_spill_drop(struct live_spill *s, uint64_t at, uint64_t n);
void live_spill_release(struct live_spill *s);

#endif
