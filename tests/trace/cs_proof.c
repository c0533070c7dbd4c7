/* See cs_proof.h. Source of what is written when: ETMv4 (IHI 0064), chapters 2, 5, 6; Arm ARM (DDI 0487), chapter D5 for ETE. */
#include "tests/trace/cs_proof.h"

#include <string.h>

#include "arch/arm64/insn.h"
#include "auxtrace/cs_etm/history.h"
#include "auxtrace/cs_etm/packet.h"
#include "core/arch.h"
#include "core/base/util.h"
#include "core/base/vec.h"

#define RETURNS	15	/* the most that a trace unit keeps */

enum place {
	UNKNOWN,	/* until an address */
	KNOWN,		/* .ip */
	TARGET,		/* where an indirect branch went: the next address, or the top of the return stack */
};

struct element { struct cs_packet packet; bool p0; };	/* atoms are one by one */

struct prover {
	const struct cs_proof *p;
	size_t next;			/* of the instructions: the one that runs at .ip */
	enum place place;
	bool told;			/* .ip is only what an address says: another one may follow */
	uint64_t ip;
	unsigned mode;			/* 64, 32, 16 */
	bool has_context, may_change;	/* the exception level may be another one: after an exception or its return */
	uint8_t el;
	bool sf, ns, nse;
	bool exception;			/* waits for its address */
	uint8_t returns_at;		/* its field .returns */
	uint64_t time;
	struct cs_history history;
	struct { uint64_t ip; unsigned mode; } returns[RETURNS];
	unsigned nr_returns;
	VEC(struct element) queue;	/* of a trace unit that speculates: not yet committed */
	uint32_t unseen;		/* P0 elements in front of it, of before the beginning */
	bool synced;
};

/* The instruction at .ip is the one that is said to run. NULL: it is. */
static const char *insn_here(struct prover *s, struct insn *insn)
{
	uint8_t code[4];
	size_t n;

	if (s->next == s->p->nr)
		return "more ran than was decoded";
	if (s->p->ips[s->next] != s->ip)
		return "something else ran than was decoded";
	n = s->p->read(s->p->ctx, 0, s->ip, code, sizeof(code));
	return arm_insn_read(insn, code, n, s->mode) ? "no code" : NULL;
}

static void go_on(struct prover *s, uint64_t ip)
{
	s->next++;
	s->ip = ip;
	s->told = false;
}

/* True if the instruction makes an atom. */
static bool makes_atom(const struct prover *s, const struct insn *insn)
{
	switch (insn->kind) {
	case INSN_OTHER: case INSN_FAR_CALL: case INSN_PTWRITE:
		return false;
	case INSN_ISB:
		return !(insn->detail & ARM_WAIT) || s->p->config->wait_branch;
	default:
		return true;
	}
}

/* Up to the next that makes an atom, or, where @to is not NULL, to that address. */
static const char *run(struct prover *s, const uint64_t *to, struct insn *insn)
{
	while (!to || s->ip != *to) {
		const char *why = insn_here(s, insn);

		if (why)
			return why;
		if (makes_atom(s, insn))
			return to ? "a branch is in the way" : NULL;
		go_on(s, s->ip + insn->size);
	}
	return NULL;
}

static void push_return(struct prover *s, uint64_t ip)
{
	if (s->nr_returns == RETURNS)
		memmove(s->returns, s->returns + 1, --s->nr_returns * sizeof(*s->returns));
	s->returns[s->nr_returns].ip = ip;
	s->returns[s->nr_returns++].mode = s->mode;
}

static void branch(struct prover *s, const struct insn *insn)
{
	uint64_t to = s->ip + (uint64_t)insn->disp;

	if (s->p->config->return_stack && (insn->kind == INSN_CALL || insn->kind == INSN_CALL_INDIRECT))
		push_return(s, s->ip + insn->size);
	switch (insn->kind) {
	case INSN_ISB:
		to = s->ip + insn->size;
		break;
	case INSN_JUMP: case INSN_COND: case INSN_CALL:
		if (insn->detail & ARM_EXCHANGE)
			to &= s->mode == 16 ? ~3ull : ~0ull, s->mode = 48 - s->mode;
		break;
	default:
		s->place = TARGET;
		s->may_change = insn->kind == INSN_FAR_RET;
	}
	go_on(s, to);
}

static const char *pop_return(struct prover *s)
{
	if (!s->p->config->return_stack || !s->nr_returns)
		return "atoms, and an address is missing";
	s->nr_returns--;
	s->ip = s->returns[s->nr_returns].ip;
	s->mode = s->returns[s->nr_returns].mode;
	s->place = KNOWN;
	return NULL;
}

static const char *on_atom(struct prover *s, bool taken)
{
	struct insn insn;
	const char *why;

	if (s->exception)
		return "an exception without an address";
	if (s->place == UNKNOWN || !s->has_context)
		return "atoms of nowhere";
	why = s->place == TARGET ? pop_return(s) : NULL;
	if (!why)
		why = run(s, NULL, &insn);
	if (why)
		return why;
	s->may_change = false;
	if (taken)
		branch(s, &insn);
	else if (s->mode == 64 && insn.kind != INSN_COND)
		return "a branch without a condition that is not taken";
	else
		go_on(s, s->ip + insn.size);
	return NULL;
}

