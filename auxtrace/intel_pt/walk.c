/*
 * Moving through the code, run by run. The place is always the start of a run that has not been executed;
 * runs are passed when a packet shows how they ended. One counter decides whether a run is only counted (it
 * ends before the next sample is due) or served block by block.
 * Layer: auxtrace
 */
#include "auxtrace/intel_pt/flow_impl.h"

#include <errno.h>

#include "auxtrace/block.h"
#include "core/arch.h"

#define MAX_STEPS	(1u << 16)	/* from block to block without a packet */
#define MAX_BLOCKS	(1u << 20)	/* in the cache, before it is emptied */

/* Steps that no packet is needed for must not come back to where they were (Brent's algorithm). */
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

static struct run *run_of(struct pt_flow *f, struct block *b)
{
	return b->user ? b->user : run_make(&f->runs, f->config.cache, b);
}

/* What the path's steps point to is about to go. */
static void give_up_path(struct pt_flow *f)
{
	path_end(&f->path);
	f->path.given_up = true;
	f->stop = UINT64_MAX;
}

static struct run *run_at(struct pt_flow *f, uint64_t ip)
{
	if (block_cache_nr(f->config.cache) > MAX_BLOCKS && !f->trial.on) {
		if (f->path.on)
			give_up_path(f);
		block_cache_clear(f->config.cache);
		run_pool_release(&f->runs);
		f->nr_calls = 0;
	}
	return run_of(f, block_at(f->config.cache, f->state.space, ip, f->state.mode));
}

/* The run at the place; NULL where that is not known. */
static struct run *here(struct pt_flow *f)
{
	if (!f->run && f->state.enabled && f->state.ip)
		f->run = run_at(f, f->state.ip);
	return f->run;
}

static void go(struct pt_flow *f, struct run *run)
{
	f->run = run;
	f->state.ip = run->start->ip;
}

void walk_to(struct pt_flow *f, uint64_t ip)
{
	f->state.ip = ip;
	f->run = NULL;
	if (f->lost.open && ip)
		flow_found(f);
}

void walk_forget(struct pt_flow *f)
{
	f->nr_bits = 0;
	f->nr_calls = 0;
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
	return f->calls[--f->top % RETURN_DEPTH];
}

/* --- Telling the sink ------------------------------------------------------- */

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

/* The path goes on being written, if it is not too long. */
static void mark(struct pt_flow *f)
{
	f->stop = path_mark(&f->path, f->state.insns) ? f->state.insns + PATH_MARK : UINT64_MAX;
}

/* Instructions @from up to @to of @b are executed. */
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

static void tell_branch(struct pt_flow *f, const struct block *b, uint64_t to, bool taken, bool end)
{
	struct pt_branch branch = {
		.from = b->end_ip, .to = to, .kind = b->kind, .detail = b->detail, .size = b->next_ip - b->end_ip,
		.taken = taken, .in_tx = f->state.in_tx, .end = end,
	};

	if (f->config.sink->branch)
		f->config.sink->branch(f->config.ctx, &f->state, &branch);
}

static inline bool wants_branch(const struct pt_flow *f, bool taken)
{
	return taken || !f->config.sink->taken_only;
}

/* The direct jump or call at the end of a block inside a run. */
static void tell_direct(struct pt_flow *f, const struct block *b)
{
	if (b->kind == INSN_JUMP || b->kind == INSN_CALL)
		tell_branch(f, b, b->target, true, false);
}

/* No sample is due in the run, and nobody asks for its blocks. */
static void pass_branches(struct pt_flow *f, struct run *run)
{
	uint64_t end = f->state.insns + run->nr_insn;
	struct block *b = run->start;

	for (unsigned left = run->nr_blocks; --left; b = run_step(f->config.cache, b)) {
		f->state.insns += b->nr_insn;
		tell_direct(f, b);
	}
	if (run->end < RUN_MORE && f->state.tsc != f->state.time.tsc) {
		f->state.insns = end - 1;
		flow_time(f);
	}
	f->state.insns = end;
}

