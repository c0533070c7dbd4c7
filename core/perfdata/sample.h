/*
 * Reads, writes and measures the body of PERF_RECORD_SAMPLE with sample_pass(), and the identification at the end of other
 * records with sample_id_pass(). Reading copies nothing: the pointers in struct sample point into the record.
 * Source: perf_event_open(2), "PERF_RECORD_SAMPLE".
 */
#ifndef CORE_PERFDATA_SAMPLE_H
#define CORE_PERFDATA_SAMPLE_H

#include "core/base/wire.h"

/* The PERF_SAMPLE_* that are in the trailers of other records. */
#define SAMPLE_ID_TYPES	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | \
			 PERF_SAMPLE_IDENTIFIER)

struct event_attr;
struct wait_view;

/* The parts of an event's attr that determine the layout. */
struct sample_layout {
	uint64_t type;			/* PERF_SAMPLE_* */
	uint64_t read_format, branch_type, regs_user, regs_intr;
	bool build_ids;			/* MMAP2 records may have a build id: attr.build_id */
	uint16_t id_size;		/* bytes of sample_id at the end of other records; 0: there is none */
	uint16_t fixed_size;		/* bytes of a sample's fixed fields, IDENTIFIER to PERIOD, which are one word each */
	bool only_fixed;		/* a sample has only fixed fields */
	/* Byte offsets, in a sample's body, of fields that are read before the others; -1: not recorded. */
	int16_t id_at, ip_at, tid_at, time_at, cpu_at, period_at;
};

/* Flags of a branch from a decoded trace, for .flags of struct sample. Their order is that of the letters that script prints. */
enum synth_flag {
	SYNTH_BRANCH = 1 << 0, SYNTH_CALL = 1 << 1, SYNTH_RETURN = 1 << 2, SYNTH_CONDITIONAL = 1 << 3, SYNTH_SYSCALL = 1 << 4,
	SYNTH_ASYNC = 1 << 5, SYNTH_INTERRUPT = 1 << 6, SYNTH_ABORT = 1 << 7, SYNTH_BEGIN = 1 << 8, SYNTH_END = 1 << 9,
	SYNTH_IN_TX = 1 << 10, SYNTH_VMENTRY = 1 << 11, SYNTH_VMEXIT = 1 << 12,
	SYNTH_INTR_OFF = 1 << 13, SYNTH_INTR_TOGGLE = 1 << 14,	/* OFF: interrupts are disabled; TOGGLE: the branch changes this */
	SYNTH_MISSED = 1 << 15, SYNTH_NOT_TAKEN = 1 << 16,	/* MISSED: mispredicted */
};

#define SYNTH_TYPE	0x80000000u	/* attr.type of events that only exist in traces; config is enum synth_config */

enum synth_config {
	SYNTH_PTWRITE, SYNTH_MWAIT, SYNTH_PWRE, SYNTH_EXSTOP, SYNTH_PWRX, SYNTH_CBR, SYNTH_PSB, SYNTH_EVT, SYNTH_IFLAG,
	SYNTH_OFF_CPU,		/* made from context switches: core/sched/wait_samples.h */
	SYNTH_WALL,		/* made from samples and waits: core/sched/wall.h */
};

/*
 * SIMD() packs the kind of a vector instruction, and a letter for the lanes that its predicate left active. e: none; p: some; f:
 * all; d: the instruction has no predicate; '.': unknown.
 */
enum simd_kind { SIMD_SVE = 1, SIMD_SME, SIMD_ASE };
#define SIMD(kind, lanes)	((uint32_t)(kind) << 8 | (unsigned char)(lanes))

#define SAMPLE_BRANCH_COUNTERS	(1u << 19)	/* of attr.branch_sample_type; linux/perf_event.h, Linux 6.8 */

