/*
 * Something that fills while recording and is emptied into the file. The recorder knows no more of it: rings and
 * AUX areas look alike.
 * Layer: events
 */
#ifndef CORE_EVENTS_DRAIN_H
#define CORE_EVENTS_DRAIN_H

#include <stdint.h>

struct data_writer;

enum drain_how {
	DRAIN_SOME,			/* little may be kept back, to be written with more */
	DRAIN_WRITE,			/* all that is there */
	DRAIN_LAST,			/* and what overwrite rings keep: a file ends */
};

struct drain {
	struct drain *next;		/* emptied after this one; NULL: none */
	/* Append what is there to @w. Returns the bytes taken (0: there was nothing), or -errno of the failed write. */
	int64_t (*drain)(struct drain *d, struct data_writer *w, enum drain_how how);
};

struct event_set;
struct tally;

/* The drain of all rings of a set, as one: what they hold goes out in one write. Owned by the caller. */
struct drain *ring_drain_new(struct event_set *set, struct tally *tally);
void ring_drain_free(struct drain *d);

#endif
