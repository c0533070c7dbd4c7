/*
 * Converts an SPE record to two fields of a sample: data_src, the level of memory that a load or store reached, and simd, the kind
 * of vector instruction. decode.c makes the sample.
 * Layer: auxtrace
 */
#ifndef AUXTRACE_ARM_SPE_SOURCE_H
#define AUXTRACE_ARM_SPE_SOURCE_H

#include <stdint.h>

struct spe_cpu;
struct spe_record;

/*
 * Returns a union perf_mem_data_src (linux/perf_event.h); 0: no memory access. @cpu: the CPU that recorded @r; NULL: unknown. The
 * numbers in Data Source packets have a different meaning in each processor family.
 */
uint64_t spe_data_src(const struct spe_record *r, const struct spe_cpu *cpu);
/* As struct sample.simd; 0: no vector instruction, or not known. */
uint32_t spe_simd(const struct spe_record *r);

#endif
