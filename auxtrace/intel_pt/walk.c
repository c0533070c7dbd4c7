/*
 * Moves the decoder's position through the program's code, from one branch whose outcome is in the Intel PT trace to the next
 * (superblock.h). packet_handlers.c calls it for each packet that moves the position.
 */
#include "auxtrace/intel_pt/flow_impl.h"

#include <errno.h>

#include "arch/x86/insn.h"
#include "auxtrace/block.h"
#include "core/arch.h"

#define MAX_STEPS	(1u << 16)	/* steps from block to block without a packet; after so many, the code is taken to loop */
#define MAX_BLOCKS	(1u << 20)	/* blocks in the cache before it is cleared */
#define VSYSCALL	0xffffffffff600000ull	/* in the kernel's half, but programs call it: asm/vsyscall.h of Linux */

/* Finds loops in code that runs without packets (Brent's algorithm). */
struct steps {
	const void *mark;
	unsigned nr, next_mark;
};

static bool loops(struct steps *s, const void *at)
{
	if (s->mark == at || s->nr == MAX_STEPS)
		return true;
	if (s->nr++ == s->next_mark) {
		s->mark = at;
		s->next_mark = 2 * s->nr;
	}
	return false;
}

static struct superblock *run_of(struct pt_flow *f, struct block *b)
{
	return b->user ? b->user : superblock_make(&f->superblocks, f->config.cache, b);
}

/* Ends the path before the blocks of its steps are freed. */
static void give_up_path(struct pt_flow *f)
{
	path_end(&f->path);
	f->path.given_up = true;
	f->stop = UINT64_MAX;
}

static struct superblock *run_at(struct pt_flow *f, uint64_t ip)
{
	if (block_cache_nr(f->config.cache) > MAX_BLOCKS) {
		if (f->path.on)
			give_up_path(f);
		block_cache_clear(f->config.cache);
		block_arena_release(&f->superblocks);
		f->nr_calls = 0;
	}
	return run_of(f, block_at(f->config.cache, f->state.space, ip, f->state.mode));
}

/*
 * Returns the superblock at the position, or NULL if the position is unknown. The position is always the start of a superblock that
 * has not been executed yet. It moves on when a packet shows how the superblock ended.
 */
static struct superblock *here(struct pt_flow *f)
{
	if (!f->sb && f->state.enabled && f->state.ip)
		f->sb = run_at(f, f->state.ip);
	return f->sb;
}

static void go(struct pt_flow *f, struct superblock *sb)
{
	f->sb = sb;
	f->state.ip = sb->start->ip;
}

static void push(struct pt_flow *f, struct block *call)
{
	f->calls[f->top++ % RETURN_DEPTH] = call;
	if (f->nr_calls < RETURN_DEPTH)
		f->nr_calls++;
}

static struct block *pop(struct pt_flow *f)
{
	if (!f->nr_calls)
		return NULL;
	f->nr_calls--;
	f->top--;
	return f->calls[f->top % RETURN_DEPTH];
}

/* --- Calling the callbacks -------------------------------------------------- */

static void samples(struct pt_flow *f, const struct block *b, unsigned from, unsigned to)
{
	uint64_t start = f->state.insns, end = start + (to - from);

	if (f->next_sample <= start)
		f->next_sample = start + 1;
	for (; f->next_sample <= end; f->next_sample += f->config.period) {
		f->state.insns = f->next_sample;
		f->config.sink->sample(f->config.ctx, &f->state, b, from + (f->next_sample - start) - 1);
	}
	f->state.insns = start;
}

/* Adds a mark to the path. If the path is too long, it is given up. */
static void mark(struct pt_flow *f)
{
	f->stop = path_mark(&f->path, f->state.insns) ? f->state.insns + PATH_MARK : UINT64_MAX;
}

/* Moves past instructions @from up to @to of @b, and reports them. */
static void pass_part(struct pt_flow *f, struct block *b, unsigned from, unsigned to)
{
	const struct pt_sink *sink = f->config.sink;

	if (from == to)
		return;
	if (f->path.on) {
		if (f->state.insns + (to - from) >= f->stop)
			mark(f);
		if (f->path.on)
			path_part(&f->path, b, from, to);
		f->state.insns += to - from;
		return;
	}
	if (sink->block)
		sink->block(f->config.ctx, &f->state, b, from, to);
	if (f->next_sample <= f->state.insns + (to - from))
		samples(f, b, from, to);
	f->state.insns += to - from;
	f->stop = f->detailed ? 0 : f->next_sample;
}

