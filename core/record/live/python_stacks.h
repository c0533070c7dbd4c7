/*
 * Keeps the Python frames that the BPF program python.bpf.c sent, until the sample that they belong to is read. The frames come
 * from the memory of other processes, so their contents are not trusted.
 */
#ifndef CORE_RECORD_LIVE_PYTHON_STACKS_H
#define CORE_RECORD_LIVE_PYTHON_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/hash.h"
#include "core/base/vec.h"
#include "core/record/bpf/python_records.h"
#include "core/record/live/python_code.h"

#define PYTHON_FRAME_ENTRY	(1ull << 63)	/* flag in an address: a call of the interpreter's loop begins with this frame */

/* A stack of .nr frames, the first of which is number .at of the generation's frames. */
struct python_kept { uint64_t time; uint32_t tid, pid, flags; size_t at, nr; };

struct python_switches { uint32_t tid; VEC(uint32_t) stacks; };	/* the stacks at a thread's context switches: their numbers, in
								 * order of time */

struct python_generation {
	VEC(struct python_kept) stacks;
	VEC(struct python_frame) frames;
	struct index by_sample;
	VEC(struct python_switches) switches;
	struct index by_thread;
};

struct python_call { uint64_t place; size_t from, nr; };	/* a call of the interpreter's loop: .place is its address on the C
								 * stack; its frames are .nr from .from on */

struct python_stacks {			/* = {0} */
	struct python_codes codes;
	struct python_generation now, before;
	VEC(uint64_t) found;		/* result of the last python_stacks_find(): addresses, the innermost first, with
					 * PYTHON_FRAME_ENTRY */
	VEC(struct python_call) calls;	/* calls of the loop in the stack at hand, if the thread runs several interpreters */
	uint64_t nr_found, nr_unknown;	/* .nr_found: samples whose frames were found; .nr_unknown: samples with frames that are not
					 * known */
};

void python_stacks_release(struct python_stacks *p);
/* Keeps a record of @size bytes that the program sent. A damaged record is left out. */
void python_stacks_add(struct python_stacks *p, const void *data, size_t size);
/* Sets .found to the frames of the sample that python_find() asks for, and *pid. False: no frames, or unknown ones. */
bool python_stacks_find(struct python_stacks *p, uint32_t tid, uint64_t time, bool at_switch, uint32_t *pid);

#endif
