/*
 * Implements the SQL tables of prec query that come from records other than samples: threads, processes, maps, context switches
 * and losses. The first use of one of these tables reads the recording once and copies the data of all of them.
 * Layer: query
 */
#include "core/show/query/query_impl.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/byte_table.h"
#include "core/read/item.h"
#include "core/read/session.h"
#include "core/perfdata/record.h"
#include "core/model/machine.h"

/* The beginning of a process. Rows are sorted by pid and by .at, the machine's time (item.at). */
struct fork_row { uint64_t at, position; uint32_t pid, ppid; };
/* The following rows are sorted by time, and rows with equal times by position. */
struct map_row {
	uint64_t time, position, start, size, pgoff;
	int32_t pid, tid;
	uint32_t prot, name;			/* .name: a number of .names */
	bool data;
	uint8_t build_id[20], id_size;
};
struct switch_row {
	uint64_t time, position;
	int32_t pid, tid, other_pid, other_tid;
	uint32_t cpu;
	bool out, preempted, wide, has_cpu;
};
struct loss_row { uint64_t time, position, lost; const char *event; uint32_t cpu; bool has_cpu, samples; };
struct thread_row { const struct thread *thread; const char *comm; };

#define LISTS								\
	VEC(struct fork_row) forks;					\
	VEC(struct map_row) maps;					\
	VEC(struct switch_row) switches;				\
	VEC(struct loss_row) losses;					\
	struct byte_table names

struct worker_lists { LISTS; };

struct record_lists {
	LISTS;
	VEC(struct thread_row) threads;		/* sorted by pid, tid and birth */
	VEC(struct thread_row) processes;	/* the main threads in .threads */
};

/* ---- the walk ---- */

static bool wants(uint32_t type)
{
	return type == PERF_RECORD_FORK || type == PERF_RECORD_MMAP || type == PERF_RECORD_MMAP2 || type == PERF_RECORD_SWITCH ||
	       type == PERF_RECORD_SWITCH_CPU_WIDE || type == PERF_RECORD_LOST || type == PERF_RECORD_LOST_SAMPLES;
}

static void add_map(struct worker_lists *w, const struct item *item)
{
	const struct record_mmap *m = &item->record->mmap;
	struct map_row row = {
		.time = item->time, .position = item->position, .start = m->addr, .size = m->len, .pgoff = m->pgoff,
		.pid = (int32_t)m->pid, .tid = (int32_t)m->tid, .prot = m->prot,
		.name = byte_table_add(&w->names, m->filename, strlen(m->filename) + 1),
		.data = item->record->header.misc & PERF_RECORD_MISC_MMAP_DATA, .id_size = MIN(m->build_id_size, 20),
	};

	memcpy(row.build_id, m->build_id, sizeof(row.build_id));
	vec_push(&w->maps, row);
}

static void add_switch(struct worker_lists *w, const struct item *item)
{
	const struct record *r = item->record;
	bool wide = r->header.type == PERF_RECORD_SWITCH_CPU_WIDE;

	vec_push(&w->switches, ((struct switch_row){
		.time = item->time, .position = item->position, .pid = (int32_t)r->id.pid, .tid = (int32_t)r->id.tid,
		.other_pid = (int32_t)r->sw.next_prev_pid, .other_tid = (int32_t)r->sw.next_prev_tid, .cpu = r->id.cpu,
		.out = r->header.misc & PERF_RECORD_MISC_SWITCH_OUT,
		.preempted = r->header.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT, .wide = wide, .has_cpu = r->id.has_cpu,
	}));
}

static void add_record(void *worker, void *ctx, const struct item *item)
{
	struct worker_lists *w = worker;
	const struct record *r = item->record;

	(void)ctx;
	switch (r->header.type) {
	case PERF_RECORD_FORK:
		if (r->task.tid == r->task.pid && r->task.ppid != r->task.pid)
			vec_push(&w->forks, ((struct fork_row){ .at = item->at, .position = item->position,
								.pid = r->task.pid, .ppid = r->task.ppid }));
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		add_map(w, item);
		break;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		add_switch(w, item);
		break;
	default:
		vec_push(&w->losses, ((struct loss_row){
			.time = item->time, .position = item->position, .lost = r->lost.lost,
			.event = item->event ? item->event->name : NULL, .cpu = r->id.cpu, .has_cpu = r->id.has_cpu,
			.samples = r->header.type == PERF_RECORD_LOST_SAMPLES,
		}));
	}
}

