/*
 * Moves the decoder's position in the program's code from basic block to basic block, and calls the callbacks (sink.h) for the
 * executed instructions and branches. flow.c and v7_flow.c call it for each trace element, such as an atom.
 */
#include "auxtrace/cs_etm/walk.h"

#include <errno.h>
#include <string.h>

#include "arch/arm64/insn.h"
#include "auxtrace/block.h"
#include "auxtrace/cs_etm/config.h"
#include "core/arch.h"
#include "core/base/util.h"

#define MOST_COUNTED	(1u << 20)	/* instructions in a Q packet; a packet with more is damaged */
#define LONG_RUN	4	/* if so many blocks without a branch lead to unreadable code, they were no code either */
#define SHORT_ADDRESS	17	/* the most low bits that a short address packet has; the other bits are unchanged */
#define MOST_BLOCKS	8192	/* so many blocks without a branch, up to a million instructions, are no code */

/* Returns the number of instructions since the oldest of the last CS_VERIFIED addresses that agreed with the code. */
static uint64_t unverified(const struct cs_walk *w)
{
	return w->point.insns - w->verified_at[w->nr_verified % CS_VERIFIED];
}

/* Trusts the position from here on; the reports since the gap may be wrong. */
static void resume_at(struct cs_walk *w)
{
	w->suspect = 0;
	w->returns.unverified = w->returns.nr;
	w->point.unsure = unverified(w);
	w->point.ip = 0;
	if (w->point.unsure && w->sink->gap)
		w->sink->gap(w->ctx, &w->point, w->suspect_why);
}

/* Notes that an address agrees with the code. */
static inline void verify(struct cs_walk *w)
{
	if (w->suspect && !--w->suspect)
		resume_at(w);
	w->verified_at[w->nr_verified++ % CS_VERIFIED] = w->point.insns;
}

/* Notes that earlier instructions need no further proof. */
static void verify_all(struct cs_walk *w)
{
	for (unsigned i = 0; i < CS_VERIFIED; i++)
		w->verified_at[i] = w->point.insns;
}

/*
 * True if the gap suggests an error that may have happened long before. Unreadable code does so if earlier code led there. If an
 * address packet led there, it does so only if the address has no high bits: then damage that looked like a trace info packet may
 * have set the history to 0, and a short address was built from it.
 */
static bool may_be_old_error(const struct cs_walk *w, enum cs_gap why)
{
	switch (why) {
	case CS_GAP_NO_CODE:
		return w->point.ip != w->ip || w->reached || !(w->ip >> SHORT_ADDRESS);
	case CS_GAP_BAD_PACKET:
	case CS_GAP_BAD_CODE:
	case CS_GAP_NO_ADDRESS:
	case CS_GAP_LOST:
	case CS_GAP_SPECULATION:
	case CS_GAP_TIME:
		return true;
	default:
		return false;
	}
}

static void suspect(struct cs_walk *w, enum cs_gap why)
{
	w->suspect = CS_VERIFIED;
	w->suspect_why = why;
}

void cs_walk_report_gap(struct cs_walk *w, enum cs_gap why)
{
	bool may_be_old = may_be_old_error(w, why);

	w->point.unsure = may_be_old || w->suspect ? unverified(w) : 0;
	if (w->sink->gap)
		w->sink->gap(w->ctx, &w->point, why);
	verify_all(w);
	if (may_be_old)
		suspect(w, why);
}

void cs_walk_trust(struct cs_walk *w)
{
	if (w->suspect)
		resume_at(w);
}

void cs_walk_gap(struct cs_walk *w, enum cs_gap why)
{
	if (!w->lost) {
		cs_walk_report_gap(w, why);
		w->no_code = why == CS_GAP_NO_CODE;
	}
	w->lost = true;
	w->point.ip = 0;
	w->at = NULL;
	if (w->position != CS_AFTER_INDIRECT)
		w->position = CS_NOWHERE;
	w->branch.waits = false;
	w->level_at = w->point.insns;
}

static void gap_at(struct cs_walk *w, enum cs_gap why, uint64_t ip)
{
	w->point.ip = ip;
	cs_walk_gap(w, why);
}

void cs_walk_resync(struct cs_walk *w)
{
	/* The trace unit may have taken the target of the branch just before from its stack. */
	w->returns.nr = w->position == CS_AT_RETURN ? w->returns.nr != 0 : 0;
	w->returns.unverified = MIN(w->returns.unverified, w->returns.nr);
}

