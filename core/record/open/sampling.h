/*
 * Builds the perf_event_attr of each event from its request (event_request.h) and the options that say how to sample, such as
 * -F, -g and -b. sampling_check() first adapts these options to the kernel's limits.
 */
#ifndef CORE_RECORD_OPEN_SAMPLING_H
#define CORE_RECORD_OPEN_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

#include "core/record/events/event_request.h"

#define DEFAULT_FREQ	4000u	/* samples a second, as perf's */
#define DEFAULT_STACK_SIZE	8192u	/* bytes, as perf's */
#define SMALLER_STACK	4096u		/* larger copies than the default are cut to this first: it ends within most stacks, and
					 * a copy past the end of a stack costs a fault */
#define SMALL_STACK	1024u		/* others are cut to this, which has the innermost frames */
#define STACK_SIZE_MAX	65528u	/* the largest multiple of 8 below USHRT_MAX, as the kernel demands */

/* Returns the size to which copies of stacks of @size bytes are cut first. */
static inline uint32_t lesser_stack(uint32_t size)
{
	return size > DEFAULT_STACK_SIZE ? SMALLER_STACK : SMALL_STACK;
}

struct sampling_opts {
	uint64_t freq;			/* samples a second; 0: by period */
	uint64_t max_freq;		/* the kernel's limit, from sampling_check(); 0: unknown */
	uint64_t period;		/* events a sample */
	bool rate_given;		/* -F or -c was given, and also holds for events with a default period */
	enum chain_mode chain;		/* -g, --call-graph */
	bool chain_by_default;		/* -g without a mode: CHAIN_FP, or CHAIN_AUTO if sampling_choose_chain() allows it */
	uint32_t stack_size;		/* CHAIN_DWARF, CHAIN_AUTO: bytes of a stack copy, a multiple of 8; 0: the default */
	uint32_t stack_most;		/* stack copies may grow up to this size if they cut chains short; 0: they never grow */
	bool stack_fits;		/* .stack_size is an upper bound: copies may be smaller while no chain needs more */
	uint32_t wakeup_bytes;		/* data in a ring at which its reader is woken; 0: half of the ring */
	bool sheds;			/* stack copies may be left out while the reader is behind: event_set_shed_stacks() */
	bool sheds_parts;		/* with .sheds: they may also be made smaller, because only the recorder reads them */
	bool defer;			/* CHAIN_FP: the kernel takes the user part once, when the thread returns to user space */
	bool no_kernel_chain, no_user_chain;
	uint16_t max_stack;		/* frames of a chain; 0: the kernel's limit */
	bool addr, raw, cpu, read;	/* -d, -R, --sample-cpu, -s */
	uint64_t sample_bits;		/* PERF_SAMPLE_*: added by the options of single fields */
	uint64_t branches;		/* PERF_SAMPLE_BRANCH_*: -b, -j; 0: no branch stacks */
	uint64_t intr_regs, user_regs;	/* masks of PERF_REG_*: -I, --user-regs; 0: none */
	bool data_maps;			/* maps of data too; sampling_check() sets it if samples need them */
	bool running_time;		/* counts come with the times for which the event was enabled and ran */
	bool period_bit, no_period;	/* -P: samples have their period even if it is fixed; --no-period: they never have */
	bool no_time, no_samples;
	bool no_buffering;		/* wake the reader for each record */
	bool all_user, all_kernel;
	bool use_clockid, clock_given;	/* -k */
	int32_t clockid;
	bool inherit, on_exec;		/* as in struct places, but .on_exec is false with -D */
	bool switches, namespaces, cgroups;
	bool text_pokes;		/* changes of the kernel's code */
	bool no_bpf_events, no_build_ids;
	bool overwrite;			/* --overwrite: the samples, not the side band */
	bool wait_sums;			/* there is an event for sums of waits, whose samples the recorder makes itself */
	bool side_band_apart;		/* MMAP, COMM and the like have their own ring buffers; each record wakes the reader */
};

/* Clamps values that the kernel would refuse or get wrong, with a warning; with --strict-freq an error. Returns 0 or -1. */
int sampling_check(struct sampling_opts *o, const struct event_requests *events, bool strict_freq);

/*
 * With .chain_by_default: chooses CHAIN_AUTO if all events are sampled at no more than the default rate, at which unwinding was
 * measured to cost next to nothing and to lose nothing. (With a period, and for tracepoints and probes, the rate depends on the
 * program.) Returns NULL, or why the chains follow frame pointers: "with a period".
 */
const char *sampling_choose_chain(struct sampling_opts *o, const struct event_requests *events);

/*
 * Returns the attr of a requested event, which is opened disabled. @leader is the leader of its group, or the event itself if it
 * has no group. Members are enabled and disabled with their leader. If the leader samples for the group (:S), only the leader
 * samples.
 */
struct event_attr sampling_attr(const struct event_request *r, const struct event_request *leader,
				const struct sampling_opts *o);
/*
 * Returns the attr of the dummy event for the side band: MMAP, COMM, FORK and similar records. It is a separate event, so that
 * its losses are counted apart from those of samples. The event begins at once, or with the exec of a workload (@on_exec).
 */
struct event_attr side_band_attr(const struct sampling_opts *o, bool on_exec);
/* Returns the attr of another dummy event, for context switches, which is used if the side band has ring buffers of its own. */
struct event_attr switches_attr(const struct sampling_opts *o, bool on_exec);
/* Returns the attr of the event for sums of waits, which is not opened (core/perfdata/wait_sums.h). */
struct event_attr wait_sums_attr(const struct sampling_opts *o);

#endif
