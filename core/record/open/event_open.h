/*
 * Calls perf_event_open(2), and chooses the next attr to try if it fails. The choice is a pure function of attr and errno.
 * Layer: open
 */
#ifndef CORE_RECORD_OPEN_EVENT_OPEN_H
#define CORE_RECORD_OPEN_EVENT_OPEN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/perfdata/attr.h"

/* The features that may be given up, and those that were. */
struct fallback {
	bool precise_max;	/* precise_ip may be lowered */
	bool may_be_user;	/* the kernel may be excluded, if it is refused */
	unsigned nr_dropped;	/* newer features of the kernel done without: rows of a table, newest first */
};

/* Returns the file descriptor (close-on-exec) or -errno. */
int event_open(const struct event_attr *attr, pid_t pid, int cpu, int group_fd);
/* The same for all tasks of a cgroup on @cpu; @dir_fd: the cgroup's directory. */
int event_open_cgroup(const struct event_attr *attr, int dir_fd, int cpu, int group_fd);
/* Attaches the BPF program to the tracepoint of this number until the returned descriptor is closed. Returns that or -errno. */
int tracepoint_attach(uint64_t tracepoint, int program);

/*
 * Changes @attr, which was refused with @err (positive errno), to the next one worth trying. Returns the feature that was given
 * up, for a message; "" if the user need not know; NULL if nothing is left to try: @attr is undefined then.
 */
const char *event_fallback(struct event_attr *attr, int err, struct fallback *f);

/* Drops the first @nr rows of new kernel features from @attr, as the first event needed: later events skip the attempts. */
void event_drop_features(struct event_attr *attr, unsigned nr);

#endif
