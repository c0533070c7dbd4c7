/*
 * Follows the program that Intel PT traced: finds the executed instructions, branches and events, from the packets and the
 * program's code. sampler.c runs this decoder. sink.h declares the callbacks of the decoder.
 */
#ifndef AUXTRACE_INTEL_PT_FLOW_H
#define AUXTRACE_INTEL_PT_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "auxtrace/intel_pt/sink.h"

struct block_cache;
struct pt_flow;

/* Returns the reason in words, for messages. */
const char *pt_gap_text(enum pt_gap_reason reason);

/*
 * Errata of processors that change the reading of packets, named as in Intel's specification updates. The other errata that
 * libipt handles need no special code here. SKD010, APL11: after an overflow, any packet with an address gives the position, and a
 * TIP.PGD ends tracing. SKL014: a TIP.PGD without address may end any jump out of the filters. SKL168: the TSC in a PSB+ sets a
 * new time.
 */
enum pt_errata {
	PT_BDM64 = 1 << 0,	/* the path to the abort of a transaction may be missing */
	PT_SKD007 = 1 << 1,	/* an OVF may come after the first byte of a CYC of several bytes, in place of its other bytes */
	PT_SKD022 = 1 << 2,	/* a VM entry that ends tracing may make a FUP before its TIP.PGD */
	PT_BDM70 = 1 << 3,	/* before a TIP.PGE there may be a PSB+ that has a FUP, though nothing is traced */
	PT_APL12 = 1 << 4,	/* there may be a FUP after an overflow, though nothing is traced */
	PT_SKZ84 = 1 << 5,	/* in a guest with its own TSC, a TMA is wrong, and a byte that is no packet follows it */
	PT_NLIP = 1 << 6,	/* the FUP of a software interrupt may have the address of the next instruction; perf's name */
};

/* The errata of a processor. @cpuid: "GenuineIntel,6,142,10", as perf.data has it; NULL: none. */
unsigned pt_errata_find(const char *cpuid);

#define PT_MAX_FILTERS 4

struct pt_range {
	uint64_t from, to;	/* half open */
};

/*
 * The decoder does not depend on a recording: it gets the code from the block cache's read_code() (auxtrace/block.h), and calls
 * callbacks with the results. If the callbacks want only samples, the code between two branches whose outcomes are in the trace is
 * handled as a unit (superblock.h), so an instruction costs almost nothing. With callbacks for blocks or branches, each basic block
 * is handled separately.
 */
struct pt_flow_config {
	struct block_cache *cache;	/* borrowed; one for each decoder, because blocks keep a decoder's data */
	const struct pt_sink *sink;	/* borrowed */
	void *ctx;			/* for the sink */
	uint64_t period;		/* instructions a sample; 0: no samples */
	struct pt_time_config time;
	unsigned errata;		/* enum pt_errata */
	bool no_branches;		/* BranchEn was off: packets have addresses, but the path to them is unknown */
	bool no_ret_comp;		/* DisRETC was set: a RET always takes a TIP, though bits may wait (deferred TIPs) */
	uint64_t absent;		/* bits of enum pt_type: packets that were not configured, and are a sign of damage */
	struct pt_range filters[PT_MAX_FILTERS];	/* tracing was on in these ranges only */
	unsigned nr_filters;		/* 0: everywhere */
};

/* Owned by the caller: pt_flow_free(). */
struct pt_flow *pt_flow_new(const struct pt_flow_config *config);
void pt_flow_free(struct pt_flow *f);

/* Forgets the position and the time, but not the code, before another piece or another trace. */
void pt_flow_reset(struct pt_flow *f);

/* The next sample is due when s->insns reaches @insns; immediately if it is not below @insns. */
void pt_flow_sample_at(struct pt_flow *f, uint64_t insns);

/*
 * Call pt_flow_sample_later() after pt_flow_reset() if it is not known yet where the first sample is due. Decoding then stores the
 * path (path.h), and calls only sink->space. pt_flow_sample_now() reports the samples from @insns on and the gaps, and calls
 * sink->space again, all in order. After this, decoding reports directly. Returns false if the path was too long to keep: then
 * nothing was reported, and decoding must begin again with pt_flow_reset(). Not for sinks that want blocks, branches or events.
 */
void pt_flow_sample_later(struct pt_flow *f);
bool pt_flow_sample_now(struct pt_flow *f, uint64_t insns);

/*
 * A trace may be decoded as a whole or in pieces that begin at a PSB packet. A PSB+ is the group of packets from a PSB to its
 * PSBEND packet. It restores all state (address, mode and time), and return compression does not cross it. Its state takes effect
 * as a whole, at the PSBEND. Only then are the events in the PSB+ reported, with the address that the PSB+ gives. At the end of a
 * piece, pt_flow_decode() follows the program up to the address that the next PSB+ gives. So pieces may be decoded in any order, or
 * in parallel with one decoder each, with the same results.
 *
 * Decodes data[from..to) of a trace of @size bytes. Skips bytes before the first PSB, unless an earlier call has found a PSB. If a
 * PSB begins at @to, its PSB+ is read too, to follow the program up to the address in it. @base is added to reported offsets.
 *
 * pt_flow_advance() decodes only a part of the range: it stops at the first packet at or after @to and returns the packet's offset,
 * where the next call must begin.
 */
size_t pt_flow_advance(struct pt_flow *f, const uint8_t *data, size_t size, size_t from, size_t to, uint64_t base);
void pt_flow_decode(struct pt_flow *f, const uint8_t *data, size_t size, size_t from, size_t to, uint64_t base);

/*
 * The time that was lost since pt_flow_reset(). A loss lasts from the time when the position was lost to the time when packets gave
 * the position again, or showed that tracing was off.
 */
struct pt_lost {
	uint64_t ticks[PT_NR_GAPS];	/* by the gap's reason: lost time in TSC ticks */
	bool open;			/* the position is still unknown */
	uint8_t reason;			/* if .open: the reason, enum pt_gap_reason */
	uint64_t since;			/* if .open: the time when the position was lost; 0: not known */
};

const struct pt_lost *pt_flow_lost(const struct pt_flow *f);

/* The state, borrowed; valid at any time. */
const struct pt_state *pt_flow_state(const struct pt_flow *f);

#endif
