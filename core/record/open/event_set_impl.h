/*
 * Declares the functions that event_set.c shares with the files that do its steps: opener.c opens an event's file descriptors,
 * set_programs.c attaches filters and BPF programs, and set_rings.c maps the ring buffers. Other files use event_set.h.
 */
#ifndef CORE_RECORD_OPEN_EVENT_SET_IMPL_H
#define CORE_RECORD_OPEN_EVENT_SET_IMPL_H

#include "core/record/open/event_open.h"
#include "core/record/open/event_set.h"

/* Results of opening an event. */
#define LEFT_OUT	1		/* the kernel refused the event, and this was reported */
#define GROUP_REFUSED	2		/* the event cannot be a member of this weak group */

/* The state of one event_set_open(). */
struct opener {
	struct event_set *set;
	struct fallback fallback;
	const struct event_request *request;	/* NULL: the side band */
	VEC(int) leaders;			/* by place: the file descriptor of the group's leader, -1: none */
	bool from_wildcard;		/* a pattern matched the event: it is left out if the kernel refuses it */
	const struct sampling_opts *opts;
	size_t nr_requests;
	bool optional;		/* the event is left out if this machine lacks it */
};

/* Opens the event at @nr places. @member: of a group, and not its leader. Returns 0, LEFT_OUT, GROUP_REFUSED or -1. */
int opener_open_event(struct opener *o, const struct event_attr *attr, const char *name,
		      const struct target_place *places, size_t nr, bool member);
/* Adds an event to the set's table. @attr is the attr that was opened, and @asked the attr that was wanted. */
struct event *event_set_add(struct event_set *s, const struct event_attr *attr, const struct event_attr *asked, const char *name);

/* Calls ioctl(2) for the event, and for its variants with other sizes of stack copies. Returns 0, or -1 with errno set. */
int opened_ioctl(const struct opened *e, unsigned long request, uintptr_t arg);
/* Like opened_ioctl(), but only for the variants. */
int opened_ioctl_others(const struct opened *e, unsigned long request, uintptr_t arg);

/* Applies the request's filter to the event that was opened last. Prints errors; 0 or -1. */
int event_set_filter(struct event_set *s, const struct event_request *r);
/* Attaches the request's program to the event that was opened last. Prints errors; 0 or -1. */
int event_set_attach(struct event_set *s, const struct event_request *r);
/* Makes the user's BPF programs write to the bpf-output event of each CPU. Prints errors; returns 0 or -1. */
int event_set_connect_programs(struct event_set *s);

/*
 * Maps a ring buffer for each CPU or thread, of @asked bytes, or of fewer if locked memory is short. Redirects the output of all
 * events to the ring buffers. Prints errors; returns 0 or -1.
 */
int event_set_map_rings(struct event_set *s, uint64_t asked);
void event_set_unmap_rings(struct event_set *s);

#endif
