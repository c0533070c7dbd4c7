/*
 * Declares the callbacks of the CoreSight decoder (flow.h), which report executed instructions, branches, and gaps: places where
 * trace may be missing, or cannot be followed. samples.c implements them.
 */
#ifndef AUXTRACE_CS_ETM_SINK_H
#define AUXTRACE_CS_ETM_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct block;

enum cs_gap {
	CS_GAP_OVERFLOW,	/* the trace unit's buffer was full */
	CS_GAP_DISCARD,		/* a Discard packet: uncommitted elements will never be committed, and are dropped */
	CS_GAP_BAD_PACKET,	/* the bytes are no packet */
	CS_GAP_TRUNCATED_PACKET,	/* the buffer ends in a packet */
	CS_GAP_NO_SYNC,		/* bytes before the first synchronisation */
	CS_GAP_NO_CODE,		/* the code at .ip cannot be read */
	CS_GAP_BAD_CODE,	/* no instruction is at .ip, or the instructions there go on without a branch */
	CS_GAP_NO_ADDRESS,	/* a branch or exception is reported while the position is unknown */
	CS_GAP_LOST,		/* the code does not lead to the address of an exception or branch */
	CS_GAP_SPECULATION,	/* more elements are committed or cancelled than there are, or too many wait */
	CS_GAP_TIME,		/* a time before the last one: trace may be missing here, though the position is known */
	CS_GAP_UNKNOWN_PATH,	/* a Q packet counts instructions without saying which branches were taken */
};

/* The position of the flow, readable in each callback. */
struct cs_point {
	uint64_t insns;		/* executed so far; in calls of .block and .passed, without this block */
	uint64_t stop;		/* when to call .passed; the callback sets it; UINT64_MAX at first: never */
	uint64_t time;		/* the last timestamp; 0: none yet */
	uint64_t cycles;	/* the sum of the cycle counts so far */
	uint64_t ip;		/* in calls of .gap: the gap's address; 0: unknown */
	uint64_t unsure;	/* in calls of .gap: so many instructions before it may not have run, or some may be missing */
	size_t offset;		/* offset of the current packet in the stream: see cs_stream_offset() */
	uint32_t cid, vmid;	/* context */
	uint32_t space;		/* the result of .space */
	uint8_t el;		/* exception level */
	bool sf, ns, nse;	/* AArch64; security state as in struct cs_packet */
};

/*
 * Callbacks; NULL members are not called. Blocks are borrowed for the call. (CoreSight's own sinks are something else:
 * buffers that a trace is written to.)
 */
struct cs_sink {
	/* The first @nr instructions of @b, all of them in most cases, were executed. */
	void (*block)(void *ctx, struct cs_point *at, const struct block *b, unsigned nr);
	/*
	 * Instruction number at->stop, counted from 1, was executed. It is instruction @nr, counted from 0, of @b. The callee
	 * raises at->stop. If the new number is still in this block, the callee is called again.
	 */
	void (*passed)(void *ctx, struct cs_point *at, const struct block *b, unsigned nr);
	/*
	 * The branch at @from of @kind (enum insn_kind) went to @to if @taken. Otherwise it was not taken, and @to is the next
	 * instruction. For an exception, @number is not negative, @kind is INSN_FAR_CALL, and @from is the return address.
	 */
	void (*branch)(void *ctx, struct cs_point *at, uint64_t from, uint64_t to, unsigned kind, bool taken,
		       int number);
	/* Tracing began, or began again after it was off. */
	void (*start)(void *ctx, struct cs_point *at);
	void (*gap)(void *ctx, struct cs_point *at, enum cs_gap why);
	/* Returns the space number for block_at() in this context. NULL: it is 0. */
	uint32_t (*space)(void *ctx, const struct cs_point *at);
};

const char *cs_gap_text(enum cs_gap why);

#endif
