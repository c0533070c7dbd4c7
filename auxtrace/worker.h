/*
 * Defines the data of a worker thread that decodes hardware trace: the traced thread, its address spaces and calls, and the
 * sample that is being filled in. The decoder of each trace device adds its own data.
 */
#ifndef AUXTRACE_WORKER_H
#define AUXTRACE_WORKER_H

#include "auxtrace/stage.h"
#include "core/read/item.h"
#include "core/perfdata/record.h"
#include "core/model/machine.h"

struct aux_spaces { uint32_t user, kernel; };	/* the machine's numbers of the address spaces of a task */

/* Each worker thread has its own. Times are in ns; 0 means unknown. */
struct aux_worker {			/* aux_worker_init(), aux_worker_release() */
	const struct aux_stage *stage;
	struct context_cache *context_cache;
	VEC(struct aux_spaces) spaces;	/* the address spaces, by the numbers that blocks of code have */
	/* State of the current piece. */
	const struct item_sink *sink;	/* gets the samples; NULL: they are not made */
	const struct aux_queue *queue;
	uint32_t cpu;			/* the queue's, unless the stage has a better source */
	uint64_t piece_time;		/* no sample is earlier */
	uint64_t record_time;		/* time of the AUX record at the current position, for lookups in the machine */
	uint64_t time, machine_time;	/* .time: at the current position, 0: unknown; .machine_time: for lookups in the machine */
	/* The current task. */
	struct cpu_task task;
	uint32_t named;			/* the thread that the trace named; AUX_NONE: none */
	const struct task_context *context;	/* NULL: must be looked up */
	uint64_t known_from, known_to;	/* .task and .context are valid for times in [from, to) */
	uint32_t space;
	/* The calls and branches up to here. */
	struct thread_stacks *stacks;		/* the piece's; NULL: not wanted. Borrowed */
	struct thread_stack *stack;		/* the stack of the thread that runs; NULL: the thread is not known */
	bool thread_stack_moved;		/* .stack has changed since .chain and .branch_entries were made */
	uint64_t *chain;		/* owned, as is .branch_entries; both have the requested size */
	struct branch_entry *branch_entries;
	size_t nr_chain, nr_branch_entries;
	struct record record;
	struct sample sample;
	struct item item;
};

void aux_worker_init(struct aux_worker *w, const struct aux_stage *s);
void aux_worker_release(struct aux_worker *w);

/* Begins at position @at of @q; no sample of it is earlier than @time. The task must still be found. */
void aux_worker_begin(struct aux_worker *w, const struct aux_queue *q, uint64_t at, uint64_t time,
		      const struct item_sink *sink);

/* Moves to position @at, and takes the time of its AUX record, for traces without times. */
void aux_worker_move(struct aux_worker *w, uint64_t at);

/* Sets the time to @ns, according to the trace. */
static inline void aux_set_time(struct aux_worker *w, uint64_t ns)
{
	w->time = w->stage->timeless || ns < w->piece_time ? w->piece_time : ns;
	w->machine_time = w->stage->timeless || !w->time ? w->record_time : w->time;
}

/* Finds the task. Call aux_update_task(), which calls this only if the task may have changed. */
void aux_find_task(struct aux_worker *w, uint32_t named, uint64_t at);

/*
 * Moves to @ns, position @at of the queue, and finds the task again if it may have changed. @named: the thread that the trace
 * names; AUX_NONE: none. Returns true if the task may have changed.
 */
static inline bool aux_update_task(struct aux_worker *w, uint64_t ns, uint32_t named, uint64_t at)
{
	aux_set_time(w, ns);
	if (w->context && named == w->named && w->machine_time >= w->known_from && w->machine_time < w->known_to)
		return false;
	aux_find_task(w, named, at);
	return true;
}

/* Converts the worker's number @space of an address space to the machine's number, for @ip. Returns false if it is unknown. */
bool aux_space_of(const struct aux_worker *w, uint32_t space, uint64_t ip, uint32_t *out);
/* A read_code_fn; @ctx is the aux_worker. */
size_t aux_read_code(void *ctx, uint32_t space, uint64_t ip, void *out, size_t n);

/* Returns PERF_RECORD_MISC_USER or _KERNEL, by the address. */
static inline uint16_t aux_cpumode(const struct aux_worker *w, uint64_t ip)
{
	return ip >= w->stage->kernel_start ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
}

/*
 * Begins a sample of @ev (NULL: none) at @ip, of the current task; @cpumode: PERF_RECORD_MISC_*. Its period is 1. Its addr,
 * flags, chain and branches are empty. Other members keep the values that the decoder has set before, or 0.
 */
void aux_start_sample(struct aux_worker *w, const struct event *ev, uint64_t ip, uint16_t cpumode);
/*
 * Adds the call chain and the last branches, if wanted, to the sample at @ip. If no branch is taken before the next sample of the
 * same thread, aux_move_sample() is sufficient, because only @ip differs.
 */
void aux_put_thread_stack(struct aux_worker *w, uint64_t ip);
static inline void aux_move_sample(struct aux_worker *w, uint64_t ip)
{
	w->sample.ip = ip;
	if (w->nr_chain)
		w->chain[1] = ip;
}

static inline void aux_give(const struct aux_worker *w)
{
	w->sink->item(w->sink, &w->item);
}

/* Gives the record of a decode error at @ip, whose sample was begun, with @unsure instructions before it that may be wrong. */
void aux_give_error(struct aux_worker *w, uint32_t code, const char *text, uint64_t ip, uint64_t unsure);

/* Updates the thread stack: the thread that runs took a branch. */
static inline void aux_follow(struct aux_worker *w, const struct thread_stack_branch *b)
{
	if (w->stack)
		thread_stack_on_branch(w->stack, b);
	w->thread_stack_moved = true;
}

#endif
