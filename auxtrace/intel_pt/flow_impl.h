/*
 * Inside the flow. Calls go downwards: flow.c reads packets, dispute.c decides between two places, search.c and repair.c find it
 * again after damage, trial.c goes on for a while that is undone, meaning.c does what packets say, events.c keeps what they tell
 * beside the flow, walk.c moves through the code, place.c knows where the program is.
 * Layer: auxtrace
 */
#ifndef AUXTRACE_INTEL_PT_FLOW_IMPL_H
#define AUXTRACE_INTEL_PT_FLOW_IMPL_H

#include "auxtrace/intel_pt/flow.h"
#include "auxtrace/intel_pt/path.h"
#include "auxtrace/intel_pt/superblock.h"

#define RETURN_DEPTH	64	/* of return compression: SDM, "Indirect Transfer Compression for Returns" */
#define MAX_PENDING	16	/* events that wait for a FUP; hardware has fewer */
#define MAX_TRIALS	4096	/* from PSB to PSB: see search.c */
#define MAX_REPAIRS	32	/* of a piece: see repair.c */
#define MAX_ABSENT	4	/* from PSB to PSB, of pt_flow_config.absent */
#define PSBEND_SIZE	2u
#define PROOFS		8	/* packets with addresses that agree with the code, together unlikely to do so by chance */

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
	unsigned low;			/* the lowest .top since it was set */
	bool calls_lost;		/* there may be more, of before a gap */

	struct pt_lost lost;
	struct {
		bool on;		/* a trial, which will be undone: see trial.c */
		uint8_t gap;		/* the last gap's reason + 1 */
		size_t space;		/* the next of .spaces */
	} trial;
	struct pt_sink silent;		/* then: the sink without most of its calls */
	struct {			/* from where decoding again leads here: see repair.c */
		bool known;
		uint64_t offset;	/* as in state: of a PSB, */
		struct pt_flow *flow;	/* owned; as it was then; */
		bool use_flow;		/* or not, and that is it */
	} anchor;
	VEC(uint32_t) spaces;		/* spaces that the sink returned since then */
	unsigned repairs_left;
	struct pt_gap gap;		/* of the doubt, not reported yet */
	uint64_t proofs[PROOFS];	/* state.insns where the last packets with addresses agreed with the code: a ring */
	unsigned proof;
	struct {			/* the place may be wrong since a gap that did not lose it: see place_mistrust() */
		unsigned left;		/* proofs until it is believed; 0: nothing is wrong */
		uint8_t reason;		/* the gap's */
		uint64_t since;		/* state.insns there */
	} suspect;
	bool doubt_psb;			/* that was in a PSB+ after psb_ip was read */
	bool contradiction;		/* the doubt is about the path before the PSB+, which contradicts it */
	struct pt_flow *other;		/* owned; before the address of such a PSB+ was taken: see dispute.c */
	unsigned trials_left;		/* before the next PSB */
	unsigned absent_left;		/* packets that should be absent before the configuration is not believed: the same */
	const uint8_t *data;		/* the input: so many bytes, the first is at .base of the trace */
	size_t data_size;
	uint64_t base;
	const uint8_t *search_data;	/* at search_to in it is a PSB, or its end, and none between there and the last search */
	size_t search_to;

	/* Packets that wait for another one. */
	struct pt_ip last_ip;
	struct pt_event pending[MAX_PENDING];	/* packets that wait for the next FUP */
	unsigned nr_pending;
	union {				/* where none of these is set, bits are simply the next ones */
		struct {
			bool have_fup;		/* the next TIP or TIP.PGD is the other half of an event at fup_ip */
			bool in_psb;		/* a PSB+ takes effect as a whole, at PSBEND */
			bool no_branches;	/* the config's */
			uint8_t next_mode;	/* from MODE.Exec; 0: none waits */
			uint8_t item_size;	/* of BIP packets; 0: not in a block */
		};
		uint64_t odd;
	};
	bool fup_abort;			/* and that is the abort of a transaction */
	uint64_t fup_ip;
	bool next_interrupts;
	bool overflow;			/* the FUP after an OVF says where it goes on */

	bool synced;			/* there was a PSB */
	bool doubt;			/* the packets read are impossible: search for the next right one */
	bool psb_has_ip;
	bool ahead;			/* reading the PSB+ of the next piece, which will report it */
	uint64_t psb_ip;
	bool psb_tx;
	uint64_t sure_ip, sure_insns;	/* the last one's address, and state.insns there */
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
/* It was, behind damage, at a time that only CYC packets tell, some of which may be lost or none. */
void place_found_by_cycles(struct pt_flow *f);
/*
 * A TSC or MTC packet was taken, @before is the time before it: its correction also applies to the time that the place was
 * lost.
 */
void place_correct_lost(struct pt_flow *f, uint64_t before);

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
/*
 * The same, but something before it may be wrong or missing, and what follows may be wrong, too. When packets have proven the place
 * a second gap says how much that was; a gap before then says so, too.
 */
