/*
 * Chooses the events for --off-cpu, which show when and why threads are off the CPU. It tries which of them can be opened.
 * cmd/record.c calls it. core/sched/waits.c computes the waits.
 */
#include "core/record/open/off_cpu.h"

#include <sys/stat.h>
#include <unistd.h>

#include "core/arch.h"
#include "core/base/buf.h"
#include "core/base/cpus.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/base/util.h"
#include "core/record/events/event_parse.h"
#include "core/record/events/event_request.h"
#include "core/record/open/event_open.h"
#include "core/record/events/permissions.h"
#include "core/record/open/sampling.h"
#include "core/record/open/target.h"
#include "core/native.h"

#define NAME_SWITCH	"sched:sched_switch"
#define NAME_WAKE	"sched:sched_waking,sched:sched_wakeup_new"
#define NAME_CALL	"raw_syscalls:sys_enter"
#define NAME_SOFTWARE	"context-switches"

#define PID_MAX		"/proc/sys/kernel/pid_max"
#define PID_NS	"/proc/self/ns/pid"
#define PID_NS_INIT_INO	0xeffffffcu	/* PROC_PID_INIT_INO of include/linux/proc_ns.h */
#define LISTED_MAX	64u		/* threads that a filter lists; for more threads it has the range of their numbers */

