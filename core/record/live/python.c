/* Processes, what the program sends, and the table. Layer: live */
#include "core/record/live/python.h"

#include <inttypes.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/base/buf.h"
#include "core/ui/finding.h"
#include "core/base/hash.h"
#include "core/base/log.h"
#include "core/base/util.h"
#include "core/perfdata/feature.h"
#include "core/perfdata/record.h"
#include "core/packing/zstd.h"
#include "core/model/python.h"
#include "core/record/open/event_set.h"
#include "core/record/open/timed_switch.h"
#include "core/record/bpf/python_program.h"
#include "core/record/live/kernel_records.h"
#include "core/record/live/python_code.h"
#include "core/record/live/python_process.h"

#define PROCESSES_MAX	65536
#define GENERATION	(4u << 20)	/* bytes of stacks, after which the ones before them are forgotten */
#define LEVEL		1		/* of zstd */
#define SWITCH_NS	100000		/* a switch takes its sample so long after its frames at most; no thread is back by then */

struct process { uint32_t pid; struct python_ranges *loop; };	/* .loop: NULL once it has ended */

struct stack { uint64_t time; uint32_t tid, pid, flags; size_t at, nr; };	/* .nr frames, from .at of the generation's on */

struct call { uint64_t place; size_t from, nr; };	/* of the loop: .place on the stack of C, its frames */

struct switches { uint32_t tid; VEC(uint32_t) stacks; };	/* of a thread, by time: numbers of stacks */

struct generation {
	VEC(struct stack) stacks;
	VEC(struct python_frame) frames;
	struct index by_sample;
	VEC(struct switches) switches;
	struct index by_thread;
};

struct python {
	struct python_program *program;	/* owned */
	pthread_mutex_t lock;		/* of the processes: */
	struct python_files files;
	VEC(struct process) processes;
	struct index by_pid;
	VEC(struct python_ranges *) ranges;	/* of all processes there were; owned */
	struct python_codes codes;
	struct generation now, before;
	VEC(uint64_t) found;		/* frames of the last python_find() */
	VEC(struct call) calls;		/* and the calls that they are in, where several interpreters run */
	uint64_t nr_found, nr_unknown;	/* samples with frames; and with some that are not known */
};

/* ---- processes ---- */

static struct process *find_process(const struct python *p, uint32_t pid)
{
	uint64_t h = hash_u64(pid);
	uint32_t pos;

	for (size_t i = index_first(&p->by_pid, h); (pos = index_at(&p->by_pid, i, h)) != INDEX_END; i++)
		if (pos != INDEX_OTHER && p->processes.v[pos].pid == pid)
			return &p->processes.v[pos];
	return NULL;
}

static struct process *need_process(struct python *p, uint32_t pid)
{
	struct process *known = find_process(p, pid);

	if (known || p->processes.nr == PROCESSES_MAX)
		return known;
	index_add(&p->by_pid, hash_u64(pid), (uint32_t)p->processes.nr);
	vec_push(&p->processes, (struct process){ .pid = pid });
	return &p->processes.v[p->processes.nr - 1];
}

