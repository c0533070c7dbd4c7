/* Around the samples. Layer: events */
#include "core/events/describe.h"

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/events/bpf_programs.h"
#include "core/events/cgroup.h"
#include "core/events/event_set.h"
#include "core/events/hostinfo.h"
#include "core/events/permissions.h"
#include "core/events/procscan.h"
#include "core/events/recorder_opts.h"
#include "core/events/tally.h"
#include "core/events/tracefs.h"
#include "core/format/feature.h"
#include "core/format/record.h"

static void scan_threads(const struct target *t, struct procscan *s, struct buf *b)
{
	pid_t last = 0;

	vec_for(pid, &t->pids.list)
		procscan_process(s, b, *pid);
	vec_for(tid, &t->tids.list) {
		pid_t pid = procscan_process_of(*tid);

		if (pid && pid != last)
			procscan_process(s, b, pid);
		last = pid;
	}
}

static bool watches_kernel(const struct event_set *set)
{
	for (uint32_t i = 0; !event_set_is_side_band(set, i); i++)
		if (!set->table.events.v[i]->attr.exclude_kernel)
			return true;
	return false;
}

/* A workload needs no more than the kernel: its own past is the exec, which the side band tells of. */
void describe_past(struct buf *out, const struct recorder_opts *o, const struct event_set *set, bool everyone)
{
	struct event *ev = event_set_side_band(set);
	struct procscan_opts scan = {
		.layout = &ev->layout, .id = ev->ids.v[0], .data_maps = o->sampling.data_maps,
		.build_ids = ev->attr.build_id, .namespaces = o->sampling.namespaces,
		.no_tasks = o->no_synth_tasks, .no_maps = o->no_synth_maps,
		.map_timeout_ms = o->map_timeout_ms, .threads = o->synth_threads,
	};
	struct record_header init = { .type = RECORD_FINISHED_INIT, .size = sizeof(init) };
	struct procscan *s = procscan_new(&scan);

	/* Said at the beginning: @everyone is a file's after the first, or what the end tells. */
	if (!procscan_kernel(s, out) && !everyone && watches_kernel(set))
		permission_warn_hidden();
	if (!o->sampling.no_bpf_events && watches_kernel(set))
		bpf_programs_describe(out, scan.layout, scan.id);
	if (o->sampling.cgroups && !o->no_synth_cgroups)
		cgroup_describe(out, scan.layout, scan.id);
	if (everyone || target_system_wide(&o->target))
		procscan_all(s, out);
	else
		scan_threads(&o->target, s, out);
	buf_put(out, &init, sizeof(init));
	procscan_free(s);
}

void describe_lost(struct buf *out, struct event_set *set, const struct tally *t)
{
	event_set_count_lost(set);
	vec_for(e, &set->opened) {
		struct record rec = {
			.header.type = PERF_RECORD_LOST_SAMPLES, .lost.lost = e->lost - e->lost_told,
			.id = { .id = e->id, .cpu = (uint32_t)e->place.cpu, .time = t->last_time },
		};

		e->lost_here = e->lost - e->lost_told;
		e->lost_told = e->lost;
		if (!rec.lost.lost || event_set_is_side_band(set, e->event))
			continue;
		record_append(out, &set->table.events.v[e->event]->layout, &rec);
	}
}

static struct target_place place_of_ring(const struct event_set *set, uint32_t ring)
{
	vec_for(e, &set->opened)
		if (e->ring == ring)
			return e->place;
	return (struct target_place){ .pid = -1, .cpu = -1 };
}

void describe_losses(struct features *f, const struct event_set *set, struct tally *t)
{
	struct feature_losses *l = &f->losses;

	vec_for(e, &set->opened)
		if (e->lost_here)
			vec_push(&l->by_event, (struct feature_loss){ .event = e->event, .cpu = e->place.cpu,
								      .tid = e->place.pid, .lost = e->lost_here });
	for (size_t i = t->gaps_told; i < t->gaps.nr; i++) {
		const struct tally_gap *g = &t->gaps.v[i];
		struct target_place p = place_of_ring(set, g->ring);

		vec_push(&l->gaps, (struct feature_gap){ .cpu = p.cpu, .tid = p.pid, .from = g->from, .to = g->to,
							 .lost = g->lost });
	}
	l->nr_gaps = t->nr_gaps - t->nr_gaps_told;
	l->gap_ns = t->gap_ns - t->gap_ns_told;
	t->gaps_told = t->gaps.nr;
	t->nr_gaps_told = t->nr_gaps;
	t->gap_ns_told = t->gap_ns;
	f->has[FEATURE_LOSSES] = l->by_event.nr || l->nr_gaps;
}

static void describe_clock(struct features *f, const struct event_attr *a)
{
	struct timespec res;

	if (!a->use_clockid)
		return;
	if (!clock_getres(a->clockid, &res)) {
		f->clockid_res = (uint64_t)res.tv_nsec;
		f->has[FEATURE_CLOCKID] = true;
	}
	f->clock_id = (uint32_t)a->clockid;
	f->clock_wall_ns = clock_ns(CLOCK_REALTIME);
	f->clock_mono_ns = clock_ns(a->clockid);
	f->has[FEATURE_CLOCK_DATA] = true;
}

void describe_host(struct features *f, const struct recorder_opts *o, const struct event_set *set)
{
	hostinfo_read(f, o->version, o->cmdline);
	f->has[FEATURE_EVENT_DESC] = true;
	f->has[FEATURE_GROUP_DESC] = event_table_has_groups(&set->table);
	describe_clock(f, &event_set_side_band(set)->attr);
}

void describe_features(struct features *f, const struct recorder_opts *o, const struct event_set *set,
		       const struct tally *t)
{
	describe_host(f, o, set);
	if (o->no_build_ids)
		f->has[FEATURE_BUILD_ID] = false;
	else
		tally_build_ids(t, f);
	if (t->first_time) {
		f->first_sample = t->first_time;
		f->last_sample = t->last_time;
		f->has[FEATURE_SAMPLE_TIME] = true;
	}
}

void describe_tracepoints(struct buf *out, const struct recorder_opts *o)
{
	VEC(const char *) names = {0};

	vec_for(e, &o->events.list)
		if (e->tracepoint)
			vec_push(&names, e->tracepoint);
	if (names.nr)
		tracefs_section(out, names.v, names.nr);
	vec_free(&names);
}