/* True if the event can be opened with call chains for this process, or, if @cpu is not -1, for all tasks on @cpu. */
static bool can_open(const struct event_request *r, int cpu)
{
	struct event_attr a = r->attr;
	int fd;

	a.size = ATTR_SIZE_VER0;
	a.disabled = 1;
	a.sample_period = 1;
	a.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN;
	if (event_is_tracepoint(&a))
		a.sample_type |= PERF_SAMPLE_RAW;
	fd = event_open(&a, cpu < 0 ? 0 : -1, cpu, -1);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Samples each hit, with call chain @chain, without branches and not only user space, independent of options for other events. */
static void want_each(struct event_request *r, enum chain_mode chain)
{
	r->excludes = true;
	r->terms.given |= TERM_PERIOD | TERM_CHAIN | TERM_BRANCHES;
	r->terms.period = 1;
	r->terms.chain = chain;
	r->terms.branches = 0;
}

/* Appends the events of @names if all can be opened. Otherwise appends none, and returns false. */
static bool add_events(struct event_requests *events, const char *names, enum chain_mode chain, int cpu)
{
	size_t before = events->list.nr, last = events->last;
	struct event_error err;
	bool all = !event_parse(events, names, &err);

	for (size_t i = before; all && i < events->list.nr; i++) {
		want_each(&events->list.v[i], chain);
		all = can_open(&events->list.v[i], cpu);
	}
	if (!all)
		event_requests_cut(events, before);
	events->last = last;
	return all;
}

static int first_cpu(void)
{
	struct cpus online;
	int cpu;

	if (cpus_online(&online))
		return 0;
	cpu = online.list.nr ? online.list.v[0] : 0;
	cpus_release(&online);
	return cpu;
}

/* ---- filters for the recorded threads in all hits ---- */

/*
 * Appends a condition for threads that will be created. Their numbers are above prec's own, up to the kernel's greatest, and then
 * begin again with small ones. The condition takes the half of all numbers that begins with prec's own. New threads that are not
 * recorded may pass it, too.
 */
static void put_new_threads(struct buf *out, const char *field)
{
	long long first = getpid(), max, end;

	if (read_int_of(PID_MAX, &max) || max <= first)
		max = 1 << 22;
	end = first + max / 2;
	if (end <= max)
		buf_printf(out, "(%s>=%lld&&%s<%lld)", field, first, field, end);
	else
		buf_printf(out, "(%s>=%lld||%s<%lld)", field, first, field, end - max);
}

/* True if prec runs in the initial pid namespace. The fields of tracepoints have the numbers of that namespace. */
static bool in_init_pid_ns(void)
{
	struct stat st;

	return !stat(PID_NS, &st) && st.st_ino == PID_NS_INIT_INO;
}

static void put_threads(struct buf *out, const char *field, const struct pid_list *threads)
{
	pid_t least = threads->list.nr ? threads->list.v[0] : 0, most = least;

	vec_for(tid, &threads->list) {
		least = MIN(least, *tid);
		most = MAX(most, *tid);
		if (threads->list.nr <= LISTED_MAX)
			buf_printf(out, "||%s==%d", field, (int)*tid);
	}
	if (threads->list.nr > LISTED_MAX)
		buf_printf(out, "||(%s>=%d&&%s<=%d)", field, (int)least, field, (int)most);
}

/* Returns a filter, owned by the caller, that drops most hits whose @field is not a recorded thread; NULL: not possible. */
static char *filter_of(const struct target *t, const char *field)
{
	struct pid_list threads = {0};
	struct buf out = {0};
	char *filter;

	if (target_system_wide(t) || !in_init_pid_ns())
		return NULL;
	target_processes_threads(&threads, t);
	vec_append(&threads.list, &t->tids.list);
	put_new_threads(&out, field);
	put_threads(&out, field, &threads);
	filter = xstrdup(buf_str(&out));
	buf_release(&out);
	vec_free(&threads.list);
	return filter;
}

static void add_on_all_cpus(struct event_requests *events, size_t from, const struct target *t, const char *field)
{
	for (size_t i = from; i < events->list.nr; i++) {
		events->list.v[i].on_all_cpus = true;
		events->list.v[i].filter = filter_of(t, field);
	}
}

/*
 * A thread's own records show a switch to it only after its events are enabled, on a busy machine microseconds later. So
 * sched_switch is also recorded in the thread that leaves the CPU to a recorded one (next_pid), which is earlier.
 */
static void add_switch_ins(struct event_requests *events, const struct target *t)
{
	size_t before = events->list.nr;

	if (!target_system_wide(t) && in_init_pid_ns() && add_events(events, NAME_SWITCH, CHAIN_NONE, first_cpu()))
		add_on_all_cpus(events, before, t, "next_pid");
}

/*
 * Any thread may wake a recorded one, and the tracepoint is hit in the waker. So it is opened on all CPUs if permitted. The
 * kernel part of the waker's call chain is left out: it is of little use, and unwinding it takes as long as the rest of recording
 * the wake-up.
 */
static void add_wakes(struct event_requests *events, const struct target *t)
{
	size_t before = events->list.nr;
	bool on_all_cpus = add_events(events, NAME_WAKE, CHAIN_FP, first_cpu());

	if (!on_all_cpus && !add_events(events, NAME_WAKE, CHAIN_FP, -1)) {
		info("off-CPU time: context switches with call chains, no wake-ups: who woke a thread is not known");
		return;
	}
	for (size_t i = before; i < events->list.nr; i++)
		events->list.v[i].attr.exclude_callchain_kernel = 1;
	if (on_all_cpus)
		add_on_all_cpus(events, before, t, "pid");
	info("off-CPU time: context switches and wake-ups with call chains%s",
	     on_all_cpus ? "" : ", of wakers only those that are recorded themselves");
}

/* Appends a condition for the system calls that may wait, by their numbers on this machine's architecture. */
static void put_calls(struct buf *out)
{
	const struct arch *arch = native.arch;

	for (unsigned i = 0; arch && i < arch->nr_calls; i++)
		buf_printf(out, "%sid==%u", i ? "||" : "", arch->calls[i].number);
}

/* Records the arguments of system calls that may wait. Maps of data are recorded, too, because arguments are addresses of data. */
static void add_args(struct event_requests *events, struct sampling_opts *o)
{
	struct buf filter = {0};

	put_calls(&filter);
	if (filter.len && add_events(events, NAME_CALL, CHAIN_NONE, -1)) {
		events->list.v[events->list.nr - 1].filter = xstrdup(buf_str(&filter));
		o->data_maps = true;
	} else {
		info("--off-cpu-args: what waits are for is not known: system calls %s",
		     filter.len ? "may not be recorded" : "of this architecture are not known");
	}
	buf_release(&filter);
}

static void warn_less(enum off_cpu_access access)
{
	struct permission_facts facts;
	struct buf knob = {0};

	permission_facts_read(&facts);
	if (!facts.perfmon && facts.has_paranoid)
		buf_printf(&knob, " (kernel.perf_event_paranoid is %lld)", facts.paranoid);
	if (access == OFF_CPU_EVENT)
		info("off-CPU time: context switches with call chains; not who woke a thread, nor how long it waited for a CPU: "
		     "tracepoints may not be recorded%s", buf_str(&knob));
	else
		info("off-CPU time: context switches without call chains: stacks are those of the last sample before, "
		     "the kernel may not be watched%s", buf_str(&knob));
	buf_release(&knob);
}

/*
 * Takes the first of three ways whose events can be opened. The right column has what a way needs:
 *
 *	sched:sched_switch with call chains, wake-ups	tracefs readable; kernel.perf_event_paranoid -1, CAP_PERFMON or root
 *	context-switches with call chains		kernel.perf_event_paranoid 1 or less: its samples are taken in the kernel
 *	SWITCH records alone				nothing
 *
 * SWITCH records are recorded in all three ways, because the events of a recorded thread are hit when that thread leaves the CPU,
 * but not when it comes back.
 */
enum off_cpu_access off_cpu_plan(struct event_requests *events, struct sampling_opts *o, const struct target *t, bool args)
{
	enum chain_mode chain = o->chain == CHAIN_DWARF || o->chain == CHAIN_AUTO ? o->chain : CHAIN_FP;

	o->switches = true;
	o->cpu = true;
	if (add_events(events, NAME_SWITCH, chain, -1)) {
		add_switch_ins(events, t);
		add_wakes(events, t);
		if (args)
			add_args(events, o);
		return OFF_CPU_TRACEPOINTS;
	}
	if (args)
		info("--off-cpu-args: what waits are for is not known: tracepoints may not be recorded");
	if (add_events(events, NAME_SOFTWARE, chain, -1)) {
		warn_less(OFF_CPU_EVENT);
		return OFF_CPU_EVENT;
	}
	warn_less(OFF_CPU_RECORDS);
	return OFF_CPU_RECORDS;
}