static void see_map(struct python *p, const struct record_header *h, const void *record, size_t size)
{
	const struct mmap2_record *r = record;
	struct python_ranges loop = {0}, *kept;
	struct python_process found;
	struct process *process;
	char name[PATH_MAX];
	size_t n;

	if (size <= sizeof(*r) || (h->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER || !(r->prot & PROT_EXEC))
		return;
	n = strnlen(r->name, MIN(size - sizeof(*r), sizeof(name) - 1));
	memcpy(name, r->name, n);
	name[n] = '\0';
	if (!is_python_file(name) || python_process_of(&p->files, r->pid, name, r->addr, r->pgoff, &found, &loop) ||
	    !(process = need_process(p, r->pid))) {
		vec_free(&loop.list);
		return;
	}
	kept = xcalloc(1, sizeof(*kept));
	*kept = loop;
	vec_push(&p->ranges, kept);
	process->loop = kept;
	python_program_add(p->program, r->pid, &found);
	debug(1, "process %" PRIu32 ": Python %u.%u in '%s'", r->pid,
	      found.offsets.version >> 8, found.offsets.version & 255, name);
}

/* The program itself knows what a child has of its parent; here it is the place of its loop. */
static void see_fork(struct python *p, const struct task_record *r)
{
	const struct process *parent = r->pid != r->ppid ? find_process(p, r->ppid) : NULL;
	struct python_ranges *loop = parent ? parent->loop : NULL;
	struct process *child = loop ? need_process(p, r->pid) : NULL;

	if (child && !child->loop)
		child->loop = loop;
}

static void see_end(struct python *p, const struct task_record *r)
{
	struct process *process = r->pid == r->tid ? find_process(p, r->pid) : NULL;

	if (process && process->loop)
		python_program_remove(p->program, r->pid);
}

void python_see(struct python *p, const void *record, size_t size)
{
	struct record_header h;

	memcpy(&h, record, sizeof(h));
	pthread_mutex_lock(&p->lock);
	if (h.type == PERF_RECORD_MMAP2)
		see_map(p, &h, record, size);
	else if (h.type == PERF_RECORD_FORK && size >= sizeof(struct task_record))
		see_fork(p, record);
	else if (h.type == PERF_RECORD_EXIT && size >= sizeof(struct task_record))
		see_end(p, record);
	pthread_mutex_unlock(&p->lock);
}

void python_see_all(struct python *p, const void *records, size_t n)
{
	const uint8_t *bytes = records;
	struct record_header h;

	for (size_t at = 0; record_header_at(records, n, at, &h); at += h.size)
		python_see(p, bytes + at, h.size);
}

/* ---- samples ---- */

static void forget(struct generation *g)
{
	vec_free(&g->stacks);
	vec_free(&g->frames);
	index_release(&g->by_sample);
	vec_for(s, &g->switches)
		vec_free(&s->stacks);
	vec_free(&g->switches);
	index_release(&g->by_thread);
	*g = (struct generation){0};
}

static struct switches *find_switches(const struct generation *g, uint32_t tid)
{
	uint64_t h = hash_u64(tid);
	uint32_t pos;

	for (size_t i = index_first(&g->by_thread, h); (pos = index_at(&g->by_thread, i, h)) != INDEX_END; i++)
		if (pos != INDEX_OTHER && g->switches.v[pos].tid == tid)
			return &g->switches.v[pos];
	return NULL;
}

static void keep_switch(struct generation *g, uint32_t tid, uint32_t stack)
{
	struct switches *s = find_switches(g, tid);

	if (!s) {
		index_add(&g->by_thread, hash_u64(tid), (uint32_t)g->switches.nr);
		vec_push(&g->switches, (struct switches){ .tid = tid });
		s = &g->switches.v[g->switches.nr - 1];
	}
	vec_push(&s->stacks, stack);
}

static void keep_stack(struct python *p, const struct python_sample *s, size_t size)
{
	struct stack stack = { .time = s->time, .tid = s->tid, .pid = s->pid, .flags = s->flags, .nr = s->nr };
	struct generation *g = &p->now;

	if (s->nr > PYTHON_FRAMES_MAX || size < offsetof(struct python_sample, frames) + s->nr * sizeof(s->frames[0]))
		return;
	if (g->frames.nr * sizeof(s->frames[0]) + g->stacks.nr * sizeof(stack) > GENERATION) {
		forget(&p->before);
		p->before = *g;
		*g = (struct generation){0};
	}
	stack.at = g->frames.nr;
	if (s->kind == PYTHON_SWITCH)
		keep_switch(g, s->tid, (uint32_t)g->stacks.nr);
	else
		index_add(&g->by_sample, hash_pair(s->time, s->tid), (uint32_t)g->stacks.nr);
	vec_push(&g->stacks, stack);
	for (uint32_t i = 0; i < s->nr; i++)
		vec_push(&g->frames, s->frames[i]);
}

static void take(void *ctx, const void *data, size_t size)
{
	struct python *p = ctx;
	uint32_t kind;

	if (size < sizeof(kind))
		return;
	memcpy(&kind, data, sizeof(kind));
	if (kind == PYTHON_CODE)
		python_codes_add(&p->codes, data, size);
	else if ((kind == PYTHON_SAMPLE || kind == PYTHON_SWITCH) && size >= offsetof(struct python_sample, frames))
		keep_stack(p, data, size);
}

void python_take(struct python *p)
{
	python_program_take(p->program, take, p);
}

static const struct stack *find_stack(const struct generation *g, uint32_t tid, uint64_t time)
{
	uint64_t h = hash_pair(time, tid);
	uint32_t pos;

	for (size_t i = index_first(&g->by_sample, h); (pos = index_at(&g->by_sample, i, h)) != INDEX_END; i++)
		if (pos != INDEX_OTHER && g->stacks.v[pos].time == time && g->stacks.v[pos].tid == tid)
			return &g->stacks.v[pos];
	return NULL;
}

/* The last one before @time. */
static const struct stack *find_switch(const struct generation *g, uint32_t tid, uint64_t time)
{
	const struct switches *s = find_switches(g, tid);
	size_t from = 0, to = s ? s->stacks.nr : 0;
	const struct stack *last;

	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (g->stacks.v[s->stacks.v[mid]].time <= time)
			from = mid + 1;
		else
			to = mid;
	}
	if (!from)
		return NULL;
	last = &g->stacks.v[s->stacks.v[from - 1]];
	return time - last->time < SWITCH_NS ? last : NULL;
}

static bool name_range(struct python *p, uint32_t pid, const struct python_frame *frames, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const struct python_frame *f = &frames[i];
		/* Before the first instruction. */
		uint32_t at = (int32_t)f->at < 0 ? 0 : f->at;
		uint64_t addr = python_codes_find(&p->codes, pid, f->code, f->print, at);

		if (!addr)
			return false;
		vec_push(&p->found, addr | (f->flags & PYTHON_ENTRY ? PYTHON_FRAME_ENTRY : 0));
	}
	return true;
}

