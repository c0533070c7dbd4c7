/*
 * Defines the flags of a branch in a sample's branch stack, which are the third word of the kernel's struct perf_branch_entry.
 * sample.c reads the stacks.
 * Source: linux/perf_event.h (Linux 6.18).
 */
#ifndef CORE_PERFDATA_BRANCH_FLAGS_H
#define CORE_PERFDATA_BRANCH_FLAGS_H

/* From the lowest bit: mispred, predicted, in_tx, abort (1 bit each), cycles (16), type (4), spec (2), new_type (4), priv (3). */
#define BRANCH_MISPREDICTED	(1u << 0)
#define BRANCH_PREDICTED	(1u << 1)
#define BRANCH_IN_TX		(1u << 2)
#define BRANCH_ABORT		(1u << 3)
#define BRANCH_CYCLES(f)	((f) >> 4 & 0xffff)
#define BRANCH_TYPE(f)		((f) >> 20 & 15)
#define BRANCH_SPEC(f)		((f) >> 24 & 3)
#define BRANCH_NEW_TYPE(f)	((f) >> 26 & 15)
#define BRANCH_NOT_TAKEN	(1ull << 33)	/* set only by prec's decoders of hardware trace */
#define BRANCH_TYPE_EXTENDED	15

/* The type of a branch with these @flags, as perf spells it; "": not recorded; NULL: unknown. */
const char *branch_type_name(unsigned long long flags);

#endif
