/*
 * Reads the AUXTRACE_INFO record of an SPE recording: the type of the PMU and, unless perf 6.13 or older made the recording, the
 * properties of each CPU. recording.c writes this record in prec record.
 */
#ifndef AUXTRACE_ARM_SPE_INFO_H
#define AUXTRACE_ARM_SPE_INFO_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/vec.h"

struct buf;
struct words;

#define MIDR_MODEL		0xff00fff0u	/* implementer and part in MIDR_EL1, without variant, architecture and revision */
#define MIDR_NEOVERSE_N1	0x4100d0c0u

struct spe_cpu {
	uint32_t cpu;
	uint64_t midr;			/* MIDR_EL1 */
	uint64_t event_filter;		/* caps/event_filter: bits that the CPU's events packets have; 0: not recorded */
};

struct spe_info {			/* spe_info_release() */
	uint32_t pmu_type;
	VEC(struct spe_cpu) cpus;
	bool homogeneous;		/* all CPUs have the same .midr */
};

/*
 * Reads all versions of the record. The first (perf up to 6.13) has two 64-bit words. Later versions begin with a version number
 * and the size of a header, and have a list of words for each CPU. Returns 0, or -EINVAL if @words are in none of these formats.
 * Release *out in either case.
 */
int spe_info_read(struct spe_info *out, const struct words *words);
void spe_info_release(struct spe_info *i);

/* The entry of @cpu; NULL: unknown. UINT32_MAX is the CPU of a per-thread trace: any entry, if all are alike. Borrowed. */
const struct spe_cpu *spe_info_cpu(const struct spe_info *i, uint32_t cpu);

/* For -D: append the fields, a line each. */
void spe_info_print(struct buf *out, const struct words *words);

#endif
