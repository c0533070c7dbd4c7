/* See pt_encode.h. The clock: a TSC tick an instruction, 84 of them a CTC tick, an MTC each 8 of those. */
#include "tests/trace/pt_encode.h"

#include <stdio.h>
#include <string.h>

#include "core/arch.h"

#define TSC_PER_CTC	84
#define MTC_SHIFT	3
#define FIRST_TSC	0x2000000
#define TNT_LONG	47
#define TNT_SHORT	6

enum { TIP = 0x0d, TIP_PGE = 0x11, TIP_PGD = 0x01, FUP = 0x1d };

static void bytes(struct pt_encoder *e, uint64_t v, unsigned n)
{
	for (; n; n--, v >>= 8)
		buf_putc(&e->out, (char)v);
}

/* An address in the fewest bytes that the last one allows. */
static void ip_packet(struct pt_encoder *e, unsigned header, uint64_t ip)
{
	uint64_t differs = ip ^ e->last_ip;

	if (!(differs >> 16)) {
		bytes(e, header | 1 << 5, 1), bytes(e, ip, 2);
	} else if (!(differs >> 32)) {
		bytes(e, header | 2 << 5, 1), bytes(e, ip, 4);
	} else if (!(differs >> 48)) {
		bytes(e, header | 4 << 5, 1), bytes(e, ip, 6);
	} else if ((uint64_t)((int64_t)(ip << 16) >> 16) == ip) {
		bytes(e, header | 3 << 5, 1), bytes(e, ip, 6);
	} else {
		bytes(e, header | 6 << 5, 1), bytes(e, ip, 8);
	}
	e->last_ip = ip;
	e->places += header == FUP || header == TIP_PGE;
}

static void cyc(struct pt_encoder *e)
{
	uint64_t v = e->cycles - e->last_cycles, rest = v >> 5;

	if (!e->o.cyc || !v)
		return;
	e->last_cycles = e->cycles;
	bytes(e, 3 | (rest ? 4 : 0) | (v & 31) << 3, 1);
	for (; rest; rest >>= 7)
		bytes(e, (rest & 127) << 1 | (rest >> 7 ? 1 : 0), 1);
}

static void flush_bits(struct pt_encoder *e)
{
	uint64_t payload = 1ull << e->nr_bits | e->bits;

	if (!e->nr_bits)
		return;
	cyc(e);
	if (e->nr_bits <= TNT_SHORT)
		bytes(e, payload << 1, 1);
	else
		bytes(e, 0xa302, 2), bytes(e, payload, 6);
	e->nr_bits = 0;
	e->bits = 0;
}

void pt_encode_flush(struct pt_encoder *e)
{
	flush_bits(e);
	vec_for(ip, &e->tips) {
		cyc(e);
		ip_packet(e, TIP, *ip);
	}
	e->tips.nr = 0;
}

static void bit(struct pt_encoder *e, bool taken)
{
	e->bits = e->bits << 1 | taken;
	if (++e->nr_bits == (e->o.long_tnt ? TNT_LONG : TNT_SHORT))
		pt_encode_flush(e);
}

static void tip(struct pt_encoder *e, uint64_t ip)
{
	vec_push(&e->tips, ip);
	if (!e->o.defer || !e->nr_bits)
		pt_encode_flush(e);
}

static uint64_t ctc(const struct pt_encoder *e)
{
	return e->tsc / TSC_PER_CTC;
}

static void tsc_and_tma(struct pt_encoder *e)
{
	bytes(e, 0x19, 1), bytes(e, e->tsc, 7);
	if (!e->o.no_mtc)
		bytes(e, 0x7302, 2), bytes(e, ctc(e) & 0xffff, 2), bytes(e, 0, 1), bytes(e, e->tsc % TSC_PER_CTC, 2);
	e->last_ctc = ctc(e);
}

void pt_encode_mode(struct pt_encoder *e)
{
	bytes(e, e->interrupts ? 0x0599 : 0x0199, 2);
}

static void psb(struct pt_encoder *e)
{
	e->last_psb = e->out.len;
	for (int i = 0; i < 8; i++)
		bytes(e, 0x8202, 2);
	e->last_ip = 0;
	e->nr_calls = 0;
}

/* What a PSB+ may have besides time, mode and address, each once and anywhere: CBR, PIP, VMCS. And padding. @left: as bits. */
static void psb_extras(struct pt_encoder *e, unsigned *left)
{
	unsigned some = *left & (e->o.plus ? pt_encode_random(e, 16) : 0);

	*left &= ~some;
	if (some & 1)
		bytes(e, 0x160302, 4);					/* CBR 22 */
	if (some & 2)
		bytes(e, 0x4302, 2), bytes(e, 0x1234000, 6);
	if (some & 4)
		bytes(e, 0xc802, 2), bytes(e, 0x5678, 5);
	if (some & 8)
		bytes(e, 0, 1 + pt_encode_random(e, 3));
}

