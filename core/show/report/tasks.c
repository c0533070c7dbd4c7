/*
 * Builds the tree of a recording's processes and threads from fork, exit, comm and mmap records, and prints all of it for prec
 * report --tasks and --mmaps. task_groups.c prints shorter trees, on terminals and for prec summary.
 */
#include "core/show/report/tasks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/read/session.h"
#include "core/show/report/tasks_impl.h"

/*
 * The size of the output is bounded by the size of the recording. A fork record of 48 bytes makes a line of at most MAX_INDENT +
 * MAX_NAME + 32 bytes, however deep the task is in the tree and however long its inherited name is. At most MAP_COPIES +
 * MAPS_A_RECORD maps are inherited for each map record.
 */
#define MAX_INDENT	128u		/* rows are not indented further */
#define MAX_NAME	255		/* bytes; the kernel's names have 15 */
#define MAP_COPIES	(1u << 20)
#define MAPS_A_RECORD	16u

/* The latest task of @tid that began at @time or before. */
static uint32_t find_task(const struct tasks *t, uint32_t tid, uint64_t time)
{
	uint64_t hash = hash_pair(tid, 0);
	uint32_t found = NO_TASK;

	index_for(pos, &t->by_tid, hash)
		if (t->list.v[pos].tid == tid && t->list.v[pos].begin <= time && (found == NO_TASK || pos > found))
			found = pos;
	return found;
}

static uint32_t latest_task(const struct tasks *t, uint32_t tid)
{
	return find_task(t, tid, UINT64_MAX);
}

uint32_t task_at(const struct tasks *t, uint32_t tid, uint64_t time)
{
	uint32_t found = find_task(t, tid, time);

	return found != NO_TASK ? found : latest_task(t, tid);
}

static uint32_t new_task(struct tasks *t, uint32_t pid, uint32_t tid)
{
	vec_push(&t->list, ((struct task){ .pid = pid, .tid = tid, .ppid = -1 }));
	index_add(&t->by_tid, hash_pair(tid, 0), (uint32_t)t->list.nr - 1);
	return (uint32_t)t->list.nr - 1;
}

/* The task of a record; a new one if the tid is unknown, has ended, or was in another process. Records come in order of time. */
static uint32_t task_of(struct tasks *t, uint32_t pid, uint32_t tid)
{
	uint32_t known = latest_task(t, tid);

	return known != NO_TASK && t->list.v[known].pid == pid && !t->list.v[known].ended ? known : new_task(t, pid, tid);
}

/* Copies a text, unless it equals the last one. */
static const char *keep(struct kept_texts *k, const char *text)
{
	if (!k->list.nr || !str_eq(k->list.v[k->list.nr - 1], text))
		vec_push(&k->list, xstrdup(text));
	return k->list.v[k->list.nr - 1];
}

/* ---- maps ---- */

ORDER(by_number, uint64_t, compare_numbers(*a, *b))

/* Removes repetitions from @sorted. Returns how many numbers are left. */
static size_t unique(uint64_t *sorted, size_t nr)
{
	size_t kept = 0;

	for (size_t i = 0; i < nr; i++)
		if (!kept || sorted[kept - 1] != sorted[i])
			sorted[kept++] = sorted[i];
	return kept;
}

/* The first slot from @slot on that no map has. Shortens the path to it, for the next call. */
static uint32_t free_slot(uint32_t *next, uint32_t slot)
{
	while (next[slot] != slot) {
		next[slot] = next[next[slot]];
		slot = next[slot];
	}
	return slot;
}

/*
 * A later map replaces the parts of earlier maps that it covers. A slot is the range between two adjacent ones of the @nr_points
 * addresses at which maps begin or end. It belongs to the latest map there. @owner: for each slot 1 + the map's number, or 0.
 */
static void on_slots(const struct task *task, const uint64_t *points, uint32_t nr_points, uint32_t *owner)
{
	uint32_t *next = xcalloc(nr_points, sizeof(*next));

	for (uint32_t i = 0; i < nr_points; i++)
		next[i] = i;
	for (size_t i = task->maps.nr; i-- > 0;) {
		const struct mapped *m = &task->maps.v[i];
		const uint64_t *first = bsearch(&m->start, points, nr_points, sizeof(*points), by_number);

		for (uint32_t at = free_slot(next, (uint32_t)(first - points)); points[at] < m->end; at = free_slot(next, at)) {
			owner[at] = (uint32_t)i + 1;
			next[at] = at + 1;
		}
	}
	free(next);
}

