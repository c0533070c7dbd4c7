/*
 * What AUXTRACE_INFO says of an SPE recording. Format: version 1 (perf up to 6.13) is two words; later ones have a
 * version and a size before the rest, and a part for each CPU.
 * Layer: auxtrace
 */
#ifndef AUXTRACE_ARM_SPE_INFO_H
#define AUXTRACE_ARM_SPE_INFO_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/vec.h"

struct buf;
struct words;

#define MIDR_MODEL		0xff00fff0u	/* of MIDR_EL1: implementer and part, without variant, architecture, revision */
#define MIDR_NEOVERSE_N1	0x4100d0c0u

struct spe_cpu {
	uint32_t cpu;
	uint64_t midr;			/* which processor it is */
	uint64_t event_filter;		/* the events that it can tell; 0: not told */
};

struct spe_info {			/* spe_info_release() */
	uint32_t pmu_type;
	VEC(struct spe_cpu) cpus;
	bool homogeneous;		/* all are the same processor */
};

/* Returns 0, or -EINVAL where the words are no description; *out is then to be released, too. */
int spe_info_read(struct spe_info *out, const struct words *words);
void spe_info_release(struct spe_info *i);

/* That of @cpu; of UINT32_MAX, a thread's trace, where all are the same. NULL: not told. Borrowed. */
const struct spe_cpu *spe_info_cpu(const struct spe_info *i, uint32_t cpu);

/* Append the fields, a line each. */
void spe_info_print(struct buf *out, const struct words *words);

#endif
