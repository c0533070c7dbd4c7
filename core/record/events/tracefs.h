/* Lists the kernel's tracepoints, and reads their format files. Layer: events */
#ifndef CORE_RECORD_EVENTS_TRACEFS_H
#define CORE_RECORD_EVENTS_TRACEFS_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/vec.h"

struct buf;

struct tracepoint {
	char *name;		/* owned: "system:event" */
	uint64_t id;		/* attr.config of it */
};

struct tracepoints {		/* = {0} is an empty one */
	VEC(struct tracepoint) list;
};

/* The mount point of tracefs: its usual places, then by /proc/mounts. Owned by the caller; NULL: not mounted. */
char *tracefs_path(void);
/*
 * Appends the tracepoints that match @pattern, "system:event" with * ? [...] in both. Returns their number, or with *why
 * (owned by the caller; the reason, as the rest of a message) -ENOENT: no match; or another negative errno: tracefs cannot be
 * read, -ENODEV if it is not mounted.
 */
int tracepoints_find(struct tracepoints *out, const char *pattern, char **why);
void tracepoints_release(struct tracepoints *t);

/*
 * Appends the section TRACING_DATA for tracepoints with these names ("system:event"; text after a second colon is ignored; in any
 * order, with or without repetitions). A tracepoint that does not exist any more is left out.
 */
void tracefs_section(struct buf *out, const char *const *names, size_t nr);
/*
 * The kernel's reason for refusing @filter for the tracepoint @name; "" if it gives none. Uses an instance of tracing of its
 * own, so that other tracing is undisturbed. Owned by the caller.
 */
char *tracefs_filter_error(const char *name, const char *filter);

#endif
