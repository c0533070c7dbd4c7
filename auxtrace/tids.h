/*
 * Finds the thread, and so the process, that had a tid at a given time. Decoders need this because the context packets of a
 * hardware trace have only a tid.
 * Layer: auxtrace
 */
#ifndef AUXTRACE_TIDS_H
#define AUXTRACE_TIDS_H

#include <stdint.h>

#include "core/base/vec.h"

struct machine;
struct thread;

struct tids {				/* = {0}; tids_release() */
	VEC(const struct thread *) list;	/* by tid, then by time; the threads are borrowed from the machine */
};

/* Lists the threads of @m, which must be sealed (machine.h). */
void tids_gather(struct tids *t, const struct machine *m);
void tids_release(struct tids *t);
/* The thread that had @tid at @time, or the next one that had it; NULL: none. */
const struct thread *tids_find(const struct tids *t, uint32_t tid, uint64_t time);

#endif
