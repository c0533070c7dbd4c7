/*
 * Declares the data and functions that the files of the Intel PT decoder (flow.h) share. flow.c reads packets. packet_handlers.c
 * and events.c handle them. walk.c moves the position in the program's code, and place.c stores the position.
 */
#ifndef AUXTRACE_INTEL_PT_FLOW_IMPL_H
#define AUXTRACE_INTEL_PT_FLOW_IMPL_H

#include "auxtrace/intel_pt/flow.h"
#include "auxtrace/intel_pt/path.h"
#include "auxtrace/intel_pt/superblock.h"

#define RETURN_DEPTH	64	/* calls that return compression remembers: SDM, "Indirect Transfer Compression for Returns" */
#define MAX_PENDING	16	/* events that wait for a FUP; hardware has fewer */
#define MAX_ABSENT	4	/* packets of pt_flow_config.absent that are reported from one PSB to the next */
#define PSBEND_SIZE	2u
#define AGREEING	8	/* packets with addresses that agree with the code, together unlikely to do so by chance */

struct pt_flow {
	struct pt_state state;
	struct pt_flow_config config;
	struct block_arena superblocks;
	struct pt_path path;		/* stored if samples are taken later */
	bool detailed;			/* the sink wants blocks or branches */

	/* The position: the superblock that is executed next; NULL: must be looked up at state.ip. */
	struct superblock *sb;
	uint64_t stop;			/* from this state.insns on, superblocks are handled by block: the next sample, or 0 */
	uint64_t next_sample;
	uint64_t bits;			/* TNT bits to be used, the oldest in bit 63 */
	unsigned nr_bits;
	bool deferred;			/* since the last PSB, a TIP came after the TNT bits of later branches */
	struct block *calls[RETURN_DEPTH];	/* calls whose returns may be compressed: a ring */
	unsigned top, nr_calls;
	bool calls_lost;		/* there may be more calls than .calls has, from before a gap */

	struct pt_lost lost;
	uint64_t verified_at;		/* state.insns at the last packet whose address agreed with the code */
	uint64_t psb_at;		/* state.insns at the last PSB+ whose address agreed with the code, or gave the position */
	struct {			/* the position may be wrong since a gap: see place_mark_unverified() */
		unsigned left;		/* packets that must agree with the code until the position is trusted; 0: it is trusted */
		uint8_t reason;		/* the reason of that gap */
		uint64_t since;		/* state.insns at that gap */
	} unverified;
	unsigned absent_left;		/* how many unexpected packets are still reported before the next PSB */

	/* Packets that wait for another one. */
	struct pt_ip last_ip;
	struct pt_event pending[MAX_PENDING];	/* packets that wait for the next FUP */
	unsigned nr_pending;
	union {				/* if none of these is set, TNT bits are for the next branches */
		struct {
			bool have_fup;		/* the next TIP or TIP.PGD is the other half of an event at fup_ip */
			bool in_psb;		/* a PSB+ takes effect as a whole, at PSBEND */
			bool no_branches;	/* as config.no_branches */
			uint8_t next_mode;	/* from a MODE.Exec packet that takes effect at the next address; 0: none waits */
			uint8_t item_size;	/* bytes of a value in BIP packets; 0: not in a block */
		};
		uint64_t inconsistent;
	};
	bool fup_abort;			/* the event at fup_ip is the abort of a transaction */
	uint64_t fup_ip;
	bool next_interrupts;
	bool overflow;			/* after an OVF: the next FUP has the address where tracing goes on */

	bool synced;			/* there was a PSB */
	bool sync_lost;			/* no valid trace has these packets: decoding goes on at the next PSB */
	bool psb_has_ip;
	bool in_psb_lookahead;		/* reading the PSB+ of the next piece, which is reported with that piece */
	uint64_t psb_ip;
	bool psb_tx;
	uint64_t crossed;		/* target of the last TIP, if a near branch went to the other half of addresses; or 0 */
	uint64_t shown_ip, shown_insns;	/* where a PSB+, or the FUP after an OVF, showed the program last, and state.insns there */
	unsigned shown_by;		/* PT_BDM70 (a PSB+) or PT_APL12 (a FUP) */
};

/* flow.c, packet_handlers.c, events.c, walk.c, place.c: each of these files calls only functions of the files named after it. */

/* --- place.c: keeps the position in the program's code, and reports gaps -------- */

/* Sets the position; 0: it is unknown from now on. */
void place_set(struct pt_flow *f, uint64_t ip);
/* Forgets TNT bits and calls. */
void place_forget(struct pt_flow *f);

/* Notes that the lost position is known again. */
void place_found(struct pt_flow *f);

/* Applies the time of the timing packets from here on; @by_branch: for the last instruction, too. */
void place_new_time(struct pt_flow *f, bool by_branch);

/* Applies the time of the timing packets before the current packet from here on. */
static inline void place_time(struct pt_flow *f)
{
	if (f->state.tsc != f->state.time.tsc)
		place_new_time(f, false);
}