struct sample {
	uint64_t id, ip, time, addr, stream_id, period, weight, data_src;
	uint64_t transaction, phys_addr, cgroup, data_page_size, code_page_size;
	uint32_t pid, tid, cpu, cpu_reserved;
	/* PERF_SAMPLE_READ: the words as recorded, except a group's number of members, which is read_nr: read_format.h. */
	struct words read;
	uint64_t read_nr;
	struct words chain;		/* with context markers */
	uint64_t branch_nr, branch_hw_idx;
	struct words branches;		/* 3 words each: from, to, flags */
	struct words branch_counters;	/* with PERF_SAMPLE_BRANCH_COUNTERS (bit 19, Linux 6.8): one word a branch */
	uint64_t user_abi, intr_abi;	/* PERF_SAMPLE_REGS_ABI_*; 0: no registers */
	struct words user_regs, intr_regs;
	uint32_t raw_size;
	const void *raw, *stack, *aux;
	uint64_t stack_size, stack_dyn_size, aux_size;	/* .stack_size: of the stack copy; .stack_dyn_size: of its valid part */
	/* Never recorded, only from a decoded trace. */
	uint32_t flags, insn_size;	/* of the instruction. .flags: enum synth_flag; .insn_size: bytes */
	uint32_t simd;			/* SIMD() of an instruction; 0: no vector instruction */
	uint64_t depth;			/* call depth; for a call, that of the called function */
	uint64_t intr_missing;		/* mask of registers that the event asked for and intr_regs lacks */
	uint64_t insn_cnt, cyc_cnt;	/* instructions and cycles since the last sample that had these; .cyc_cnt 0: not known */
	/*
	 * For events of type SYNTH_TYPE. PTWRITE: payload, whether ip is its own; CBR: the ratio, TSC's ratio << 32 | kHz;
	 * PSB: offset; MWAIT, PWRE, PWRX: the packet's value; EXSTOP: 0, whether ip is its own; EVT: the vector, the type and
	 * (bit 32) whether ip is its own; IFLAG: the new interrupt flag, whether a branch changed it.
	 */
	uint64_t synth[2];
	const struct wait_view *wait;	/* for SYNTH_OFF_CPU: the wait (core/sched/wait_samples.h), borrowed; else NULL */
	struct words synth_data;	/* for EVT: the event's data, two words each: type and value */
};

/* The identification at the end of records other than samples. */
struct sample_id {
	uint64_t time, id, stream_id;
	uint32_t pid, tid, cpu;
	bool has_time, has_cpu, has_tid, has_id;
};

/* The size of the stack copy in a sample that leaves out the stack. Not 0: then the kernel writes beyond the end of the record. */
#define SHED_STACK	8u
/* True if the recorder left out the stack copy for lack of room, although the event asks for @wanted bytes. */
static inline bool sample_is_shed(const struct sample *s, uint32_t wanted)
{
	return s->stack_size == SHED_STACK && wanted > SHED_STACK;
}

void sample_layout_of(struct sample_layout *l, const struct event_attr *attr);
/* Pass a sample's body. Returns 0, or -EINVAL if counts and sizes do not fit into the record. */
int sample_pass(struct wire *w, const struct sample_layout *l, struct sample *s);
/*
 * Finds the raw data in the @body, of @size bytes, of a native sample (*nr 0: none) that has only the fixed fields, a chain and
 * raw data. Returns false for other samples and for those that sample_pass() would reject; *raw and *nr are then undefined.
 */
bool sample_find_raw(const struct sample_layout *l, const uint8_t *body, size_t size, const uint8_t **raw, uint32_t *nr);
/* True if the user part of @chain is in a record CALLCHAIN_DEFERRED with this *cookie; the chain's last two words are no frames. */
bool chain_is_deferred(const struct words *chain, uint64_t *cookie);
/* True if the sample is surely complete: no field is cut, and no part of the call chain is in another record. */
bool sample_is_settled(const struct sample_layout *l, const uint8_t *body, size_t size);
int sample_id_pass(struct wire *w, const struct sample_layout *l, struct sample_id *id);

#endif
