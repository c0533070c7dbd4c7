/*
 * Synthesizes samples from the PEBS records that the processor wrote into an Intel PT trace (pebs.h). Each sample belongs to an
 * event whose counter overflowed.
 */
#include "auxtrace/intel_pt/sampler.h"

#include <inttypes.h>

#include "core/ui/finding.h"

/* Returns the time in the PEBS record; 0: it has none. */
static uint64_t own_time(const struct pt_worker *w)
{
	const struct pt_stage *stage = w->stage;
	uint64_t tsc = pebs_tsc(&w->pebs);

	if (!tsc || !stage->info.time_known || session_is_timeless(stage->aux.session))
		return 0;
	return MAX(pt_info_ns(&stage->info, tsc), stage->aux.source.pieces.v[w->number].time);
}

/* Sets the record's time. It is before the trace's current time, so another task may have run then. */
static void set_time(struct pt_worker *w, const struct pt_state *s, uint64_t time)
{
	struct pt_stage *stage = w->stage;
	struct cpu_task task;

	w->aux.sample.time = w->aux.item.time = time;
	if (stage->aux.timeless)
		return;
	w->aux.item.at = time;
	if (time >= w->aux.known_from && time < w->aux.known_to)
		return;
	if (!w->pebs_contexts)
		w->pebs_contexts = context_cache_new(session_machine(stage->aux.session));
	task = cpu_task_at(&stage->aux.tasks, w->piece->queue, time, w->piece->from + s->offset);
	w->aux.sample.pid = task.pid;
	w->aux.sample.tid = task.tid;
	w->aux.item.context = machine_context(w->pebs_contexts, task.pid, task.tid, time);
}

/* Removes the call chain and the branches, which are from the trace or the record, if the event's samples have none. */
static void set_callchain(struct pt_worker *w, const struct event *ev)
{
	uint64_t type = ev->layout.type;

	if (!(type & PERF_SAMPLE_CALLCHAIN))
		w->aux.sample.chain = (struct words){0};
	if (type & PERF_SAMPLE_BRANCH_STACK)
		return;
	w->aux.sample.branches = (struct words){0};
	w->aux.sample.branch_nr = 0;
}

static void emit_pebs(struct pt_worker *w, const struct pt_state *s, const struct event *ev, uint64_t id, uint64_t ip)
{
	uint64_t time = own_time(w);

	pt_start_sample(w, s, ev, ip);
	w->aux.record.header.misc |= PERF_RECORD_MISC_EXACT_IP;
	w->aux.sample.id = w->aux.sample.stream_id = id;
	set_callchain(w, ev);
	if (time)
		set_time(w, s, time);
	pebs_fill(&w->aux.sample, ev, &w->pebs, &w->pebs_words);
	pt_give(w);
}

/* As in perf: a counter without a known event belongs to the first one. */
static void emit_unnamed(struct pt_worker *w, const struct pt_state *s, uint64_t ip)
{
	const struct event *first = w->stage->pebs.first;

	w->pebs_unnamed += w->stage->pebs.several;
	emit_pebs(w, s, first, first->ids.v[0], ip);
}

/* Makes a sample for each event whose counter is in the record. */
static void emit_record(struct pt_worker *w, const struct pt_state *s, uint64_t ip)
{
	const struct pt_stage *stage = w->stage;
	uint64_t counters = pebs_counters(&w->pebs), own = own_time(w);
	uint64_t time;

	pt_set_time(w, s);
	time = own ? own : stage->aux.timeless ? UINT64_MAX : w->aux.time;
	if (pebs_ip(&w->pebs))
		ip = pebs_ip(&w->pebs);
	if (!counters)
		emit_unnamed(w, s, ip);
	for (; counters; counters &= counters - 1) {
		const struct pebs_id *id = pebs_events_find(&stage->pebs, w->piece->queue->number,
							    (uint32_t)__builtin_ctzll(counters), time);

		if (!id || !id->event) {
			emit_unnamed(w, s, ip);
			return;
		}
		emit_pebs(w, s, id->event, id->id, ip);
	}
}

void pt_truncate_pebs(struct pt_worker *w)
{
	w->pebs_truncated += w->pebs.open;
	w->pebs.open = false;
}

void pt_on_pebs(struct pt_worker *w, const struct pt_state *s, const struct pt_packet *p, uint64_t ip)
{
	bool was_open;

	if (!w->stage->pebs.first || !w->aux.sink)
		return;
	if (p->type == PT_BBP && p->flag)
		pt_truncate_pebs(w);
	was_open = w->pebs.open;
	pebs_on_packet(&w->pebs, p);
	if (was_open && !w->pebs.open)
		emit_record(w, s, ip);
}

void pt_pebs_findings(const struct pt_stage *s, struct findings *out)
{
	uint64_t cut = 0, unnamed = 0;

	vec_for(p, &s->pieces) {
		cut += p->pebs_truncated;
		unnamed += p->pebs_unnamed;
	}
	findings_add(out, FINDING_UNNAMED_TRACE_SAMPLES, unnamed, 0, s->pebs.first ? s->pebs.first->name : NULL);
	findings_add(out, FINDING_CUT_TRACE_SAMPLES, cut, 0, NULL);
}
