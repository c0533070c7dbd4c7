/* Lists the events that this machine has, by kind (hardware, software, PMU, tracepoint and others), for `prec list`. */
#ifndef CORE_RECORD_OPEN_EVENT_LIST_H
#define CORE_RECORD_OPEN_EVENT_LIST_H

#include "core/base/vec.h"

enum listed_kind {
	LISTED_HARDWARE, LISTED_SOFTWARE, LISTED_CACHE, LISTED_PMU, LISTED_VENDOR, LISTED_OTHER, LISTED_TRACEPOINT, NR_LISTED_KINDS
};

struct listed_event {
	enum listed_kind kind;
	char *name;		/* owned: for -e; "NAME OR ALIAS" if it has two, or a form such as "rNNN" */
	char *pmu;		/* owned; NULL: none */
	char *encoding;		/* owned: its type and config, or its terms in sysfs; NULL: none */
	char *text;		/* owned: its description, a sentence; NULL: unknown */
};

struct event_list {
	VEC(struct listed_event) list;
};

/*
 * Appends the events of @kind that this machine has, even if this user may not open them. Returns 0. For tracepoints it may return
 * -1, with the reason and what helps in *why, owned by the caller.
 */
int event_list_read(struct event_list *out, enum listed_kind kind, char **why);
void event_list_release(struct event_list *l);

/* Reads the format of the tracepoint "system:event" (trace_event_free()); NULL: it cannot be read. */
struct trace_event;
struct trace_event *event_list_format(const char *name);

/* Appends the properties of the PMUs: type, CPUs, terms and capabilities, one a line below the name of the PMU. */
struct buf;
void event_list_pmus(struct buf *out);

#endif
