/*
 * Moves the decoder's position in the program's code for each element of a CoreSight trace, such as an atom, and reports the
 * executed instructions to the callbacks in sink.h. flow.c and v7_flow.c call these functions.
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
	CS_AT_RETURN,		/* after an indirect branch: at the top address of the return stack, unless an address comes */
	CS_AFTER_INDIRECT,		/* after an indirect branch, whose target must come first; .ip is the next instruction */
};

struct cs_walk {
	struct cs_point point;
	const struct cs_config *config;
	const struct cs_sink *sink;
	void *ctx;
	struct block_cache *cache;
	struct block *at;	/* the block to be executed next; NULL: see .position */
	unsigned done;		/* instructions of .at that were executed but not reported yet */
	bool done_taken;	/* the last of these instructions passed its condition, or was taken: cs_walk_insns() */
	enum cs_position position;
	uint64_t ip;
	uint8_t is;
	bool reached;		/* the code led to .ip; it is not only from an address packet */
	bool ip_from_packet;		/* .ip is from an address packet: no other address may follow before an execution */
	bool watched;		/* the sink wants every block or branch */
	bool has_context;	/* the instruction set is known */
	uint64_t verified_at[CS_VERIFIED];	/* point.insns at the last addresses that agreed with the code: a ring */
	unsigned nr_verified;
	unsigned suspect;	/* number of addresses that must agree before the position is trusted again; 0: it is trusted */
	enum cs_gap suspect_why;
	uint64_t level_at;	/* point.insns where the exception level may have changed */
	bool no_code;		/* with .lost: that gap was CS_GAP_NO_CODE, and no code can be read at .ip */
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
		unsigned unverified;	/* number of oldest entries from a time when the position was suspect, or before */
	} returns;
	struct block *recent[CS_RECENT];
};

/* Reports a gap, and how many instructions before it are unsure if the trace does not fit the code. The position stays. */
void cs_walk_report_gap(struct cs_walk *w, enum cs_gap why);
/* Makes the position unknown, and reports the gap @why unless it was reported already. */
void cs_walk_gap(struct cs_walk *w, enum cs_gap why);
/*
 * Trusts the position after a gap. Without this call, the position is trusted after CS_VERIFIED addresses that agree with the
 * code: an address after damage may be built from a wrong one and still fit the code by chance.
 */
void cs_walk_trust(struct cs_walk *w);
/* Tracing restarts: drops the position and the return stack. Earlier instructions may still prove wrong, as after damage. */
void cs_walk_restart(struct cs_walk *w);
/* As cs_walk_restart(), at the start of a trace: no earlier instructions are in doubt. */
void cs_walk_restart_trusted(struct cs_walk *w);
/*
 * Sets the position to @ip; @is as in struct cs_packet. An address may come at any time, but must be the target of the last
 * executed instruction. So it is a gap if that instruction leads elsewhere. It is also a gap if two addresses in a row differ,
 * unless the context has changed since the first one.
 */
void cs_walk_address(struct cs_walk *w, uint64_t ip, uint8_t is);
/*
 * Applies the new context in .point. @changed: the context differs, so other code may be at the same address. @level: the exception
 * level differs, too, which is a gap unless the last executed instruction can change it.
 */
void cs_walk_context(struct cs_walk *w, bool changed, bool level);
/* The program is perhaps not at the address to which the code led, so any address may come next. */
void cs_walk_unsure(struct cs_walk *w);
/* Applies @nr atoms, the oldest in bit 0 of @taken. */
void cs_walk_atoms(struct cs_walk *w, uint32_t taken, unsigned nr);
/* Applies exception @number, which will return to @ip. @was_target: @ip is the target of the last branch. */
void cs_walk_exception(struct cs_walk *w, uint64_t ip, uint8_t is, int number, bool was_target);
/* The branch at @ip was taken, and none of the branches before it. */
void cs_walk_source(struct cs_walk *w, uint64_t ip, uint8_t is);
/* @nr instructions were executed. After them, the position is unknown. */
void cs_walk_count(struct cs_walk *w, uint64_t nr);
/*
 * Applies a synchronisation while the program is traced. The position stays known, because an address and a context may come only
 * after more atoms. The trace unit's return stack is empty. IHI 0064, trace info packet.
 */
void cs_walk_resync(struct cs_walk *w);

/* ---- of ARMv7's trace units ---- */

/*
 * Applies @nr instructions, as cs_walk_atoms(): each passed its condition or not, and if it is a branch, was taken or not. Call
 * cs_walk_settle() before any other function.
 */
void cs_walk_insns(struct cs_walk *w, uint32_t taken, unsigned nr);
/* The last instruction was not executed after all. */
void cs_walk_cancel(struct cs_walk *w);
/* Reports all executed instructions; the position is known then. */
void cs_walk_settle(struct cs_walk *w);
/* All instructions up to and including the one at @ip were executed. */
void cs_walk_through(struct cs_walk *w, uint64_t ip);
/* Finds the position, if necessary by taking an entry off the return stack. Returns false if it is unknown. */
bool cs_walk_place(struct cs_walk *w, uint64_t *ip, uint8_t *is);

/* Call it before the block cache is cleared, and at the end: keeps the position as an address. */
void cs_walk_detach(struct cs_walk *w);

#endif