void cs_walk_restart(struct cs_walk *w)
{
	w->at = NULL;
	w->position = CS_NOWHERE;
	w->returns.nr = w->returns.unverified = 0;
	w->branch.waits = false;
	w->level_at = w->point.insns;
}

void cs_walk_restart_trusted(struct cs_walk *w)
{
	cs_walk_restart(w);
	verify_all(w);
	w->suspect = 0;
}

/* --- Branches ------------------------------------------------------------- */

static void branch(struct cs_walk *w, const struct block *b, uint64_t to, bool taken)
{
	if (w->sink->branch)
		w->sink->branch(w->ctx, &w->point, b->end_ip, to, b->kind, taken, -1);
}

static void branch_waits(struct cs_walk *w, uint64_t from, uint8_t kind, int number)
{
	w->branch.waits = true;
	w->branch.from = from;
	w->branch.kind = kind;
	w->branch.number = number;
}

static void branch_arrives(struct cs_walk *w, uint64_t to)
{
	if (!w->branch.waits)
		return;
	w->branch.waits = false;
	if (w->sink->branch)
		w->sink->branch(w->ctx, &w->point, w->branch.from, to, w->branch.kind, true, w->branch.number);
}

static void push_return(struct cs_walk *w, uint64_t ip, uint8_t mode)
{
	w->returns.top = (w->returns.top + 1) % CS_RETURNS;
	w->returns.ip[w->returns.top] = ip;
	w->returns.mode[w->returns.top] = mode;
	if (w->returns.nr < CS_RETURNS)
		w->returns.nr++;
	else if (w->returns.unverified)
		w->returns.unverified--;
}

static bool pop_return(struct cs_walk *w)
{
	if (!w->returns.nr)
		return false;
	w->ip = w->returns.ip[w->returns.top];
	w->is = w->returns.mode[w->returns.top] == 16;
	w->returns.top = (w->returns.top + CS_RETURNS - 1) % CS_RETURNS;
	if (w->returns.nr-- == w->returns.unverified) {
		w->returns.unverified--;
		suspect(w, w->suspect_why);
	}
	w->position = CS_AT_ADDRESS;
	branch_arrives(w, w->ip);
	return true;
}

/* --- Where we are --------------------------------------------------------- */

/* After CS_GAP_NO_CODE, suspects an address with the same high bits: a short address packet may build it from a wrong one. */
static void after_gap(struct cs_walk *w, uint64_t ip)
{
	if (w->no_code && !((ip ^ w->ip) >> SHORT_ADDRESS))
		suspect(w, CS_GAP_NO_CODE);
	w->no_code = w->lost = false;
}

void cs_walk_address(struct cs_walk *w, uint64_t ip, uint8_t is)
{
	if (w->at ? w->at->ip != ip : w->position == CS_AT_ADDRESS && (w->reached || w->ip_from_packet) && w->ip != ip)
		gap_at(w, CS_GAP_LOST, ip);
	else if (w->at || w->position == CS_AFTER_INDIRECT || w->position == CS_AT_RETURN)
		verify(w);
	if (w->lost)
		after_gap(w, ip);
	w->at = NULL;
	w->position = CS_AT_ADDRESS;
	w->reached = false;
	w->ip_from_packet = true;
	w->ip = ip;
	w->is = is;
	if (w->branch.waits)
		branch_arrives(w, ip);
}

/* Keeps the position as an address, without its block. */
static void leave_block(struct cs_walk *w)
{
	if (!w->at)
		return;
	w->position = CS_AT_ADDRESS;
	w->ip = w->at->ip;
	w->is = w->at->mode == 16;
	w->reached = true;
	w->ip_from_packet = false;
	w->at = NULL;
}

void cs_walk_unsure(struct cs_walk *w)
{
	leave_block(w);
	w->reached = w->ip_from_packet = false;
}

void cs_walk_detach(struct cs_walk *w)
{
	leave_block(w);
	memset(w->recent, 0, sizeof(w->recent));
}

void cs_walk_context(struct cs_walk *w, bool changed, bool level)
{
	if (level && w->has_context && w->level_at != w->point.insns && (w->at || w->position != CS_NOWHERE))
		cs_walk_gap(w, CS_GAP_LOST);
	w->has_context = true;
	leave_block(w);
	w->reached = w->reached && !changed;
	w->ip_from_packet = w->ip_from_packet && !changed;
	w->point.space = w->sink->space ? w->sink->space(w->ctx, &w->point) : 0;
}

