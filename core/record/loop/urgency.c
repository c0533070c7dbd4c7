/*
 * Raises the scheduling priority of the calling thread, so that it runs as soon as it is woken, and lowers the priority while
 * the thread runs for too long. Also measures how long the thread waits for a CPU.
 */
#include "core/record/loop/urgency.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/log.h"

#define PERIOD_NS	100000000u
#define MOST_NS		(PERIOD_NS / 2)	/* the thread may run this long at the priority in each period */
#define BEST_NICE	(-20)
#define READER_NICE	(-5)		/* three times the share of a CPU that other threads have */
#define NICE_OF_LIMIT	20		/* RLIMIT_NICE n allows nice values from 20 - n on (getrlimit(2)) */

#define RESET_ON_FORK	1		/* SCHED_FLAG_RESET_ON_FORK of linux/sched.h */
#define SHORT_SLICE_NS	100000		/* the shortest time slice (Documentation/scheduler/sched-eevdf.rst) */

struct sched_attributes {		/* the argument of sched_setattr(2), which libc does not declare */
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

/* Sets policy and priority, always with SCHED_RESET_ON_FORK, because the kernel lets only CAP_SYS_NICE clear this flag. */
static int set_priority(int priority)
{
	struct sched_param p = { .sched_priority = priority };

	return sched_setscheduler(0, (priority ? SCHED_FIFO : SCHED_OTHER) | SCHED_RESET_ON_FORK, &p);
}

static bool set_nice(int nice)
{
	return !setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), nice);
}

/* False: no better value than the thread has is allowed. */
static bool raise_nice(void)
{
	struct rlimit l = {0};
	int nice = BEST_NICE;

	if (!set_nice(nice)) {
		getrlimit(RLIMIT_NICE, &l);
		nice = NICE_OF_LIMIT - (int)MIN(l.rlim_cur, (rlim_t)(NICE_OF_LIMIT - BEST_NICE));
		if (nice >= 0 || !set_nice(nice)) {
			debug(1, "rings are emptied at ordinary priority ("
			      "better needs CAP_SYS_NICE, RLIMIT_RTPRIO or RLIMIT_NICE)");
			return false;
		}
	}
	debug(1, "rings are emptied at nice value %d", nice);
	return true;
}

void urgency_raise(struct urgency *u)
{
	/* A policy that the user has started prec with is kept. */
	if (sched_getscheduler(0) != SCHED_OTHER)
		return;
	if (set_priority(1)) {
		u->was_nice = getpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid));
		u->has_nice = raise_nice();
		return;
	}
	*u = (struct urgency){ .may = true, .has = true, .began_ns = now_ns(), .ran_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) };
	debug(1, "rings are emptied at real-time priority 1 (SCHED_FIFO), at most half of the time");
}

void urgency_raise_reader(void)
{
	struct sched_attributes a = { .size = sizeof(a) };

	if (syscall(SYS_sched_getattr, 0, &a, sizeof(a), 0) || a.policy != SCHED_OTHER || a.nice)
		return;
	a.flags |= RESET_ON_FORK;
	a.nice = READER_NICE;
	a.runtime = SHORT_SLICE_NS;
	if (!syscall(SYS_sched_setattr, 0, &a, 0))
		debug(1, "rings are read at nice value %d", READER_NICE);
}

void urgency_keep(struct urgency *u)
{
	uint64_t now, ran;

	if (!u->may)
		return;
	now = now_ns();
	ran = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	u->pressed = ran - u->ran_ns >= MOST_NS / 2;
	if (now - u->began_ns >= PERIOD_NS) {
		u->began_ns = now;
		u->ran_ns = ran;
		u->has = u->has || !set_priority(1);
	} else if (u->has && ran - u->ran_ns >= MOST_NS) {
		u->has = set_priority(0) != 0;
	}
}

void urgency_drop(struct urgency *u)
{
	if (u->has)
		u->has = set_priority(0) != 0;
	if (u->has_nice)
		u->has_nice = !set_nice(u->was_nice);
}

bool urgency_is_realtime(void)
{
	int policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;

	return policy == SCHED_FIFO || policy == SCHED_RR || policy == SCHED_DEADLINE;
}

static void request_short_slices(void)
{
	struct sched_attributes a = { .size = sizeof(a) };

	if (syscall(SYS_sched_getattr, 0, &a, sizeof(a), 0) || a.policy != SCHED_OTHER)
		return;
	a.runtime = SHORT_SLICE_NS;
	if (syscall(SYS_sched_setattr, 0, &a, 0))
		debug(1, "the kernel gives no short slices: %s", strerror(errno));
}

int realtime_request(uint64_t priority)
{
	struct sched_param p = { .sched_priority = (int)priority };

	if (!priority)
		request_short_slices();
	if (!priority || !sched_setscheduler(0, SCHED_FIFO, &p))
		return 0;
	return error("cannot take real-time priority %d: %s (SCHED_FIFO has 1 to 99, and needs CAP_SYS_NICE)",
		     p.sched_priority, strerror(errno));
}

/* Returns how long the thread was ready and had no CPU (Documentation/scheduler/sched-stats.rst); 0: not counted. */
static uint64_t waited_ns(int schedstat)
{
	char text[64], *end;
	ssize_t n = pread(schedstat, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return 0;
	text[n] = '\0';
	strtoull(text, &end, 10);
	return strtoull(end, NULL, 10);
}

void cpu_waits_begin(struct cpu_waits *w)
{
	*w = (struct cpu_waits){ .schedstat = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC) };
	w->all_ns = waited_ns(w->schedstat);
}

uint64_t cpu_waits_read(struct cpu_waits *w)
{
	uint64_t all = waited_ns(w->schedstat), ns = all - w->all_ns;

	w->all_ns = all;
	w->longest_ns = MAX(w->longest_ns, ns);
	return ns;
}

void cpu_waits_end(struct cpu_waits *w)
{
	if (w->schedstat >= 0)
		close(w->schedstat);
}