static void report_branch(struct pt_flow *f, const struct block *b, uint64_t to, bool taken, bool end)
{
	struct pt_branch branch = {
		.from = b->end_ip, .to = to, .kind = b->kind, .detail = b->detail, .size = b->next_ip - b->end_ip,
		.taken = taken, .in_tx = f->state.in_tx, .end = end,
	};

	if (f->config.sink->branch)
		f->config.sink->branch(f->config.ctx, &f->state, &branch);
}

/* Reports the direct jump or call at the end of a block inside a superblock. */
static void report_direct(struct pt_flow *f, const struct block *b)
{
	if (b->kind == INSN_JUMP || b->kind == INSN_CALL)
		report_branch(f, b, b->target, true, false);
}

/* Moves past a superblock without a sample, if no callback wants its blocks. */
static void pass_branches(struct pt_flow *f, struct superblock *sb)
{
	uint64_t end = f->state.insns + sb->nr_insn;
	struct block *b = sb->start;

	for (unsigned left = sb->nr_blocks; --left; b = superblock_step(f->config.cache, b)) {
		f->state.insns += b->nr_insn;
		report_direct(f, b);
	}
	if (sb->end < SB_MORE && f->state.tsc != f->state.time.tsc) {
		f->state.insns = end - 1;
		place_time(f);
	}
	f->state.insns = end;
}

static void pass_blocks(struct pt_flow *f, struct superblock *sb)
{
	struct block *b = sb->start;
	unsigned last;

	if (f->path.on) {
		mark(f);
		f->state.insns += sb->nr_insn;
		return;
	}
	if (!f->config.sink->block && f->next_sample > f->state.insns + sb->nr_insn) {
		pass_branches(f, sb);
		return;
	}
	for (unsigned left = sb->nr_blocks; --left; b = superblock_step(f->config.cache, b)) {
		pass_part(f, b, 0, b->nr_insn);
		report_direct(f, b);
	}
	last = b->nr_insn ? b->nr_insn - 1 : 0;
	if (sb->end < SB_MORE && f->state.tsc != f->state.time.tsc) {
		pass_part(f, b, 0, last);
		place_time(f);
		pass_part(f, b, last, b->nr_insn);
	} else {
		pass_part(f, b, 0, b->nr_insn);
	}
}

static inline void push_calls(struct pt_flow *f, const struct superblock *sb)
{
	for (unsigned i = 0; i < sb->nr_calls; i++)
		push(f, sb->calls[i]);
}

/*
 * Moves to the last instruction of superblock @sb, reporting what was executed. If no sample is due in the superblock and no
 * callback wants its blocks, its instructions are only counted. Otherwise it is reported block by block.
 */
static inline void pass(struct pt_flow *f, struct superblock *sb)
{
	if (f->state.insns + sb->nr_insn >= f->stop)
		pass_blocks(f, sb);
	else
		f->state.insns += sb->nr_insn;
	if (f->path.on)
		*f->path.next++ = sb;
	push_calls(f, sb);
}

/* As pass(), for a superblock that ends with a branch, at which timing packets take effect. */
static inline void pass_to_branch(struct pt_flow *f, struct superblock *sb)
{
	pass(f, sb);
	if (f->state.tsc != f->state.time.tsc)
		place_new_time(f, true);
}

/* Reports the branch at the end of a superblock, which goes to @to. */
static inline void leave(struct pt_flow *f, struct superblock *sb, uint64_t to, bool taken)
{
	if (f->detailed && (taken || !f->config.sink->taken_only))
		report_branch(f, sb->last, to, taken, false);
}

/* --- From superblock to superblock ------------------------------------------ */

static struct superblock *next_of(struct pt_flow *f, struct superblock *sb, bool taken)
{
	struct block *b;

	if (sb->next[taken])
		return sb->next[taken];
	b = block_next(f->config.cache, sb->last, taken || sb->last->kind == INSN_JUMP || sb->last->kind == INSN_CALL);
	return sb->next[taken] = run_of(f, b);
}

/* Moves past a superblock that was split, to the next part. */
static void pass_more(struct pt_flow *f, struct superblock *sb)
{
	pass(f, sb);
	if (f->detailed)
		report_direct(f, sb->last);
	go(f, next_of(f, sb, false));
}

