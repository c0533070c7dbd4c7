/*
 * Computes the time in an Intel PT trace, in TSC ticks, from its timing packets. packet_handlers.c calls it for each of these
 * packets. info.h converts ticks to perf's time.
 */
#ifndef AUXTRACE_INTEL_PT_TIME_H
#define AUXTRACE_INTEL_PT_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pt_packet;

struct pt_time_config {
	uint32_t tsc_ctc_num, tsc_ctc_den;	/* TSC ticks a CTC tick (CPUID 15H: EBX / EAX); 0: not known, no MTC */
	uint8_t mtc_shift;			/* MTCFreq: bit of the CTC that MTC packets begin at */
	uint16_t max_nonturbo_ratio;		/* TSC frequency / bus frequency; 0: not known, so CBR is not used */
};

struct pt_time {
	struct pt_time_config config;
	uint64_t tsc;		/* the current time, as precisely as known; 0: not known yet */
	uint64_t last_tsc;		/* the 56 bits of the last TSC packet; 0: none, or the next one is of another TSC */
	bool known;		/* there was a TSC packet since the last PSB */
	bool mtc_known;		/* a TMA has tied CTC to TSC: MTC packets count */
	uint64_t cycles;	/* core cycles passed, from CYC packets */
	uint16_t cbr;		/* core to bus ratio; 0: not known */
	/* .ctc_tsc: the TSC at the CTC tick of the last TMA; .ctc_delta: CTC ticks since then; .last_mtc: the last MTC. */
	uint64_t ctc_tsc, ctc_delta;
	uint8_t last_mtc;
	/*
	 * .cyc_ref_tsc and .cyc_ref_cycles: the TSC and .cycles at the last point where both were known. .tsc_per_cycle: TSC ticks
	 * a cycle from then on, with 16 fractional bits; 0: unknown.
	 */
	uint64_t cyc_ref_tsc, cyc_ref_cycles, tsc_per_cycle;
	bool paused;		/* tracing was off since .cyc_ref_tsc, so cycles were not counted */
};

void pt_time_init(struct pt_time *t, const struct pt_time_config *config);

/*
 * Applies a TSC, TMA, MTC, CYC or CBR packet; others are ignored. Between packets the time does not advance. It goes back only at
 * the first TSC packet after a PSB.
 *
 *	TSC ---- TMA: CTC = c, FC = f ----- MTC ------- MTC ---- CYC --- CYC ----
 *	         the TSC at CTC tick c                  + cycles * TSC ticks a cycle
 *
 * Source: Intel SDM vol. 3, "Intel Processor Trace", sections on TSC, MTC, TMA, CYC and CBR packets.
 */
void pt_time_packet(struct pt_time *t, const struct pt_packet *p);

/* True if a TSC packet with @low is earlier than the TSC packet before it. */
bool pt_time_is_back(const struct pt_time *t, uint64_t low);
/* Returns the 56 bits of the TSC in the PSB+ at @data; 0: it has no TSC. */
uint64_t pt_psb_tsc(const uint8_t *data, size_t n);
/* The following packets have another TSC: that of a virtual machine's guest, or its host's again. */
void pt_time_other_tsc(struct pt_time *t);

/* Call it at a PSB: later packets do not depend on earlier ones, except for the TSC bits that packets do not have. */
void pt_time_resync(struct pt_time *t);

/* Tracing is off: cycles are not counted until it is on again, though time passes. */
void pt_time_pause(struct pt_time *t);

/* After an overflow MTC and CYC packets may be missing, so only TSC and TMA tie the clocks again. */
void pt_time_overflow(struct pt_time *t);

#endif
