/*
 * Chooses the processes in which the BPF program python.bpf.c reads Python frames, and finds the frames of each sample.
 * python_merge.c then puts the frames into the call chain.
 */
#include "core/record/live/python.h"

#include <inttypes.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/ui/finding.h"
#include "core/base/hash.h"
#include "core/base/log.h"
#include "core/base/util.h"
#include "core/perfdata/feature.h"
#include "core/perfdata/record.h"
#include "core/record/open/event_set.h"
#include "core/record/bpf/python_program.h"
#include "core/record/live/kernel_records.h"
#include "core/record/live/packed_table.h"
#include "core/record/live/python_process.h"

#define PROCESSES_MAX	65536

struct process { uint32_t pid; struct python_ranges *loop; };	/* .loop: code of the interpreter's loop */

struct python {
	struct python_program *program;	/* owned */
	int at_switch;			/* keeps the program attached to context switches; negative: it is not attached */
	pthread_mutex_t lock;		/* protects the four members below */
	struct python_files files;
	VEC(struct process) processes;
	struct index by_pid;
	VEC(struct python_ranges *) ranges;	/* those of all processes so far; owned */
	struct python_stacks stacks;
};

/* ---- processes ---- */

static struct process *find_process(const struct python *p, uint32_t pid)
{
	uint64_t h = hash_u64(pid);

	index_for(pos, &p->by_pid, h)
		if (p->processes.v[pos].pid == pid)
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
	if (!is_python_file(name) || python_process_of(&p->files, r, name, &found, &loop) ||
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

/* Gives a child process the loop of its parent. The BPF program handles forks itself. */
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

static void on_stack(void *ctx, const void *data, size_t size)
{
	struct python *p = ctx;

	python_stacks_add(&p->stacks, data, size);
}

void python_read(struct python *p)
{
	python_program_read(p->program, on_stack, p);
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
	uint32_t pid;

	if (!python_stacks_find(&p->stacks, tid, time, at_switch, &pid))
		return false;
	*out = (struct python_stack){ p->stacks.found.v, p->stacks.found.nr, loop_of(p, pid) };
	return true;
}

/* ---- the recording ---- */

/* Writes the table of Python code objects, to which the frames in call chains refer (core/model/python.h). */
void python_section(struct python *p, struct features *f)
{
	f->has[FEATURE_PYTHON] = packed_table_make(&p->stacks.codes.table, &f->python);
}

uint64_t python_bytes(struct python *p)
{
	return p->stacks.codes.table.len / 4;
}

void python_findings(struct python *p, struct findings *out)
{
	findings_add(out, FINDING_PYTHON_UNKNOWN, p->stacks.nr_unknown, p->stacks.nr_found + p->stacks.nr_unknown, NULL);
}

/* ---- its life ---- */

struct python *python_new(const struct event_set *set, char **why)
{
	struct python_program *program = python_program_load(why);
	struct python *p;

	if (!program)
		return NULL;
	if (!event_set_run_program(set, python_program_fd(program, false))) {
		*why = xstrdup("none of the events takes a BPF program");
		python_program_free(program);
		return NULL;
	}
	p = xcalloc(1, sizeof(*p));
	p->program = program;
	p->at_switch = event_set_run_at_switch(set, python_program_fd(program, true));
	pthread_mutex_init(&p->lock, NULL);
	return p;
}

void python_free(struct python *p)
{
	if (!p)
		return;
	if (p->at_switch >= 0)
		close(p->at_switch);
	python_program_free(p->program);
	python_files_release(&p->files);
	vec_free(&p->processes);
	index_release(&p->by_pid);
	vec_for(r, &p->ranges) {
		vec_free(&(*r)->list);
		free(*r);
	}
	vec_free(&p->ranges);
	python_stacks_release(&p->stacks);
	pthread_mutex_destroy(&p->lock);
	free(p);
}
