/* A thread that never rests runs at most half of the time at its real-time priority, and has it again later. */
#include "core/record/loop/urgency.h"

#include <sched.h>
#include <stdio.h>

#include "core/base/clock.h"

#define SPIN_NS	300000000u	/* of CPU time */
#define SLACK_NS 60000000u	/* the tenth of a second at either end */

int main(void)
{
	struct urgency u = {0};
	uint64_t began = now_ns(), ran = clock_ns(CLOCK_THREAD_CPUTIME_ID), last = ran, urgent = 0, wall;
	unsigned taken = 0;

	urgency_raise(&u);
	if (!u.has) {
		puts("no real-time priority can be taken");
		return 77;
	}
	while (last - ran < SPIN_NS) {
		bool had = (sched_getscheduler(0) & ~SCHED_RESET_ON_FORK) == SCHED_FIFO;
		uint64_t now;

		urgency_keep(&u);
		taken += !had && u.has;
		now = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		urgent += had ? now - last : 0;
		last = now;
	}
	wall = now_ns() - began;
	printf("%llu of %llu ms at real-time priority, taken again %u times\n", (unsigned long long)urgent / 1000000,
	       (unsigned long long)wall / 1000000, taken);
	if (urgent <= wall / 2 + SLACK_NS && taken)
		return 0;
	puts("failed: see above");
	return 1;
}