static void pass_blocks(struct pt_flow *f, struct run *run)
{
	struct block *b = run->start;
	unsigned last;

	if (f->path.on) {
		mark(f);
		f->state.insns += run->nr_insn;
		return;
	}
	if (!f->config.sink->block && f->next_sample > f->state.insns + run->nr_insn) {
		pass_branches(f, run);
		return;
	}
	for (unsigned left = run->nr_blocks; --left; b = run_step(f->config.cache, b)) {
		pass_part(f, b, 0, b->nr_insn);
		tell_direct(f, b);
	}
	last = b->nr_insn ? b->nr_insn - 1 : 0;
	if (run->end < RUN_MORE && f->state.tsc != f->state.time.tsc) {
		pass_part(f, b, 0, last);
		flow_time(f);
		pass_part(f, b, last, b->nr_insn);
	} else {
		pass_part(f, b, 0, b->nr_insn);
	}
}

static inline void push_calls(struct pt_flow *f, const struct run *run)
{
	for (unsigned i = 0; i < run->nr_calls; i++)
		push(f, run->calls[i]);
}

/* The run at the place is executed, but for what its last instruction does. */
static inline void pass(struct pt_flow *f, struct run *run)
{
	if (f->state.insns + run->nr_insn >= f->stop)
		pass_blocks(f, run);
	else
		f->state.insns += run->nr_insn;
	if (f->path.on)
		*f->path.next++ = run;
	push_calls(f, run);
}

/* The same where that is a branch, to which timing packets count. */
static inline void pass_to_branch(struct pt_flow *f, struct run *run)
{
	pass(f, run);
	if (f->state.tsc != f->state.time.tsc)
		flow_new_time(f, true);
}

/* Over a run's last instruction, which goes to @to. */
static inline void leave(struct pt_flow *f, struct run *run, uint64_t to, bool taken)
{
	if (f->detailed && wants_branch(f, taken))
		tell_branch(f, run->last, to, taken, false);
}

/* --- From run to run -------------------------------------------------------- */

static struct run *next_of(struct pt_flow *f, struct run *run, bool taken)
{
	struct block *b;

	if (run->next[taken])
		return run->next[taken];
	b = block_next(f->config.cache, run->last, taken || run->last->kind == INSN_JUMP || run->last->kind == INSN_CALL);
	return run->next[taken] = run_of(f, b);
}

/* Over a run that only goes on in another. */
static void pass_more(struct pt_flow *f, struct run *run)
{
	pass(f, run);
	if (f->detailed)
		tell_direct(f, run->last);
	go(f, next_of(f, run, false));
}

static void broken(struct pt_flow *f, struct run *run)
{
	uint8_t err = run->last->err;

	if (run->nr_insn)
		pass(f, run);
	f->state.ip = run->last->next_ip;
	flow_gap(f, err == ENOENT ? PT_GAP_NO_CODE : PT_GAP_BAD_INSN);
}

/* The next run that ends with a branch, at the place; NULL, and a gap was told, where there is none. */
static struct run *branching(struct pt_flow *f)
{
	struct steps steps = { 0 };
	struct run *run;

	for (run = here(f); run && run->end >= RUN_MORE; run = f->run) {
		if (run->end == RUN_BROKEN) {
			broken(f, run);
			return NULL;
		}
		if (loops(&steps, run)) {
			flow_gap(f, PT_GAP_LOOP);
			return NULL;
		}
		pass_more(f, run);
	}
	return run;
}

/* --- What packets ask for --------------------------------------------------- */

/* Over a compressed return. Returns the run it goes to; NULL: a gap was told. */
static struct run *compressed_return(struct pt_flow *f, struct run *run, bool bit)
{
	struct block *call;

