/*
 * Measures the CPU time that the kernel charged to the recorded tasks or CPUs, to compare it with the time of the samples. The
 * source is wait4(2) for a command, /proc/stat for whole CPUs, and otherwise the count of a clock event.
 */
#include "core/record/loop/cpu_accounting.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/record/open/event_set.h"
#include "core/record/loop/recorder_opts.h"
#include "core/record/live/stats.h"
#include "core/record/loop/workload.h"

#define TICK_NS		10000000u	/* a tick of /proc/stat: USER_HZ is 100 everywhere (proc(5)) */
#define SPLIT_DOUBT	3u

/* ---- the clock, and the source of the charged time ---- */

static bool is_partial(const struct event_attr *a)
{
	return a->exclude_user || a->exclude_kernel;	/* the clock counts only a part of the time */
}

/* Returns the first sampled clock, or NULL: not of a cgroup, and without a filter or BPF program that may drop samples. */
static const struct event *find_clock(const struct event_set *set)
{
	vec_for(e, &set->opened) {
		const struct event *event = set->table.events.v[e->event];

		if (!event_set_is_side_band(set, e->event) && event_is_clock(&event->attr) && event->attr.sample_period &&
		    !e->place.cgroup && !event_filters_samples(e->request) && !e->request->bpf)
			return event;
	}
	return NULL;
}

/* True if the events are enabled from the begin of the recording to its end. */
static bool covers_all(const struct recorder_opts *o)
{
	return schedule_at_once(&o->schedule) && !o->control;
}

static enum coverage_source source_of(const struct recorder_opts *o, const struct event_attr *a)
{
	if (o->output.rotate || a->write_backward)
		return COVERAGE_UNKNOWN;
	if (target_system_wide(&o->target))
		return covers_all(o) && !is_partial(a) ? COVERAGE_PROC_STAT : COVERAGE_UNKNOWN;
	if (target_is_workload(&o->target) && covers_all(o) && !o->target.no_inherit && !o->target.has_cpus)
		return COVERAGE_RUSAGE;
	/* The count of a clock does not distinguish user space and the kernel. */
	return is_partial(a) ? COVERAGE_UNKNOWN : COVERAGE_COUNTER;
}

void cpu_accounting_plan(struct cpu_accounting *c, const struct recorder_opts *o, const struct event_set *set,
			 const struct cpus *cpus)
{
	const struct event *clock = find_clock(set);

	*c = (struct cpu_accounting){ .cpus = cpus };
	if (!clock)
		return;
	c->event = clock->number;
	c->source = source_of(o, &clock->attr);
}

/* ---- CPUs ---- */

/* The sum of idle, iowait and steal in /proc/stat for the watched CPUs. */
static uint64_t idle_time(const struct cpus *cpus)
{
	struct buf text = {0};
	uint64_t ticks = 0;

	if (read_file("/proc/stat", &text))
		return 0;
	for (const char *line = buf_str(&text); line; line = strchr(line, '\n')) {
		uint64_t idle, iowait, steal;
		int cpu;

		line += *line == '\n';
		if (sscanf(line, "cpu%d %*u %*u %*u %" SCNu64 " %" SCNu64 " %*u %*u %" SCNu64, &cpu, &idle, &iowait, &steal) == 4 &&
		    cpus_has(cpus, cpu))
			ticks += idle + iowait + steal;
	}
	buf_release(&text);
	return ticks * TICK_NS;
}

void cpu_accounting_begin(struct cpu_accounting *c)
{
	if (c->source != COVERAGE_PROC_STAT)
		return;
	c->begun_ns = now_ns();
	c->idle_ns = idle_time(c->cpus);
}

void cpu_accounting_end(struct cpu_accounting *c)
{
	uint64_t idle;

	if (c->source != COVERAGE_PROC_STAT)
		return;
	c->all_ns = (now_ns() - c->begun_ns) * c->cpus->list.nr;
	idle = idle_time(c->cpus) - c->idle_ns;
	c->busy_ns = c->all_ns > idle ? c->all_ns - idle : 0;
}