/* @ip: of its FUP; 0: it has none. */
static void psb_plus(struct pt_encoder *e, uint64_t ip)
{
	unsigned left = 15;

	psb(e);
	tsc_and_tma(e);
	if (!e->o.plus)
		bytes(e, 0x140302, 4);		/* CBR 20 */
	psb_extras(e, &left);
	pt_encode_mode(e);
	if (e->in_tx || (e->o.plus && pt_encode_random(e, 2)))
		bytes(e, e->in_tx ? 0x2199 : 0x2099, 2);
	psb_extras(e, &left);
	if (ip)
		ip_packet(e, FUP, ip);
	psb_extras(e, &left);
	bytes(e, 0x2302, 2);
}

void pt_encode_any_psb(struct pt_encoder *e, uint64_t ip)
{
	if (!e->o.plus)
		return;
	pt_encode_flush(e);
	for (uint32_t n = pt_encode_random(e, 3); n; n--)
		psb_plus(e, ip);
}

void pt_encode_start(struct pt_encoder *e, const struct pt_encode_options *o)
{
	*e = (struct pt_encoder){ .o = *o, .tsc = FIRST_TSC };
	psb_plus(e, 0);
}

void pt_encode_release(struct pt_encoder *e)
{
	buf_release(&e->out);
	vec_free(&e->tips);
}

void pt_encode_tick(struct pt_encoder *e)
{
	e->tsc++;
	e->cycles++;
	if (e->o.no_mtc || ctc(e) >> MTC_SHIFT == e->last_ctc >> MTC_SHIFT)
		return;
	e->last_ctc = ctc(e);
	pt_encode_flush(e);
	cyc(e);
	bytes(e, 0x59, 1), bytes(e, ctc(e) >> MTC_SHIFT, 1);
}

bool pt_encode_psb_is_due(const struct pt_encoder *e)
{
	return e->out.len - e->last_psb >= e->o.psb_bytes;
}

void pt_encode_sync(struct pt_encoder *e, uint64_t ip)
{
	if (!pt_encode_psb_is_due(e))
		return;
	pt_encode_flush(e);
	psb_plus(e, e->enabled ? ip : 0);
}

void pt_encode_cond(struct pt_encoder *e, bool taken)
{
	bit(e, taken);
}

void pt_encode_call(struct pt_encoder *e, uint64_t return_ip)
{
	e->calls[e->top++ % 64] = return_ip;
	if (e->nr_calls < 64)
		e->nr_calls++;
}

void pt_encode_ret(struct pt_encoder *e, uint64_t to)
{
	bool known = e->nr_calls && e->calls[(e->top - 1) % 64] == to;

	if (e->nr_calls) {
		e->nr_calls--;
		e->top--;
	}
	if (known && !e->o.no_ret_comp) {
		bit(e, true);
		return;
	}
	/* With bits after it, it would look like a compressed one. */
	if (!e->o.no_ret_comp)
		pt_encode_flush(e);
	tip(e, to);
}

void pt_encode_indirect(struct pt_encoder *e, uint64_t to)
{
	tip(e, to);
}

void pt_encode_leave(struct pt_encoder *e)
{
	pt_encode_flush(e);
	cyc(e);
	bytes(e, TIP_PGD, 1);
	e->enabled = false;
	pt_encode_any_psb(e, 0);
}

void pt_encode_interrupt(struct pt_encoder *e, uint64_t ip)
{
	pt_encode_any_psb(e, ip);
	pt_encode_flush(e);
	cyc(e);
	ip_packet(e, FUP, ip);
	pt_encode_leave(e);
}

/* Packets before a TIP.PGE at @ip, while tracing is off. */
static void early(struct pt_encoder *e, uint64_t ip)
{
	uint64_t fup = e->o.astray && pt_encode_random(e, 2) ? ip + 1 + pt_encode_random(e, 64) : ip;

	if (!pt_encode_random(e, 3))
		psb_plus(e, 0);
	if (e->o.apl12 && !pt_encode_random(e, 2)) {
		bytes(e, 0xf302, 2);
		ip_packet(e, FUP, fup);
		e->nr_calls = 0;
	}
	if (!pt_encode_random(e, 2))
		psb_plus(e, e->o.bdm70 ? fup : 0);
	e->last_ip = 0;		/* the TIP.PGE's address is whole: decoders may have passed the FUP over */
}

void pt_encode_enter(struct pt_encoder *e, uint64_t ip)
{
	e->tsc += 1000;
	if (pt_encode_happens(e, e->o.early))
		early(e, ip);
	tsc_and_tma(e);
	pt_encode_mode(e);
	ip_packet(e, TIP_PGE, ip);
	e->enabled = true;
	pt_encode_any_psb(e, ip);
}

void pt_encode_bytes(struct pt_encoder *e, uint64_t v, unsigned n)
{
	bytes(e, v, n);
}

void pt_encode_cyc(struct pt_encoder *e)
{
	cyc(e);
}

