/*
 * Describes the target of a recording, and determines its places, the (pid, cpu) pairs for which perf_event_open(2) is called.
 * The table of modes in prec-record(1) shows the pairs for each option.
 */
#ifndef CORE_RECORD_OPEN_TARGET_H
#define CORE_RECORD_OPEN_TARGET_H

#include <sys/types.h>

#include "core/base/cpus.h"
#include "core/base/vec.h"

struct pid_list {
	VEC(pid_t) list;
};

struct target {
	bool workload;			/* a command was given */
	bool all_cpus;			/* -a */
	bool has_cpus;			/* -C */
	struct cpus cpus;		/* of -C */
	struct pid_list pids, tids;	/* -p, -t */
	bool has_user;			/* -u */
	uid_t user;
	bool children;			/* --children: also the children that the processes of -p already have */
	bool per_thread;		/* --per-thread */
	bool no_inherit;		/* -i */
};

/* A place: the (pid, cpu) arguments of one perf_event_open(2). */
struct target_place {
	pid_t pid;			/* -1: all tasks */
	int cpu;			/* -1: any CPU */
	bool cgroup;			/* pid is the descriptor of a cgroup's directory */
};

struct places {
	bool inherit;			/* new threads and children are counted too */
	bool on_exec;			/* the target is a command, whose events begin with its exec */
	VEC(struct target_place) sampling;	/* for the requested events */
	VEC(struct target_place) on_all_cpus;	/* for events with .on_all_cpus: all tasks, on each online CPU */
	VEC(struct target_place) side_band;	/* for the side band: those in .sampling, and more if maps might be missed */
};

/* True if all tasks are watched, on some CPUs or on all. */
bool target_system_wide(const struct target *t);
/* True if the events follow the command. If not, the command only determines how long to record. */
bool target_is_workload(const struct target *t);
/* Drops options that exclude each other (a warning); chooses all CPUs without a target. Returns 0, or -1 (printed). */
int target_check(struct target *t);
/* Leave out the CPUs of -C that are not online, with a warning. Returns 0, or -1 if none is left (printed). */
int target_check_cpus(struct target *t, const struct cpus *online);
void target_release(struct target *t);

/* Determines the places. @threads are the workload's pid, or those that -p and -t name; unused when system-wide. */
void places_plan(struct places *out, const struct target *t, const struct cpus *online,
		 const pid_t *threads, size_t nr_threads);
void places_release(struct places *p);

/*
 * Finds the threads of the target's processes in /proc, and adds the threads that the target names. Threads that have ended are
 * left out, with a warning. Returns 0, or -1 after printing an error if no thread is left.
 */
int target_threads(struct pid_list *out, const struct target *t);
/* Lists the present threads of the target's processes. Prints nothing. */
void target_processes_threads(struct pid_list *out, const struct target *t);
/* Appends the elements of @some that are not in @others. */
void pids_without(struct pid_list *out, const struct pid_list *some, const struct pid_list *others);

/* Appends the numbers that are names in @folder: the processes in /proc, the threads in /proc/PID/task. Returns 0 or -errno. */
int pids_in(struct pid_list *out, const char *folder);
/* Returns the parent of a process, or -1 if the process has ended. */
pid_t parent_of_process(pid_t pid);

/* Finds a user's uid by name or number. Prints errors; returns 0 or -1. */
int user_parse(uid_t *out, const char *user);
/* Append the processes of a user. Prints errors; returns 0 or -1. */
int pids_of_user(struct pid_list *out, uid_t uid);
/* Appends the running descendants of the processes @of, each once, except this process. */
void pids_of_children(struct pid_list *out, const struct pid_list *of);
/* Appends the numbers of a list such as "12,34" of @option. Prints errors; returns 0 or -1. */
int pids_parse(struct pid_list *out, const char *option, const char *text);

#endif
