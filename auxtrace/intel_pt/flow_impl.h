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
	struct pt_path path;		/* written where samples are to be taken later */
	bool detailed;			/* the sink wants blocks or branches */

	/* The place: the run that is to be executed next; NULL: to be looked up at state.ip. */
	struct superblock *sb;
	uint64_t stop;			/* state.insns at which a run must be passed in detail: the next sample, or 0 */
	uint64_t next_sample;
	uint64_t bits;			/* TNT bits to be used, the oldest in bit 63 */
	unsigned nr_bits;
	bool deferred;			/* since the last PSB a TIP came after bits of branches after its own */
	struct block *calls[RETURN_DEPTH];	/* return compression: a ring */
	unsigned top, nr_calls;
	bool calls_lost;		/* there may be more, of before a gap */

	struct pt_lost lost;
	uint64_t verified_at;		/* state.insns where the last packet with an address agreed with the code, */
	uint64_t psb_at;		/* and where a PSB+ did, or gave the place */
	struct {			/* the place may be wrong since a gap that did not lose it: see place_mark_unverified() */
		unsigned left;		/* packets that must agree until it is right; 0: nothing is wrong */
		uint8_t reason;		/* the gap's */
		uint64_t since;		/* state.insns there */
	} unverified;
	unsigned absent_left;		/* packets that were not asked for which are reported up to the next PSB */

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
	bool overflow;			/* the FUP after an OVF says where it goes on */

	bool synced;			/* there was a PSB */
	bool sync_lost;			/* the packets read are impossible: the flow goes on at the next PSB */
	bool psb_has_ip;
	bool in_psb_lookahead;		/* reading the PSB+ of the next piece, which will report it */
	uint64_t psb_ip;
	bool psb_tx;
	uint64_t crossed;		/* to where in the other half of the addresses the last TIP's near branch led; or 0 */
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

/* The state changed in what samples look at. */
static inline void place_keep_state(struct pt_flow *f)
{
	if (f->path.on)
		path_add_event(&f->path, PATH_STATE, &f->state, NULL, false);
}

/* Ask the sink which space is the code's from here on. */
void place_ask_space(struct pt_flow *f);

/* The interrupt flag may be about to change, at @from or, if @to is not 0, by the branch from there to it. */
void place_toggle(struct pt_flow *f, uint64_t from, uint64_t to);

/* Report a gap at the present place; it stays as it is. */
void place_report_gap(struct pt_flow *f, enum pt_gap_reason reason);
/* Reports a gap; the place is not known from then on. @unsure: perhaps because it was wrong before, since the last PSB. */
void place_gap(struct pt_flow *f, enum pt_gap_reason reason, bool unsure);
/* The same where no valid trace leads: what waits is dropped, and the flow goes on at the next PSB. */
void place_lose_sync(struct pt_flow *f, enum pt_gap_reason reason);
/*
 * The place may be wrong from here on. AGREEING packets that agree with the code end that: a second gap then says how many
 * instructions it was. A gap before then includes them.
 */
void place_mark_unverified(struct pt_flow *f, enum pt_gap_reason reason);
/* The same, and reports a gap, before which something may be wrong or missing, too. The place stays as it is. */
void place_report_unverified(struct pt_flow *f, enum pt_gap_reason reason);
/* Ends it: reports how much may have been wrong. */
void place_end_unverified(struct pt_flow *f);

/* Forget the place and the way there: what follows begins with a PSB. */
void place_restart(struct pt_flow *f);

/* An address in a packet agrees with the code. */
static inline void place_verified(struct pt_flow *f)
{
	f->verified_at = f->state.insns;
	if (f->unverified.left && !--f->unverified.left)
		place_end_unverified(f);
}

/* The address of a PSB+ does, or it gives the place. */
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
/* Over the software interrupt in front of @ip, if the way leads there and not to @ip. Returns its address; 0: nothing done. */
uint64_t walk_interrupt(struct pt_flow *f, uint64_t ip);
/* Up to and over the branch after which tracing ended; @ip: its target, 0: not known. */
void walk_end(struct pt_flow *f, uint64_t ip);
/*
 * The code does not lead to where the packet at work says that the program is: a gap, after which the place is not known. The
 * packet's address gives it, unverified. If a PSB gave the place before, the code up to and with the next branch that needs a
 * packet did run.
 */
void walk_contradict(struct pt_flow *f);
/* True if the code at the place is missing. Then a gap is reported, and the place is lost. */
bool walk_lacks_code(struct pt_flow *f);
/* Over the next ptwrite, if nothing else is before it; returns its address, else 0. */
uint64_t walk_ptwrite(struct pt_flow *f);

/* --- events.c: what packets tell beside the flow ------------------------------ */

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
/* Packets that only tell something: at the place, or at the FUP that they announce. */
void events_notice(struct pt_flow *f, const struct pt_packet *p);

/* --- packet_handlers.c --------------------------------------------------------------- */

void flow_on_packet(struct pt_flow *f, const struct pt_packet *p);

#endif