void place_mistrust(struct pt_flow *f, enum pt_gap_reason reason);
/* Marks the rest as suspect: the second half of place_mistrust(). */
void place_suspect(struct pt_flow *f, enum pt_gap_reason reason);
/* There are proofs enough, or no more will come: tell what may have been wrong. */
void place_trust(struct pt_flow *f);
/* Report a gap; the place is not known from then on. @unsure: perhaps because it was wrong before. */
void place_gap(struct pt_flow *f, enum pt_gap_reason reason, bool unsure);
/* The same where no valid trace leads: flow_search() is to go on, or place_settle(). Until then the gap is not reported. */
void place_doubt(struct pt_flow *f, enum pt_gap_reason reason);
/* Report the gap, and doubt no more. */
void place_settle(struct pt_flow *f);
/* The address of a PSB+ is not where the program can be: place_doubt(), but as the flow is now is kept. */
void place_dispute(struct pt_flow *f);
/* Decoding again from here leads where decoding from before would. */
void place_anchor(struct pt_flow *f, uint64_t offset);

/* Forget the place and the way there: what follows begins with a PSB. */
void place_restart(struct pt_flow *f);
/* place_anchor() where no PSB is. */
void place_anchor_here(struct pt_flow *f, uint64_t offset);
/* Moves to the place of @from, with its knowledge of the path; the reports of *f stay as they are. */
void place_take(struct pt_flow *f, const struct pt_flow *from);

/* An address in a packet agrees with the code; @enough: no more proofs are needed. */
static inline void place_proven(struct pt_flow *f, bool enough)
{
	f->proofs[f->proof++ % PROOFS] = f->state.insns;
	for (unsigned i = 0; enough && i < PROOFS; i++)
		f->proofs[i] = f->state.insns;
	if (f->suspect.left && (enough || !--f->suspect.left))
		place_trust(f);
}

/* --- walk.c: through the code. The place is known, where not said otherwise -- */

/* Use up the TNT bits, as far as no TIP is needed in between. */
void walk_tnt(struct pt_flow *f);
/* Up to the indirect, far or uncompressed return branch that goes to @ip, and over it; the place may be unknown. */
void walk_tip(struct pt_flow *f, uint64_t ip);
/* Up to, not including, the instruction at @ip. Returns false where no path leads there; nothing was done then. */
bool walk_until(struct pt_flow *f, uint64_t ip);
/* Up to and over the branch after which tracing ended; @ip: its target, 0: not known. */
void walk_end(struct pt_flow *f, uint64_t ip);
/*
 * No valid trace continues from the place: place_doubt(). If a PSB gave the place, which needs no earlier packet, the code up
 * to and with the next branch that needs a packet did run.
 */
void walk_doubt(struct pt_flow *f);
/* True if the code at the place is missing. Then a gap is reported, and the place is lost. */
bool walk_lacks_code(struct pt_flow *f);
/* Over the next ptwrite, if nothing else is before it; returns its address, else 0. */
uint64_t walk_ptwrite(struct pt_flow *f);

/* --- events.c: what packets tell beside the flow ------------------------------ */

/* Holds the packet until the next FUP. */
void events_wait(struct pt_flow *f, const struct pt_packet *p);
/* Reports the packet now; inside a PSB+ at its end, where the place is known. */
void events_tell(struct pt_flow *f, const struct pt_packet *p, uint64_t ip);
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

/* --- meaning.c --------------------------------------------------------------- */

/* The packet means what it means. */
void flow_take(struct pt_flow *f, const struct pt_packet *p);
/* The PSB+ is complete: the program is at @ip, 0: not traced. */
void flow_begin_psb(struct pt_flow *f, uint64_t ip);

/* --- trial.c ---------------------------------------------------------------- */

/* Silent from here on, until *f is put back as *out, which it was. */
void trial_begin(struct pt_flow *f, struct pt_flow *out);
/* Restores *f as it was at @before. */
void trial_undo(struct pt_flow *f, const struct pt_flow *before);
/*
 * The evidence that the packet is right which was just taken and with which the code agreed, in bits: how unlikely that is by
 * chance; @fup: one waited before it, so that its address could be anything; @in_psb: it was in a PSB+.
 */
unsigned trial_evidence(const struct pt_packet *p, bool fup, bool in_psb);

/* Go on with the packets from @at on. Returns the evidence, no more than @enough is looked for; -1: they do not fit. */
int trial_follow(struct pt_flow *f, const uint8_t *data, size_t size, size_t at, int enough);
/*
 * Since when may the flow be wrong, where place_doubt() was called at the packet at @at of .data? Raises .gap.unsure to that: to
 * where the calls were made that the last returns came from, too.
 */
void trial_look_back(struct pt_flow *f, size_t at);
/* Silent, be where the anchor is. Returns its offset in the data. */
size_t trial_go_back(struct pt_flow *f, uint64_t base);

/* --- repair.c --------------------------------------------------------------- */

/*
 * After place_doubt() at the packet at @at: where the damage is a byte, find out which one, and go on after it. Returns whether
 * that was so; *next is the offset to go on at, which is not after the next PSB, at @psb.
 */
bool flow_repair(struct pt_flow *f, const uint8_t *data, size_t size, size_t at, size_t psb, uint64_t base, size_t *next);

/* --- dispute.c -------------------------------------------------------------- */

/*
 * After place_dispute(), in the PSBEND at @at, or at a PSB before which a FUP or MODE has no TIP: decides which address is
 * right, reports it, and goes there. Returns the offset to go on at.
 */
size_t flow_decide(struct pt_flow *f, const uint8_t *data, size_t size, size_t at, uint64_t base);

/* --- search.c --------------------------------------------------------------- */

/*
 * After place_doubt() at the packet at @at: take the first packet from there on, that one included, after which the trace
 * fits the code. Returns the offset of the next one; that of a PSB where none fits before it.
 */
size_t flow_search(struct pt_flow *f, const uint8_t *data, size_t size, size_t at, uint64_t base);

#endif
