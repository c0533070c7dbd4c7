/*
 * Compares the samples of a clock event with the time that each thread ran according to its context switches (waits.c), and adds
 * a finding (core/ui/finding.h) if much time has no samples. wall.c calls it for each sample.
 */
#include "core/sched/unseen_runs.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/base/buf.h"
#include "core/base/cpus.h"
#include "core/ui/finding.h"
#include "core/perfdata/event_table.h"
#include "core/sched/waits.h"

#define LATE_NS		200000u		/* a clock may tick this late, because interrupts delay timers */
#define PERIOD_MAX_NS	10000000u	/* maximum period of a clock that is used */
#define TELL_SHARE	0.005		/* report a thread if this share of its time on the CPU is unseen */
#define TELL_NS		500000u		/* and at least this much time */

uint64_t unseen_runs_period(const struct event *on)
{
	const struct event_attr *a = on ? &on->attr : NULL;
	uint64_t period;

	if (!a || !attr_counts_time(a) || a->exclude_user || a->exclude_kernel)
		return 0;
	period = a->freq ? 1000000000 / MAX(a->sample_freq, 1) : a->sample_period;
	return period > PERIOD_MAX_NS ? 0 : period;
}

static uint64_t longest(uint64_t period)
{
	return period + MAX(period, LATE_NS);
}

/*
 * If two successive samples of a CPU both show the thread, and are at most longest() apart, the thread is seen between them. This
 * is two periods of the clock, or one period and 0.2 ms if that is longer. The rest of the thread's time, except its waits, is
 * unseen.
 */
void unseen_runs_add(struct unseen_runs *u, uint64_t period, uint32_t cpu, uint32_t task, uint64_t time)
{
	struct unseen_span *now;

	if (!period || cpu >= CPU_MAX)
		return;
	while (u->now.nr <= cpu)
		vec_push(&u->now, (struct unseen_span){ .task = WAIT_NO_TASK });
	now = &u->now.v[cpu];
	if (now->task == task && time >= now->to && time - now->to <= longest(period)) {
		now->to = time;
		return;
	}
	if (now->task != WAIT_NO_TASK)
		vec_push(&u->list, *now);
	*now = (struct unseen_span){ .from = time, .to = time, .task = task };
}

void unseen_runs_merge(struct unseen_runs *u, struct unseen_runs *other)
{
	vec_for(now, &other->now)
		if (now->task != WAIT_NO_TASK)
			vec_push(&other->list, *now);
	vec_append(&u->list, &other->list);
	unseen_runs_release(other);
}

ORDER(compare, struct unseen_span, compare_numbers(a->task, b->task) ?: compare_numbers(a->from, b->from))

void unseen_runs_finish(struct unseen_runs *u, const struct waits *w)
{
	if (!u->list.nr)
		return;
	vec_for(wait, &w->list)
		vec_push(&u->list, (struct unseen_span){ .from = wait->from, .to = wait->to, .task = wait->task, .off = true });
	vec_sort(&u->list, compare);
}

/* The unseen time of one task, whose spans begin at *at. One missing tick is not counted, because a clock may tick late. */
static uint64_t unseen_of_task(const struct unseen_runs *u, size_t *at, uint64_t period, const struct waits *w)
{
	uint32_t task = u->list.v[*at].task;
	uint64_t seen = w->tasks.v[task].first, sum = 0;
	bool known = true;	/* whether it was on a CPU before this span is known */

	for (; *at < u->list.nr && u->list.v[*at].task == task; ++*at) {
		const struct unseen_span *s = &u->list.v[*at];

		if (known && s->from > seen && s->from - seen > longest(period))
			add_saturated(&sum, s->from - seen - period);
		known = s->to >= s->from;	/* the length of other waits is unknown */
		seen = MAX(seen, known ? s->to : s->from);
	}
	if (known && w->tasks.v[task].last > seen && w->tasks.v[task].last - seen > longest(period))
		add_saturated(&sum, w->tasks.v[task].last - seen - period);
	return sum;
}

static double share_of(uint64_t part, uint64_t all)
{
	return all ? MIN((double)part / (double)all, 1.0) : 1.0;
}

void unseen_runs_findings(const struct unseen_runs *u, uint64_t period, const struct waits *w, struct findings *out)
{
	uint64_t nr = 0, sum = 0, most = 0, on = 0;
	const struct wait_task *first = NULL;
	struct buf where = {0};

	if (w->sums.nr)		/* the times of these waits are not known */
		return;
	vec_for(t, &w->tasks)
		add_saturated(&on, t->on);
	for (size_t at = 0; at < u->list.nr;) {
		const struct wait_task *t = &w->tasks.v[u->list.v[at].task];
		uint64_t unseen = unseen_of_task(u, &at, period, w);

		if (unseen < TELL_NS || share_of(unseen, t->on) < TELL_SHARE)
			continue;
		nr++;
		add_saturated(&sum, unseen);
		first = unseen > most ? t : first;
		most = MAX(most, unseen);
	}
	if (!first)
		return;
	buf_printf(&where, "%.1f ms, of thread %" PRIu32 " %.1f ms (%.1f %% of its time there)", (double)sum / 1e6, first->tid,
		   (double)most / 1e6, 100 * share_of(most, first->on));
	findings_add_share(out, FINDING_RUNNING_UNSEEN, nr, 0, buf_str(&where), share_of(sum, on));
	buf_release(&where);
}

void unseen_runs_release(struct unseen_runs *u)
{
	vec_free(&u->list);
	vec_free(&u->now);
}