static void settle(struct task *task)
{
	size_t nr_points = 0, nr = task->maps.nr;
	uint64_t *points;
	uint32_t *owner;
	struct mapped *old;

	if (task->settled == nr)
		return;
	points = xcalloc(2 * nr, sizeof(*points));
	owner = xcalloc(2 * nr, sizeof(*owner));
	vec_for(map, &task->maps) {
		points[nr_points++] = map->start;
		points[nr_points++] = map->end;
	}
	qsort(points, nr_points, sizeof(*points), by_number);
	nr_points = unique(points, nr_points);
	on_slots(task, points, (uint32_t)nr_points, owner);
	old = task->maps.v;
	memset(&task->maps, 0, sizeof(task->maps));
	for (size_t i = 0; i + 1 < nr_points; i++) {
		struct mapped m;

		if (!owner[i])
			continue;
		m = old[owner[i] - 1];
		m.pgoff += points[i] - m.start;
		m.start = points[i];
		while (owner[i + 1] == owner[i])
			i++;
		m.end = points[i + 1];
		vec_push(&task->maps, m);
	}
	task->settled = task->maps.nr;
	free(old);
	free(owner);
	free(points);
}

static void copy_maps(struct tasks *t, uint32_t to, uint32_t from)
{
	struct task *parent = &t->list.v[from], *child = &t->list.v[to];

	if (parent->settled <= t->room)
		settle(parent);
	if (parent->settled > t->room) {
		t->nr_bare++;
		return;
	}
	t->room -= parent->settled;
	vec_for(map, &parent->maps)
		vec_push(&child->maps, *map);
	child->settled = child->maps.nr;
}

/* ---- tasks ---- */

static void on_task_exit(struct tasks *t, const struct record_task *exit)
{
	uint32_t task = latest_task(t, exit->tid);

	if (task != NO_TASK && exit->tid) {
		t->list.v[task].ended = true;
		t->list.v[task].end = exit->time;
	}
}

/* The recorder and the kernel may both report a task that began while the recorder listed existing ones. */
static void on_fork(struct tasks *t, const struct record_task *fork)
{
	uint32_t task = latest_task(t, fork->tid), parent;

	if (fork->tid == fork->ptid)
		return;
	if (task == NO_TASK || t->list.v[task].ended || t->list.v[task].pid != fork->pid)
		task = new_task(t, fork->pid, fork->tid);
	t->list.v[task].ppid = fork->ptid;
	t->list.v[task].begin = fork->time;
	parent = latest_task(t, fork->ptid);
	if (parent == NO_TASK || parent == task)
		return;
	if (!t->list.v[task].comm)
		t->list.v[task].comm = t->list.v[parent].comm;
	if (!t->list.v[task].is_child) {
		t->list.v[task].is_child = true;
		vec_push(&t->list.v[parent].children, task);
	}
	parent = latest_task(t, fork->ppid);
	if (t->maps && fork->pid != fork->ppid && parent != NO_TASK && parent != task && !t->list.v[task].maps.nr)
		copy_maps(t, task, parent);
}

/* After an exec, the kernel has written EXIT records for the other threads. There are no records of removed maps, so drops them. */
static void on_comm(struct tasks *t, const struct record *r)
{
	uint32_t number = task_of(t, r->comm.pid, r->comm.tid);
	struct task *task = &t->list.v[number];

	task->comm = keep(&t->names, r->comm.comm);
	if (!(r->header.misc & PERF_RECORD_MISC_COMM_EXEC))
		return;
	settle(task);
	t->room += task->maps.nr;
	vec_free(&task->maps);
	task->settled = 0;
}

static void on_map(struct tasks *t, const struct record *r)
{
	const struct record_mmap *m = &r->mmap;
	struct mapped map = { .start = m->addr, .pgoff = m->pgoff, .ino = m->ino, .prot = m->prot, .flags = m->flags };
	uint32_t number;

	if (m->pid == UINT32_MAX || !m->len || __builtin_add_overflow(m->addr, m->len, &map.end))
		return;
	if (r->header.type == PERF_RECORD_MMAP)
		map.prot = PROT_READ | (r->header.misc & PERF_RECORD_MISC_MMAP_DATA ? 0 : PROT_EXEC);
	for (unsigned i = 0; i < MIN(m->build_id_size, sizeof(m->build_id)); i++)
		snprintf(map.build_id + (size_t)2 * i, 3, "%02x", m->build_id[i]);
	map.file = keep(&t->files, m->filename);
	t->room += MAPS_A_RECORD;
	number = task_of(t, m->pid, m->pid);
	vec_push(&t->list.v[number].maps, map);
}

/* ---- reading ---- */

static void note_time(struct tasks *t, uint64_t time)
{
	t->first_time = t->first_time ? t->first_time : time;
	t->last_time = MAX(t->last_time, time);
}

static void on_sample(struct tasks *t, const struct item *item)
{
	uint32_t task = latest_task(t, sample_owner(item->sample));

	if (task != NO_TASK && item->event == t->event)
		add_saturated(&t->list.v[task].period, item_period(item));
}

