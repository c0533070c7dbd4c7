/*
 * Makes the samples of the event "wall-time". The time that a thread was on a CPU, known from its context switches, is divided
 * among its samples in proportion to their periods. A thread without samples gets one without an address.
 */
#include "core/sched/wall.h"

#include <string.h>

#include "core/read/item_reader.h"
#include "core/read/session.h"
#include "core/read/session_impl.h"
#include "core/read/source.h"
#include "core/sched/unseen_runs.h"
#include "core/sched/wait_samples.h"

struct wall_stage {
	struct item_source source;
	struct session *session;
	const struct waits *waits;
	const struct event *on;			/* its samples show what threads did on the CPU */
	struct event *event;
	unsigned max_depth;
	uint64_t *periods;			/* by index in waits->tasks: the sum of the periods of the thread's samples */
	size_t nr_chunks;
	uint64_t period;			/* unseen_runs_period() */
	struct unseen_runs unseen;
};

struct wall_worker {
	struct item_reader reader;
	struct context_cache *context_cache;
	struct record record;
	struct sample sample;
	struct task_context context;
	struct item item;
};

/* ---- the sums of periods ---- */

struct period_sum { uint32_t task; uint64_t period; };
struct period_worker { VEC(struct period_sum) sums; struct unseen_runs unseen; };

static void add_period(void *worker, void *ctx, const struct item *item)
{
	const struct wall_stage *w = ctx;
	struct period_worker *own = worker;
	uint32_t task;

	if (item->event != w->on)
		return;
	task = waits_task_at(w->waits, sample_owner(item->sample), item->at);
	unseen_runs_add(&own->unseen, w->period, item->sample->cpu, task, item->at);
	if (task == WAIT_NO_TASK)
		return;
	if (!own->sums.nr || own->sums.v[own->sums.nr - 1].task != task)
		vec_push(&own->sums, (struct period_sum){ .task = task });
	add_saturated(&own->sums.v[own->sums.nr - 1].period, item_period(item));
}

static void merge_periods(void *worker, void *ctx)
{
	struct period_worker *own = worker;
	struct wall_stage *w = ctx;

	vec_for(sum, &own->sums)
		add_saturated(&w->periods[sum->task], sum->period);
	vec_free(&own->sums);
	unseen_runs_merge(&w->unseen, &own->unseen);
}

/* ---- samples ---- */

static void give(struct wall_worker *w, const struct wall_stage *stage, uint64_t period, const struct item_sink *sink)
{
	w->sample.period = period;
	w->item.sample = &w->sample;
	w->item.event = stage->event;
	w->item.record = &w->record;
	w->item.bytes = NULL;
	w->record.header = (struct record_header){ .type = PERF_RECORD_SAMPLE, .misc = w->item.cpumode, .size = 8 };
	sink->item(sink, &w->item);
}

static void on_sample(struct wall_worker *w, const struct wall_stage *stage, const struct item *item,
		      const struct item_sink *sink)
{
	uint32_t number = waits_task_at(stage->waits, sample_owner(item->sample), item->at);
	uint64_t all = number == WAIT_NO_TASK ? 0 : stage->periods[number];
	double share = all ? (double)item_period(item) / (double)all : 0;

	if (!all)
		return;
	w->sample = *item->sample;
	w->item = *item;
	give(w, stage, (uint64_t)(share * (double)stage->waits->tasks.v[number].on + 0.5), sink);
}

static void emit_chunk(struct wall_worker *w, const struct wall_stage *stage, size_t number, const struct item_sink *sink)
{
	struct chunk *c = &stage->session->scan.chunks.chunks.v[number];

	for (struct chunk_cursor each = {0}; chunk_next(c, &each);) {
		const struct item *item = NULL;

		if (each.header.type == PERF_RECORD_SAMPLE)
			item = item_read(&w->reader, 0, each.record, chunk_position(number, each.at));
		if (item && item->event == stage->on)
			on_sample(w, stage, item, sink);
	}
	chunk_release(c);
}

