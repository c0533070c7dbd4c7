/* Finds threads by tid alone, because a trace's context packets do not give the process. Layer: auxtrace */
#ifndef AUXTRACE_TIDS_H
#define AUXTRACE_TIDS_H

#include <stdint.h>

#include "core/base/vec.h"

struct machine;
struct thread;

struct tids {				/* = {0}; tids_release() */
	VEC(const struct thread *) list;	/* by number, then time; the machine's */
};

/* @m is sealed. */
void tids_gather(struct tids *t, const struct machine *m);
void tids_release(struct tids *t);
/* The life of thread @tid at @time, or the next one; NULL: no record has it. */
const struct thread *tids_find(const struct tids *t, uint32_t tid, uint64_t time);

#endif
