/*
 * Defines struct tasks, the list of the processes and threads of a recording. tasks.c reads it from the recording and prints it
 * as a full tree, and task_groups.c prints it as a short tree.
 */
#ifndef CORE_SHOW_REPORT_TASKS_IMPL_H
#define CORE_SHOW_REPORT_TASKS_IMPL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/hash.h"
#include "core/base/vec.h"

struct event;
struct session;

#define NO_TASK		UINT32_MAX

struct mapped {				/* a map of a task that is a process; .end is not included */
	uint64_t start, end, pgoff, ino;
	uint32_t prot, flags;
	char build_id[41];		/* hexadecimal; "": none */
	const char *file;		/* one of tasks.files */
};

struct task {
	uint32_t pid, tid;
	int64_t ppid;			/* -1: not known */
	const char *comm;		/* one of tasks.names; NULL: not known */
	VEC(struct mapped) maps;	/* first .settled maps, sorted and without overlaps, then new maps in file order */
	size_t settled;
	VEC(uint32_t) children;
	bool is_child, ended;
	uint64_t begin, end;		/* by the recording's clock; .begin 0: before the recording; .end only if .ended */
	uint64_t period;		/* sum over its samples; with tasks.samples */
};

struct kept_texts { VEC(char *) list; };	/* owned, none twice in a row */

struct tasks {
	bool maps;			/* read maps, too */
	bool samples;			/* sum up the samples of .event */
	const struct event *event;
	uint64_t first_time, last_time;	/* of the records that are read */
	VEC(struct task) list;		/* in the order of their begins */
	struct index by_tid;
	struct kept_texts files, names;
	uint64_t room;			/* how many more maps may be inherited: see tasks.c */
	uint64_t nr_bare;		/* tasks that did not inherit maps because of .room */
	int width;			/* columns in which pids are printed */
};

/* Reads the tasks. @t: .maps, .samples, .event are set, other members zero; tasks_release(). The first task is the idle one, 0. */
void tasks_read(struct tasks *t, struct session *s);
void tasks_release(struct tasks *t);
/* The latest task of @tid that began at @time or before (recording's clock), else the latest of all. NO_TASK: unknown tid. */
uint32_t task_at(const struct tasks *t, uint32_t tid, uint64_t time);

#endif