/*
 * True if no program can be at @ip, where no code can be read. Linux maps nothing between the lower half of the addresses (as 4
 * levels of page tables have it) and the upper half. No near branch leads from one half into the other, except to the page
 * VSYSCALL. Unmapped addresses are never executed.
 */
static bool is_nowhere(const struct pt_flow *f, uint64_t ip)
{
	uint64_t high = ip >> 47;

	return (high && high != UINT64_MAX >> 47) || (f->crossed && ip == f->crossed && ip >> 12 != VSYSCALL >> 12) ||
	       (f->config.sink->mapped && !f->config.sink->mapped(f->config.ctx, &f->state, ip));
}

/* Handles a superblock after which there is no code. @known: the current packet has the program's next address. */
static void broken(struct pt_flow *f, struct superblock *sb, bool known)
{
	bool nowhere = is_nowhere(f, sb->start->ip);
	uint8_t err = sb->last->err;

	if (sb->nr_insn)
		pass(f, sb);
	f->state.ip = sb->last->next_ip;
	/* Code seldom leads to an address without code. If it does, an earlier packet was probably wrong. */
	if (err == ENOENT && (known || !nowhere))
		place_gap(f, PT_GAP_NO_CODE, nowhere || f->state.insns != f->verified_at);
	else
		place_lose_sync(f, err == ENOENT ? PT_GAP_NO_CODE : PT_GAP_BAD_INSN);
}

/* Moves to the next superblock that ends with a branch. Returns it, or NULL after a reported gap. */
static struct superblock *branching(struct pt_flow *f)
{
	struct steps steps = { 0 };
	struct superblock *sb;

	for (sb = here(f); sb && sb->end >= SB_MORE; sb = f->sb) {
		if (sb->end == SB_BROKEN) {
			broken(f, sb, false);
			return NULL;
		}
		if (loops(&steps, sb)) {
			place_gap(f, PT_GAP_LOOP, true);
			return NULL;
		}
		pass_more(f, sb);
	}
	return sb;
}

/* --- Functions for packets -------------------------------------------------- */

/* Follows a compressed return. Returns the superblock that it goes to, or NULL after a reported gap. */
static struct superblock *compressed_return(struct pt_flow *f, struct superblock *sb, bool bit)
{
	struct block *call;

	pass_to_branch(f, sb);
	call = bit ? pop(f) : NULL;
	if (!call) {
		f->state.ip = sb->last->end_ip;
		if (bit && f->calls_lost && !f->deferred)
			place_gap(f, PT_GAP_RETURN, false);
		else
			place_lose_sync(f, PT_GAP_RETURN);
		return NULL;
	}
	leave(f, sb, call->next_ip, true);
	if (call->space != f->state.space || call->mode != f->state.mode)
		return run_at(f, call->next_ip);
	return run_of(f, block_next(f->config.cache, call, false));
}

/* Returns the superblock to which a compressed return at the end of @sb goes, if it was made already; NULL: it was not. */
static inline struct superblock *known_return(const struct pt_flow *f, const struct superblock *sb, bool bit)
{
	const struct block *call;

	if (!bit || sb->nr_calls || !f->nr_calls || f->config.no_ret_comp)
		return NULL;
	call = f->calls[(f->top - 1) % RETURN_DEPTH];
	if (!call->next[0] || call->space != f->state.space || call->mode != f->state.mode)
		return NULL;
	return call->next[0]->user;
}

/* The hot loop: uses one TNT bit per turn, while superblocks are only counted and lead where they led before. */
static struct superblock *count_tnt(struct pt_flow *f, struct superblock *sb)
{
	uint64_t bits = f->bits, insns = f->state.insns, stop = f->stop;
	const struct superblock **step = f->path.on ? f->path.next : NULL;
	unsigned nr = f->nr_bits;
	struct superblock *next;

	for (; nr; nr--, bits <<= 1) {
		next = sb->end == SB_COND ? sb->next[bits >> 63] : sb->end == SB_RET ? known_return(f, sb, bits >> 63) : NULL;
		if (!next || insns + sb->nr_insn >= stop)
			break;
		insns += sb->nr_insn;
		if (step)
			*step++ = sb;
		if (sb->end == SB_RET)
			pop(f);
		else
			push_calls(f, sb);
		sb = next;
	}
	if (step)
		f->path.next = step;
	f->bits = bits;
	f->nr_bits = nr;
	f->state.insns = insns;
	go(f, sb);
	return sb;
}