static struct block *find(struct cs_walk *w, uint64_t ip, unsigned mode)
{
	struct block **recent = &w->recent[(ip >> 2 ^ ip >> 12) % CS_RECENT], *b = *recent;

	if (!b || b->ip != ip || b->space != w->point.space || b->mode != mode)
		*recent = b = block_at(w->cache, w->point.space, ip, mode);
	return b;
}

/* Returns the block to be executed now, or NULL if the position is unknown. */
static struct block *enter(struct cs_walk *w)
{
	if (w->at)
		return w->at;
	if (w->position == CS_AT_RETURN && !pop_return(w))
		w->position = CS_NOWHERE;
	if (w->position != CS_AT_ADDRESS || !w->has_context) {
		cs_walk_gap(w, CS_GAP_NO_ADDRESS);
		return NULL;
	}
	return w->at = find(w, w->ip, w->point.sf ? 64 : w->is ? 16 : 32);
}

/* --- What was executed ---------------------------------------------------- */

/* Calls .passed for each instruction of @b that is due. The callee must raise .stop; if it does not, it is not called again. */
static void passed(struct cs_walk *w, const struct block *b, unsigned nr)
{
	struct cs_point *p = &w->point;

	while (p->stop <= p->insns + nr) {
		uint64_t stop = p->stop;

		if (w->sink->passed && stop > p->insns)
			w->sink->passed(w->ctx, p, b, (unsigned)(stop - p->insns - 1));
		if (p->stop <= stop)
			p->stop = UINT64_MAX;
	}
}

static inline void pass(struct cs_walk *w, const struct block *b, unsigned nr)
{
	if (!nr)
		return;
	if (w->sink->block)
		w->sink->block(w->ctx, &w->point, b, nr);
	if (w->point.insns + nr >= w->point.stop)
		passed(w, b, nr);
	w->point.insns += nr;
}

/* True if the block's last instruction has an atom. */
static bool is_waypoint(const struct cs_walk *w, const struct block *b)
{
	switch (b->kind) {
	case INSN_OTHER:
	case INSN_FAR_CALL:
	case INSN_PTWRITE:
		return false;
	case INSN_ISB:
		return !(b->detail & ARM_WAIT) || w->config->wait_branch;
	default:
		return true;
	}
}

/* True, after a reported gap, if there is no code at @b. */
static bool dead_end(struct cs_walk *w, const struct block *b)
{
	if (b->nr_insn)
		return false;
	gap_at(w, b->err == ENOENT ? CS_GAP_NO_CODE : CS_GAP_BAD_CODE, b->ip);
	return true;
}

/* Executes blocks without atoms; returns the block that ends in a waypoint, or NULL after a gap. */
static struct block *to_waypoint(struct cs_walk *w, struct block *b)
{
	for (unsigned nr = 0; !is_waypoint(w, b); nr++) {
		if (nr == MOST_BLOCKS || (nr >= LONG_RUN && !b->nr_insn)) {
			gap_at(w, CS_GAP_BAD_CODE, b->ip);
			return NULL;
		}
		if (dead_end(w, b))
			return NULL;
		pass(w, b, b->nr_insn);
		w->at = b = block_next(w->cache, b, false);
	}
	return b;
}

/* Returns the block at the target of a taken direct branch. blx changes the instruction set. */
static struct block *target(struct cs_walk *w, struct block *b)
{
	if (!b->next[1] && b->detail & ARM_EXCHANGE)
		b->next[1] = b->mode == 16 ? block_at(w->cache, b->space, b->target & ~3ull, 32) :
					     block_at(w->cache, b->space, b->target, 16);
	return block_next(w->cache, b, true);
}

static void follow_branch(struct cs_walk *w, struct block *b)
{
	bool call = b->kind == INSN_CALL || b->kind == INSN_CALL_INDIRECT;

	if (call && w->config->return_stack)
		push_return(w, b->next_ip, b->mode);
	switch (b->kind) {
	case INSN_JUMP:
	case INSN_COND:
	case INSN_CALL:
		w->at = target(w, b);
		branch(w, b, w->at->ip, true);
		break;
	case INSN_ISB:
		w->at = block_next(w->cache, b, false);
		break;
	default:
		w->at = NULL;
		w->position = w->config->return_stack ? CS_AT_RETURN : CS_AFTER_INDIRECT;
		w->ip = b->next_ip;
		w->is = b->mode == 16;
		if (b->kind == INSN_FAR_RET)
			w->level_at = w->point.insns;
		branch_waits(w, b->end_ip, b->kind, -1);
	}
}

