/*
 * Reads the sample records of Arm SPE (Statistical Profiling Extension). A record is a sequence of packets that describes one
 * sampled operation. An end packet or a timestamp packet ends the record.
 */
#ifndef AUXTRACE_ARM_SPE_RECORD_H
#define AUXTRACE_ARM_SPE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct spe_cpu;

enum spe_has { SPE_HAS_CONTEXT_1 = 1, SPE_HAS_CONTEXT_2 = 2, SPE_HAS_OPERATION = 4, SPE_HAS_TIME = 8 };

struct spe_record {
	uint8_t has;			/* enum spe_has: these members are known; others are 0 if they are not */
	uint64_t pc, target, prev_target;	/* canonical addresses: the operation, its target, the previous branch's target */
	uint64_t va, pa;		/* virtual address (without its tag) and physical address of the data */
	uint16_t total;			/* latency in cycles */
	uint32_t context_el1, context_el2;	/* CONTEXTIDR_EL1, _EL2 */
	uint8_t class;			/* enum spe_class */
	uint8_t subclass;		/* payload of the operation packet */
	uint64_t events;		/* 1 << enum spe_event */
	uint64_t source;		/* data source, implementation defined */
	uint64_t time;			/* generic timer or physical counter, as recorded */
	size_t at, size;		/* .at: offset of the record in the buffer; .size: its bytes */
	bool broken;			/* the record was ended by bytes that are no packet */
};

/*
 * Reads the next record from byte @at of @n bytes at @p, skipping padding. Returns the offset after it. Returns 0 if there is no
 * further record, because only padding follows, or a record that the buffer cuts off (then out->size is the number of its bytes).
 * Bytes that are no packet end a record, which is then .broken, and are skipped.
 */
size_t spe_record_next(struct spe_record *out, const uint8_t *p, size_t at, size_t n);

static inline bool spe_has_event(const struct spe_record *r, unsigned event)
{
	return r->events >> event & 1;
}

/* ---- source.c: what a sample has of it ---- */

/*
 * Returns a union perf_mem_data_src (linux/perf_event.h); 0: no memory access. @cpu: the CPU that recorded @r; NULL: unknown. The
 * numbers in Data Source packets have a different meaning in each processor family.
 */
uint64_t spe_data_src(const struct spe_record *r, const struct spe_cpu *cpu);
/* As struct sample.simd; 0: no vector instruction, or not known. */
uint32_t spe_simd(const struct spe_record *r);

#endif