void walk_tnt(struct pt_flow *f)
{
	struct superblock *sb = here(f), *next;
	bool bit;

	while (f->nr_bits && sb) {
		if (f->state.insns < f->stop && f->state.tsc == f->state.time.tsc) {
			sb = count_tnt(f, sb);
			if (!f->nr_bits)
				break;
		}
		bit = f->bits >> 63;
		if (sb->end == SB_COND) {
			next = next_of(f, sb, bit);
			pass_to_branch(f, sb);
			leave(f, sb, bit ? sb->last->target : sb->last->next_ip, bit);
		} else if (sb->end == SB_RET && !f->config.no_ret_comp) {
			next = compressed_return(f, sb, bit);
			if (!next)
				return;
		} else if (sb->end >= SB_MORE) {
			sb = branching(f);
			continue;
		} else {
			break;	/* a TIP comes first */
		}
		go(f, next);
		f->bits <<= 1;
		f->nr_bits--;
		sb = next;
	}
}

void walk_tip(struct pt_flow *f, uint64_t ip)
{
	struct superblock *sb = branching(f);

	if (sb && sb->end == SB_COND) {
		walk_contradict(f);
		sb = NULL;
	}
	if (!sb) {
		place_set(f, ip);
		f->state.enabled = true;
		return;
	}
	pass_to_branch(f, sb);
	place_toggle(f, sb->last->end_ip, ip);
	leave(f, sb, ip, true);
	f->crossed = sb->end != SB_FAR && (sb->last->end_ip ^ ip) >> 63 ? ip : 0;
	if (sb->end == SB_RET)
		pop(f);
	else if (sb->last->kind == INSN_CALL_INDIRECT)
		push(f, sb->last);
	else if (sb->end == SB_FAR) {
		place_set(f, ip);
		place_ask_space(f);
		return;
	}
	place_verified(f);
	if (!sb->next[1] || sb->next[1]->start->ip != ip || sb->next[1]->start->space != f->state.space)
		sb->next[1] = run_at(f, ip);
	go(f, sb->next[1]);
	if (f->nr_bits) {
		f->deferred = true;
		walk_tnt(f);
	}
}

/* True if @ip can be reached from @sb without a packet. */
static bool reaches(struct pt_flow *f, struct superblock *sb, uint64_t ip)
{
	struct steps steps = { 0 };

	for (struct block *b = sb->start; b && !loops(&steps, b); b = superblock_step(f->config.cache, b)) {
		if (block_find_insn(b, ip) >= 0)
			return true;
		if (b->err)
			return b->next_ip == ip && b->kind == INSN_OTHER;
	}
	return false;
}

/* Moves past block @b alone, inside a superblock. */
static void pass_block(struct pt_flow *f, struct block *b)
{
	pass_part(f, b, 0, b->nr_insn);
	report_direct(f, b);
	if (b->kind == INSN_CALL && b->target != b->next_ip)
		push(f, b);
}

bool walk_until(struct pt_flow *f, uint64_t ip)
{
	struct superblock *sb = here(f);
	struct block *b;
	int nr;

	if (!sb)
		return false;
	if (f->state.ip == ip)
		return true;
	if (!reaches(f, sb, ip))
		return false;
	for (b = sb->start; (nr = block_find_insn(b, ip)) < 0; b = superblock_step(f->config.cache, b)) {
		pass_block(f, b);
		if (b->err)
			break;	/* the code after @b, at @ip, is missing */
	}
	if (nr > 0)
		pass_part(f, b, 0, nr);
	place_set(f, ip);
	return true;
}

uint64_t walk_interrupt(struct pt_flow *f, uint64_t ip)
{
	struct steps steps = { 0 };
	struct superblock *sb = here(f);
	struct block *end;

	if (!sb || f->nr_bits || reaches(f, sb, ip))
		return 0;
	for (end = sb->start; end && end->kind != INSN_FAR_CALL; end = superblock_step(f->config.cache, end))
		if (loops(&steps, end))
			return 0;
	if (!end || end->detail != X86_INT || end->next_ip != ip)
		return 0;
	for (struct block *b = sb->start; b != end; b = superblock_step(f->config.cache, b))
		pass_block(f, b);
	pass_part(f, end, 0, end->nr_insn);
	return end->end_ip;
}