/* True if the atom of @b must be taken: in A64, for all instructions except those of INSN_COND, WFE, WFI and TSTART. */
static bool always_taken(const struct block *b)
{
	return b->mode == 64 && b->kind != INSN_COND && !(b->kind == INSN_ISB && b->detail & (ARM_WAIT | ARM_TSTART));
}

static void step(struct cs_walk *w, bool taken)
{
	struct block *b = enter(w);

	if (b)
		b = to_waypoint(w, b);
	if (!b)
		return;
	if (!taken && always_taken(b)) {
		gap_at(w, CS_GAP_LOST, b->end_ip);
		return;
	}
	pass(w, b, b->nr_insn);
	if (taken) {
		follow_branch(w, b);
		return;
	}
	w->at = block_next(w->cache, b, false);
	if (b->kind != INSN_ISB)
		branch(w, b, b->next_ip, false);
}

/*
 * Decoding spends most of its time here. If no callback is set and the block has a pointer to the next block, only counts the
 * block's instructions and follows the pointer.
 */
void cs_walk_atoms(struct cs_walk *w, uint32_t taken, unsigned nr)
{
	bool calls = !w->config->return_stack;

	for (; nr; nr--, taken >>= 1) {
		struct block *b = w->at, *next = b ? b->next[taken & 1] : NULL;

		if (next && !w->watched && w->point.insns + b->nr_insn < w->point.stop &&
		    (b->kind == INSN_COND || (taken & 1 && (b->kind == INSN_JUMP || (b->kind == INSN_CALL && calls))))) {
			w->point.insns += b->nr_insn;
			w->at = next;
		} else {
			step(w, taken & 1);
		}
	}
}

/* --- The other elements ---------------------------------------------------- */

/*
 * Returns the number of blocks from @b to the instruction at @ip, which may be the one after a block. @through: also past branches
 * that are not taken. Returns -1 if the code does not lead there.
 */
static int blocks_to(struct cs_walk *w, struct block *b, uint64_t ip, bool through)
{
	for (int nr = 0; nr < MOST_BLOCKS; nr++, b = block_next(w->cache, b, false)) {
		if ((ip == b->next_ip && (through || !is_waypoint(w, b))) || block_find_insn(b, ip) >= 0)
			return nr;
		if (!b->nr_insn || (!through && is_waypoint(w, b)))
			return -1;
	}
	return -1;
}

/* Executes all instructions before the one at @ip. Reports a gap if the code does not lead there. */
static void walk_to(struct cs_walk *w, struct block *b, uint64_t ip, bool through)
{
	int nr = blocks_to(w, b, ip, through);

	if (nr < 0) {
		if (!dead_end(w, b))
			gap_at(w, CS_GAP_LOST, ip);
		return;
	}
	for (; nr; nr--, b = block_next(w->cache, b, false))
		pass(w, b, b->nr_insn);
	pass(w, b, ip == b->next_ip ? b->nr_insn : (unsigned)block_find_insn(b, ip));
}

/*
 * Handles an exception after a branch whose target is missing, which is a fault of the trace. As in OpenCSD, the branch is
 * taken to fall through, if the code leads from there to the exception. It is reported as a gap in any case.
 */
static void step_over_branch(struct cs_walk *w, uint64_t ip)
{
	uint64_t from = w->ip;
	unsigned mode = w->point.sf ? 64 : w->is ? 16 : 32;
	struct block *b;

	gap_at(w, CS_GAP_NO_ADDRESS, ip);
	if (from >= ip || !w->has_context)
		return;
	b = find(w, from, mode);
	if (blocks_to(w, b, ip, true) >= 0)
		walk_to(w, b, ip, true);
}

void cs_walk_exception(struct cs_walk *w, uint64_t ip, uint8_t is, int number, bool was_target)
{
	struct block *b;

	if (was_target) {
		cs_walk_address(w, ip, is);
	} else if (w->position == CS_AFTER_INDIRECT) {
		step_over_branch(w, ip);
	} else if (w->at || w->position != CS_NOWHERE) {
		b = enter(w);
		if (b)
			walk_to(w, b, ip, false);
	}
	w->at = NULL;
	w->position = CS_NOWHERE;
	if (w->lost)
		after_gap(w, ip);	/* this is where the program was, whatever happened before */
	w->level_at = w->point.insns;
	branch_waits(w, ip, INSN_FAR_CALL, number);
}

