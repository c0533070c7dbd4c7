/*
 * Describes the machine at the start of a recording: calls synthesize.c for records of processes and maps, hostinfo.c for
 * feature sections about the machine, and core/record/events/tracefs.c for the formats of tracepoints.
 */
#include "core/record/host/preamble.h"

#include <inttypes.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/ui/finding.h"
#include "core/record/events/cgroup.h"
#include "core/record/events/tracefs.h"
#include "core/perfdata/feature.h"
#include "core/perfdata/record.h"
#include "core/record/bpf/bpf_programs.h"
#include "core/record/host/hostinfo.h"
#include "core/record/open/event_set.h"
#include "core/record/events/permissions.h"

#define MAX_NAMED_PIDS 8	/* processes that a finding names */

static bool has_pid(const struct pid_list *pids, pid_t pid)
{
	vec_for(p, &pids->list)
		if (*p == pid)
			return true;
	return false;
}

/* Appends the processes of -p, and those of the threads of -t, each once. */
static void watched_processes(struct pid_list *out, const struct target *t)
{
	vec_append(&out->list, &t->pids.list);
	vec_for(tid, &t->tids.list) {
		pid_t pid = process_of_thread(*tid);

		if (pid && !has_pid(out, pid))
			vec_push(&out->list, pid);
	}
}

static bool watches_kernel(const struct event_set *set)
{
	for (uint32_t i = 0; !event_set_is_side_band(set, i); i++)
		if (!set->table.events.v[i]->attr.exclude_kernel)
			return true;
	return false;
}

/* Reports the processes some of whose maps are not in @records. The last MMAP2 record of such a process has a flag. */
static void report_cut_maps(const struct buf *records, size_t from, struct findings *found)
{
	struct record_header h;
	struct buf where = {0};
	uint64_t nr = 0;
	uint32_t pid;

	for (size_t at = from; records->len - at >= sizeof(h) + sizeof(pid); at += h.size) {
		memcpy(&h, records->data + at, sizeof(h));
		memcpy(&pid, records->data + at + sizeof(h), sizeof(pid));
		if (!record_is_cut_map(&h))
			continue;
		if (nr++ < MAX_NAMED_PIDS)
			buf_printf(&where, "%s%" PRIu32, where.len ? ", " : "", pid);
	}
	if (nr > MAX_NAMED_PIDS)
		buf_puts(&where, ", ...");
	findings_add(found, FINDING_CUT_MAPS, nr, 0, buf_str(&where));
	buf_release(&where);
}

/* Appends records with the names of processes that are not in @watched, because events on all CPUs have samples of them. */
static void synthesize_names(struct buf *out, struct synthesizer_opts scan, const struct pid_list *watched)
{
	struct synthesizer *s;

	if (scan.how.no_tasks)
		return;
	scan.how.no_maps = true;
	s = synthesizer_new(&scan);
	synthesize_others(s, out, watched);
	synthesizer_free(s);
}

static void synthesize_watched(struct buf *out, struct synthesizer *s, const struct pid_list *watched)
{
	vec_for(pid, &watched->list)
		synthesize_process(s, out, *pid);
}

/* For a command, only the kernel needs records: the side band has those of the command from its exec on. */
void synthesize_existing(struct buf *out, const struct event_set *set, const struct target *t, const struct sampling_opts *o,
		   const struct synthesize_opts *synthesize)
{
	struct event *ev = event_set_side_band(set);
	struct synthesizer_opts scan = {
		.layout = &ev->layout, .id = ev->ids.v[0], .data_maps = o->data_maps,
		.build_ids = ev->attr.build_id, .namespaces = o->namespaces, .how = *synthesize,
	};
	struct record_header init = { .type = RECORD_FINISHED_INIT, .size = sizeof(init) };
	struct synthesizer *s = synthesizer_new(&scan);
	bool all = synthesize->everyone || target_system_wide(t);
	struct pid_list watched = {0};
	size_t from = out->len;

	/* Warns only at the beginning. With .everyone, the records are for a later file, or for the end. */
	if (!synthesize_kernel(s, out) && !synthesize->everyone && watches_kernel(set))
		permission_warn_hidden();
	if (!o->no_bpf_events && watches_kernel(set))
		bpf_programs_synthesize(out, scan.layout, scan.id);
	if (o->cgroups && !synthesize->no_cgroups)
		cgroup_synthesize(out, scan.layout, scan.id);
	watched_processes(&watched, t);
	if (all)
		synthesize_all(s, out);
	else
		synthesize_watched(out, s, &watched);
	if (synthesize->found)
		report_cut_maps(out, from, synthesize->found);
	if (synthesize->all_names && !all)
		synthesize_names(out, scan, &watched);
	buf_put(out, &init, sizeof(init));
	vec_free(&watched.list);
	synthesizer_free(s);
}

static void clock_features(struct features *f, const struct event_attr *a)
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
	f->clockid_time_ns = clock_ns(a->clockid);
	f->has[FEATURE_CLOCK_DATA] = true;
}

void preamble_features(struct features *f, const char *version, char *const *cmdline, const struct event_set *set)
{
	hostinfo_read(f, version, cmdline);
	f->has[FEATURE_EVENT_DESC] = true;
	f->has[FEATURE_GROUP_DESC] = event_table_has_groups(&set->table);
	clock_features(f, &event_set_side_band(set)->attr);
}

void preamble_tracing_data(struct buf *out, const struct event_requests *events)
{
	VEC(const char *) names = {0};

	vec_for(e, &events->list)
		if (e->tracepoint)
			vec_push(&names, e->tracepoint);
	if (names.nr)
		tracefs_section(out, names.v, names.nr);
	vec_free(&names);
}