void walk_contradict(struct pt_flow *f)
{
	bool by_psb = f->shown_by == PT_BDM70 && f->state.ip == f->shown_ip && f->state.insns == f->shown_insns;
	struct superblock *sb = by_psb ? branching(f) : NULL;

	if (sb) {
		pass_to_branch(f, sb);
		f->state.ip = sb->last->end_ip;
	}
	if (!f->sync_lost)
		place_gap(f, PT_GAP_DESYNC, true);
	place_mark_unverified(f, PT_GAP_DESYNC);
}

bool walk_lacks_code(struct pt_flow *f)
{
	struct superblock *sb = here(f);

	if (!sb || sb->end != SB_BROKEN || sb->last->err != ENOENT)
		return false;
	broken(f, sb, true);
	return true;
}

static bool is_traced(const struct pt_flow *f, uint64_t ip)
{
	if (f->config.sink->traced)
		return f->config.sink->traced(f->config.ctx, &f->state, ip);
	for (unsigned i = 0; i < f->config.nr_filters; i++)
		if (ip >= f->config.filters[i].from && ip < f->config.filters[i].to)
			return true;
	return !f->config.nr_filters;
}

/* True if tracing may have ended with the direct branch at the end of @b. @ip: the address of the TIP.PGD; 0: it has none. */
static bool ends_at(const struct pt_flow *f, const struct block *b, uint64_t ip)
{
	if (b->kind != INSN_JUMP && b->kind != INSN_CALL && b->kind != INSN_COND)
		return false;
	return ip ? b->target == ip : !is_traced(f, b->target);
}

/*
 * Returns the block at whose end tracing ended, or NULL if the code loops for ever. A MOV CR3 may end tracing, too. A MOV CR3 when
 * the kernel returns to a program does not, because Linux does not filter by CR3.
 */
static struct block *find_end(struct pt_flow *f, struct block *b, uint64_t ip)
{
	struct steps steps = { 0 };
	struct block *next, *cr3 = NULL;

	for (; (next = superblock_step(f->config.cache, b)) && !ends_at(f, b, ip); b = next) {
		if (!ip && !cr3 && b->kind == INSN_MOV_CR3)
			cr3 = b;
		if (loops(&steps, b))
			return cr3;
	}
	return cr3 && b->kind != INSN_FAR_RET && !ends_at(f, b, ip) ? cr3 : b;
}

/* Without filters, only far branches leave the traced code (SDM, "TIP.PGD"), except that a kernel may switch tracing off. */
static bool cannot_end(const struct pt_flow *f, const struct block *b)
{
	bool near = b->kind == INSN_COND || b->kind == INSN_RET || b->kind == INSN_JUMP_INDIRECT || b->kind == INSN_CALL_INDIRECT;

	return near && !f->config.nr_filters && !f->config.sink->traced && !(b->end_ip >> 63);
}

void walk_end(struct pt_flow *f, uint64_t ip)
{
	struct superblock *sb = here(f);
	struct block *b, *end = find_end(f, sb->start, ip);

	if (end && !ip && cannot_end(f, end)) {
		walk_contradict(f);
		return;
	}
	if (!end) {
		place_gap(f, PT_GAP_LOOP, true);
		return;
	}
	for (b = sb->start; b != end; b = superblock_step(f->config.cache, b))
		pass_block(f, b);
	pass_part(f, b, 0, b->nr_insn);
	if (b->kind == INSN_OTHER) {
		f->state.ip = b->next_ip;
		place_gap(f, b->err == ENOENT ? PT_GAP_NO_CODE : PT_GAP_BAD_INSN, b->nr_insn || is_nowhere(f, b->ip));
		return;
	}
	if (b->kind == INSN_RET)
		pop(f);
	report_branch(f, b, ip, true, true);
}

/* Returns the block with the next ptwrite, if no packet is needed to get there; otherwise NULL. */
static struct block *find_ptwrite(struct pt_flow *f, struct block *b)
{
	struct steps steps = { 0 };

	for (; b && b->kind != INSN_PTWRITE; b = superblock_step(f->config.cache, b))
		if (loops(&steps, b))
			return NULL;
	return b;
}

uint64_t walk_ptwrite(struct pt_flow *f)
{
	struct superblock *sb = here(f);
	struct block *end = find_ptwrite(f, sb->start);

	if (!end)
		return 0;
	for (struct block *b = sb->start; b != end; b = superblock_step(f->config.cache, b))
		pass_block(f, b);
	pass_block(f, end);
	place_set(f, end->next_ip);
	return end->end_ip;
}
