/*
 * Finds the arguments of a system call, such as a futex's address, by the file position of the call's record. waits.c adds them
 * to the waits in the call. Also recognizes futex calls that wait for a held lock.
 * Layer: sched
 */
#include "core/sched/wait_args.h"

#include <stdlib.h>

/* Operations of futex(2), without their flags: include/uapi/linux/futex.h. */
#define FUTEX_COMMANDS	0x7fu
#define FUTEX_WAIT	0u
#define FUTEX_LOCK_PI	6u
#define FUTEX_BITSET	9u
#define FUTEX_LOCK_PI2	13u
#define LOCK_CONTENDED	2u	/* held, and others wait: mutexes of glibc, Rust, Go */

bool wait_args_are_held(uint32_t operation, uint32_t expected)
{
	switch (operation & FUTEX_COMMANDS) {
	case FUTEX_WAIT:
	case FUTEX_BITSET:
		return expected == LOCK_CONTENDED;
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		return true;
	}
	return false;
}

ORDER(compare_positions, struct wait_args, compare_numbers(a->position, b->position))

void wait_args_sort(struct wait_args_list *a)
{
	vec_sort(&a->list, compare_positions);
}

uint32_t wait_args_at(const struct wait_args_list *a, uint64_t position)
{
	size_t low = 0, high = a->list.nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (a->list.v[middle].position < position)
			low = middle + 1;
		else
			high = middle;
	}
	return low < a->list.nr && a->list.v[low].position == position ? (uint32_t)low : WAIT_NO_ARGS;
}