static const char *on_return_address(struct prover *s, uint64_t ip)
{
	struct insn insn;

	s->exception = false;
	s->may_change = true;
	if (s->place == UNKNOWN)
		return NULL;
	if (s->returns_at == 2)
		return s->place == TARGET || s->ip == ip ? NULL : "an exception where a branch went, and there was none";
	if (s->place == TARGET) {
		const char *why = pop_return(s);

		if (why)
			return "an exception, and an address is missing";
	}
	return run(s, &ip, &insn);
}

static const char *on_address(struct prover *s, const struct cs_packet *p)
{
	if (s->exception) {
		const char *why = on_return_address(s, p->address);

		s->place = UNKNOWN;
		return why;
	}
	if (s->place == KNOWN && !s->told && s->ip != p->address)
		return "an address to which nothing leads";
	if (s->place == KNOWN && s->told && s->ip != p->address && !p->has_context)
		return "two addresses";
	s->place = KNOWN;
	s->told = true;
	s->ip = p->address;
	s->mode = s->sf ? 64 : p->is ? 16 : 32;
	return NULL;
}

static const char *on_context(struct prover *s, const struct cs_packet *p)
{
	bool security = s->sf && p->sf && (s->ns != p->ns || s->nse != p->nse);
	bool changed = s->has_context && (s->el != p->el || s->sf != p->sf || security);

	if (!p->context_updated)
		return s->has_context ? NULL : "the same context as none";
	s->has_context = true;
	s->el = p->el;
	s->sf = p->sf;
	s->ns = p->ns;
	s->nse = p->nse;
	if (!changed)
		return NULL;
	if (!s->may_change && s->place != UNKNOWN)
		return "another exception level or security state, and no exception";
	s->mode = s->sf ? 64 : s->mode == 64 ? 32 : s->mode;
	return NULL;
}

/* The source address of an ETE's branch: all branches before it were not taken. */
static const char *on_source(struct prover *s, const struct cs_packet *p)
{
	struct insn insn;
	const char *why;

	if (s->place == UNKNOWN || s->exception)
		return "a branch of nowhere";
	why = s->place == TARGET ? pop_return(s) : NULL;
	while (!why && !(why = insn_here(s, &insn)) && s->ip != p->address) {
		if (makes_atom(s, &insn) && insn.kind != INSN_COND)
			return "a branch is in the way of another one";
		go_on(s, s->ip + insn.size);
	}
	if (!why && !makes_atom(s, &insn))
		why = "a branch that is none";
	s->may_change = false;
	if (!why)
		branch(s, &insn);
	return why;
}

static const char *execute(struct prover *s, const struct cs_packet *p)
{
	const char *why = p->has_context ? on_context(s, p) : NULL;

	if (why)
		return why;
	switch (p->type) {
	case CS_ATOM:
		for (unsigned i = 0; i < p->atoms && !why; i++)
			why = on_atom(s, p->taken >> i & 1);
		return why;
	case CS_ADDRESS: case CS_ADDRESS_MATCH:
		return on_address(s, p);
	case CS_SOURCE: case CS_SOURCE_MATCH:
		return on_source(s, p);
	case CS_EXCEPTION:
		why = s->exception ? "an exception in place of an address" :
		      p->returns == 3 || !p->returns ? "an exception of no form" : NULL;
		s->exception = true;
		s->returns_at = p->returns;
		return why;
	case CS_TRACE_INFO:
		s->time = 0;
		s->nr_returns = s->place == TARGET ? s->nr_returns : 0;
		return NULL;
	case CS_TRACE_ON:
		s->place = UNKNOWN;
		s->may_change = true;
		s->nr_returns = 0;
		return s->exception ? "an exception without an address" : NULL;
	case CS_TIMESTAMP:
		why = p->time < s->time ? "a time before the last" : NULL;
		s->time = p->time;
		return why;
	case CS_PE_RESET:
		s->place = UNKNOWN;
		return NULL;
	case CS_TRANS_FAIL:
		s->told = true;
		s->ip = 0;
		return NULL;
	case CS_TRANS_COMMIT: case CS_INSTRUMENTATION: case CS_CONTEXT: case CS_EVENT:
	case CS_CYCLES_1: case CS_CYCLES_2: case CS_CYCLES_3: case CS_EXCEPTION_RETURN:
		return NULL;
	}
	return "a packet of something that does not happen here";
}

/* ---- speculation ---- */

static bool is_p0(uint8_t type)
{
	return type == CS_ATOM || type == CS_EXCEPTION || type == CS_SOURCE || type == CS_SOURCE_MATCH;
}

