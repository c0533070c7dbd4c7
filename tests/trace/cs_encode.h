/*
 * A trace unit: elements in, the bytes of an ETMv4 or ETE stream out, and the frames that a formatter makes
 * of several streams. Choices that hardware is free to make are made at random, from a seed.
 */
#ifndef TESTS_TRACE_CS_ENCODE_H
#define TESTS_TRACE_CS_ENCODE_H

#include "auxtrace/cs_etm/config.h"
#include "core/base/buf.h"
#include "core/base/vec.h"

#define CS_STACK	8	/* entries of the return stack */

struct cs_unit {
	struct cs_config c;
	struct buf out;
	uint64_t seed;
	struct { uint64_t ip; unsigned is; } history[3], returns[CS_STACK];
	unsigned nr_returns;
	bool synced;			/* no address was written since the last synchronisation */
	uint32_t atoms, nr_atoms;	/* not yet written, the oldest in bit 0 */
	unsigned unresolved;		/* P0 elements written and not committed */
	uint64_t time, last_time;	/* last_time: what the next timestamp leaves out, zero after a synchronisation */
	uint64_t told_time;		/* the last timestamp */
	uint32_t threshold;
	uint64_t cycles;		/* the sum of those written */
	uint8_t el;			/* context */
	bool sf;
	uint32_t cid, vmid;
};

uint64_t cs_unit_random(struct cs_unit *u, uint64_t below);

/* A-sync, trace info and perhaps the time: the next cs_unit_address() is to have a context. */
void cs_unit_sync(struct cs_unit *u);
void cs_unit_trace_on(struct cs_unit *u);
/* Loses all instructions from here on; go on with cs_unit_sync(), cs_unit_trace_on(), cs_unit_address(). */
void cs_unit_overflow(struct cs_unit *u);
void cs_unit_discard(struct cs_unit *u);
/* Packets without effect: an A-sync alone, an event, a timestamp, a packet to be ignored. */
void cs_unit_nothing(struct cs_unit *u);
void cs_unit_address(struct cs_unit *u, uint64_t ip, unsigned is, bool context);
void cs_unit_atom(struct cs_unit *u, bool taken);
/* @was_target: @ip is also the target of the branch before, which was not written. */
void cs_unit_exception(struct cs_unit *u, unsigned number, uint64_t ip, unsigned is, bool was_target);
/* Instead of the not-taken atoms not yet written and a taken one: the address of the branch. True if it could be. */
bool cs_unit_source(struct cs_unit *u, uint64_t ip, unsigned is);
/* A call was taken; an indirect branch was: true if the return stack says where to. */
void cs_unit_call(struct cs_unit *u, uint64_t next, unsigned is);
bool cs_unit_return(struct cs_unit *u, uint64_t to, unsigned is);
/* Time passes: timestamps and cycle counts, now and then. */
void cs_unit_tick(struct cs_unit *u);
/* A timestamp. */
void cs_unit_time(struct cs_unit *u);
/* All is written and committed. */
void cs_unit_flush(struct cs_unit *u);

struct cs_framed { uint8_t id; const struct buf *stream; };

/* The streams of @nr sources, mixed, as 16-byte frames; @syncs: with frame and half-frame syncs as a TPIU sends. */
void cs_frames(struct buf *out, const struct cs_framed *s, unsigned nr, uint64_t seed, bool syncs);

#endif
