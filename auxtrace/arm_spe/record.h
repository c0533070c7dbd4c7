/*
 * Reads the sample records of Arm SPE (Statistical Profiling Extension). A record is a sequence of packets that describes one
 * sampled operation. An end packet or a timestamp packet ends the record.
 * Layer: auxtrace
 */
#ifndef AUXTRACE_ARM_SPE_RECORD_H
#define AUXTRACE_ARM_SPE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum spe_has {			/* bits of struct spe_record.has */
	SPE_HAS_PC = 1 << 0, SPE_HAS_TARGET = 1 << 1, SPE_HAS_VA = 1 << 2, SPE_HAS_PA = 1 << 3, SPE_HAS_PREVIOUS = 1 << 4,
	SPE_HAS_TOTAL = 1 << 5, SPE_HAS_ISSUE = 1 << 6, SPE_HAS_TRANSLATION = 1 << 7,
	SPE_HAS_CONTEXT_1 = 1 << 8, SPE_HAS_CONTEXT_2 = 1 << 9, SPE_HAS_OPERATION = 1 << 10, SPE_HAS_EVENTS = 1 << 11,
	SPE_HAS_SOURCE = 1 << 12, SPE_HAS_TIME = 1 << 13,
};

struct spe_record {
	uint32_t has;			/* enum spe_has: which of the members below are known */
	uint64_t pc, target, prev_target;	/* canonical addresses: the operation, its target, the previous branch's target */
	uint8_t pc_el, target_el;	/* exception levels */
	bool pc_ns, target_ns;		/* non-secure */
	uint64_t va, pa;		/* virtual address (without its tag) and physical address of the data */
	uint8_t va_tag, pa_tag;		/* .va_tag: top byte of the VA; .pa_tag: physical address tag (MTE), if .pa_checked */
	bool pa_ns, pa_checked;
	uint16_t total, issue, translation;	/* latencies in cycles */
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

#endif
