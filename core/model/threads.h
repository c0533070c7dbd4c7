/*
 * Keeps a recording's threads and processes with their names over time, and finds the one that had a tid or pid at a given time.
 * side_band.c adds them; spaces.h keeps their address spaces.
 */
#ifndef CORE_MODEL_THREADS_H
#define CORE_MODEL_THREADS_H

#include "core/base/hash.h"
#include "core/base/vec.h"
#include "core/model/machine.h"

#define LIFE_NONE	UINT32_MAX
#define COMM_NONE	UINT32_MAX	/* no name known */

struct since { uint64_t time; uint32_t key, value; };	/* from .time on, what .key numbers has this value */

struct history {
	VEC(struct since) list;			/* in order of time */
	/* Sealed: the items of key k are, in order of time, order[offsets[k]] to order[offsets[k + 1] - 1]. */
	VEC(uint32_t) order, offsets;
};

/*
 * Tids and pids are reused, and each use is called a *life*. A life of a thread belongs to one life of a process. A new name or a
 * new memory image (spaces.h) is an event in such a life. Lives are added in order of time; threads_seal() then makes them ready
 * for searches.
 */
struct slot { uint32_t id, last; };		/* a tid or pid, and its latest life */

struct ids {
	VEC(struct slot) slots;
	struct index by_id;
	struct history lives;			/* by index in .slots */
};

struct life {					/* one life of a thread */
	struct thread thread;
	uint32_t process;
	uint32_t comm;				/* the number of the latest name, or COMM_NONE */
	bool ended;
};

/*
 * The progress of an exec, by its records: first the name, then the maps of program, interpreter and vdso. Until the last, the
 * process has the registers of the old program, which point to its code (begin_new_exec() and load_elf_binary() of Linux 6.1).
 */
enum exec_stage { EXEC_NONE, EXEC_NAMED, EXEC_MAPPED };

struct process { uint32_t pid, image; enum exec_stage exec; };	/* one life of a process; .image is the latest */

struct threads {
	struct ids tids, pids;
	VEC(struct life) lives;
	VEC(struct process) processes;
	struct history names, cgroups;		/* by life: the numbers of its name and of its cgroup namespace */
	struct history spaces;			/* by process; machine_seal() adds them when the spaces are known */
};

/* The process that has @pid now; if there is none, it is made and *made is set. */
uint32_t threads_process(struct threads *t, uint32_t pid, bool *made);
/* Begins a new life of @pid at @time. The caller sets its image. */
uint32_t threads_new_process(struct threads *t, uint32_t pid, uint64_t time);
/* The life of the thread that has @tid now. A new one begins if there is none in @process. */
uint32_t threads_life(struct threads *t, uint32_t process, uint32_t tid, uint64_t time);
/* Begins a new life of @tid; an older one ends. */
uint32_t threads_new_life(struct threads *t, uint32_t process, uint32_t tid, uint64_t time);
/* The latest life of @tid, or LIFE_NONE. */
uint32_t threads_last(const struct threads *t, uint32_t tid);
void threads_name(struct threads *t, uint32_t life, uint32_t comm, uint64_t time);
/* From @time on, @life is in the cgroup namespace of that number. */
void threads_enter(struct threads *t, uint32_t life, uint32_t cgroup_ns, uint64_t time);
void threads_end(struct threads *t, uint32_t life, uint64_t time);
void threads_seal(struct threads *t);
void threads_release(struct threads *t);

/* The state of a thread, which is valid for times in [from, to). */
struct moment {
	uint32_t life;		/* LIFE_NONE: unknown */
	uint32_t comm;		/* COMM_NONE: unknown */
	uint32_t space;		/* SPACE_NONE: unknown */
	uint32_t cgroup_ns;	/* 0: not known */
	uint64_t from, to;
};
void threads_at(const struct threads *t, uint32_t pid, uint32_t tid, uint64_t time, struct moment *out);
/* When @life gets its next name after @time, ns; UINT64_MAX: never. */
uint64_t threads_next_naming(const struct threads *t, uint32_t life, uint64_t time);

#endif
