/*
 * Keeps the elements of an ETMv4 trace that are still speculative, such as branches, until the trace unit commits or cancels
 * them. flow.c adds elements to the queue, and follows only the committed ones.
 * Source: ETMv4 (IHI 0064), section 5.2.
 */
#ifndef AUXTRACE_CS_ETM_SPEC_QUEUE_H
#define AUXTRACE_CS_ETM_SPEC_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "auxtrace/cs_etm/packet.h"
#include "core/base/vec.h"

struct cs_config;

struct cs_spec_packet {
	struct cs_packet pkt;	/* an atom packet holds one atom */
	size_t at;		/* offset in the stream */
	bool p0;
};

/*
 * If a trace unit speculates, the P0 elements (branches and exceptions) and the packets between them enter this queue, and leave it
 * oldest first when they are committed.
 */
struct cs_spec_queue {		/* = {0} is an empty one; cs_spec_queue_release() */
	VEC(struct cs_spec_packet) list;
	size_t first;		/* index of the oldest packet that waits; earlier ones were handled */
	uint32_t nr_p0;		/* number of P0 elements that wait, including .unseen */
	uint32_t unseen;	/* P0 elements from before the trace began */
	bool is_upper_bound;	/* .nr_p0 is only an upper bound, since a gap */
};

/* True if a packet counts as a P0 element (each of its atoms does). */
bool cs_is_p0(const struct cs_packet *pkt, const struct cs_config *c);

/* Appends @pkt, which is at byte @at of the stream. Returns 0, or -E2BIG if more elements wait than any trace unit holds. */
int cs_spec_queue_add(struct cs_spec_queue *q, const struct cs_packet *pkt, size_t at, const struct cs_config *c);
/* Drops the newest @nr P0 elements and the packets after them, except times and events. Returns 0 or -ERANGE. */
int cs_spec_queue_cancel(struct cs_spec_queue *q, uint32_t nr);
/* Inverts the newest atom, and drops addresses after it. Returns 0, or -ERANGE if there is no atom. */
int cs_spec_queue_mispredict(struct cs_spec_queue *q);
/* The oldest packet, borrowed until the queue changes. NULL: nothing waits. */
const struct cs_spec_packet *cs_spec_queue_next(const struct cs_spec_queue *q);
/* The oldest packet leaves the queue; borrowed until the next cs_spec_queue_add(). NULL: nothing waits. */
const struct cs_spec_packet *cs_spec_queue_pop(struct cs_spec_queue *q);
/* Empties the queue, and puts @unseen P0 elements in front that were traced before the data begin. */
void cs_spec_queue_reset(struct cs_spec_queue *q, uint32_t unseen);
void cs_spec_queue_release(struct cs_spec_queue *q);

#endif
