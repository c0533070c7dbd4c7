/*
 * The walk: moves the program's position through the code as the committed elements of the trace say. flow.c and v7_flow.c
 * handle packets and call it; this file handles blocks, the return stack and the callbacks (sink.h).
 * Layer: auxtrace
 */
#ifndef AUXTRACE_CS_ETM_WALK_H
#define AUXTRACE_CS_ETM_WALK_H

#include "auxtrace/cs_etm/sink.h"

struct block_cache;
struct cs_config;

#define CS_RETURNS	16	/* entries of the return stack; ETMv4 allows at most 15 */
#define CS_VERIFIED	16	/* addresses that agree with the code, together unlikely to do so by chance */
#define CS_RECENT	1024	/* blocks that are found without the cache's index */

enum cs_position {
	CS_NOWHERE,		/* an address must come first */
	CS_AT_ADDRESS,		/* .ip, .is */
	CS_AT_RETURN,		/* after an indirect branch: on top of the return stack, unless an address comes */
	CS_AFTER_INDIRECT,		/* after an indirect branch, whose target must come first; .ip is the next instruction */
};

struct cs_walk {
	struct cs_point point;
	const struct cs_config *config;
	const struct cs_sink *sink;
	void *ctx;
	struct block_cache *cache;
	struct block *at;	/* the block to be executed next; NULL: see .position */
	unsigned done;		/* instructions of it that were executed but not reported yet */
	bool done_taken;	/* and how the last of these went: cs_walk_insns() */
	enum cs_position position;
	uint64_t ip;
	uint8_t is;
	bool reached;		/* .ip is where the code led, and not only what an address said */
	bool ip_from_packet;		/* .ip is what an address said, and no other one may follow before something is executed */
	bool watched;		/* the sink wants every block or branch */
	bool has_context;	/* the instruction set is known */
	uint64_t verified_at[CS_VERIFIED];	/* point.insns at the last addresses that agreed with the code: a ring */
	unsigned nr_verified;
	unsigned suspect;	/* addresses that are to agree until the place is believed again; 0: it is */
	enum cs_gap suspect_why;
	uint64_t level_at;	/* point.insns where the exception level may have changed */
	bool no_code;		/* that one was: .ip is an address where no code can be read */
	bool lost;		/* a gap was reported since the last address */
	struct {		/* a branch that waits for its target */
		bool waits;
		uint64_t from;
		uint8_t kind;
		int number;
	} branch;
	struct {		/* a ring: the oldest falls out */
		uint64_t ip[CS_RETURNS];
		uint8_t mode[CS_RETURNS];
		unsigned top, nr;
		unsigned unverified;	/* the oldest of these are from where the place was suspect, or before */
	} returns;
	struct block *recent[CS_RECENT];
};

/* Reports a gap, and how many instructions before it are unsure if the trace does not fit the code. The position stays. */
void cs_walk_report_gap(struct cs_walk *w, enum cs_gap why);
/* The place is unknown from here on. Reports @why unless it was reported already. */
void cs_walk_gap(struct cs_walk *w, enum cs_gap why);
/*
 * Ends the doubt after a gap. (Otherwise it ends after so many matching addresses that chance is excluded: an address after
 * damage may be built from a wrong one and still meet the right path without a contradiction.)
 */
void cs_walk_trust(struct cs_walk *w);
/* Tracing restarts: no position, no return stack. Earlier instructions may still prove wrong: damage may look like a start. */
void cs_walk_restart(struct cs_walk *w);
/* The same, and nothing was before. */
void cs_walk_restart_trusted(struct cs_walk *w);
/*
 * The program is at @ip now; @is as in struct cs_packet. It is a gap if what was executed leads elsewhere: addresses may come
 * at any time, but they are the target of what was executed last. So are two addresses in a row that differ, unless the context
 * has changed since the first.
 */
void cs_walk_address(struct cs_walk *w, uint64_t ip, uint8_t is);
/*
 * .point has a new context. @changed: it differs, so the same address may be other code; @level: so does the exception level,
 * which is a gap if nothing was executed that can change it.
 */
void cs_walk_context(struct cs_walk *w, bool changed, bool level);
/* The program may be elsewhere than where the code led; an address must come. */
void cs_walk_unsure(struct cs_walk *w);
/* @nr atoms, the oldest in bit 0 of @taken. */
void cs_walk_atoms(struct cs_walk *w, uint32_t taken, unsigned nr);
/* Exception @number, which will return to @ip; @was_target: a branch went there just before. */
void cs_walk_exception(struct cs_walk *w, uint64_t ip, uint8_t is, int number, bool was_target);
/* The branch at @ip was reached without another one being taken, and was taken. */
void cs_walk_source(struct cs_walk *w, uint64_t ip, uint8_t is);
/* @nr instructions were executed; then, the place is unknown. */
void cs_walk_count(struct cs_walk *w, uint64_t nr);
/*
 * A synchronisation of running trace: the place stays known until the trace says otherwise, for an address and context
 * may come only after more atoms. The trace unit's return stack is empty. IHI 0064, trace info packet.
 */
void cs_walk_resync(struct cs_walk *w);

/* ---- of ARMv7's trace units ---- */

/*
 * @nr instructions, as cs_walk_atoms(): each passed its condition or not, and if it is a branch it was taken or not. Before
 * anything else: cs_walk_settle().
 */
void cs_walk_insns(struct cs_walk *w, uint32_t taken, unsigned nr);
/* The last instruction was not executed after all. */
void cs_walk_cancel(struct cs_walk *w);
/* Reports all executed instructions; the position is known then. */
void cs_walk_settle(struct cs_walk *w);
/* All up to and with the instruction at @ip was executed. */
void cs_walk_through(struct cs_walk *w, uint64_t ip);
/* The position of the program, from the return stack if necessary, which loses an entry then. false: unknown. */
bool cs_walk_place(struct cs_walk *w, uint64_t *ip, uint8_t *is);

/* Before the blocks are forgotten, and at the end: keep the place as an address. */
void cs_walk_detach(struct cs_walk *w);

#endif
