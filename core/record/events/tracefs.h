/*
 * Reads from tracefs: the list of the kernel's tracepoints, their format files for the feature section TRACING_DATA, and the
 * kernel's error text if it refuses a tracepoint's filter.
 */
#ifndef CORE_RECORD_EVENTS_TRACEFS_H
#define CORE_RECORD_EVENTS_TRACEFS_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/vec.h"

struct buf;

struct tracepoint {
	char *name;		/* owned: "system:event" */
	uint64_t id;		/* attr.config of its events */
};

struct tracepoints {		/* = {0}: none */
	VEC(struct tracepoint) list;
};

/* Finds the mount point of tracefs in its usual places and /proc/mounts. Owned by the caller; NULL: it is not mounted. */
char *tracefs_path(void);
/*
 * Appends the tracepoints that match @pattern, "system:event" with * ? [...] in both parts. Returns their number, -ENOENT if
 * none matches, or another negative errno if tracefs cannot be read: -ENODEV if it is not mounted. On failure *why is the
 * reason, owned by the caller, as the end of a message.
 */
int tracepoints_find(struct tracepoints *out, const char *pattern, char **why);
void tracepoints_release(struct tracepoints *t);

/*
 * Appends the section TRACING_DATA for tracepoints with these names ("system:event"; text after a second colon is ignored; in any
 * order, with or without repetitions). A tracepoint that does not exist any more is left out.
 */
void tracefs_section(struct buf *out, const char *const *names, size_t nr);
/*
 * Returns the kernel's reason for refusing @filter for the tracepoint @name, or "" if the kernel gives none. Owned by the
 * caller. Uses a tracing instance of its own, so that other tracing is not disturbed.
 */
char *tracefs_filter_error(const char *name, const char *filter);

#endif