static bool wants_tasks(void *ctx, const struct record_header *header)
{
	const struct tasks *t = ctx;

	if (header->type == PERF_RECORD_SAMPLE)
		return t->samples;
	return header->type == PERF_RECORD_FORK || header->type == PERF_RECORD_EXIT || header->type == PERF_RECORD_COMM ||
	       (t->maps && (header->type == PERF_RECORD_MMAP || header->type == PERF_RECORD_MMAP2));
}

static void on_record(void *worker, void *ctx, const struct item *item, struct ordered_text *out)
{
	const struct record *r = item->record;

	(void)worker, (void)out;
	note_time(ctx, item->time);
	switch (r->header.type) {
	case PERF_RECORD_SAMPLE:
		on_sample(ctx, item);
		break;
	case PERF_RECORD_FORK:
		on_fork(ctx, &r->task);
		break;
	case PERF_RECORD_EXIT:
		on_task_exit(ctx, &r->task);
		break;
	case PERF_RECORD_COMM:
		on_comm(ctx, r);
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		on_map(ctx, r);
		break;
	}
}

/* ---- printing ---- */

static void put_map(const struct tasks *t, const struct mapped *m, unsigned indent, struct buf *out)
{
	buf_fill(out, ' ', 3 * ((size_t)t->width + 1) + 5 + indent);
	buf_printf(out, "%" PRIx64 "-%" PRIx64 " %c%c%c%c %08" PRIx64 " ", m->start, m->end, m->prot & PROT_READ ? 'r' : '-',
		   m->prot & PROT_WRITE ? 'w' : '-', m->prot & PROT_EXEC ? 'x' : '-', m->flags & MAP_SHARED ? 's' : 'p', m->pgoff);
	if (*m->build_id)
		buf_puts(out, m->build_id);
	else
		buf_printf(out, "%" PRIu64, m->ino);
	buf_printf(out, " %s\n", m->file);
}

static void put_task(const struct tasks *t, struct task *task, unsigned depth, struct buf *out)
{
	buf_printf(out, "  %*" PRIu32 " %*" PRIu32 " %*" PRId64 " |", t->width, task->pid, t->width, task->tid,
		   t->width, task->ppid);
	buf_fill(out, ' ', depth);
	buf_printf(out, "%.*s\n", MAX_NAME, task->comm ? task->comm : "");
	settle(task);
	vec_for(map, &task->maps)
		put_map(t, map, depth, out);
}

/* Works without recursion, because forks may be deeply nested. */
static void put_tree(const struct tasks *t, uint32_t root, struct buf *out)
{
	struct place { uint32_t task, child; };
	VEC(struct place) path = {0};

	vec_push(&path, ((struct place){ root, 0 }));
	while (path.nr) {
		struct place *at = &path.v[path.nr - 1];
		struct task *task = &t->list.v[at->task];

		if (!at->child)
			put_task(t, task, MIN((unsigned)path.nr - 1, MAX_INDENT), out);
		if (at->child < task->children.nr) {
			uint32_t child = task->children.v[at->child++];	/* before the path moves */

			vec_push(&path, ((struct place){ child, 0 }));
		} else {
			path.nr--;
		}
	}
	vec_free(&path);
}

static void put_all(struct tasks *t, struct buf *out)
{
	t->width = 8;
	buf_printf(out, "# %*s %*s %*s  comm\n", t->width, "pid", t->width, "tid", t->width, "ppid");
	for (uint32_t i = 0; i < t->list.nr; i++)
		if (!t->list.v[i].is_child)
			put_tree(t, i, out);
	if (t->nr_bare)
		info("%" PRIu64 " tasks are shown without the maps that they inherited: there are too many", t->nr_bare);
}

void tasks_read(struct tasks *t, struct session *s)
{
	struct ordered_pass pass = { .wants = wants_tasks, .item = on_record, .one_worker = true };

	t->room = MAP_COPIES;
	new_task(t, 0, 0);
	t->list.v[0].comm = keep(&t->names, "swapper");
	session_ordered(s, &pass, t, -1);
}

static void forget(struct kept_texts *k)
{
	vec_for(text, &k->list)
		free(*text);
	vec_free(&k->list);
}

void tasks_release(struct tasks *t)
{
	vec_for(task, &t->list) {
		vec_free(&task->maps);
		vec_free(&task->children);
	}
	vec_free(&t->list);
	forget(&t->files);
	forget(&t->names);
	index_release(&t->by_tid);
}

void tasks_print(struct session *s, bool maps, struct buf *out)
{
	struct tasks t = { .maps = maps };

	tasks_read(&t, s);
	put_all(&t, out);
	tasks_release(&t);
}