static void emit_rest(struct wall_worker *w, const struct wall_stage *stage, const struct item_sink *sink)
{
	for (size_t i = 0; i < stage->waits->tasks.nr; i++) {
		const struct wait_task *t = &stage->waits->tasks.v[i];

		if (stage->periods[i] || !t->on)
			continue;
		w->sample = (struct sample){ .pid = t->pid, .tid = t->tid, .time = t->first };
		w->context = *machine_context(w->context_cache, t->pid, t->tid, t->first);
		w->item = (struct item){ .context = &w->context, .cpumode = PERF_RECORD_MISC_USER,
					 .time = t->first, .at = t->first };
		give(w, stage, t->on, sink);
	}
}

static void decode(struct item_source *s, void *worker, size_t piece, const struct item_sink *sink)
{
	const struct wall_stage *stage = (const struct wall_stage *)s;

	if (piece < stage->nr_chunks)
		emit_chunk(worker, stage, piece, sink);
	else
		emit_rest(worker, stage, sink);
}

/* ---- the stage ---- */

static void *worker_new(struct item_source *s)
{
	const struct wall_stage *stage = (const struct wall_stage *)s;
	struct wall_worker *w = xcalloc(1, sizeof(*w));

	item_reader_init(&w->reader, stage->session, stage->max_depth);
	w->context_cache = context_cache_new(stage->session->machine);
	return w;
}

static void worker_free(struct item_source *s, void *worker)
{
	struct wall_worker *w = worker;

	item_reader_release(&w->reader);
	context_cache_free(w->context_cache);
	free(w);
}

static void close_stage(struct item_source *s)
{
	struct wall_stage *stage = (struct wall_stage *)s;

	vec_free(&s->pieces);
	unseen_runs_release(&stage->unseen);
	free(stage->periods);
	free(stage);
}

static void findings(const struct item_source *s, struct findings *out)
{
	const struct wall_stage *stage = (const struct wall_stage *)s;

	unseen_runs_findings(&stage->unseen, stage->period, stage->waits, out);
}

/* Events without samples, such as that for MMAP and similar records, do not count. */
const struct event *session_on_cpu_event(const struct session *s)
{
	const struct event *first = NULL;

	vec_for(ev, &s->file->events.events) {
		if ((*ev)->hidden_source || *ev == session_waits_event(s) || !s->scan.counts.samples_by_event.v[(*ev)->number])
			continue;
		if (attr_counts_time(&(*ev)->attr))
			return *ev;
		first = first ? first : *ev;
	}
	return first;
}

const struct event *session_add_wall(struct session *s)
{
	static const struct record_pass pass = {
		.worker_size = sizeof(struct period_worker), .types = { PERF_RECORD_SAMPLE }, .record = add_period,
		.merge = merge_periods,
	};
	struct wall_stage *w;

	if (!session_waits(s))
		return NULL;
	w = xcalloc(1, sizeof(*w));
	*w = (struct wall_stage){
		.source = { .nr_streams = 1, .worker_new = worker_new, .worker_free = worker_free, .decode = decode,
			    .findings = findings, .close = close_stage },
		.session = s, .waits = session_waits(s), .on = session_on_cpu_event(s), .nr_chunks = s->scan.chunks.chunks.nr,
	};
	w->periods = xcalloc(MAX(w->waits->tasks.nr, 1), sizeof(*w->periods));
	w->period = unseen_runs_period(w->on);
	if (w->on)
		session_records(s, &pass, w);
	unseen_runs_finish(&w->unseen, w->waits);
	w->event = session_add_time_event(s, SYNTH_WALL, WALL_EVENT);
	w->max_depth = session_waits_are_wall(s, w->event);
	for (size_t i = 0; i <= w->nr_chunks; i++)
		vec_push(&w->source.pieces, (struct source_piece){0});
	session_add_source(s, &w->source);
	return w->event;
}