static void hold(struct prover *s, const struct cs_packet *p)
{
	struct element e = { *p, is_p0(p->type) };

	for (unsigned i = 0; i < (p->type == CS_ATOM ? p->atoms : 1); i++) {
		if (p->type == CS_ATOM) {
			e.packet.atoms = 1;
			e.packet.taken = p->taken >> i & 1;
		}
		vec_push(&s->queue, e);
	}
}

static size_t waiting(const struct prover *s)
{
	size_t nr = s->unseen;

	vec_for(e, &s->queue)
		nr += e->p0;
	return nr;
}

static const char *commit(struct prover *s, uint32_t nr)
{
	uint32_t unseen = MIN(nr, s->unseen);
	const char *why = NULL;
	size_t i = 0;

	if (nr > waiting(s))
		return "more is committed than waits";
	s->unseen -= unseen;
	nr -= unseen;
	for (; !why && i < s->queue.nr && (nr || s->exception); i++) {
		nr -= s->queue.v[i].p0;
		why = execute(s, &s->queue.v[i].packet);
	}
	memmove(s->queue.v, s->queue.v + i, (s->queue.nr - i) * sizeof(*s->queue.v));
	s->queue.nr -= i;
	return why;
}

static const char *cancel(struct prover *s, uint32_t nr)
{
	VEC(struct element) kept = {0};

	if (nr > waiting(s) - s->unseen)
		return "more is cancelled than waits";
	while (nr) {
		struct element e = s->queue.v[--s->queue.nr];

		nr -= e.p0;
		if (e.packet.type == CS_EVENT || e.packet.type == CS_TIMESTAMP ||
		    (e.packet.type >= CS_CYCLES_1 && e.packet.type <= CS_CYCLES_3))
			vec_push(&kept, e);
	}
	while (kept.nr)
		vec_push(&s->queue, kept.v[--kept.nr]);
	vec_free(&kept);
	return NULL;
}

static const char *mispredict(struct prover *s)
{
	size_t i = s->queue.nr;

	while (i && s->queue.v[i - 1].packet.type != CS_ATOM)
		i--;
	if (!i)
		return s->unseen ? NULL : "the other way of no branch";
	s->queue.v[i - 1].packet.taken ^= 1;
	for (size_t k = i; k < s->queue.nr; k++)
		if (s->queue.v[k].packet.type == CS_ADDRESS || s->queue.v[k].packet.type == CS_ADDRESS_MATCH)
			s->queue.v[k].packet.type = CS_EVENT;
	return NULL;
}

static const char *speculate(struct prover *s, const struct cs_packet *p)
{
	struct cs_packet atoms = { .type = CS_ATOM, .atoms = p->atoms, .taken = p->taken };
	const char *why = NULL;

	switch (p->type) {
	case CS_COMMIT:
		break;
	case CS_CANCEL_1: case CS_CANCEL_1_MISPREDICT: case CS_CANCEL_2: case CS_CANCEL_3: case CS_MISPREDICT:
		hold(s, &atoms);
		if (p->cancel)
			why = cancel(s, p->cancel);
		if (!why && p->type != CS_CANCEL_1)
			why = mispredict(s);
		break;
	default:
		hold(s, p);
	}
	if (!why && p->has_commit)
		why = commit(s, p->commit);
	if (!why && waiting(s) > s->p->config->max_spec && p->type != CS_EXCEPTION)
		why = commit(s, (uint32_t)(waiting(s) - s->p->config->max_spec));
	return why;
}

/* ---- packets ---- */

static const char *take(struct prover *s, struct cs_packet *p)
{
	switch (p->type) {
	case CS_ASYNC: case CS_IGNORE: case CS_TIMESTAMP_MARKER:
		return NULL;
	case CS_TRACE_INFO:
		if (!s->synced)
			s->unseen = p->count;
		s->synced = true;
		break;
	default:
		if (!s->synced)
			return is_p0(p->type) ? "branches before the trace begins" : NULL;
	}
	cs_history_add(&s->history, p);
	return s->p->config->max_spec ? speculate(s, p) : execute(s, p);
}

/* Buffers without frames are filled up with zeros. */
static bool is_padding(const uint8_t *data, size_t n)
{
	while (n && !*data)
		data++, n--;
	return !n;
}

const char *cs_prove(const struct cs_proof *p, size_t *at)
{
	struct prover s = { .p = p };
	struct cs_packet packet;
	const char *why = NULL;

	for (*at = 0; *at < p->size && !why; ) {
		int n = cs_packet_read(&packet, p->data + *at, p->size - *at, p->config);

		if (n < 0 && is_padding(p->data + *at, p->size - *at))
			break;
		why = n < 0 ? "no packet" : take(&s, &packet);
		if (!why)
			*at += (size_t)n;
	}
	for (size_t i = 0; !why && i < s.queue.nr && !s.queue.v[i].p0; i++)
		why = execute(&s, &s.queue.v[i].packet);
	if (!why && s.next < p->nr)
		why = "less ran than was decoded";
	vec_free(&s.queue);
	return why;
}
