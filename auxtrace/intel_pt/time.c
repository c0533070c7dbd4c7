/*
 * Computes the time in an Intel PT trace, in TSC ticks. TSC packets give the time. Between them, MTC packets (tied to the TSC by
 * TMA) and CYC packets advance it. info.c converts ticks to ns.
 */
#include "auxtrace/intel_pt/time.h"

#include "auxtrace/intel_pt/packet.h"

#define RATE_SHIFT 16

void pt_time_init(struct pt_time *t, const struct pt_time_config *config)
{
	*t = (struct pt_time){ .config = *config };
	if (t->config.mtc_shift > 15)
		t->config.mtc_shift = 15;
}

static uint64_t ctc_to_tsc(const struct pt_time *t, uint64_t ctc)
{
	return (uint64_t)((unsigned __int128)ctc * t->config.tsc_ctc_num / t->config.tsc_ctc_den);
}

static void advance(struct pt_time *t, uint64_t tsc)
{
	if (tsc > t->tsc)
		t->tsc = tsc;
}

static uint64_t rate_by_cbr(const struct pt_time *t)
{
	return t->cbr ? ((uint64_t)t->config.max_nonturbo_ratio << RATE_SHIFT) / t->cbr : 0;
}

/* True if @rate agrees with CBR. The ratio may have changed a little since the cycles were last tied to the TSC. */
static bool likely_rate(const struct pt_time *t, uint64_t rate)
{
	uint64_t expected = rate_by_cbr(t);

	return !expected || (rate <= expected + expected / 4 && rate >= expected - expected / 4);
}

/*
 * Notes that the current cycle count belongs to @tsc. The cycles since the last such point, if tracing was not paused, give the
 * rate (TSC ticks per cycle) that is used up to the next one.
 */
static void tie_cycles(struct pt_time *t, uint64_t tsc)
{
	uint64_t cycles = t->cycles - t->cyc_ref_cycles, rate = 0;

	if (t->cyc_ref_tsc && cycles && !t->paused && tsc > t->cyc_ref_tsc && tsc - t->cyc_ref_tsc < 1ull << 40)
		rate = ((tsc - t->cyc_ref_tsc) << RATE_SHIFT) / cycles;
	if (rate && likely_rate(t, rate))
		t->tsc_per_cycle = rate;
	else if (!t->tsc_per_cycle)
		t->tsc_per_cycle = rate_by_cbr(t);
	t->cyc_ref_tsc = tsc;
	t->cyc_ref_cycles = t->cycles;
	t->paused = false;
}

/* A TSC packet has 56 bits. The bits above are those of the last time, plus one if the 56 bits have wrapped around. */
static void on_tsc(struct pt_time *t, uint64_t low)
{
	uint64_t tsc = (t->tsc & 0xffull << 56) | low;

	if (tsc + (1ull << 55) < t->tsc)
		tsc += 1ull << 56;
	tie_cycles(t, tsc);
	if (t->known)
		advance(t, tsc);
	else
		t->tsc = tsc;
	t->known = true;
	t->last_tsc = low;
	t->ctc_tsc = tsc;
	t->mtc_known = false;
}

static void on_tma(struct pt_time *t, uint16_t ctc, uint16_t fast_counter)
{
	uint64_t rest = ctc & ((1u << t->config.mtc_shift) - 1);

	if (!t->known || !t->config.tsc_ctc_den || !t->config.tsc_ctc_num || t->mtc_known)
		return;
	t->ctc_tsc -= fast_counter + ctc_to_tsc(t, rest);
	t->ctc_delta = 0;
	t->last_mtc = ctc >> t->config.mtc_shift;
	t->mtc_known = true;
}

static void on_mtc(struct pt_time *t, uint8_t mtc)
{
	uint64_t tsc;

	if (!t->mtc_known)
		return;
	t->ctc_delta += (uint64_t)(uint8_t)(mtc - t->last_mtc) << t->config.mtc_shift;
	t->last_mtc = mtc;
	tsc = t->ctc_tsc + ctc_to_tsc(t, t->ctc_delta);
	tie_cycles(t, tsc);
	advance(t, tsc);
}

static void on_cyc(struct pt_time *t, uint64_t cycles)
{
	t->cycles += cycles;
	if (t->cyc_ref_tsc && t->tsc_per_cycle)
		advance(t, t->cyc_ref_tsc + (uint64_t)((unsigned __int128)(t->cycles - t->cyc_ref_cycles) *
						       t->tsc_per_cycle >> RATE_SHIFT));
}

static void on_cbr(struct pt_time *t, uint16_t cbr)
{
	t->cbr = cbr;
	t->tsc_per_cycle = rate_by_cbr(t);
	t->cyc_ref_tsc = t->known ? t->tsc : 0;
	t->cyc_ref_cycles = t->cycles;
	t->paused = false;
}

/*
 * MTC packets give the time since the last TSC and TMA packets. CYC packets add up to the cycles since the last MTC, TSC or CBR
 * packet. The number of TSC ticks per cycle is measured between the last two MTC or TSC packets, or else computed from CBR.
 */
void pt_time_packet(struct pt_time *t, const struct pt_packet *p)
{
	switch (p->type) {
	case PT_TSC: on_tsc(t, p->value); break;
	case PT_TMA: on_tma(t, p->value, p->count); break;
	case PT_MTC: on_mtc(t, p->value); break;
	case PT_CYC: on_cyc(t, p->value); break;
	case PT_CBR: on_cbr(t, p->value); break;
	}
}

bool pt_time_is_back(const struct pt_time *t, uint64_t low)
{
	return t->last_tsc && (low - t->last_tsc) >> 55 & 1;
}

void pt_time_other_tsc(struct pt_time *t)
{
	t->last_tsc = 0;
}

void pt_time_resync(struct pt_time *t)
{
	t->known = t->mtc_known = false;
	t->cyc_ref_tsc = 0;
	t->tsc_per_cycle = 0;
	t->cbr = 0;
}

void pt_time_pause(struct pt_time *t)
{
	t->paused = true;
}

void pt_time_overflow(struct pt_time *t)
{
	t->mtc_known = false;
	t->cyc_ref_tsc = 0;
}

uint64_t pt_psb_tsc(const uint8_t *data, size_t n)
{
	struct pt_packet p;

	while (n) {
		int used = pt_packet_read(&p, data, n, 0);

		if (used <= 0 || p.type == PT_PSBEND)
			break;
		if (p.type == PT_TSC)
			return p.value;
		data += used;
		n -= (size_t)used;
	}
	return 0;
}
