/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * A PMU without hardware: registers itself under the name of a trace unit and fills AUX areas from a timer, so that a
 * recorder can be tested where no processor traces. Where it matters to a recorder it does what the drivers of the
 * real units do (Linux 6.1: arch/x86/events/intel/pt.c, drivers/perf/arm_spe_pmu.c, drivers/hwtracing/coresight):
 * it ends a record at the watermark and when the event stops, truncates when the area is full and then waits to be
 * enabled again, and leaves in the handle, in snapshot mode, the kind of head that the unit has.
 *
 * What it writes describes itself (pmu.h), so a gap, a repeat or a mix-up shows from the bytes alone. What it did is
 * told by /sys/kernel/debug/prec_pmu/streams, a line an area, and the address filters it was given by `filters`.
 */
#include "pmu.h"

#include <linux/debugfs.h>
#include <linux/hrtimer.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/seq_file.h>

MODULE_LICENSE("Dual MIT/GPL");
MODULE_DESCRIPTION("test PMU that fills AUX areas");

static char *name = "intel_pt";
module_param(name, charp, 0444);
MODULE_PARM_DESC(name, "of the PMU: intel_pt, intel_bts, cs_etm, arm_spe_0");

static bool split;
module_param(split, bool, 0444);
MODULE_PARM_DESC(split, "CPU 0 has the PMU, all others have one whose name ends with 1");

static unsigned int chunk = 4096;
module_param(chunk, uint, 0644);
MODULE_PARM_DESC(chunk, "bytes written at each tick, and when an event stops");

static unsigned int tick_us = 1000;
module_param(tick_us, uint, 0644);

static unsigned long long limit;
module_param(limit, ullong, 0644);
MODULE_PARM_DESC(limit, "bytes of a stream in all; 0: no end");

static unsigned int paced;
module_param(paced, uint, 0644);
MODULE_PARM_DESC(paced, "1: write only what the reader has made room for, nothing is truncated; 2: after each record wait for it");

static unsigned int skip;
module_param(skip, uint, 0644);
MODULE_PARM_DESC(skip, "bytes left out between records, as SPE does to keep them aligned");

static unsigned long long flags;
module_param(flags, ullong, 0644);
MODULE_PARM_DESC(flags, "of PERF_AUX_FLAG_*, set in AUX records that have bytes: 4 partial, 8 collision");

static unsigned int flag_every = 1;
module_param(flag_every, uint, 0644);
MODULE_PARM_DESC(flag_every, "of so many records one has the flags");

static int head = -1;
module_param(head, int, 0644);
MODULE_PARM_DESC(head, "in snapshot mode: 0 as Intel PT, 1 as SPE, 2 as CoreSight; -1: by the PMU's name");

/* A CPU's state for its event. */
struct context {
	struct perf_output_handle handle;
	struct hrtimer timer;
	struct perf_event *event;	/* added */
	struct area *area;		/* NULL: no record is begun */
	u64 filled;			/* bytes of this record */
};

static DEFINE_PER_CPU(struct context, contexts);
static const struct kind *kind;
static struct pmu pmus[2];	/* the second: if split */
static char other_name[32];

/* Address filters. */

#define MAX_FILTERS 8

static struct {
	unsigned int action;
	unsigned long from, size;
} filters[MAX_FILTERS];
static unsigned int nr_filters;

static int validate_filters(struct list_head *list)
{
	struct perf_addr_filter *f;
	unsigned int n = 0;

	list_for_each_entry(f, list, entry)
		if (++n > kind->nr_filters)
			return -EOPNOTSUPP;
	return 0;
}

/* The kernel calls this also before any file is mapped, with no ranges: the last ones that had some are kept. */
static void sync_filters(struct perf_event *event)
{
	struct perf_addr_filter *f;
	unsigned int n = 0;

	list_for_each_entry(f, &event->addr_filters.list, entry) {
		if (n == MAX_FILTERS || (f->path.dentry && !event->addr_filter_ranges[n].start))
			return;
		filters[n].action = f->action;
		filters[n].from = event->addr_filter_ranges[n].start;
		filters[n].size = event->addr_filter_ranges[n].size;
		n++;
	}
	if (n)
		nr_filters = n;
}

