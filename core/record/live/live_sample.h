/*
 * Unwinds the stack copy of a sample, and replaces the copy by the call chain. Live unwinding (live_unwind.h) writes samples to
 * the perf.data in this form, which is much smaller.
 */
#ifndef CORE_RECORD_LIVE_LIVE_SAMPLE_H
#define CORE_RECORD_LIVE_LIVE_SAMPLE_H

#include "core/perfdata/sample.h"
#include "core/record/live/python_merge.h"
#include "core/unwind/chain_cuts.h"
#include "core/unwind/live_memory.h"

struct event;

struct live_event {
	bool unwinds;			/* stacks of its samples are unwound; otherwise samples are written unchanged */
	bool may_shed;			/* a copy of SHED_STACK bytes means that the stack was left out */
	uint32_t stack_size;		/* requested size of copies of stacks, unless the sample's id has another size */
	uint32_t lesser_stack;		/* a copy of this many bytes means that the stack was cut; 0: stacks are not cut */
	bool is_switch;			/* event_is_timed_switch() */
	unsigned max_frames;		/* maximum frames of user space */
	struct sample_layout recorded, written;
};

/*
 * Chooses which parts of @ev's samples are unwound. The attr and layout of @ev are changed to those of the written samples,
 * which keep the registers @user_regs.
 */
void live_event_plan(struct live_event *e, struct event *ev, bool unwinds, uint64_t user_regs);

/* The state of one worker thread. */
struct live_unwinder {
	struct live_memory memory;
	struct unwinder *unwinder;
	unsigned generation;		/* the generation of the unwind tables to which its caches refer */
	struct unwound chain;
	struct python_chain merged;
	struct chain_cuts cuts;
	bool may_be_shed;		/* as in the sample's struct live_job */
	bool takes_any;			/* chains are written even if a file could not be opened */
};
void live_unwinder_init(struct live_unwinder *u, struct unwind_tables *tables, struct jvm_table *java);
void live_unwinder_release(struct live_unwinder *u);
/* Clears caches that refer to dropped tables. Call it before samples are unwound. */
void live_unwinder_refresh(struct live_unwinder *u);

/* Appends the sample @record with only the valid part of its stack. Returns the size of the copy, by @record. */
uint64_t live_sample_keep(const struct live_event *e, const uint8_t *record, struct buf *out);

/*
 * Appends the sample @record in the form of the file. @record is from live_sample_keep(), and @stack_wanted bytes of its stack
 * were requested. The chain is unwound in the address space @space (NULL if the process is not known). If @u is NULL, the chain
 * is the kernel's chain, or the sample's address. @python has frames to merge into the chain, or is NULL. Returns false if a file
 * could not be opened because too many files are open: nothing is appended then, and the call may be repeated when files were
 * closed.
 */
bool live_sample_write(const struct live_event *e, struct live_unwinder *u, const struct live_space *space,
		       const uint8_t *record, uint64_t stack_wanted, const struct python_stack *python, struct buf *out);
/* Appends a sample that is not unwound, with the Python frames merged into its chain. */
void live_sample_merge(const struct live_event *e, const uint8_t *record, const struct python_stack *python, struct buf *out);

#endif
