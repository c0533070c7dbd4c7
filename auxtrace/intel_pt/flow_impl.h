/*
 * The inside of the flow. Calls go downwards: flow.c reads packets and finds the next PSB after damage, packet_handlers.c handles
 * packets, events.c those that do not move the program, walk.c moves through the code, place.c holds the position in the
 * program and reports gaps.
 * Layer: auxtrace
 */
#ifndef AUXTRACE_INTEL_PT_FLOW_IMPL_H
#define AUXTRACE_INTEL_PT_FLOW_IMPL_H

#include "auxtrace/intel_pt/flow.h"
#include "auxtrace/intel_pt/path.h"
#include "auxtrace/intel_pt/superblock.h"

#define RETURN_DEPTH	64	/* of return compression: SDM, "Indirect Transfer Compression for Returns" */
#define MAX_PENDING	16	/* events that wait for a FUP; hardware has fewer */
#define MAX_ABSENT	4	/* from PSB to PSB, of pt_flow_config.absent */
#define PSBEND_SIZE	2u
#define AGREEING	8	/* packets with addresses that agree with the code, together unlikely to do so by chance */

struct pt_flow {
	struct pt_state state;
	struct pt_flow_config config;
	struct superblock_pool sbs;
	struct pt_path path;		/* stored if samples are taken later */
	bool detailed;			/* the sink wants blocks or branches */

	/* The position: the superblock that is executed next; NULL: must be looked up at state.ip. */
	struct superblock *sb;
	uint64_t stop;			/* state.insns from which on superblocks are passed in detail: the next sample, or 0 */
	uint64_t next_sample;
	uint64_t bits;			/* TNT bits to be used, the oldest in bit 63 */
	unsigned nr_bits;
	bool deferred;			/* since the last PSB a TIP came after bits of branches after its own */
	struct block *calls[RETURN_DEPTH];	/* return compression: a ring */
	unsigned top, nr_calls;
	bool calls_lost;		/* there may be more, from before a gap */

	struct pt_lost lost;
	uint64_t verified_at;		/* state.insns where the last packet with an address agreed with the code, */
	uint64_t psb_at;		/* and where a PSB+ did, or gave the place */
	struct {			/* the position may be wrong since a gap: see place_mark_unverified() */
		unsigned left;		/* packets that must agree with the code until it is trusted; 0: it is */
		uint8_t reason;		/* the gap's */
		uint64_t since;		/* state.insns there */
	} unverified;
	unsigned absent_left;		/* how many unexpected packets are still reported before the next PSB */

	/* Packets that wait for another one. */
	struct pt_ip last_ip;
	struct pt_event pending[MAX_PENDING];	/* packets that wait for the next FUP */
	unsigned nr_pending;
	union {				/* if none of these is set, bits are simply the next ones */
		struct {
			bool have_fup;		/* the next TIP or TIP.PGD is the other half of an event at fup_ip */
			bool in_psb;		/* a PSB+ takes effect as a whole, at PSBEND */
			bool no_branches;	/* the config's */
			uint8_t next_mode;	/* from MODE.Exec; 0: none waits */
			uint8_t item_size;	/* of BIP packets; 0: not in a block */
		};
		uint64_t inconsistent;
	};
	bool fup_abort;			/* and that is the abort of a transaction */
	uint64_t fup_ip;
	bool next_interrupts;
	bool overflow;			/* after an OVF: the next FUP has the address where tracing goes on */

	bool synced;			/* there was a PSB */
	bool sync_lost;			/* the packets read are impossible: the flow goes on at the next PSB */
	bool psb_has_ip;
	bool in_psb_lookahead;		/* reading the PSB+ of the next piece, which will report it */
	uint64_t psb_ip;
	bool psb_tx;
	uint64_t crossed;		/* the last TIP's target if its near branch went to the other half of the addresses; or 0 */
	uint64_t shown_ip, shown_insns;	/* where a PSB+, or the FUP after an OVF, showed the program last, and state.insns there */
	unsigned shown_by;		/* PT_BDM70, PT_APL12: which of them */
};

/* --- place.c: the place in the program, and its reports ---------------------- */

/* Set the place; 0: not known from now on. */
void place_set(struct pt_flow *f, uint64_t ip);
/* Forget TNT bits and calls. */
void place_forget(struct pt_flow *f);

/* The lost place is found again. */
void place_found(struct pt_flow *f);

/* Applies the time of the timing packets from here on; @by_branch: for the last instruction, too. */
void place_new_time(struct pt_flow *f, bool by_branch);

/* Applies the time of the timing packets before the current packet from here on. */
static inline void place_time(struct pt_flow *f)
{
	if (f->state.tsc != f->state.time.tsc)
		place_new_time(f, false);
}

