/* Finds the reason of a wait by the functions on the stack at the switch out. Layer: sched */
#ifndef CORE_SCHED_WAIT_REASON_H
#define CORE_SCHED_WAIT_REASON_H

#include <stdbool.h>
#include <stdint.h>

enum wait_reason {
	WAIT_FOR_UNKNOWN,
	WAIT_FOR_CPU,		/* it was preempted, or is new */
	WAIT_FOR_SLEEP, WAIT_FOR_FUTEX, WAIT_FOR_CONDITION, WAIT_FOR_PIPE, WAIT_FOR_SOCKET, WAIT_FOR_POLL, WAIT_FOR_EPOLL,
	WAIT_FOR_DISK, WAIT_FOR_PAGE_FAULT, WAIT_FOR_CHILD, WAIT_FOR_PTRACE, WAIT_FOR_STOP, WAIT_FOR_SIGNAL,
	WAIT_FOR_FILE_LOCK, WAIT_FOR_KERNEL_LOCK, WAIT_FOR_TERMINAL, WAIT_FOR_IO_URING, WAIT_FOR_MEMORY, WAIT_FOR_EVENT,
	WAIT_FOR_MESSAGE, WAIT_FOR_EXIT, WAIT_FOR_WORK, WAIT_FOR_RCU, WAIT_FOR_JOIN,
	NR_WAIT_REASONS,
};

/* A wait for it is one for a futex, too: the reason by the thread library says more. */
static inline bool wait_reason_is_of_threads(enum wait_reason r)
{
	return r == WAIT_FOR_CONDITION || r == WAIT_FOR_JOIN;
}

enum wait_frame_kind {
	WAIT_FRAME_OTHER,	/* says nothing */
	WAIT_FRAME_SCHEDULER,	/* leaves the CPU for its caller; says something, if at all, as a weak one does */
	WAIT_FRAME_WEAK,	/* says something where no other frame does */
	WAIT_FRAME_STRONG,
};

struct wait_frame { uint8_t kind, reason; };	/* enum wait_frame_kind, enum wait_reason */

/* The meaning of a function, by its symbol; NULL: it has none. */
struct wait_frame wait_frame_of(const char *symbol);
/* "page fault"; "" for WAIT_FOR_UNKNOWN. */
const char *wait_reason_name(enum wait_reason reason);

#endif