/* Executes all instructions before the one at @ip. Returns the block that ends with it, or NULL after a gap. */
static struct block *find_source(struct cs_walk *w, struct block *b, uint64_t ip)
{
	for (unsigned nr = 0; nr < MOST_BLOCKS; nr++) {
		if (dead_end(w, b))
			return NULL;
		if (b->end_ip == ip ? !is_waypoint(w, b) : is_waypoint(w, b) && always_taken(b))
			break;
		pass(w, b, b->nr_insn);
		if (b->end_ip == ip)
			return b;
		if (block_find_insn(b, ip) >= 0)
			break;
		b = block_next(w->cache, b, false);
	}
	gap_at(w, CS_GAP_LOST, ip);
	return NULL;
}

void cs_walk_source(struct cs_walk *w, uint64_t ip, uint8_t is)
{
	struct block *b = enter(w);

	if (!b || b->ip > ip) {
		cs_walk_address(w, ip, is);
		b = enter(w);
	}
	if (b)
		b = find_source(w, b, ip);
	if (b)
		follow_branch(w, b);
}

void cs_walk_count(struct cs_walk *w, uint64_t nr)
{
	struct block *b = enter(w);

	if (nr > MOST_COUNTED) {
		cs_walk_gap(w, CS_GAP_UNKNOWN_PATH);
		return;
	}
	while (b && nr) {
		unsigned some = nr < b->nr_insn ? (unsigned)nr : b->nr_insn;

		if (dead_end(w, b))
			return;
		pass(w, b, some);
		nr -= some;
		if (!nr)
			break;
		if (b->kind == INSN_JUMP || b->kind == INSN_CALL) {
			follow_branch(w, b);
		} else if (!is_waypoint(w, b) || b->kind == INSN_ISB) {
			w->at = block_next(w->cache, b, false);
		} else {
			cs_walk_gap(w, CS_GAP_UNKNOWN_PATH);
			return;
		}
		b = w->at;
	}
	w->at = NULL;
	w->position = CS_NOWHERE;
}

/* --- ARMv7's trace units ---------------------------------------------------- */

static void finish_block(struct cs_walk *w)
{
	struct block *b = w->at;

	w->done = 0;
	pass(w, b, b->nr_insn);
	if (is_waypoint(w, b) && w->done_taken) {
		follow_branch(w, b);
		return;
	}
	w->at = block_next(w->cache, b, false);
	if (is_waypoint(w, b) && b->kind != INSN_ISB)
		branch(w, b, b->next_ip, false);
}

void cs_walk_insns(struct cs_walk *w, uint32_t taken, unsigned nr)
{
	for (; nr; nr--, taken >>= 1) {
		struct block *b;

		if (!w->at)
			w->done = 0;
		else if (w->done == w->at->nr_insn && w->done)
			finish_block(w);
		b = enter(w);
		if (!b || dead_end(w, b))
			return;
		w->done++;
		w->done_taken = taken & 1;
	}
}

void cs_walk_cancel(struct cs_walk *w)
{
	if (w->at && w->done)
		w->done--;
}

void cs_walk_settle(struct cs_walk *w)
{
	struct block *b = w->at;

	if (!b || !w->done)
		return;
	if (w->done == b->nr_insn) {
		finish_block(w);
		return;
	}
	pass(w, b, w->done);
	leave_block(w);
	w->ip = block_insn_ip(b, w->done);
	w->done = 0;
}

void cs_walk_through(struct cs_walk *w, uint64_t ip)
{
	struct block *b = enter(w);
	int nr;

	for (unsigned left = MOST_BLOCKS; b && left; left--) {
		if (dead_end(w, b))
			return;
		nr = block_find_insn(b, ip);
		if (nr >= 0) {
			w->at = b;
			w->done = (unsigned)nr + 1;
			w->done_taken = true;
			cs_walk_settle(w);
			return;
		}
		if (is_waypoint(w, b))
			break;
		pass(w, b, b->nr_insn);
		w->at = b = block_next(w->cache, b, false);
	}
	if (b)
		gap_at(w, CS_GAP_LOST, ip);
}

bool cs_walk_place(struct cs_walk *w, uint64_t *ip, uint8_t *is)
{
	if (w->position == CS_AT_RETURN && !w->at)
		pop_return(w);
	if (!w->at && w->position != CS_AT_ADDRESS)
		return false;
	*ip = w->at ? w->at->ip : w->ip;
	*is = w->at ? w->at->mode == 16 : w->is;
	return true;
}
