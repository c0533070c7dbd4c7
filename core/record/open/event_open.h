/*
 * Calls perf_event_open(2), and after a failure changes the perf_event_attr for the next try. opener.c opens all events of a
 * recording with these functions.
 */
#ifndef CORE_RECORD_OPEN_EVENT_OPEN_H
#define CORE_RECORD_OPEN_EVENT_OPEN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/perfdata/attr.h"

/* The features that event_fallback() may give up if the kernel refuses an event, and those that it has given up. */
struct fallback {
	bool precise_max;	/* precise_ip may be lowered */
	bool may_be_user;	/* exclude_kernel may be set, if the kernel must not be watched */
	unsigned nr_dropped;	/* how many features that older kernels lack were dropped: rows of a table, newest first */
};

/* Returns the file descriptor (close-on-exec) or -errno. */
int event_open(const struct event_attr *attr, pid_t pid, int cpu, int group_fd);
/* Like event_open(), for all tasks of a cgroup on @cpu. @dir_fd is the descriptor of the cgroup's directory. */
int event_open_cgroup(const struct event_attr *attr, int dir_fd, int cpu, int group_fd);
/* Attaches the BPF program to the tracepoint of this number until the returned descriptor (or -errno) is closed. */
int tracepoint_attach(uint64_t tracepoint, int program);

/*
 * Changes @attr, which the kernel refused with @err (positive errno), to the next attr to try. Returns the name of the feature that
 * was given up, for a message, or "" if the user need not know. Returns NULL if there is nothing more to try; @attr is undefined
 * then. The change depends only on the attr, on @err, and on the features that were given up before.
 */
const char *event_fallback(struct event_attr *attr, int err, struct fallback *f);

/*
 * Drops the first @nr features of the table (fallback.nr_dropped) from @attr. Call it with the number that the first event needed,
 * so that later events are opened at once.
 */
void event_drop_features(struct event_attr *attr, unsigned nr);

#endif