static int by_place(const void *pa, const void *pb)
{
	return compare_numbers(((const struct call *)pa)->place, ((const struct call *)pb)->place);
}

/* Each interpreter's calls of its loop are in order; all of the thread are on one stack of C, the innermost the lowest. */
static bool name_calls(struct python *p, const struct stack *s, const struct python_frame *frames)
{
	size_t from = 0;

	p->calls.nr = 0;
	for (size_t i = 0; i < s->nr; i++) {
		if (!(frames[i].flags & PYTHON_PLACE))
			continue;
		vec_push(&p->calls, (struct call){ frames[i].code, from, i - from });
		from = i + 1;
	}
	if (from != s->nr || s->flags & PYTHON_CUT)
		return false;
	qsort(p->calls.v, p->calls.nr, sizeof(p->calls.v[0]), by_place);
	for (size_t i = 0; i < p->calls.nr; i++) {
		const struct call *c = &p->calls.v[i];

		if ((i && c->place == c[-1].place) || !name_range(p, s->pid, frames + c->from, c->nr))
			return false;
	}
	return true;
}

/* All frames, or none. */
static bool name_frames(struct python *p, const struct stack *s, const struct python_frame *frames)
{
	p->found.nr = 0;
	return s->flags & PYTHON_SEVERAL ? name_calls(p, s, frames) : name_range(p, s->pid, frames, s->nr);
}

static const struct python_ranges *loop_of(struct python *p, uint32_t pid)
{
	static const struct python_ranges nowhere;
	const struct process *process;
	const struct python_ranges *loop;

	pthread_mutex_lock(&p->lock);
	process = find_process(p, pid);
	loop = process && process->loop ? process->loop : &nowhere;
	pthread_mutex_unlock(&p->lock);
	return loop;
}

bool python_find(struct python *p, uint32_t tid, uint64_t time, bool at_switch, struct python_stack *out)
{
	const struct generation *g = &p->now;
	const struct stack *s = at_switch ? find_switch(g, tid, time) : find_stack(g, tid, time);

	if (!s) {
		g = &p->before;
		s = at_switch ? find_switch(g, tid, time) : find_stack(g, tid, time);
	}
	if (!s || (!s->nr && !s->flags))
		return false;
	if (s->flags & (PYTHON_BROKEN | PYTHON_AMBIGUOUS) || !name_frames(p, s, g->frames.v + s->at)) {
		p->nr_unknown++;
		return false;
	}
	p->nr_found++;
	*out = (struct python_stack){ p->found.v, p->found.nr, loop_of(p, s->pid) };
	return true;
}

/* ---- the recording ---- */

void python_section(struct python *p, struct features *f)
{
	const struct buf *table = &p->codes.table;
	struct zstd_writer *z = table->len ? zstd_writer_new(LEVEL) : NULL;
	struct buf packed = {0};

	if (!z)
		return;
	if (!zstd_write(z, table->data, table->len, &packed) && !zstd_end(z, &packed)) {
		f->python.size = table->len;
		f->python.packed_size = packed.len;
		f->python.packed = xmalloc(packed.len);
		memcpy(f->python.packed, packed.data, packed.len);
		f->has[FEATURE_PYTHON] = true;
	}
	zstd_writer_free(z);
	buf_release(&packed);
}

uint64_t python_bytes(struct python *p)
{
	return p->codes.table.len / 4;
}

void python_findings(struct python *p, struct findings *out)
{
	findings_add(out, FINDING_PYTHON_UNKNOWN, p->nr_unknown, p->nr_found + p->nr_unknown, NULL);
}

/* ---- its life ---- */

struct python *python_new(const struct event_set *set, char **why)
{
	struct python_program *program = python_program_load(why);
	struct python *p;

	if (!program)
		return NULL;
	if (!event_set_run_program(set, python_program_fd(program))) {
		*why = xstrdup("none of the events takes a BPF program");
		python_program_free(program);
		return NULL;
	}
	event_set_run_at_switch(set, python_program_at_switch(program));
	p = xcalloc(1, sizeof(*p));
	p->program = program;
	pthread_mutex_init(&p->lock, NULL);
	return p;
}

void python_free(struct python *p)
{
	if (!p)
		return;
	python_program_free(p->program);
	python_files_release(&p->files);
	vec_free(&p->processes);
	index_release(&p->by_pid);
	vec_for(r, &p->ranges) {
		vec_free(&(*r)->list);
		free(*r);
	}
	vec_free(&p->ranges);
	python_codes_release(&p->codes);
	forget(&p->now);
	forget(&p->before);
	vec_free(&p->found);
	vec_free(&p->calls);
	pthread_mutex_destroy(&p->lock);
	free(p);
}
