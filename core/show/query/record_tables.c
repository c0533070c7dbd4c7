/*
 * Implements the SQL tables of prec query that come from records other than samples: threads, processes, maps, context switches
 * and losses. The first use of one of these tables reads the recording once and copies the data of all of them.
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

struct record_lists {
	VEC(struct fork_row) forks;
	VEC(struct map_row) maps;
	VEC(struct switch_row) switches;
	VEC(struct loss_row) losses;
	struct byte_table names;
	/* Only of the query: */
	VEC(struct thread_row) threads;		/* sorted by pid, tid and birth */
	VEC(struct thread_row) processes;	/* the main threads in .threads */
};

/* ---- the walk ---- */

static void add_map(struct record_lists *w, const struct item *item)
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

static void add_switch(struct record_lists *w, const struct item *item)
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
	struct record_lists *w = worker;
	const struct record *r = item->record;

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
	struct record_lists *w = worker;
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

ORDER(by_task, struct thread_row, compare_numbers(a->thread->pid, b->thread->pid) ?:
	compare_numbers(a->thread->tid, b->thread->tid) ?: compare_numbers(a->thread->from, b->thread->from))

static void find_threads(struct record_lists *l, struct session *s)
{
	const struct machine *m = session_machine(s);
	struct context_cache *cache = context_cache_new(m);

	for (uint32_t i = 0; i < machine_nr_threads(m); i++) {
		const struct thread *t = machine_thread(m, i);
		uint64_t end = t->to > t->from ? t->to - 1 : t->from;

		vec_push(&l->threads, ((struct thread_row){ t, machine_context(cache, t->pid, t->tid, end)->comm }));
	}
	context_cache_free(cache);
	vec_sort(&l->threads, by_task);
	vec_for(t, &l->threads)
		if (t->thread->pid == t->thread->tid)
			vec_push(&l->processes, *t);
}

static struct record_lists *lists_of(struct query *q)
{
	static const struct record_pass pass = {
		.worker_size = sizeof(struct record_lists), .record = add_record, .merge = merge,
		.types = { PERF_RECORD_FORK, PERF_RECORD_MMAP, PERF_RECORD_MMAP2, PERF_RECORD_SWITCH, PERF_RECORD_SWITCH_CPU_WIDE,
			   PERF_RECORD_LOST, PERF_RECORD_LOST_SAMPLES },
	};
	struct record_lists *l = q->records;

