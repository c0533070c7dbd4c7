/* Intervals and instants of a recording. Layer: profile */
#include "core/profile/session_timeline.h"

#include "core/flow/filter.h"
#include "core/flow/session.h"
#include "core/flow/source.h"
#include "core/flow/task_changes.h"
#include "core/profile/builder.h"
#include "core/profile/session_threads.h"

struct timeline_making {
	const struct filter *filter;
	struct session_threads *threads;
	struct profile_builder *builder;
	uint32_t on_cpu;		/* a string */
};

static uint32_t number_or_none(uint32_t number)
{
	return number == UINT32_MAX ? PROFILE_NONE : number;
}

/*
 * The builder's number of the thread that @e names, in *thread: PROFILE_NONE where it names none, or nobody knows it. False: the
 * filter leaves it out.
 */
static bool pass(const struct timeline_making *m, struct source_extent *e, uint32_t *thread)
{
	const struct where *w = e->tid == SOURCE_ANY ? NULL : session_thread_where(m->threads, e->pid, e->tid, e->from);

	*thread = PROFILE_NONE;
	if (w)
		e->pid = w->thread->pid;
	if (!filter_may_pass(m->filter, e) || (w && !filter_comm(m->filter, w->comm)))
		return false;
	if (w && e->pid != SOURCE_ANY)
		*thread = session_thread(m->threads, w->thread->number);
	return true;
}

/* ---- intervals ---- */

static void add_spell(void *ctx, const struct cpu_spell *s)
{
	const struct timeline_making *m = ctx;
	struct source_extent extent = { .cpu = s->cpu, .pid = s->pid, .tid = s->tid, .from = s->begin, .to = s->end };
	uint32_t thread;

	if (pass(m, &extent, &thread) && thread != PROFILE_NONE)
		profile_add_interval(m->builder, &(struct profile_interval){
			.begin = s->begin, .end = s->end, .thread = thread, .cpu = number_or_none(s->cpu),
			.stack = PROFILE_ROOT, .kind = m->on_cpu,
		});
}

/* ---- instants ---- */

struct mark { uint64_t time, value; uint32_t pid, tid, cpu; const char *kind; };

struct marks { VEC(struct mark) list; };	/* of a worker, and of all */

static bool is_mark(uint32_t type)
{
	return type == PERF_RECORD_LOST || type == PERF_RECORD_LOST_SAMPLES || type == PERF_RECORD_THROTTLE ||
	       type == PERF_RECORD_UNTHROTTLE || type == PERF_RECORD_AUX;
}

/* What kind of instant a record is, and its value. NULL: it is none. */
static const char *kind_of(const struct record *rec, uint64_t *value)
{
	*value = 1;
	switch (rec->header.type) {
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		*value = rec->lost.lost;
		return rec->header.type == PERF_RECORD_LOST ? PROFILE_LOST : PROFILE_LOST_SAMPLES;
	case PERF_RECORD_THROTTLE:
		return PROFILE_THROTTLED;
	case PERF_RECORD_UNTHROTTLE:
		return PROFILE_UNTHROTTLED;
	default:
		*value = rec->aux.size;
		return rec->aux.flags & PERF_AUX_FLAG_TRUNCATED ? PROFILE_TRUNCATED : NULL;
	}
}

/* The thread of a loss is only that which wrote the next record. */
static void take_mark(void *worker, void *ctx, const struct item *item)
{
	const struct record *rec = item->record;
	struct marks *w = worker;
	struct mark m = { .time = item->time, .pid = SOURCE_ANY, .tid = SOURCE_ANY,
			  .cpu = rec->id.has_cpu ? rec->id.cpu : SOURCE_ANY };
	bool is_loss = rec->header.type == PERF_RECORD_LOST || rec->header.type == PERF_RECORD_LOST_SAMPLES;

	(void)ctx;
	m.kind = kind_of(rec, &m.value);
	if (!m.kind || !m.time)
		return;
	if (rec->id.has_tid && !is_loss) {
		m.pid = rec->id.pid;
		m.tid = rec->id.tid;
	}
	vec_push(&w->list, m);
}

static void merge_marks(void *worker, void *ctx)
{
	struct marks *w = worker, *all = ctx;

	vec_append(&all->list, &w->list);
	vec_free(&w->list);
}

static void add_mark(const struct timeline_making *m, const struct mark *mark)
{
	struct source_extent extent = {
		.cpu = mark->cpu, .pid = mark->pid, .tid = mark->tid, .from = mark->time, .to = mark->time,
	};
	uint32_t thread;

	if (pass(m, &extent, &thread))
		profile_add_instant(m->builder, &(struct profile_instant){
			.time = mark->time, .value = mark->value, .thread = thread, .cpu = number_or_none(mark->cpu),
			.kind = profile_add_string(m->builder, mark->kind),
		});
}

static void add_marks(const struct timeline_making *m, const struct session *s)
{
	static const struct record_pass pass = {
		.worker_size = sizeof(struct marks), .wants = is_mark, .record = take_mark, .merge = merge_marks,
	};
	struct marks marks = {0};

	session_records(s, &pass, &marks);
	vec_for(mark, &marks.list)
		add_mark(m, mark);
	vec_free(&marks.list);
}

void session_timeline(struct session *s, const struct filter *f, struct session_threads *threads, struct profile_builder *b)
{
	struct timeline_making m = { .filter = f, .threads = threads, .builder = b };

	if (session_is_timeless(s))
		return;
	m.on_cpu = profile_add_string(b, PROFILE_ON_CPU);
	task_changes_spells(s, add_spell, &m);
	add_marks(&m, s);
}