/* Notes in the path that state which samples use has changed. */
static inline void place_keep_state(struct pt_flow *f)
{
	if (f->path.on)
		path_add_event(&f->path, PATH_STATE, &f->state, NULL, false);
}

/* Asks the sink for the address space of the code from here on. */
void place_ask_space(struct pt_flow *f);

/* The interrupt flag may be about to change, at @from or, if @to is not 0, by the branch from there to it. */
void place_toggle(struct pt_flow *f, uint64_t from, uint64_t to);

/* Reports a gap at the current position, and keeps the position. */
void place_report_gap(struct pt_flow *f, enum pt_gap_reason reason);
/* Reports a gap and loses the position. @unsure: the position may have been wrong before, since the last PSB. */
void place_gap(struct pt_flow *f, enum pt_gap_reason reason, bool unsure);
/* The same for a packet that no valid trace has here: pending packets are dropped, and the flow goes on at the next PSB. */
void place_lose_sync(struct pt_flow *f, enum pt_gap_reason reason);
/*
 * Marks the position as possibly wrong from here on, until AGREEING packets agree with the code: a second gap then reports the
 * number of instructions up to there. A gap before that includes them.
 */
void place_mark_unverified(struct pt_flow *f, enum pt_gap_reason reason);
/* The same, and reports a gap; instructions before it may be wrong or missing, too. Keeps the position. */
void place_report_unverified(struct pt_flow *f, enum pt_gap_reason reason);
/* Ends the doubt: reports how many instructions may have been wrong. */
void place_end_unverified(struct pt_flow *f);

/* Forgets the position and the calls: the trace that follows begins with a PSB. */
void place_restart(struct pt_flow *f);

/* An address in a packet agrees with the code. */
static inline void place_verified(struct pt_flow *f)
{
	f->verified_at = f->state.insns;
	if (f->unverified.left && !--f->unverified.left)
		place_end_unverified(f);
}

/* The address of a PSB+ agrees with the code, or gives the position. */
static inline void place_verified_by_psb(struct pt_flow *f)
{
	f->verified_at = f->psb_at = f->state.insns;
	if (f->unverified.left)
		place_end_unverified(f);
}

/* --- walk.c: through the code. The place is known, where not said otherwise -- */

/* Use up the TNT bits, as far as no TIP is needed in between. */
void walk_tnt(struct pt_flow *f);
/* Up to the indirect, far or uncompressed return branch that goes to @ip, and over it; the place may be unknown. */
void walk_tip(struct pt_flow *f, uint64_t ip);
/* Up to, not including, the instruction at @ip. Returns false if no path leads there; nothing was done then. */
bool walk_until(struct pt_flow *f, uint64_t ip);
/* Over the software interrupt before @ip, if the path reaches it before @ip. Returns its address; 0: nothing was done. */
uint64_t walk_interrupt(struct pt_flow *f, uint64_t ip);
/* Up to and over the branch after which tracing ended; @ip: its target, 0: not known. */
void walk_end(struct pt_flow *f, uint64_t ip);
/*
 * Handles a packet whose address the code does not lead to: reports a gap, then takes the packet's address as the position,
 * unverified. If a PSB gave the old position, the code up to and including the next branch that needs a packet did run.
 */
void walk_contradict(struct pt_flow *f);
/* True if the code at the place is missing. Then a gap is reported, and the place is lost. */
bool walk_lacks_code(struct pt_flow *f);
/* Over the next ptwrite, if nothing else is before it; returns its address, else 0. */
uint64_t walk_ptwrite(struct pt_flow *f);

/* --- events.c: packets that do not move the program --------------------------- */

/* Holds the packet until the next FUP. */
void events_wait(struct pt_flow *f, const struct pt_packet *p);
/* Reports the packet now; inside a PSB+ at its end, where the place is known. */
void events_report(struct pt_flow *f, const struct pt_packet *p, uint64_t ip);
/* Reports the pending packets at @ip. Returns true if a TIP must follow that is a branch from there. */
bool events_happen(struct pt_flow *f, uint64_t ip);
/* True if the abort of a transaction is pending. */
bool events_abort(const struct pt_flow *f);
/* The FUP of the pending packets is lost: reports them without a place. */
void events_lose(struct pt_flow *f);
void events_ptwrite(struct pt_flow *f, const struct pt_packet *p);
/* The first packet of a block. */
void events_block(struct pt_flow *f, const struct pt_packet *p);
/* Reports an informational packet at the position, or holds it for the FUP that it announces. */
void events_notice(struct pt_flow *f, const struct pt_packet *p);

/* --- packet_handlers.c --------------------------------------------------------------- */

void flow_on_packet(struct pt_flow *f, const struct pt_packet *p);

#endif
