/* See pt_proof.h. Source of what is written when: Intel SDM vol. 3, "Intel Processor Trace", "Packet Definitions". */
#include "tests/trace/pt_proof.h"

#include "arch/x86/insn.h"
#include "auxtrace/intel_pt/packet.h"
#include "core/arch.h"
#include "core/base/util.h"
#include "tests/trace/image.h"

#define MOST_TICKS	(1ull << 34)	/* of the TSC between two packets: seconds */
#define RETURNS		64

/* The reason for a packet after code without any. */
enum stop { AT_ADDRESS, AT_BRANCH };

struct prover {
	const struct pt_proof *p;
	size_t next;			/* of the instructions: the one that runs at .ip */
	uint64_t ip;			/* 0: not traced */
	uint64_t returns[RETURNS];
	unsigned top, nr_returns;
	struct pt_ip last_ip;
	uint64_t bits;			/* that come after a branch whose TIP is yet to come, the oldest highest */
	unsigned nr_bits;
	uint64_t fup;			/* a FUP at this address waits for its TIP; 0: none does */
	uint64_t tsc;
	uint64_t psb_fup;
	unsigned psb_types;		/* in the PSB+, as bits; 0: not in one */
	bool begun;			/* there was a PSB+ */
	bool mode_waits;
	uint16_t mode, next_mode;
};

/* The instruction at .ip is the one that is said to run. NULL: it is not. */
static const char *insn_here(struct prover *s, struct insn *insn)
{
	uint8_t code[16];
	size_t n;

	if (s->next == s->p->nr)
		return "more ran than was decoded";
	if (s->p->ips[s->next] != s->ip)
		return "something else ran than was decoded";
	n = image_read(s->p->image, 0, s->ip, code, sizeof(code));
	return x86_insn(insn, code, n, s->mode) ? "no code" : NULL;
}

static void run_to(struct prover *s, uint64_t ip)
{
	s->next++;
	s->ip = ip;
}

static void push(struct prover *s, uint64_t ip)
{
	s->returns[s->top++ % RETURNS] = ip;
	s->nr_returns = MIN(s->nr_returns + 1, RETURNS);
}

/* Instructions that write nothing, up to the next that writes something, or up to that at @ip. */
static const char *run(struct prover *s, enum stop stop, uint64_t ip, struct insn *insn)
{
	while (stop == AT_BRANCH || s->ip != ip) {
		const char *why = insn_here(s, insn);

		if (why)
			return why;
		switch (insn->kind) {
		case INSN_JUMP:
			run_to(s, s->ip + (uint64_t)insn->disp);
			break;
		case INSN_CALL:
			if (insn->disp != insn->size)
				push(s, s->ip + insn->size);
			run_to(s, s->ip + (uint64_t)insn->disp);
			break;
		case INSN_OTHER: case INSN_MOV_CR3: case INSN_PTWRITE:
			run_to(s, s->ip + insn->size);
			break;
		default:
			return stop == AT_BRANCH ? NULL : "a branch is in the way";
		}
	}
	return NULL;
}

/* True if the branch writes an address. */
static bool writes_address(const struct prover *s, const struct insn *insn)
{
	return insn->kind != INSN_COND && (insn->kind != INSN_RET || s->p->no_ret_comp);
}

static const char *on_bit(struct prover *s, const struct insn *insn, bool taken)
{
	if (insn->kind == INSN_COND) {
		run_to(s, s->ip + (taken ? (uint64_t)insn->disp : insn->size));
		return NULL;
	}
	if (!taken || !s->nr_returns)
		return "a return that cannot be compressed";
	s->nr_returns--;
	run_to(s, s->returns[--s->top % RETURNS]);
	return NULL;
}

/* The bits up to a branch that writes an address: its TIP may be deferred, to come after all bits. */
static const char *on_some_bits(struct prover *s)
{
	struct insn insn;
	const char *why = NULL;

	for (; s->nr_bits && !why; s->nr_bits--, s->bits <<= 1) {
		why = run(s, AT_BRANCH, 0, &insn);
		if (why || writes_address(s, &insn))
			break;
		why = on_bit(s, &insn, s->bits >> 63);
	}
	return why;
}

static const char *on_bits(struct prover *s, const struct pt_packet *p)
{
	if (!p->count || !s->ip || s->fup || s->mode_waits)
		return "bits out of place";
	s->bits = p->value;
	s->nr_bits = p->count;
	return on_some_bits(s);
}

static const char *on_branch(struct prover *s, uint64_t to)
{
	struct insn insn;
	const char *why = run(s, AT_BRANCH, 0, &insn);

	if (why)
		return why;
	switch (insn.kind) {
	case INSN_RET:
		if (!s->p->no_ret_comp && s->nr_returns && s->returns[(s->top - 1) % RETURNS] == to)
			return "a return that is compressed";
		if (s->nr_returns)
			s->nr_returns--, s->top--;
		break;
	case INSN_CALL_INDIRECT:
		push(s, s->ip + insn.size);
		break;
	case INSN_COND:
		return "an address, and a branch that writes a bit";
	}
	run_to(s, to);
	return on_some_bits(s);
}

static void on_mode(struct prover *s)
{
	s->mode_waits = false;
	if (s->next_mode)
		s->mode = s->next_mode;
	s->next_mode = 0;
}

static const char *on_tip(struct prover *s, uint64_t to)
{
	const char *why = NULL;

	if (!s->ip)
		return "a branch where nothing is traced";
	if (s->fup)
		s->ip = to;
	else
		why = on_branch(s, to);
	s->fup = 0;
	on_mode(s);
	return why;
}