void pt_encode_fup(struct pt_encoder *e, uint64_t ip)
{
	ip_packet(e, FUP, ip);
}

void pt_encode_overflow(struct pt_encoder *e, uint64_t ip)
{
	pt_encode_flush(e);
	if (e->o.plus && pt_encode_random(e, 2)) {	/* an overflow ends the PSB+ it is in */
		unsigned left = 15;

		psb(e);
		tsc_and_tma(e);
		psb_extras(e, &left);
	}
	bytes(e, 0xf302, 2);
	e->nr_calls = 0;
	if (e->o.whole)
		e->last_ip = 0;
	tsc_and_tma(e);
	ip_packet(e, FUP, ip);
	pt_encode_any_psb(e, ip);
}

/* --- A program -------------------------------------------------------------- */

bool pt_encode_insn(struct pt_encoder *e, const struct insn *insn, uint64_t ip, uint64_t next)
{
	switch (insn->kind) {
	case INSN_COND:
		pt_encode_cond(e, next == ip + insn->disp);
		break;
	case INSN_CALL:
		if (insn->disp != insn->size)
			pt_encode_call(e, ip + insn->size);
		break;
	case INSN_CALL_INDIRECT:
		pt_encode_call(e, ip + insn->size);
		pt_encode_indirect(e, next);
		break;
	case INSN_JUMP_INDIRECT:
		pt_encode_indirect(e, next);
		break;
	case INSN_RET:
		pt_encode_ret(e, next);
		break;
	case INSN_FAR_CALL: case INSN_FAR_RET: case INSN_FAR_JUMP:
		pt_encode_leave(e);
		return false;
	}
	return true;
}

uint32_t pt_encode_random(struct pt_encoder *e, uint32_t n)
{
	uint64_t *state = &e->o.seed;

	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33) % n;
}

bool pt_encode_happens(struct pt_encoder *e, uint32_t each)
{
	return each && !pt_encode_random(e, each);
}

/* --- Options ---------------------------------------------------------------- */

static const struct set_word {
	const char *name;
	enum { FLAG, NUMBER, SEED } kind;
	size_t offset;
} set_words[] = {
	{ "psb", NUMBER, offsetof(struct pt_encode_options, psb_bytes) },
	{ "no-ret-comp", FLAG, offsetof(struct pt_encode_options, no_ret_comp) },
	{ "cyc", FLAG, offsetof(struct pt_encode_options, cyc) },
	{ "no-mtc", FLAG, offsetof(struct pt_encode_options, no_mtc) },
	{ "long-tnt", FLAG, offsetof(struct pt_encode_options, long_tnt) },
	{ "defer", FLAG, offsetof(struct pt_encode_options, defer) },
	{ "async", NUMBER, offsetof(struct pt_encode_options, async) },
	{ "overflow", NUMBER, offsetof(struct pt_encode_options, overflow) },
	{ "whole", FLAG, offsetof(struct pt_encode_options, whole) },
	{ "pebs", NUMBER, offsetof(struct pt_encode_options, pebs) },
	{ "notices", NUMBER, offsetof(struct pt_encode_options, notices) },
	{ "cfe", NUMBER, offsetof(struct pt_encode_options, cfe) },
	{ "early", NUMBER, offsetof(struct pt_encode_options, early) },
	{ "bdm70", FLAG, offsetof(struct pt_encode_options, bdm70) },
	{ "apl12", FLAG, offsetof(struct pt_encode_options, apl12) },
	{ "astray", FLAG, offsetof(struct pt_encode_options, astray) },
	{ "plus", NUMBER, offsetof(struct pt_encode_options, plus) },
	{ "seed", SEED, offsetof(struct pt_encode_options, seed) },
};

static int parse_word(struct pt_encode_options *o, const char *word, size_t n)
{
	const char *value = memchr(word, '=', n);
	size_t name = value ? (size_t)(value - word) : n;
	unsigned long number = value ? strtoul(value + 1, NULL, 0) : 0;

	for (size_t i = 0; i < ARRAY_SIZE(set_words); i++) {
		char *field = (char *)o + set_words[i].offset;

		if (strlen(set_words[i].name) != name || strncmp(set_words[i].name, word, name))
			continue;
		switch (set_words[i].kind) {
		case FLAG: *(bool *)field = true; break;
		case NUMBER: *(uint32_t *)field = number; break;
		case SEED: *(uint64_t *)field = number; break;
		}
		return 0;
	}
	fprintf(stderr, "unknown option of a trace: '%.*s'\n", (int)n, word);
	return -1;
}

int pt_encode_parse(struct pt_encode_options *o, const char *set)
{
	size_t n;

	*o = (struct pt_encode_options){ .psb_bytes = 2048, .seed = 1 };
	for (; *set; set += n + (set[n] == ',')) {
		n = strcspn(set, ",");
		if (parse_word(o, set, n))
			return -1;
	}
	return 0;
}
