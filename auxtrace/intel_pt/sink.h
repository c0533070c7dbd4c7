/*
 * Declares the callbacks through which the Intel PT decoder (flow.h) reports executed blocks, branches, events, the instructions
 * at which samples are due, and gaps, where trace may be missing. Each callback gets the decoder's state.
 */
#ifndef AUXTRACE_INTEL_PT_SINK_H
#define AUXTRACE_INTEL_PT_SINK_H

#include <stdbool.h>
#include <stdint.h>

#include "auxtrace/intel_pt/packet.h"
#include "auxtrace/intel_pt/time.h"

struct block;

enum pt_gap_reason {
	PT_GAP_OVERFLOW,	/* the hardware lost packets (OVF) */
	PT_GAP_PACKET,		/* bytes that are no packet */
	PT_GAP_TRUNCATED,		/* the data ends inside a packet */
	PT_GAP_NO_CODE,		/* the code cannot be read */
	PT_GAP_BAD_INSN,	/* the code is no instruction */
	PT_GAP_NO_IP,		/* a packet lacks the address it needs */
	PT_GAP_DESYNC,		/* a packet that cannot follow at this place of the code */
	PT_GAP_LOOP,		/* the code loops for ever without a packet */
	PT_GAP_RETURN,		/* a compressed return that no call belongs to */
	PT_GAP_ORDER,		/* a packet that no valid trace has here */
	PT_GAP_TIME,		/* a time before the last one: trace may be missing here, though the position is known */
};

#define PT_NR_GAPS (PT_GAP_TIME + 1)

struct pt_gap {
	uint8_t reason;		/* enum pt_gap_reason */
	uint64_t ip;		/* the position of the program; 0: not known */
	uint64_t offset;	/* offset of the packet in the trace */
	uint64_t unsure;	/* instructions before the gap that may not have run, or some may be missing among them */
	bool only_unsure;		/* no new loss: .unsure counts the unsure instructions between the last gap and here */
};

struct pt_branch {
	uint64_t from;		/* address of the branch, or of the interrupted instruction; 0: tracing began */
	uint64_t to;		/* 0: not known (tracing ended there) */
	uint8_t kind;		/* enum insn_kind of the instruction at .from; INSN_OTHER: no instruction branched */
	uint8_t detail;		/* struct insn.detail of this instruction */
	uint8_t size;		/* bytes of this instruction */
	bool taken;		/* false: a conditional that fell through (to is the next instruction) */
	bool async;		/* interrupt, fault, or another event between two instructions */
	bool abort;		/* async, by the abort of a transaction */
	bool in_tx;		/* the instruction was in a transaction */
	bool begin;		/* tracing began at .to */
	bool end;		/* tracing ended after .from */
};

struct pt_event {
	struct pt_packet packet;	/* the event: see enum pt_type for the values; flag of a BBP: the first of a record */
	uint64_t ip;			/* the event's address; 0: not known */
};

struct pt_state {
	uint64_t ip;		/* the next instruction; 0: not known */
	uint64_t insns;		/* number of instructions executed so far */
	/*
	 * The time at the current position, in TSC ticks; 0: not known. A timing packet takes effect at the first branch after
	 * it: the code up to that branch began to run earlier.
	 */
	uint64_t tsc;
	uint64_t offset;	/* offset of the current packet in the trace */
	struct pt_time time;	/* the time at the last timing packet, with cycles and ratio */
	uint64_t cr3;		/* 0: not known */
	bool non_root;		/* VMX: a guest runs */
	bool enabled;		/* following the program */
	bool in_tx;
	bool interrupts;	/* the interrupt flag, according to event trace */
	bool toggles;		/* the current event changes the interrupt flag */
	uint8_t mode;		/* 16, 32, 64 */
	uint32_t space;		/* the last result of sink->space(); PT_NO_SPACE: not called yet */
};

#define PT_NO_SPACE	UINT32_MAX

/* Callbacks; those that are not wanted are NULL. All data are borrowed until the call returns. */
struct pt_sink {
	bool taken_only;	/* branches that fell through are not wanted */
	/* Instructions @from up to, not including, @to of @b were executed. */
	void (*block)(void *ctx, const struct pt_state *s, const struct block *b, unsigned from, unsigned to);
	void (*branch)(void *ctx, const struct pt_state *s, const struct pt_branch *b);
	/* A sample is due: instruction @nr of @b is the one that completes a period. s->insns counts it. */
	void (*sample)(void *ctx, const struct pt_state *s, const struct block *b, unsigned nr);
	void (*event)(void *ctx, const struct pt_state *s, const struct pt_event *e);
	/* The interrupt flag changes at @from; @to: target of the branch there, 0: no branch. s->interrupts is as before. */
	void (*interrupts)(void *ctx, const struct pt_state *s, uint64_t from, uint64_t to);
	void (*gap)(void *ctx, const struct pt_state *s, const struct pt_gap *g);
	/*
	 * Returns the number of the address space of the code from here on. Called when it may have changed: at the begin of
	 * tracing, a far transfer, a PSB or a new CR3. NULL: the number is always 0.
	 */
	uint32_t (*space)(void *ctx, const struct pt_state *s);
	/* True if the code at @ip is traced, for an end of tracing without an address. NULL: by the config's ranges. */
	bool (*traced)(void *ctx, const struct pt_state *s, uint64_t ip);
	/* Called if no code can be read at @ip. Returns false if nothing is mapped there: no program can be there. NULL: true. */
	bool (*mapped)(void *ctx, const struct pt_state *s, uint64_t ip);
};

#endif