/*
 * Returns how much of the time in which the clock was stopped a CPU was busy. A tick starts the clock again, and an idle CPU has no
 * ticks (CONFIG_NO_HZ_IDLE), so it is stopped until the CPU wakes up. The other time has samples, which say how much of that was
 * idle. All idle time beyond it was in the time without samples.
 */
static uint64_t busy_throttled(const struct cpu_accounting *c, const struct feature_coverage *f, uint64_t throttled)
{
	double share = f->samples ? (double)MIN(f->idle, f->samples) / (double)f->samples : 0;
	double sampled = (double)(c->all_ns - MIN(throttled, c->all_ns)) * share;
	double unsampled = MAX((double)(c->all_ns - c->busy_ns) - sampled, 0.0);

	return throttled - (uint64_t)MIN(unsampled, (double)throttled);
}

/* ---- the balance ---- */

static uint64_t period_ns(const struct event_attr *a)
{
	uint64_t ns = a->freq ? 1000000000 / MAX(a->sample_freq, 1) : a->sample_period;

	return MAX(ns, CLOCK_MIN_PERIOD_NS);
}

static uint64_t timeval_ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_usec * 1000;
}

/*
 * The kernel knows the sum of user and system time exactly, but estimates how it is split, from ticks of 100 to 1000 Hz
 * (cputime_adjust() in kernel/sched/cputime.c). @sampled comes from a finer clock. It is taken if it differs from the estimate
 * by at most SPLIT_DOUBT times the part that the event leaves out.
 */
static uint64_t of_command(const struct workload *w, const struct event_attr *a, uint64_t sampled)
{
	uint64_t user = timeval_ns(w->usage.ru_utime), kernel = timeval_ns(w->usage.ru_stime);
	uint64_t charged = (a->exclude_user ? 0 : user) + (a->exclude_kernel ? 0 : kernel);
	uint64_t doubt = SPLIT_DOUBT * (user + kernel - charged);

	return MIN(MAX(sampled, charged - MIN(charged, doubt)), charged + doubt);
}

/*
 * Sets the CPU time that was charged to the command. If the command was not waited for, or its children outlived it, this is the
 * count of the clock event. The event also counts time that a hypervisor stole, so a count that is slightly larger is no sign of
 * such children.
 */
static void add_command_time(struct feature_coverage *out, const struct workload *w, const struct event_attr *a, uint64_t count)
{
	uint64_t sampled = (out->samples + out->unwritten + out->lost) * out->period_ns + out->throttled_ns;
	uint64_t ns = w->ended ? of_command(w, a, sampled) : 0;
	bool counts_more = count > ns + ns / 2;

	if (is_partial(a) ? !w->ended : counts_more) {
		out->source = is_partial(a) ? COVERAGE_UNKNOWN : COVERAGE_COUNTER;
		ns = count;
	}
	out->charged_ns = ns;
}

void cpu_accounting_coverage(struct feature_coverage *out, const struct cpu_accounting *c, const struct event_set *set,
			     const struct stats *t, const struct workload *w)
{
	const struct event_attr *a = &set->table.events.v[c->event]->attr;
	uint64_t count = 0, taken = stats_clock_samples(t);

	*out = (struct feature_coverage){ .source = c->source, .event = c->event, .all_unwritten = t->unwritten };
	if (c->source == COVERAGE_UNKNOWN)
		return;
	vec_for(e, &set->opened) {
		count += e->event == c->event ? e->count : 0;
		out->lost += e->event == c->event ? e->lost : 0;
	}
	out->period_ns = period_ns(a);
	out->unwritten = t->unwritten ? (uint64_t)((double)taken * (double)t->unwritten / (double)(t->samples + t->unwritten)) : 0;
	out->samples = taken - out->unwritten;
	out->idle = t->clock_idle;
	out->throttled_ns = t->throttled_ns;
	out->counted_ns = is_partial(a) ? 0 : count;
	out->charged_ns = c->source == COVERAGE_PROC_STAT ? c->busy_ns : count;
	/* Without samples of the idle task, nothing says where the idle time was. */
	if (c->source == COVERAGE_PROC_STAT && !a->exclude_idle)
		out->throttled_ns = busy_throttled(c, out, t->throttled_ns);
	if (c->source == COVERAGE_RUSAGE)
		add_command_time(out, w, a, count);
}