	pass_to_branch(f, run);
	call = bit ? pop(f) : NULL;
	if (!call) {
		f->state.ip = run->last->end_ip;
		if (bit && !f->deferred)
			flow_gap(f, PT_GAP_RETURN);
		else
			flow_doubt(f, PT_GAP_RETURN);
		return NULL;
	}
	leave(f, run, call->next_ip, true);
	if (call->space != f->state.space || call->mode != f->state.mode)
		return run_at(f, call->next_ip);
	return run_of(f, block_next(f->config.cache, call, false));
}

/* Where a compressed return that ends @run goes to, if that was there before; NULL: to be found out. */
static inline struct run *known_return(const struct pt_flow *f, const struct run *run, bool bit)
{
	const struct block *call;

	if (!bit || run->nr_calls || !f->nr_calls || f->config.no_ret_comp)
		return NULL;
	call = f->calls[(f->top - 1) % RETURN_DEPTH];
	if (!call->next[0] || call->space != f->state.space || call->mode != f->state.mode)
		return NULL;
	return call->next[0]->user;
}

/* The hot loop: one TNT bit a turn, as long as runs are only counted and lead where they led before. */
static struct run *count_tnt(struct pt_flow *f, struct run *run)
{
	uint64_t bits = f->bits, insns = f->state.insns, stop = f->stop;
	const struct run **step = f->path.on ? f->path.next : NULL;
	unsigned nr = f->nr_bits;
	struct run *next;

	for (; nr; nr--, bits <<= 1) {
		next = run->end == RUN_COND ? run->next[bits >> 63] : run->end == RUN_RET ? known_return(f, run, bits >> 63) : NULL;
		if (!next || insns + run->nr_insn >= stop)
			break;
		insns += run->nr_insn;
		if (step)
			*step++ = run;
		if (run->end == RUN_RET)
			pop(f);
		else
			push_calls(f, run);
		run = next;
	}
	if (step)
		f->path.next = step;
	f->bits = bits;
	f->nr_bits = nr;
	f->state.insns = insns;
	go(f, run);
	return run;
}

void walk_tnt(struct pt_flow *f)
{
	struct run *run = here(f), *next;
	bool bit;

	while (f->nr_bits && run) {
		if (f->state.insns < f->stop && f->state.tsc == f->state.time.tsc) {
			run = count_tnt(f, run);
			if (!f->nr_bits)
				break;
		}
		bit = f->bits >> 63;
		if (run->end == RUN_COND) {
			next = next_of(f, run, bit);
			pass_to_branch(f, run);
			leave(f, run, bit ? run->last->target : run->last->next_ip, bit);
		} else if (run->end == RUN_RET && !f->config.no_ret_comp) {
			next = compressed_return(f, run, bit);
			if (!next)
				return;
		} else if (run->end >= RUN_MORE) {
			run = branching(f);
			continue;
		} else {
			break;	/* a TIP comes first */
		}
		go(f, next);
		f->bits <<= 1;
		f->nr_bits--;
		run = next;
	}
}

void walk_tip(struct pt_flow *f, uint64_t ip)
{
	struct run *run = branching(f);

	if (run && run->end == RUN_COND) {
		walk_doubt(f);
		return;
	}
	if (!run) {
		walk_to(f, ip);
		f->state.enabled = true;
		return;
	}
	pass_to_branch(f, run);
	flow_toggle(f, run->last->end_ip, ip);
	leave(f, run, ip, true);
	if (run->end == RUN_RET)
		pop(f);
	else if (run->last->kind == INSN_CALL_INDIRECT)
		push(f, run->last);
	else if (run->end == RUN_FAR) {
		walk_to(f, ip);
		flow_ask_space(f);
		return;
	}
	if (!run->next[1] || run->next[1]->start->ip != ip || run->next[1]->start->space != f->state.space)
		run->next[1] = run_at(f, ip);
	go(f, run->next[1]);
	if (f->nr_bits) {
		f->deferred = true;
		walk_tnt(f);
	}
}