static void merge(void *worker, void *ctx)
{
	struct worker_lists *w = worker;
	struct record_lists *l = ctx;

	vec_for(m, &w->maps) {
		size_t n;
		const char *name = byte_table_get(&w->names, m->name, &n);

		m->name = byte_table_add(&l->names, name, n);
	}
	vec_append(&l->forks, &w->forks);
	vec_append(&l->maps, &w->maps);
	vec_append(&l->switches, &w->switches);
	vec_append(&l->losses, &w->losses);
	vec_free(&w->forks);
	vec_free(&w->maps);
	vec_free(&w->switches);
	vec_free(&w->losses);
	byte_table_release(&w->names);
}

/* The structs of all rows that this sorts begin with the time and the position. */
ORDER(by_time, uint64_t, compare_numbers(a[0], b[0]) ?: compare_numbers(a[1], b[1]))

ORDER(by_pid_and_time, struct fork_row,
	compare_numbers(a->pid, b->pid) ?: compare_numbers(a->at, b->at) ?: compare_numbers(a->position, b->position))

static int by_task(const void *a, const void *b)
{
	const struct thread *x = ((const struct thread_row *)a)->thread, *y = ((const struct thread_row *)b)->thread;
	int order = compare_numbers(x->pid, y->pid);

	order = order ? order : compare_numbers(x->tid, y->tid);
	return order ? order : compare_numbers(x->from, y->from);
}

#define SORT(list, order) do { if ((list)->nr) qsort((list)->v, (list)->nr, sizeof(*(list)->v), order); } while (0)

static void list_threads(struct record_lists *l, struct session *s)
{
	const struct machine *m = session_machine(s);
	struct context_cache *cache = context_cache_new(m);

	for (uint32_t i = 0; i < machine_nr_threads(m); i++) {
		const struct thread *t = machine_thread(m, i);
		uint64_t end = t->to > t->from ? t->to - 1 : t->from;

		vec_push(&l->threads, ((struct thread_row){ t, machine_context(cache, t->pid, t->tid, end)->comm }));
	}
	context_cache_free(cache);
	SORT(&l->threads, by_task);
	vec_for(t, &l->threads)
		if (t->thread->pid == t->thread->tid)
			vec_push(&l->processes, *t);
}

static struct record_lists *lists_of(struct query *q)
{
	static const struct record_pass pass = {
		.worker_size = sizeof(struct worker_lists), .wants = wants, .record = add_record, .merge = merge,
	};
	struct record_lists *l = q->records;

	if (l)
		return l;
	q->records = l = xcalloc(1, sizeof(*l));
	session_records(q->opts.session, &pass, l);
	SORT(&l->forks, by_pid_and_time);
	SORT(&l->maps, by_time);
	SORT(&l->switches, by_time);
	SORT(&l->losses, by_time);
	list_threads(l, q->opts.session);
	return l;
}

void record_lists_free(struct record_lists *l)
{
	if (!l)
		return;
	vec_free(&l->forks);
	vec_free(&l->maps);
	vec_free(&l->switches);
	vec_free(&l->losses);
	vec_free(&l->threads);
	vec_free(&l->processes);
	byte_table_release(&l->names);
	free(l);
}

/* ---- threads, processes ---- */

static const struct thread_row *thread_at(const struct query_row *r)
{
	return &r->query->records->threads.v[r->number];
}

static const struct thread_row *process_at(const struct query_row *r)
{
	return &r->query->records->processes.v[r->number];
}

/* If records have no times, the machine uses their positions in the file instead. */
static bool task_begin(const struct query_row *r, const struct thread *t, int64_t *out)
{
	return !session_is_timeless(r->query->opts.session) && put_time(t->from, out);
}

static bool task_end(const struct query_row *r, const struct thread *t, int64_t *out)
{
	return !session_is_timeless(r->query->opts.session) && put_time(t->to, out);
}

static bool thread_pid(const struct query_row *r, int64_t *out)
{
	*out = (int32_t)thread_at(r)->thread->pid;
	return true;
}

static bool thread_tid(const struct query_row *r, int64_t *out)
{
	*out = (int32_t)thread_at(r)->thread->tid;
	return true;
}

static void thread_comm(const struct query_row *r, sqlite3_context *out) { put_static_text(out, thread_at(r)->comm); }
static bool thread_begin(const struct query_row *r, int64_t *out) { return task_begin(r, thread_at(r)->thread, out); }
static bool thread_end(const struct query_row *r, int64_t *out) { return task_end(r, thread_at(r)->thread, out); }

static size_t nr_threads(struct query *q)
{
	return lists_of(q)->threads.nr;
}