/* Notes in the path (path.h) that the state that samples use has changed. */
static inline void place_keep_state(struct pt_flow *f)
{
	if (f->path.on)
		path_add_event(&f->path, PATH_STATE, &f->state, NULL, false);
}

/* Asks the sink for the address space of the code from here on. */
void place_ask_space(struct pt_flow *f);

/* Reports a change of the interrupt flag at @from, if there is one. @to: target of the branch that makes it; 0: it is no branch. */
void place_toggle(struct pt_flow *f, uint64_t from, uint64_t to);

/* Reports a gap at the current position, and keeps the position. */
void place_report_gap(struct pt_flow *f, enum pt_gap_reason reason);
/* Reports a gap and makes the position unknown. @unsure: the position may have been wrong since the last PSB. */
void place_gap(struct pt_flow *f, enum pt_gap_reason reason, bool unsure);
/* As place_gap(), for a packet that no valid trace has here: drops pending packets, and goes on at the next PSB. */
void place_lose_sync(struct pt_flow *f, enum pt_gap_reason reason);
/*
 * Marks the position as possibly wrong, until the addresses of AGREEING packets agree with the code. Then a second gap is reported,
 * with the number of instructions in between. If another gap comes before, it includes these instructions.
 */
void place_mark_unverified(struct pt_flow *f, enum pt_gap_reason reason);
/* As place_mark_unverified(), and reports a gap. Instructions before the gap may be wrong or missing, too. Keeps the position. */
void place_report_unverified(struct pt_flow *f, enum pt_gap_reason reason);
/* Trusts the position again, and reports how many instructions may have been wrong. */
void place_end_unverified(struct pt_flow *f);

/* Forgets the position and the calls: the trace that follows begins with a PSB. */
void place_restart(struct pt_flow *f);

/* Notes that an address in a packet agrees with the code. */
static inline void place_verified(struct pt_flow *f)
{
	f->verified_at = f->state.insns;
	if (f->unverified.left && !--f->unverified.left)
		place_end_unverified(f);
}

/* Notes that the address of a PSB+ agrees with the code, or gives the position. */
static inline void place_verified_by_psb(struct pt_flow *f)
{
	f->verified_at = f->psb_at = f->state.insns;
	if (f->unverified.left)
		place_end_unverified(f);
}

/* --- walk.c: moves the position through the code; it is known, if not said otherwise */

/* Uses up the TNT bits, up to the first branch that needs a TIP. */
void walk_tnt(struct pt_flow *f);
/* Moves past the next indirect branch, far branch or uncompressed return, which goes to @ip. The position may be unknown. */
void walk_tip(struct pt_flow *f, uint64_t ip);
/* Moves to the instruction at @ip. Returns false, without moving, if no path leads there. */
bool walk_until(struct pt_flow *f, uint64_t ip);
/* Moves past the software interrupt before @ip, if the path leads to it. Returns its address, or 0 without moving. */
uint64_t walk_interrupt(struct pt_flow *f, uint64_t ip);
/* Moves past the branch after which tracing ended. @ip: the branch's target; 0: not known. */
void walk_end(struct pt_flow *f, uint64_t ip);
/*
 * Handles a packet whose address the code does not lead to: reports a gap, then takes the packet's address as the position,
 * unverified. If a PSB gave the old position, the code up to and including the next branch that needs a packet did run.
 */
void walk_contradict(struct pt_flow *f);
/* Returns true, after reporting a gap, if no code can be read at the position, which is unknown then. */
bool walk_lacks_code(struct pt_flow *f);
/* Moves past the next ptwrite, if only direct branches are before it. Returns its address, or 0. */
uint64_t walk_ptwrite(struct pt_flow *f);

/* --- events.c: packets that do not move the program --------------------------- */

/* Holds the packet until the next FUP. */
void events_wait(struct pt_flow *f, const struct pt_packet *p);
/* Reports the packet now, or, inside a PSB+, at the end of the PSB+, where the position is known. */
void events_report(struct pt_flow *f, const struct pt_packet *p, uint64_t ip);
/* Reports the pending packets at @ip. Returns true if a TIP must follow that is a branch from there. */
bool events_happen(struct pt_flow *f, uint64_t ip);
/* True if the abort of a transaction is pending. */
bool events_abort(const struct pt_flow *f);
/* Reports the pending packets without an address, because their FUP is lost. */
void events_lose(struct pt_flow *f);
void events_ptwrite(struct pt_flow *f, const struct pt_packet *p);
/* Handles a BBP packet, the first of a block. */
void events_block(struct pt_flow *f, const struct pt_packet *p);
/* Reports an informational packet at the position, or holds it for the FUP that it announces. */
void events_notice(struct pt_flow *f, const struct pt_packet *p);

/* --- packet_handlers.c --------------------------------------------------------------- */

void flow_on_packet(struct pt_flow *f, const struct pt_packet *p);

#endif