	if (l)
		return l;
	q->records = l = xcalloc(1, sizeof(*l));
	session_records(q->opts.session, &pass, l);
	vec_sort(&l->forks, by_pid_and_time);
	vec_sort(&l->maps, by_time);
	vec_sort(&l->switches, by_time);
	vec_sort(&l->losses, by_time);
	find_threads(l, q->opts.session);
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

static const struct thread *thread_at(const struct query_row *r) { return ((const struct thread_row *)r->item)->thread; }

/* If records have no times, the machine uses their positions in the file instead. */
static bool thread_begin(const struct query_row *r, int64_t *out)
{
	return !session_is_timeless(r->query->opts.session) && put_time(thread_at(r)->from, out);
}

static bool thread_end(const struct query_row *r, int64_t *out)
{
	return !session_is_timeless(r->query->opts.session) && put_time(thread_at(r)->to, out);
}

static bool thread_pid(const struct query_row *r, int64_t *out)
{
	*out = (int32_t)thread_at(r)->pid;
	return true;
}

static bool thread_tid(const struct query_row *r, int64_t *out)
{
	*out = (int32_t)thread_at(r)->tid;
	return true;
}

static struct query_list list_threads(struct query *q) { return QUERY_LIST(&lists_of(q)->threads); }

static const struct query_column thread_columns[] = {
	{ "pid", "process", "INTEGER", .number = thread_pid },
	{ "tid", "thread", "INTEGER", .number = thread_tid },
	{ "comm", "its last name", "TEXT", MEMBER(thread_row, comm) },
	{ "begin", "ns; null: before the recording", "INTEGER", .number = thread_begin },
	{ "end", "ns; null: after the recording", "INTEGER", .number = thread_end },
};

const struct query_table threads_table = {
	.name = "threads", .about = "the lives of all threads that are known, recorded or not", .columns = thread_columns,
	.nr_columns = ARRAY_SIZE(thread_columns), .list = list_threads,
};

/* The last fork with this pid before the process ended. */
static bool process_parent(const struct query_row *r, int64_t *out)
{
	const struct record_lists *l = r->query->records;
	const struct thread *t = thread_at(r);
	struct fork_row end = { .at = t->to, .position = UINT64_MAX, .pid = t->pid };
	size_t nr = bisect(i, 0, l->forks.nr, by_pid_and_time(&l->forks.v[i], &end) <= 0);

	if (!nr || l->forks.v[nr - 1].pid != t->pid)
		return false;
	*out = (int32_t)l->forks.v[nr - 1].ppid;
	return true;
}

static struct query_list list_processes(struct query *q) { return QUERY_LIST(&lists_of(q)->processes); }

static const struct query_column process_columns[] = {
	{ "pid", "process", "INTEGER", .number = thread_pid },
	{ "parent", "pid of the process that forked it", "INTEGER", .number = process_parent },
	{ "comm", "its last name", "TEXT", MEMBER(thread_row, comm) },
	{ "begin", "ns; null: before the recording", "INTEGER", .number = thread_begin },
	{ "end", "ns: when its first thread ended; null: after the recording", "INTEGER", .number = thread_end },
};

const struct query_table processes_table = {
	.name = "processes", .about = "lives of processes", .columns = process_columns,
	.nr_columns = ARRAY_SIZE(process_columns), .list = list_processes,
};

/* ---- maps ---- */

static const struct map_row *map_at(const struct query_row *r) { return r->item; }

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

static struct query_list list_maps(struct query *q) { return QUERY_LIST(&lists_of(q)->maps); }

static const struct query_column map_columns[] = {
	{ "time", "ns; null: before the recording", "INTEGER", MEMBER(map_row, time), .rule = RULE_TIME },
	{ "pid", "process; -1: the kernel", "INTEGER", MEMBER(map_row, pid) },
	{ "tid", "the thread that mapped it", "INTEGER", MEMBER(map_row, tid) },
	{ "start", "where it begins", QUERY_ADDRESS_TYPE, MEMBER(map_row, start) },
	{ "size", "bytes", "INTEGER", MEMBER(map_row, size) },
	{ "pgoff", "offset in the file", "INTEGER", MEMBER(map_row, pgoff) },
	{ "file", "its path", "TEXT", .put = map_file },
	{ "data", "1: not executable", "INTEGER", MEMBER(map_row, data) },
	{ "build_id", "hexadecimal, where the record has it", "TEXT", .put = map_build_id },
};

const struct query_table maps_table = {
	.name = "maps", .about = "files and memory that processes mapped", .columns = map_columns,
	.nr_columns = ARRAY_SIZE(map_columns), .list = list_maps,
};

/* ---- switches ---- */

static struct query_list list_switches(struct query *q) { return QUERY_LIST(&lists_of(q)->switches); }

static const struct query_column switch_columns[] = {
	{ "time", "ns", "INTEGER", MEMBER(switch_row, time), .rule = RULE_TIME },
	{ "pid", "process", "INTEGER", MEMBER(switch_row, pid) },
	{ "tid", "thread", "INTEGER", MEMBER(switch_row, tid) },
	{ "cpu", "the CPU", "INTEGER", MEMBER(switch_row, cpu), KNOWN_IF(switch_row, has_cpu) },
	{ "out", "1: it left the CPU, 0: it came", "INTEGER", MEMBER(switch_row, out) },
	{ "preempted", "1: it could have gone on", "INTEGER", MEMBER(switch_row, preempted), KNOWN_IF(switch_row, out) },
	{ "other_pid", "process that came, or that left before", "INTEGER",
	  MEMBER(switch_row, other_pid), KNOWN_IF(switch_row, wide) },
	{ "other_tid", "its thread", "INTEGER", MEMBER(switch_row, other_tid), KNOWN_IF(switch_row, wide) },
};

const struct query_table switches_table = {
	.name = "switches", .about = "context switches (record --switch-events)", .columns = switch_columns,
	.nr_columns = ARRAY_SIZE(switch_columns), .list = list_switches,
};

/* ---- losses ---- */

static void loss_kind(const struct query_row *r, sqlite3_context *out)
{
	put_static_text(out, ((const struct loss_row *)r->item)->samples ? "samples" : "records");
}

static struct query_list list_losses(struct query *q) { return QUERY_LIST(&lists_of(q)->losses); }

static const struct query_column loss_columns[] = {
	{ "time", "ns: when the kernel could write again", "INTEGER", MEMBER(loss_row, time), .rule = RULE_TIME },
	{ "lost", "how many", "INTEGER", MEMBER(loss_row, lost), .rule = RULE_MOST },
	{ "kind", "records (of a ring), samples (of an event)", "TEXT", .put = loss_kind },
	{ "event", "the event that the record is of", "TEXT", MEMBER(loss_row, event) },
	{ "cpu", "the CPU", "INTEGER", MEMBER(loss_row, cpu), KNOWN_IF(loss_row, has_cpu) },
};

const struct query_table losses_table = {
	.name = "losses", .about = "records and samples that are not here", .columns = loss_columns,
	.nr_columns = ARRAY_SIZE(loss_columns), .list = list_losses,
};