static const char *on_end(struct prover *s, bool target)
{
	struct insn insn;
	const char *why = NULL;

	if (!s->ip)
		return "an end where nothing is traced";
	if (target)
		return "an end with an address, without filters";
	if (!s->fup) {
		why = run(s, AT_BRANCH, 0, &insn);
		if (!why && insn.kind != INSN_FAR_CALL && insn.kind != INSN_FAR_RET && insn.kind != INSN_FAR_JUMP)
			why = "a near branch that ends tracing";
		s->next++;
	}
	s->ip = s->fup = 0;
	s->mode_waits = false;
	return why;
}

static const char *on_fup(struct prover *s, uint64_t ip)
{
	struct insn insn;

	if (s->psb_types) {
		s->psb_fup = ip;
		return NULL;
	}
	if (!s->ip || s->fup)
		return "a FUP out of place";
	s->fup = ip;
	return run(s, AT_ADDRESS, ip, &insn);
}

static const char *on_address(struct prover *s, const struct pt_packet *p)
{
	uint64_t ip = 0;

	if (pt_ip_update(&s->last_ip, p, &ip) <= 0 && p->type != PT_TIP_PGD)
		return "no address";
	if (ip >> 47)
		return "an address that is none of a program";
	switch (p->type) {
	case PT_TIP:
		return on_tip(s, ip);
	case PT_TIP_PGD:
		return on_end(s, p->count);
	case PT_FUP:
		return on_fup(s, ip);
	}
	if (s->ip)
		return "a beginning where all is traced";
	s->ip = ip;
	on_mode(s);
	return NULL;
}

static const char *on_tsc(struct prover *s, uint64_t tsc)
{
	if (s->tsc && (tsc < s->tsc || tsc - s->tsc > MOST_TICKS))
		return "a time that is not the next";
	s->tsc = tsc;
	return NULL;
}

static const char *end_psb(struct prover *s)
{
	struct insn insn;
	const char *why = NULL;

	if (s->begun && !s->psb_fup != !s->ip)
		return "a PSB+ that does not know whether the program is traced";
	if (s->psb_fup && s->ip)
		why = run(s, AT_ADDRESS, s->psb_fup, &insn);
	s->ip = s->psb_fup;
	s->nr_returns = 0;	/* those of calls on the way there, too */
	s->psb_fup = s->psb_types = 0;
	s->begun = true;
	on_mode(s);
	return why;
}

/* Packets of a PSB+ come once. */
static const char *on_in_psb(struct prover *s, const struct pt_packet *p)
{
	const uint64_t once = 1u << PT_TSC | 1u << PT_TMA | 1u << PT_CBR | 1u << PT_MODE_EXEC | 1u << PT_MODE_TSX | 1u << PT_FUP |
			      1u << PT_PIP | 1u << PT_VMCS | 1u << PT_PSB | 1u << PT_PSBEND;
	const uint64_t any = once | 1u << PT_PAD | 1u << PT_MTC | 1u << PT_CYC | 1u << PT_MNT;

	if (!(any >> p->type & 1))
		return "a packet that is in no PSB+";
	if ((once & s->psb_types) >> p->type & 1)
		return "a packet twice in a PSB+";
	s->psb_types |= 1u << p->type;
	return NULL;
}

static const char *take(struct prover *s, const struct pt_packet *p)
{
	const uint64_t timing = 1u << PT_PAD | 1u << PT_TSC | 1u << PT_TMA | 1u << PT_MTC | 1u << PT_CYC | 1u << PT_CBR;
	const char *why = NULL;

	if (!(s->p->types >> p->type & 1))
		return "a packet that the configuration does not ask for";
	if (s->nr_bits && p->type != PT_TIP && !(timing >> p->type & 1))
		return "bits, and a branch that writes an address";
	if (s->psb_types)
		why = on_in_psb(s, p);
	if (why)
		return why;
	switch (p->type) {
	case PT_TNT:
		return on_bits(s, p);
	case PT_TIP: case PT_TIP_PGE: case PT_TIP_PGD: case PT_FUP:
		return on_address(s, p);
	case PT_TSC:
		return on_tsc(s, p->value);
	case PT_MODE_EXEC:
		s->mode_waits = !s->psb_types;
		s->next_mode = p->count;
		return NULL;
	case PT_PSB:
		s->psb_types = 1u << PT_PSB;
		s->last_ip = (struct pt_ip){ .known = true };
		return s->fup || s->mode_waits ? "a PSB out of place" : NULL;
	case PT_PSBEND:
		return s->psb_types ? end_psb(s) : "the end of a PSB+ that did not begin";
	case PT_PAD: case PT_MTC: case PT_TMA: case PT_CYC: case PT_CBR: case PT_VMCS: case PT_PIP:
	case PT_MNT:
		return NULL;
	case PT_TRIG:
		return p->flag ? "a FUP that is missing" : NULL;
	}
	return "a packet of something that does not happen here";
}

const char *pt_prove(const struct pt_proof *p, size_t *at)
{
	struct prover s = { .p = p, .mode = 64 };
	struct pt_packet packet;
	const char *why = NULL;

	for (*at = 0; *at < p->size && !why; ) {
		int n = pt_packet_read(&packet, p->data + *at, p->size - *at, 0);

		if (n < 0)
			return "no packet";
		why = take(&s, &packet);
		if (!why)
			*at += (size_t)n;
	}
	if (!why && s.next < p->nr)
		why = "less ran than was decoded";
	return why;
}
