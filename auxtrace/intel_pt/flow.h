/*
 * Follows a program: from packets and code to the instructions that ran, the branches they took, and events between. Independent
 * of sessions: code comes from the block cache's read_code, results go to a sink.
 *
 * The state in a PSB+ (time, mode, address ...) is reported at its PSBEND, with the address that the PSB+ gives.
 *
 * A trace may be decoded whole or in pieces that begin at a PSB: a PSB restores all state (address, mode, time;
 * return compression does not cross it), and pt_flow_decode() of a piece follows the program up to the address
 * that the PSB after it gives. So pieces can be decoded in any order, or in parallel by one flow each, with the
 * same results.
 *
 * A sink that wants only samples costs next to nothing per instruction: the code between two branches of the trace is one step.
 * With block or branch callbacks each block is a step.
 * Layer: auxtrace
 */
#ifndef AUXTRACE_INTEL_PT_FLOW_H
#define AUXTRACE_INTEL_PT_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "auxtrace/intel_pt/sink.h"

struct block_cache;
struct pt_flow;

/* The reason in words, for messages. */
const char *pt_gap_text(enum pt_gap_reason reason);

/*
 * Errata of processors that change the reading of packets; names as in Intel's specification updates. Others that libipt
 * knows need no care here. SKD010, APL11: after an overflow each packet with an address gives the place, and a TIP.PGD the
 * end of tracing. SKL014: a TIP.PGD without address may end any jump out of the filters. SKL168: the TSC in a PSB+ sets a new
 * time.
 */
enum pt_errata {
	PT_BDM64 = 1 << 0,	/* the path to the abort of a transaction may be missing */
	PT_SKD007 = 1 << 1,	/* after an overflow, a CYC may have swallowed the packet before it */
	PT_SKD022 = 1 << 2,	/* a VM entry that ends tracing may make a FUP before its TIP.PGD */
	PT_BDM70 = 1 << 3,	/* before a TIP.PGE there may be a PSB+ that has a FUP, though nothing is traced */
	PT_APL12 = 1 << 4,	/* there may be a FUP after an overflow, though nothing is traced */
	PT_SKZ84 = 1 << 5,	/* in a guest with a TSC of its own a TMA is wrong, and a byte that is no packet follows */
	PT_NLIP = 1 << 6,	/* the FUP of a software interrupt may have the address of the next instruction; perf's name */
};

/* The errata of a processor. @cpuid: "GenuineIntel,6,142,10", as perf.data has it; NULL: none. */
unsigned pt_errata_find(const char *cpuid);

#define PT_MAX_FILTERS 4

struct pt_range {
	uint64_t from, to;	/* half open */
};

struct pt_flow_config {
	struct block_cache *cache;	/* borrowed; one flow each, since blocks remember what the flow made of them */
	const struct pt_sink *sink;	/* borrowed */
	void *ctx;			/* for the sink */
	uint64_t period;		/* instructions a sample; 0: no samples */
	struct pt_time_config time;
	unsigned errata;		/* enum pt_errata */
	bool no_branches;		/* BranchEn was off: addresses in packets are facts, but no path leads there */
	bool no_ret_comp;		/* DisRETC was set: a RET always takes a TIP, though bits may wait (deferred TIPs) */
	uint64_t absent;		/* bits of enum pt_type: packets that were not configured; one in the trace is damage */
	struct pt_range filters[PT_MAX_FILTERS];	/* tracing was on in these ranges only */
	unsigned nr_filters;		/* 0: everywhere */
};

/* Owned by the caller: pt_flow_free(). */
struct pt_flow *pt_flow_new(const struct pt_flow_config *config);
void pt_flow_free(struct pt_flow *f);

/* Forget the place and the time (not the code): what follows is another piece or another trace. */
void pt_flow_reset(struct pt_flow *f);

/* The next sample is due when s->insns reaches @insns (it may be below: then at once). */
void pt_flow_sample_at(struct pt_flow *f, uint64_t insns);

/*
 * Call it after pt_flow_reset() if it is not known yet where the first sample is due. Decoding then only calls sink->space.
 * pt_flow_sample_now() reports the samples from @insns on and the gaps, and calls sink->space again, all in order; after it
 * decoding may go on with direct reports. Returns false if the path was too long to keep: nothing was reported, decode again
 * from pt_flow_reset() on. Not for flows whose sink wants blocks, branches or events.
 */
void pt_flow_sample_later(struct pt_flow *f);
bool pt_flow_sample_now(struct pt_flow *f, uint64_t insns);

/*
 * Decodes data[from..to) of a trace of @size bytes; skips bytes before the first PSB, unless the flow is already synchronised
 * from a call before. If a PSB begins at @to, its PSB+ is read too, to go on up to the address in it. @base is added to
 * reported offsets.
 *
 * pt_flow_advance() does a part of that: it stops at the first packet at or after @to and returns its offset, where the next
 * call must begin.
 */
size_t pt_flow_advance(struct pt_flow *f, const uint8_t *data, size_t size, size_t from, size_t to, uint64_t base);
void pt_flow_decode(struct pt_flow *f, const uint8_t *data, size_t size, size_t from, size_t to, uint64_t base);

/*
 * The time that was lost since pt_flow_reset(): from where the position was lost to where packets gave it again, or said that
 * tracing is off.
 */
struct pt_lost {
	uint64_t ticks[PT_NR_GAPS];	/* TSC, by the gap's reason */
	bool open;			/* the position is still unknown: */
	uint8_t reason;			/* why, enum pt_gap_reason, */
	uint64_t since;			/* and since when; 0: not known */
};

const struct pt_lost *pt_flow_lost(const struct pt_flow *f);

/* The state, borrowed; valid at any time. */
const struct pt_state *pt_flow_state(const struct pt_flow *f);

#endif
