/* See cs_walk.h. */
#include "tests/trace/cs_walk.h"

#include "arch/arm64/insn.h"
#include "core/arch.h"
#include "core/base/util.h"

/* --- How it is traced ---------------------------------------------------------------- */

unsigned cs_option(const char *name)
{
	static const char *const names[] = { "rs", "cc", "ccommit", "cid", "vmid", "spec", "ete", "raw", "syncs", "two", "arm",
		"high", "user", "calm", "late", "texit", "dense", "steady" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (str_eq(name, names[i]))
			return 1u << i;
	return 0;
}

void cs_options_registers(struct cs_registers *out, unsigned options, unsigned id)
{
	*out = (struct cs_registers){
		.traceidr = id, .configr = 1, .idr0 = 0x28000ea1, .idr1 = 0x4100f450, .idr2 = 0x1088,
		.idr8 = options & CS_SPEC ? 31 : 0,
	};

	out->configr |= (options & CS_CC ? 0x10 : 0) | (options & CS_RS ? 0x1000 : 0) | (options & CS_CID ? 0x40 : 0) |
		     (options & CS_VMID ? 0x80 : 0) | 0x800;
	if (options & CS_CCOMMIT)
		out->idr0 &= ~(1u << 29);
	if (options & CS_ETE) {
		out->devarch = 0x47715a13;
		out->idr1 = 0x4100fff0;
	}
}

void cs_walk_init(struct cs_walk *w, const struct cs_program *p, unsigned options, unsigned id, uint64_t seed, uint32_t cid)
{
	struct cs_registers r;

	cs_options_registers(&r, options, id);
	cs_config_init(&w->u.c, &r);
	w->u.seed = seed | 1;
	w->u.time = 1000000000000ull;
	w->u.threshold = 4;
	w->u.cid = options & CS_CID ? cid : 0;
	w->u.vmid = options & CS_VMID ? 7 : 0;
	w->u.sf = !(options & CS_ARM);
	w->p = p;
	w->user = options & CS_USER;
	w->calm = options & CS_CALM;
	w->late = options & (CS_LATE | CS_DENSE);
	w->dense = options & CS_DENSE;
	w->steady = options & CS_STEADY;
}

/* --- Elements ------------------------------------------------------------------------- */

static unsigned is_of(const struct cs_code_insn *i)
{
	return i->mode == 16;
}

/* All since the last element is known to have been executed. */
static void executed(struct cs_walk *w, size_t from, size_t to)
{
	for (size_t i = from; i < to && w->tracing; i++)
		vec_push(&w->ips, w->p->insns.v[i].ip);
}

static void report_address(struct cs_walk *w, bool context)
{
	const struct cs_code_insn *i = &w->p->insns.v[w->at];

	if (w->tracing)
		cs_unit_address(&w->u, i->ip, is_of(i), context || w->u.synced);
	w->target_reported = true;
}

static void indirect(struct cs_walk *w, const struct cs_code_insn *in)
{
	const struct cs_code_insn *to;

	if (in->kind == INSN_RET && w->calls.nr) {
		w->at = w->calls.v[--w->calls.nr];
	} else if (w->p->switch_at == w->p->insns.nr || cs_unit_random(&w->u, 2)) {
		w->at = cs_unit_random(&w->u, w->p->insns.nr);
	}
	to = &w->p->insns.v[w->at];
	w->target_reported = w->tracing && w->u.c.return_stack && cs_unit_return(&w->u, to->ip, is_of(to));
}

/* A branch, a barrier: an element, and what may come after one. */
static void element(struct cs_walk *w, const struct cs_code_insn *in, bool taken)
{
	size_t next = w->at;
	bool direct = in->kind == INSN_COND || in->kind == INSN_JUMP || in->kind == INSN_CALL || in->kind == INSN_FAR_JUMP;
	bool call = in->kind == INSN_CALL || in->kind == INSN_CALL_INDIRECT || in->kind == INSN_FAR_JUMP;

	executed(w, w->block, next);
	if (w->tracing && !(taken && in->kind != INSN_ISB && cs_unit_source(&w->u, in->ip, is_of(in))))
		cs_unit_atom(&w->u, taken);
	if (taken && call) {
		if (w->calls.nr < 1000)
			vec_push(&w->calls, next);
		if (w->tracing)
			cs_unit_call(&w->u, in->ip + in->size, is_of(in));
	}
	w->target_reported = true;
	if (taken && direct)
		w->at = in->to;
	else if (taken && in->kind != INSN_ISB)
		indirect(w, in);
	w->block = w->at;
}

/* Blocks are only entered where the decoder knows them: tell the target, if that is not yet known. */
static void enter(struct cs_walk *w)
{
	if (!w->target_reported)
		report_address(w, false);
}

/* --- What happens ---------------------------------------------------------------------- */

/* A user program's are those that have names. */
static unsigned exception_type(struct cs_walk *w)
{
	static const uint8_t named[] = { 1, 2, 3, 4, 6, 7, 10, 11, 12, 14, 15 };

	return w->user ? named[cs_unit_random(&w->u, sizeof(named))] : 1 + (unsigned)cs_unit_random(&w->u, 15);
}

static void exception(struct cs_walk *w)
{
	const struct cs_code_insn *ret = &w->p->insns.v[w->at];
	bool was_target = !w->target_reported;

	if (w->calm || (was_target && w->at != w->block))
		return;
	executed(w, w->block, w->at);
	if (w->tracing)
		cs_unit_exception(&w->u, exception_type(w), ret->ip, is_of(ret), was_target);
	w->at = w->block = cs_unit_random(&w->u, w->p->insns.nr);
	w->u.el = w->user ? 0 : (uint8_t)cs_unit_random(&w->u, 3);
	if (w->u.c.cid_bytes && w->u.cid && !w->user)
		w->u.cid = 1 + (uint32_t)cs_unit_random(&w->u, 100000);
	report_address(w, true);
}

/* Off for a while, or on again. */
static void toggle(struct cs_walk *w)
{
	enter(w);
	if (w->tracing) {
		w->tracing = false;
		return;
	}
	w->tracing = true;
	if (w->lost)
		cs_unit_sync(&w->u);
	w->lost = false;
	cs_unit_trace_on(&w->u);
	w->block = w->at;
	report_address(w, true);
}

/* While tracing goes on: where the address follows later, the decoder still knows where the branches before it are. */
static void synchronise(struct cs_walk *w, bool late)
{
	if (late)
		enter(w);
	cs_unit_sync(&w->u);
	if (!late)
		report_address(w, true);
}

/* The trace unit loses some of what follows. */
static void lose(struct cs_walk *w, bool overflow)
{
	if (overflow)
		cs_unit_overflow(&w->u);
	else
		cs_unit_discard(&w->u);
	w->tracing = false;
	w->lost = true;
}

void cs_walk_happen(struct cs_walk *w, enum cs_happening what)
{
	switch (what) {
	case HAPPENS_EXCEPTION: exception(w); break;
	case HAPPENS_TOGGLE: toggle(w); break;
	case HAPPENS_NOTHING: break;
	default:
		if (!w->tracing)
			break;
		if (what == HAPPENS_SYNC || what == HAPPENS_LATE_SYNC)
			synchronise(w, what == HAPPENS_LATE_SYNC);
		else if (what == HAPPENS_ADDRESS)
			report_address(w, true);
		else if (what == HAPPENS_NO_CHANGE)
			cs_unit_nothing(&w->u);
		else
			lose(w, what == HAPPENS_OVERFLOW);
	}
}

/* --- Walking -------------------------------------------------------------------------- */

static enum cs_happening random_sync(struct cs_walk *w)
{
	return w->late && cs_unit_random(&w->u, 2) ? HAPPENS_LATE_SYNC : HAPPENS_SYNC;
}

static void crowd(struct cs_walk *w)
{
	switch (cs_unit_random(&w->u, w->tracing ? 14 : 5)) {
	case 0:
		toggle(w);
		break;
	case 1:
		exception(w);
		break;
	case 2:
	case 3:
		if (w->tracing)
			cs_walk_happen(w, random_sync(w));
		break;
	case 4:
		if (w->tracing && w->u.synced)
			report_address(w, true);
		break;
	case 5:
		cs_walk_happen(w, cs_unit_random(&w->u, 2) ? HAPPENS_OVERFLOW : HAPPENS_DISCARD);
		break;
	case 6:
	case 7:
		cs_walk_happen(w, HAPPENS_NO_CHANGE);
		break;
	}
}

static void now_and_then(struct cs_walk *w)
{
	if (!cs_unit_random(&w->u, w->tracing ? 400 : 20)) {
		toggle(w);
	} else if (w->tracing && !cs_unit_random(&w->u, 300)) {
		cs_walk_happen(w, random_sync(w));
	} else if (w->tracing && w->u.synced && !cs_unit_random(&w->u, 3)) {
		report_address(w, true);
	} else if (w->tracing && !w->steady && !cs_unit_random(&w->u, 1000)) {
		cs_unit_overflow(&w->u);
		cs_unit_sync(&w->u);
		cs_unit_trace_on(&w->u);
		report_address(w, true);
	} else if (!cs_unit_random(&w->u, 150)) {
		exception(w);
	}
}

static void between(struct cs_walk *w)
{
	if (w->tracing)
		cs_unit_tick(&w->u);
	if (w->dense)
		crowd(w);
	else if (!w->quiet)
		now_and_then(w);
}

bool cs_walk_step(struct cs_walk *w)
{
	const struct cs_code_insn *in = &w->p->insns.v[w->at];

	if (w->at == w->block)
		enter(w);
	w->nr_insns++;
	w->at++;
	if (in->kind != INSN_OTHER) {
		element(w, in, in->kind != INSN_COND || cs_unit_random(&w->u, 3));
		between(w);
		return true;
	}
	if (!w->quiet && !cs_unit_random(&w->u, 1000))
		exception(w);
	return w->at == w->block;
}

void cs_walk_begin(struct cs_walk *w)
{
	w->tracing = true;
	w->block = w->at;
	cs_unit_sync(&w->u);
	cs_unit_trace_on(&w->u);
	report_address(w, true);
}

void cs_walk_release(struct cs_walk *w)
{
	buf_release(&w->u.out);
	vec_free(&w->ips);
	vec_free(&w->calls);
}