/* Is there a way to @ip over direct branches only? */
static bool reaches(struct pt_flow *f, struct run *run, uint64_t ip)
{
	struct steps steps = { 0 };

	for (struct block *b = run->start; b && !loops(&steps, b); b = run_step(f->config.cache, b)) {
		if (block_find_insn(b, ip) >= 0)
			return true;
		if (b->err)
			return b->next_ip == ip && b->kind == INSN_OTHER;
	}
	return false;
}

/* Over block @b, alone, inside a run. */
static void pass_block(struct pt_flow *f, struct block *b)
{
	pass_part(f, b, 0, b->nr_insn);
	tell_direct(f, b);
	if (b->kind == INSN_CALL && b->target != b->next_ip)
		push(f, b);
}

bool walk_until(struct pt_flow *f, uint64_t ip)
{
	struct run *run = here(f);
	struct block *b;
	int nr;

	if (!run)
		return false;
	if (f->state.ip == ip)
		return true;
	if (!reaches(f, run, ip))
		return false;
	for (b = run->start; (nr = block_find_insn(b, ip)) < 0; b = run_step(f->config.cache, b)) {
		pass_block(f, b);
		if (b->err)
			break;	/* the code behind it, at @ip, is missing */
	}
	if (nr > 0)
		pass_part(f, b, 0, nr);
	walk_to(f, ip);
	return true;
}

void walk_doubt(struct pt_flow *f)
{
	struct run *run = f->state.ip == f->sure_ip && f->state.insns == f->sure_insns ? branching(f) : NULL;

	if (run) {
		pass_to_branch(f, run);
		f->state.ip = run->last->end_ip;
	}
	if (!f->doubt)
		flow_doubt(f, PT_GAP_DESYNC);
}

bool walk_lacks_code(struct pt_flow *f)
{
	struct run *run = here(f);

	if (!run || run->end != RUN_BROKEN || run->last->err != ENOENT)
		return false;
	broken(f, run);
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

/* Could tracing have ended by the direct branch at the end of @b? */
static bool ends_at(const struct pt_flow *f, const struct block *b, uint64_t ip)
{
	if (b->kind != INSN_JUMP && b->kind != INSN_CALL && b->kind != INSN_COND)
		return false;
	return ip ? b->target == ip : !is_traced(f, b->target);
}

void walk_end(struct pt_flow *f, uint64_t ip)
{
	struct run *run = here(f);
	struct block *b = run->start, *next;
	struct steps steps = { 0 };

	while ((next = run_step(f->config.cache, b)) && !ends_at(f, b, ip)) {
		if (loops(&steps, b)) {
			flow_gap(f, PT_GAP_LOOP);
			return;
		}
		pass_block(f, b);
		b = next;
	}
	pass_part(f, b, 0, b->nr_insn);
	if (b->kind == INSN_OTHER) {
		f->state.ip = b->next_ip;
		flow_gap(f, b->err == ENOENT ? PT_GAP_NO_CODE : PT_GAP_BAD_INSN);
		return;
	}
	if (b->kind == INSN_RET)
		pop(f);
	tell_branch(f, b, ip, true, true);
}

/* The next ptwrite on a way over direct branches only; NULL: there is none. */
static struct block *find_ptwrite(struct pt_flow *f, struct block *b)
{
	struct steps steps = { 0 };

	for (; b && b->kind != INSN_PTWRITE; b = run_step(f->config.cache, b))
		if (loops(&steps, b))
			return NULL;
	return b;
}

uint64_t walk_ptwrite(struct pt_flow *f)
{
	struct run *run = here(f);
	struct block *end = find_ptwrite(f, run->start);

	if (!end)
		return 0;
	for (struct block *b = run->start; b != end; b = run_step(f->config.cache, b))
		pass_block(f, b);
	pass_block(f, end);
	walk_to(f, end->next_ip);
	return end->end_ip;
}
