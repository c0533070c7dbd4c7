/*
 * Converts a load's or store's data source to perf's data_src: first the Data Source packet, whose meaning depends on the
 * processor family, then the events of the record. Also finds an operation's vector instructions (simd).
 * Layer: auxtrace
 */
#ifndef AUXTRACE_ARM_SPE_SOURCE_H
#define AUXTRACE_ARM_SPE_SOURCE_H

#include <stdint.h>

struct spe_cpu;
struct spe_record;

/* union perf_mem_data_src (linux/perf_event.h); 0: no access of memory. @cpu: the one that recorded it; NULL: not known. */
uint64_t spe_data_src(const struct spe_record *r, const struct spe_cpu *cpu);
/* As struct sample.simd; 0: no vector instruction, or not known. */
uint32_t spe_simd(const struct spe_record *r);

#endif
