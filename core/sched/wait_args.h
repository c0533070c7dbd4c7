/*
 * Stores the arguments of system calls that a thread may wait in, such as the address of a futex. The argument of the last call
 * before a wait identifies the object that the thread waited for.
 * Layer: sched
 */
#ifndef CORE_SCHED_WAIT_ARGS_H
#define CORE_SCHED_WAIT_ARGS_H

#include <stdint.h>

#include "core/base/vec.h"

#define WAIT_NO_ARGS	UINT32_MAX
#define WAIT_NO_NAME	UINT32_MAX

struct wait_args {		/* the argument of a system call that explains a wait */
	uint64_t position;	/* position of the call's record in the file */
	uint64_t value;		/* an address, a descriptor, a pid */
	uint32_t pid;		/* the process, in which the address or descriptor is valid */
	uint32_t name;		/* the name of a descriptor: index in features->descriptors, or WAIT_NO_NAME */
	uint8_t kind;		/* enum arch_call_kind */
	bool held;		/* the call waits for a futex that is a held lock: wait_args_are_held() */
};

struct wait_args_list { VEC(struct wait_args) list; };	/* by .position */

/* True if a futex @operation with value @expected waits for a lock that is held. */
bool wait_args_are_held(uint32_t operation, uint32_t expected);
/* Sorts the collected arguments. */
void wait_args_sort(struct wait_args_list *a);
/* The index of the call at @position, which must be in the list. */
uint32_t wait_args_at(const struct wait_args_list *a, uint64_t position);

#endif
