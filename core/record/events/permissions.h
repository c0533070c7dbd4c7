/*
 * Explains why perf_event_open(2) was refused. The message names the setting that caused it, its value, and the smallest change
 * that would help.
 */
#ifndef CORE_RECORD_EVENTS_PERMISSIONS_H
#define CORE_RECORD_EVENTS_PERMISSIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct buf;
struct event_attr;

/* The settings of the machine and the rights of the process that decide whether the kernel refuses an event. */
struct permission_facts {
	long long paranoid;	/* kernel.perf_event_paranoid; -1: all is allowed */
	bool has_paranoid;	/* its file could be read; a kernel without perf events has none */
	bool perfmon;		/* CAP_PERFMON or CAP_SYS_ADMIN is effective */
	bool seccomp;		/* a filter is installed: containers refuse the call with EPERM */
	bool lockdown;		/* kernel lockdown is on */
	unsigned long long max_files;	/* RLIMIT_NOFILE */
	long long max_stack;	/* kernel.perf_event_max_stack: frames; 0: not known */
	uint32_t probes[2];	/* types of the PMUs "kprobe" and "uprobe", whose events need .perfmon; 0: not known */
	bool foreign;		/* the process is another user's; the caller sets this */
};

/* Fills all members but .foreign. */
void permission_facts_read(struct permission_facts *out);
/* Returns how many bytes of ring buffers this user may map if no other recording of this user runs. */
uint64_t permission_lockable_bytes(void);

/* Explains why the kernel refused @attr with @err (positive errno), after a message that began "cannot open 'NAME': ". */
void permission_explain(struct buf *out, const struct permission_facts *f, const struct event_attr *attr,
			pid_t pid, int cpu, int err);

/* Warns that the kernel's functions will have no names, because /proc/kallsyms hides the addresses from this user. */
void permission_warn_hidden(void);

#endif
