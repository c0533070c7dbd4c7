/* Finds the reason of a wait, such as "page fault", from the names of the functions that were on the stack at the switch out. */
#ifndef CORE_SCHED_WAIT_REASON_H
#define CORE_SCHED_WAIT_REASON_H

#include <stdbool.h>
#include <stdint.h>

enum wait_reason {
	WAIT_FOR_UNKNOWN,
	WAIT_FOR_CPU,		/* the thread was preempted, or is new */
	WAIT_FOR_SLEEP, WAIT_FOR_FUTEX, WAIT_FOR_CONDITION, WAIT_FOR_PIPE, WAIT_FOR_SOCKET, WAIT_FOR_POLL, WAIT_FOR_EPOLL,
	WAIT_FOR_DISK, WAIT_FOR_PAGE_FAULT, WAIT_FOR_CHILD, WAIT_FOR_PTRACE, WAIT_FOR_STOP, WAIT_FOR_SIGNAL,
	WAIT_FOR_FILE_LOCK, WAIT_FOR_KERNEL_LOCK, WAIT_FOR_TERMINAL, WAIT_FOR_IO_URING, WAIT_FOR_MEMORY, WAIT_FOR_EVENT,
	WAIT_FOR_MESSAGE, WAIT_FOR_EXIT, WAIT_FOR_WORK, WAIT_FOR_RCU, WAIT_FOR_JOIN,
	NR_WAIT_REASONS,
};

/* True for reasons from the thread library's functions, which are more specific than WAIT_FOR_FUTEX, the kernel's reason. */
static inline bool wait_reason_is_of_threads(enum wait_reason r)
{
	return r == WAIT_FOR_CONDITION || r == WAIT_FOR_JOIN;
}

enum wait_frame_kind {
	WAIT_FRAME_OTHER,	/* has no reason */
	WAIT_FRAME_SCHEDULER,	/* gives up the CPU for its caller; its reason, if any, is a weak one */
	WAIT_FRAME_WEAK,	/* its reason counts if no other frame has one */
	WAIT_FRAME_STRONG,
};

struct wait_frame { uint8_t kind, reason; };	/* enum wait_frame_kind, enum wait_reason */

/* The kind and reason of a function, by its symbol, which may be NULL. */
struct wait_frame wait_frame_of(const char *symbol);
/* "page fault"; "" for WAIT_FOR_UNKNOWN. */
const char *wait_reason_name(enum wait_reason reason);

#endif