static const struct query_column thread_columns[] = {
	{ "pid", "process", "INTEGER", .number = thread_pid },
	{ "tid", "thread", "INTEGER", .number = thread_tid },
	{ "comm", "its last name", "TEXT", .put = thread_comm },
	{ "begin", "ns; null: before the recording", "INTEGER", .number = thread_begin },
	{ "end", "ns; null: after the recording", "INTEGER", .number = thread_end },
};

const struct query_table threads_table = {
	.name = "threads", .about = "the lives of all threads that are known, recorded or not", .columns = thread_columns,
	.nr_columns = ARRAY_SIZE(thread_columns), .nr = nr_threads,
};

static bool process_pid(const struct query_row *r, int64_t *out)
{
	*out = (int32_t)process_at(r)->thread->pid;
	return true;
}

/* The last fork with this pid before the process ended. */
static bool process_parent(const struct query_row *r, int64_t *out)
{
	const struct record_lists *l = r->query->records;
	const struct thread *t = process_at(r)->thread;
	struct fork_row end = { .at = t->to, .position = UINT64_MAX, .pid = t->pid };
	size_t first = 0, after = l->forks.nr;

	while (first < after) {
		size_t mid = first + (after - first) / 2;

		if (by_pid_and_time(&l->forks.v[mid], &end) <= 0)
			first = mid + 1;
		else
			after = mid;
	}
	if (!first || l->forks.v[first - 1].pid != t->pid)
		return false;
	*out = (int32_t)l->forks.v[first - 1].ppid;
	return true;
}

static void process_comm(const struct query_row *r, sqlite3_context *out) { put_static_text(out, process_at(r)->comm); }
static bool process_begin(const struct query_row *r, int64_t *out) { return task_begin(r, process_at(r)->thread, out); }
static bool process_end(const struct query_row *r, int64_t *out) { return task_end(r, process_at(r)->thread, out); }

static size_t nr_processes(struct query *q)
{
	return lists_of(q)->processes.nr;
}

static const struct query_column process_columns[] = {
	{ "pid", "process", "INTEGER", .number = process_pid },
	{ "parent", "pid of the process that forked it", "INTEGER", .number = process_parent },
	{ "comm", "its last name", "TEXT", .put = process_comm },
	{ "begin", "ns; null: before the recording", "INTEGER", .number = process_begin },
	{ "end", "ns: when its first thread ended; null: after the recording", "INTEGER", .number = process_end },
};

const struct query_table processes_table = {
	.name = "processes", .about = "lives of processes", .columns = process_columns,
	.nr_columns = ARRAY_SIZE(process_columns), .nr = nr_processes,
};

/* ---- maps ---- */

static const struct map_row *map_at(const struct query_row *r)
{
	return &r->query->records->maps.v[r->number];
}

static bool map_number(uint64_t v, int64_t *out)
{
	*out = (int64_t)v;
	return true;
}

static bool map_time(const struct query_row *r, int64_t *out) { return put_time(map_at(r)->time, out); }
static bool map_pid(const struct query_row *r, int64_t *out) { return map_number((uint64_t)map_at(r)->pid, out); }
static bool map_tid(const struct query_row *r, int64_t *out) { return map_number((uint64_t)map_at(r)->tid, out); }
static bool map_start(const struct query_row *r, int64_t *out) { return map_number(map_at(r)->start, out); }
static bool map_size(const struct query_row *r, int64_t *out) { return map_number(map_at(r)->size, out); }
static bool map_pgoff(const struct query_row *r, int64_t *out) { return map_number(map_at(r)->pgoff, out); }
static bool map_data(const struct query_row *r, int64_t *out) { return map_number(map_at(r)->data, out); }

static void map_file(const struct query_row *r, sqlite3_context *out)
{
	size_t n;

	put_static_text(out, byte_table_get(&r->query->records->names, map_at(r)->name, &n));
}

static void map_build_id(const struct query_row *r, sqlite3_context *out)
{
	struct buf text = {0};

	if (!map_at(r)->id_size)
		return;
	for (unsigned i = 0; i < map_at(r)->id_size; i++)
		buf_hex0(&text, map_at(r)->build_id[i], 2);
	put_text(out, &text);
	buf_release(&text);
}

static size_t nr_maps(struct query *q)
{
	return lists_of(q)->maps.nr;
}

