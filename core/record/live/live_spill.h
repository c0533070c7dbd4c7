/*
 * Stores samples in a temporary file while they wait to be unwound, if they take more memory than record --unwind allows.
 * live_unwind.c writes the file, and live_workers.c reads it.
 */
#ifndef CORE_RECORD_LIVE_LIVE_SPILL_H
#define CORE_RECORD_LIVE_LIVE_SPILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The spill file, in TMPDIR or /tmp, without a name. One thread appends records and drops the oldest; any may read. */
struct live_spill {		/* = {0}, but .most; live_spill_release() */
	uint64_t most;		/* limit for .waiting, reduced at the first use to half of the free disk space */
	int fd;			/* valid if .open is set */
	bool open, full;	/* .full: a write failed, so nothing is appended until the file is empty */
	uint64_t end;		/* size of the file, in bytes */
	uint64_t waiting;	/* bytes of the file that take disk space */
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
