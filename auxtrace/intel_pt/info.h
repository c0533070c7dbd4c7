/*
 * Reads the AUXTRACE_INFO record of an Intel PT recording, in the formats of perf 4.3 to 6.x. Converts between TSC ticks and ns
 * with the factors in this record.
 */
#ifndef AUXTRACE_INTEL_PT_INFO_H
#define AUXTRACE_INTEL_PT_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct words;

struct pt_info {
	uint32_t pmu_type;
	uint32_t time_shift;			/* ns = zero + (tsc * mult >> shift) */
	uint64_t time_mult, time_zero;
	bool time_known;
	uint64_t tsc_bit, noretcomp_bit, mtc_bit, mtc_freq_bits, cyc_bit;	/* bits of attr.config; 0: unknown */
	bool snapshot, per_cpu;
	uint32_t tsc_ctc_num, tsc_ctc_den;
	uint16_t max_nonturbo_ratio;
	bool event_trace;
	const char *filter;			/* borrowed from the words, filter_size bytes; NULL: none */
	size_t filter_size;
};

/* Words that are missing are 0. Returns 0, or -EINVAL if there are too few to be a PT recording. */
int pt_info_read(struct pt_info *out, const struct words *words);

uint64_t pt_info_ns(const struct pt_info *i, uint64_t tsc);
uint64_t pt_info_ticks(const struct pt_info *i, uint64_t ns);

/* Append the fields, a line each. */
void pt_info_print(struct buf *out, const struct words *words);

#endif
