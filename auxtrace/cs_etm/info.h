/*
 * Reads the AUXTRACE_INFO record of a CoreSight recording, which has the registers of each CPU's trace unit. recording.c writes
 * this record in prec record. config.h has the configuration that the registers describe.
 */
#ifndef AUXTRACE_CS_ETM_INFO_H
#define AUXTRACE_CS_ETM_INFO_H

#include "auxtrace/cs_etm/config.h"
#include "core/base/vec.h"

struct buf;
struct words;

/* The part of a context packet that holds the thread's ID. With ARMv7, it is the context ID without its low eight bits (ASID). */
enum cs_thread_id { CS_NO_TID, CS_TID_CID, CS_TID_VMID, CS_TID_CID_V7 };

struct cs_cpu {
	uint32_t cpu;
	struct cs_config config;	/* .id is from the register until cs_info_set_id() is called */
	bool has_id;			/* the trace ID is known; otherwise an AUX_OUTPUT_HW_ID record gives it */
	uint32_t sink;			/* trace IDs are unique in one sink; 0: in the whole system */
	const char *unsupported;	/* why its trace cannot be followed; NULL: it can */
	enum cs_thread_id tid;
	bool virtual_time;		/* timestamps are the virtual counter's: TIME_CONV gives ns */
};

struct cs_info {			/* cs_info_release() */
	uint32_t pmu_type;
	bool snapshot;
	VEC(struct cs_cpu) cpus;
};

/*
 * Reads header versions 0 (perf up to 5.11) and 1 (perf 5.12 and later), with trace units of the types ETMv3, PTM, ETMv4 and ETE.
 * Returns 0, or -EINVAL if the words are no valid description, -ENOTSUP if they are of a later version.
 */
int cs_info_read(struct cs_info *out, const struct words *words);
void cs_info_release(struct cs_info *i);

/* Applies an AUX_OUTPUT_HW_ID record: the trace ID that the kernel gave to @cpu. Source: linux/coresight-pmu.h. */
void cs_info_set_id(struct cs_info *i, uint32_t cpu, uint64_t hw_id);

/*
 * Finds the trace unit with trace ID @id in the sink of @cpu's unit (UINT32_MAX: any sink), or else in another sink. NULL: no trace
 * unit has this ID. Borrowed.
 */
const struct cs_cpu *cs_info_find(const struct cs_info *i, uint8_t id, uint32_t cpu);
/* The entry of @cpu, or the first for UINT32_MAX; NULL: not found. */
const struct cs_cpu *cs_info_cpu(const struct cs_info *i, uint32_t cpu);

/* Appends the fields to @out, one per line. */
void cs_info_print(struct buf *out, const struct words *words);

#endif