static const struct query_column map_columns[] = {
	{ "time", "ns; null: before the recording", "INTEGER", .number = map_time },
	{ "pid", "process; -1: the kernel", "INTEGER", .number = map_pid },
	{ "tid", "the thread that mapped it", "INTEGER", .number = map_tid },
	{ "start", "where it begins", QUERY_ADDRESS_TYPE, .number = map_start },
	{ "size", "bytes", "INTEGER", .number = map_size },
	{ "pgoff", "offset in the file", "INTEGER", .number = map_pgoff },
	{ "file", "its path", "TEXT", .put = map_file },
	{ "data", "1: not executable", "INTEGER", .number = map_data },
	{ "build_id", "hexadecimal, where the record has it", "TEXT", .put = map_build_id },
};

const struct query_table maps_table = {
	.name = "maps", .about = "files and memory that processes mapped", .columns = map_columns,
	.nr_columns = ARRAY_SIZE(map_columns), .nr = nr_maps,
};

/* ---- switches ---- */

static const struct switch_row *switch_at(const struct query_row *r)
{
	return &r->query->records->switches.v[r->number];
}

static bool switch_time(const struct query_row *r, int64_t *out) { return put_time(switch_at(r)->time, out); }

static bool switch_pid(const struct query_row *r, int64_t *out)
{
	*out = switch_at(r)->pid;
	return true;
}

static bool switch_tid(const struct query_row *r, int64_t *out)
{
	*out = switch_at(r)->tid;
	return true;
}

static bool switch_cpu(const struct query_row *r, int64_t *out)
{
	*out = switch_at(r)->cpu;
	return switch_at(r)->has_cpu;
}

static bool switch_out(const struct query_row *r, int64_t *out)
{
	*out = switch_at(r)->out;
	return true;
}

static bool switch_preempted(const struct query_row *r, int64_t *out)
{
	*out = switch_at(r)->preempted;
	return switch_at(r)->out;
}

static bool switch_other_pid(const struct query_row *r, int64_t *out)
{
	*out = switch_at(r)->other_pid;
	return switch_at(r)->wide;
}

static bool switch_other_tid(const struct query_row *r, int64_t *out)
{
	*out = switch_at(r)->other_tid;
	return switch_at(r)->wide;
}

static size_t nr_switches(struct query *q)
{
	return lists_of(q)->switches.nr;
}

static const struct query_column switch_columns[] = {
	{ "time", "ns", "INTEGER", .number = switch_time },
	{ "pid", "process", "INTEGER", .number = switch_pid },
	{ "tid", "thread", "INTEGER", .number = switch_tid },
	{ "cpu", "the CPU", "INTEGER", .number = switch_cpu },
	{ "out", "1: it left the CPU, 0: it came", "INTEGER", .number = switch_out },
	{ "preempted", "1: it could have gone on", "INTEGER", .number = switch_preempted },
	{ "other_pid", "process that came, or that left before", "INTEGER", .number = switch_other_pid },
	{ "other_tid", "its thread", "INTEGER", .number = switch_other_tid },
};

const struct query_table switches_table = {
	.name = "switches", .about = "context switches (record --switch-events)", .columns = switch_columns,
	.nr_columns = ARRAY_SIZE(switch_columns), .nr = nr_switches,
};

/* ---- losses ---- */

static const struct loss_row *loss_at(const struct query_row *r)
{
	return &r->query->records->losses.v[r->number];
}

static bool loss_time(const struct query_row *r, int64_t *out) { return put_time(loss_at(r)->time, out); }

static bool loss_lost(const struct query_row *r, int64_t *out)
{
	*out = (int64_t)MIN(loss_at(r)->lost, INT64_MAX);
	return true;
}

static void loss_kind(const struct query_row *r, sqlite3_context *out)
{
	put_static_text(out, loss_at(r)->samples ? "samples" : "records");
}

static void loss_event(const struct query_row *r, sqlite3_context *out) { put_static_text(out, loss_at(r)->event); }

static bool loss_cpu(const struct query_row *r, int64_t *out)
{
	*out = loss_at(r)->cpu;
	return loss_at(r)->has_cpu;
}

static size_t nr_losses(struct query *q)
{
	return lists_of(q)->losses.nr;
}

static const struct query_column loss_columns[] = {
	{ "time", "ns: when the kernel could write again", "INTEGER", .number = loss_time },
	{ "lost", "how many", "INTEGER", .number = loss_lost },
	{ "kind", "records (of a ring), samples (of an event)", "TEXT", .put = loss_kind },
	{ "event", "the event that the record is of", "TEXT", .put = loss_event },
	{ "cpu", "the CPU", "INTEGER", .number = loss_cpu },
};

const struct query_table losses_table = {
	.name = "losses", .about = "records and samples that are not here", .columns = loss_columns,
	.nr_columns = ARRAY_SIZE(loss_columns), .nr = nr_losses,
};
