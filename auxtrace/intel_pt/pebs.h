/*
 * Reads PEBS records in an Intel PT trace, and finds the event of each record. The processor writes an event's PEBS records into
 * the trace if attr.aux_output is set. pebs_samples.c synthesizes samples from the records.
 */
#ifndef AUXTRACE_INTEL_PT_PEBS_H
#define AUXTRACE_INTEL_PT_PEBS_H

#include <stdbool.h>
#include <stdint.h>

#include "auxtrace/thread_stack.h"
#include "core/base/vec.h"

struct aux_queues;
struct event;
struct pt_packet;
struct sample;
struct session;

/*
 * A record is a sequence of blocks. A block is a BBP packet, which names a group of values, and a BIP packet for each value. A BEP
 * packet ends the record. If the values have no ip, the sample has the address of the FUP packet after the BEP. Source: Intel SDM
 * vol. 3, "PEBS Output to Intel Processor Trace" for the types of blocks and the numbers of values, "Adaptive PEBS" for their
 * meaning.
 */
enum pebs_group {
	PEBS_REGS,	/* general registers: flags, ip, ax, cx, dx, bx, sp, bp, si, di, r8 to r15 */
	PEBS_BASIC,	/* ip, counters, TSC */
	PEBS_MEMORY,	/* address, source, latency, transaction */
	PEBS_LBR_0, PEBS_LBR_1, PEBS_LBR_2,	/* ten branches each, the last one first: from, to, information */
	PEBS_XMM,	/* the halves of xmm0 to xmm15 */
	PEBS_NR_GROUPS,
};

#define PEBS_NR_ITEMS		32	/* most items of a group: their number has five bits */
#define PEBS_GROUP_BRANCHES	10
#define PEBS_MAX_BRANCHES	(3 * PEBS_GROUP_BRANCHES)
#define PEBS_NR_COUNTERS	64

struct pebs_record {			/* = {0} */
	bool open;			/* blocks have begun, and no BEP has ended them */
	bool is_32bit;			/* registers are of 32 bits */
	uint8_t group;			/* group of the current block; PEBS_NR_GROUPS: unknown, or no block */
	uint32_t has[PEBS_NR_GROUPS];	/* a bit for each item that the record has */
	uint64_t items[PEBS_NR_GROUPS][PEBS_NR_ITEMS];
};

/* Adds a BBP (flag: the first of a record) or BIP packet, or a BEP, which ends the record. */
void pebs_on_packet(struct pebs_record *r, const struct pt_packet *p);

/* Return the ip or the TSC in the record; 0: unknown. */
uint64_t pebs_ip(const struct pebs_record *r);
uint64_t pebs_tsc(const struct pebs_record *r);
/* Returns a bit for each counter that overflowed. */
uint64_t pebs_counters(const struct pebs_record *r);

struct pebs_words {			/* words that a sample borrows */
	uint64_t regs[64];
	struct branch_entry branches[PEBS_MAX_BRANCHES];
};

/* Sets the record's data in a sample of @ev, except address and time. @room must live as long as the sample. */
void pebs_fill(struct sample *s, const struct event *ev, const struct pebs_record *r, struct pebs_words *room);

/* ---- the events that wrote them ---- */

struct pebs_id {			/* an AUX_OUTPUT_HW_ID record: from .time on, the counter belongs to the event */
	uint32_t queue, counter;
	uint64_t time, position, id;
	const struct event *event;	/* NULL: no event of the recording */
};

struct pebs_events {			/* = {0}; pebs_events_release() */
	const struct event *first;	/* the first event that writes into the trace; NULL: no event does */
	bool several;
	VEC(struct pebs_id) ids;	/* sorted by queue, counter and time */
};

/* Returns the number of invalid records in the session. */
unsigned pebs_events_gather(struct pebs_events *e, const struct session *s, const struct aux_queues *queues);
void pebs_events_release(struct pebs_events *e);
/* Finds the event that a counter belonged to at @time; NULL: unknown. */
const struct pebs_id *pebs_events_find(const struct pebs_events *e, uint32_t queue, uint32_t counter, uint64_t time);

#endif