static int filters_show(struct seq_file *s, void *unused)
{
	static const char *const actions[] = { "stop", "start", "filter" };
	unsigned int i;

	for (i = 0; i < nr_filters; i++)
		seq_printf(s, "%s 0x%lx/0x%lx\n", actions[filters[i].action % 3], filters[i].from, filters[i].size);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(filters);

/* Records. */

/* The kernel's view of the room: it leaves a byte free (perf_aux_output_begin(), Linux 6.1). */
static void look_at_tail(struct context *c)
{
	struct stream *s = c->area->stream;
	u64 tail = c->handle.head + 1 + c->handle.size - c->area->size;

	s->taken += tail != s->tail;
	s->tail = tail;
}

static bool begin_record(struct context *c, struct perf_event *event)
{
	struct area *a = perf_aux_output_begin(&c->handle, event);

	c->area = a;
	c->filled = 0;
	if (!a)
		return false;
	if (a->snapshot)
		return true;
	a->pos = c->handle.head;
	look_at_tail(c);
	if (skip && a->stream->records && c->handle.size > skip && area_left(a, limit)) {
		area_zero(a, skip);
		perf_aux_output_skip(&c->handle, skip);
	}
	return true;
}

/* Snapshot mode: leave the head as the kind does. Returns the size that the record has. */
static u64 leave_head(struct context *c)
{
	enum head how = head < 0 ? kind->head : head;
	struct area *a = c->area;

	c->handle.head = how == HEAD_FREE ? a->pos : a->pos & (a->size - 1);
	return how == HEAD_OFFSET_WHOLE ? a->size : min(c->filled, a->size);
}

static void end_record(struct context *c, u64 with)
{
	struct stream *s = c->area->stream;
	u64 size = c->area->snapshot ? leave_head(c) : c->filled;

	if (size && flags && flag_every && s->records % flag_every == 0)
		with |= flags;
	s->records += size || with;
	s->truncated += !!(with & PERF_AUX_FLAG_TRUNCATED);
	if (with)
		perf_aux_output_flag(&c->handle, with);
	c->area = NULL;
	perf_aux_output_end(&c->handle, size);
}

static void put(struct context *c, u64 n)
{
	area_put(c->area, n);
	c->filled += n;
}

static bool renew_record(struct context *c)
{
	struct stream *s = c->area->stream;

	end_record(c, 0);
	if (begin_record(c, c->event))
		return true;
	s->no_room++;
	return false;
}

/*
 * Full mode: write, and end the record at the watermark or where the area is full. Paced, a byte is always left free:
 * with none the kernel would not begin another record, and disable the event. False: there is no record any more.
 */
static bool fill(struct context *c, u64 want)
{
	u64 used = c->filled + !!paced, room = c->handle.size > used ? c->handle.size - used : 0;

	if (paced)
		room &= ~7ull;	/* a record that is full does not cut a word, if chunks do not */
	if (paced == 2 && !c->filled && c->handle.size + 1 < c->area->size)
		return renew_record(c);
	put(c, min(want, room));
	if (want > room && !paced) {
		end_record(c, PERF_AUX_FLAG_TRUNCATED);
		return false;
	}
	if (want > room || c->handle.head + c->filled >= c->handle.wakeup)
		return renew_record(c);
	return true;
}

static bool work(struct context *c)
{
	u64 want = min_t(u64, chunk, area_left(c->area, limit));

	if (!c->area->snapshot)
		return fill(c, want);
	put(c, want);
	return true;
}

static ktime_t period(void)
{
	return ns_to_ktime((u64)max(tick_us, 50u) * NSEC_PER_USEC);
}

static enum hrtimer_restart tick(struct hrtimer *timer)
{
	struct context *c = container_of(timer, struct context, timer);

	if (!c->area)
		return HRTIMER_NORESTART;
	if (!work(c)) {
		c->event->hw.state = PERF_HES_STOPPED;
		return HRTIMER_NORESTART;
	}
	hrtimer_forward_now(timer, period());
	return HRTIMER_RESTART;
}

/* The PMU. */

static void pmu_start(struct perf_event *event, int how)
{
	struct context *c = this_cpu_ptr(&contexts);

	perf_event_addr_filters_sync(event);
	if (!begin_record(c, event)) {
		event->hw.state = PERF_HES_STOPPED;
		return;
	}
	event->hw.state = 0;
	/* One ITRACE_START for an event, not one for each time it is scheduled in. */
	event->attach_state |= PERF_ATTACH_ITRACE;
	c->area->stream->starts++;
	hrtimer_start(&c->timer, period(), HRTIMER_MODE_REL_PINNED_HARD);
}

static void pmu_stop(struct perf_event *event, int how)
{
	struct context *c = this_cpu_ptr(&contexts);

	event->hw.state = PERF_HES_STOPPED;
	if (c->event != event || !c->area)
		return;
	hrtimer_try_to_cancel(&c->timer);
	if (work(c))
		end_record(c, 0);
}

static int pmu_add(struct perf_event *event, int how)
{
	struct context *c = this_cpu_ptr(&contexts);

	if (c->event)
		return -EBUSY;
	c->event = event;
	event->hw.state = PERF_HES_STOPPED;
	if (!(how & PERF_EF_START))
		return 0;
	pmu_start(event, 0);
	if (!(event->hw.state & PERF_HES_STOPPED))
		return 0;
	c->event = NULL;
	return -EINVAL;
}

static void pmu_del(struct perf_event *event, int how)
{
	struct context *c = this_cpu_ptr(&contexts);

	pmu_stop(event, PERF_EF_UPDATE);
	if (c->event == event)
		c->event = NULL;
}

static void pmu_read(struct perf_event *event)
{
}

static int pmu_event_init(struct perf_event *event)
{
	const struct pmu *mine = event->attr.type == pmus[0].type ? &pmus[0] : &pmus[1];

	if (event->attr.type != mine->type || !mine->name)
		return -ENOENT;
	return event->cpu < 0 || cpumask_test_cpu(event->cpu, cpus_of(mine->dev)) ? 0 : -ENOENT;
}

const struct cpumask *cpus_of(struct device *dev)
{
	static struct cpumask others;

	if (!split)
		return cpu_online_mask;
	if (dev == pmus[0].dev)
		return cpumask_of(0);
	cpumask_andnot(&others, cpu_online_mask, cpumask_of(0));
	return &others;
}

static void *pmu_setup_aux(struct perf_event *event, void **pages, int nr_pages, bool snapshot)
{
	return area_new(pages, nr_pages, snapshot, event->cpu);
}

static void pmu_free_aux(void *area)
{
	area_free(area);
}

/* The newest trace as part of a sample (attr.aux_sample_size). */

typedef long copy_aux_fn(struct perf_output_handle *from_aux, struct perf_output_handle *to, unsigned long from,
			 unsigned long end);

static copy_aux_fn *copy_aux;

/* The kernel does not export this function of built-in drivers; a probe finds its address. */
static void find_copy_aux(void)
{
	struct kprobe probe = { .symbol_name = "perf_output_copy_aux" };

	if (register_kprobe(&probe))
		return;
	copy_aux = (copy_aux_fn *)probe.addr;
	unregister_kprobe(&probe);
}

/* Interrupts are off. As with Intel PT, an area that has not wrapped gives the zeros at its end, too. */
static long pmu_snapshot_aux(struct perf_event *event, struct perf_output_handle *out, unsigned long size)
{
	struct context *c = this_cpu_ptr(&contexts);
	u64 end;

	if (!copy_aux || c->event != event || !c->area || !c->area->snapshot)
		return 0;
	end = c->area->pos & (c->area->size - 1);
	return copy_aux(&c->handle, out, (end - size) & (c->area->size - 1), end);
}

/* The module. */

static struct dentry *debug_dir;

static void init_contexts(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct context *c = per_cpu_ptr(&contexts, cpu);

		hrtimer_init(&c->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
		c->timer.function = tick;
	}
}

static void remove_pmu(struct pmu *pmu)
{
	if (kind->remove_files)
		kind->remove_files();
	perf_pmu_unregister(pmu);
	pmu->name = NULL;
}

static int add_pmu(struct pmu *pmu, const char *called)
{
	int err;

	*pmu = (struct pmu){
		.module = THIS_MODULE,
		.capabilities = PERF_PMU_CAP_EXCLUSIVE | PERF_PMU_CAP_ITRACE,
		.task_ctx_nr = perf_sw_context,
		.attr_groups = kind->groups,
		.nr_addr_filters = kind->nr_filters,
		.addr_filters_validate = kind->nr_filters ? validate_filters : NULL,
		.addr_filters_sync = kind->nr_filters ? sync_filters : NULL,
		.event_init = pmu_event_init,
		.add = pmu_add,
		.del = pmu_del,
		.start = pmu_start,
		.stop = pmu_stop,
		.read = pmu_read,
		.setup_aux = pmu_setup_aux,
		.free_aux = pmu_free_aux,
		.snapshot_aux = pmu_snapshot_aux,
	};
	err = perf_pmu_register(pmu, called, -1);
	if (err) {
		pmu->name = NULL;
		return err;
	}
	err = kind->add_files ? kind->add_files(pmu->dev) : 0;
	if (err)
		remove_pmu(pmu);
	return err;
}

static int __init prec_pmu_init(void)
{
	int err;

	kind = kind_of(name);
	if (!kind)
		return -EINVAL;
	init_contexts();
	find_copy_aux();
	err = add_pmu(&pmus[0], name);
	if (!err && split) {
		strscpy(other_name, name, sizeof(other_name));
		other_name[strlen(other_name) - 1] = '1';
		err = add_pmu(&pmus[1], other_name);
		if (err)
			remove_pmu(&pmus[0]);
	}
	if (err)
		return err;
	debug_dir = debugfs_create_dir("prec_pmu", NULL);
	debugfs_create_file("filters", 0444, debug_dir, NULL, &filters_fops);
	stream_files(debug_dir);
	payload_files(debug_dir);
	return 0;
}

static void __exit prec_pmu_exit(void)
{
	debugfs_remove_recursive(debug_dir);
	if (split)
		remove_pmu(&pmus[1]);
	remove_pmu(&pmus[0]);
	payload_free();
	streams_free();
}

module_init(prec_pmu_init);
module_exit(prec_pmu_exit);
