/*
 * Who ran on a CPU at a time, from context switches and the thread that an AUX record names.
 * Layer: auxtrace
 */
#ifndef AUXTRACE_WHO_H
#define AUXTRACE_WHO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/vec.h"

struct aux_queue;
struct aux_window;
struct session;

struct who {			/* a thread's turn on a CPU */
	uint64_t from, to;	/* ns, half open; to UINT64_MAX: to the end */
	uint32_t pid, tid;
	uint32_t era;		/* how often the thread had moved from one CPU to another before */
};

struct who_cpu { VEC(struct who) turns; };

struct who_list {		/* = {0}; who_release() */
	VEC(struct who_cpu) cpus;	/* by CPU number */
	VEC(struct who) threads;	/* those that ITRACE_START names; from and to are unused */
};

/* To be called before the session has a source. */
void who_gather(struct who_list *w, struct session *s);
void who_release(struct who_list *w);

/* Who ran in @q's trace at @time, position @at; pid and tid AUX_NONE: not known. */
struct who who_at(const struct who_list *w, const struct aux_queue *q, uint64_t time, uint64_t at);

/* Does @window want any of those who may have run in @q's trace from @from to @to (ns)? */
bool who_wanted(const struct who_list *w, const struct aux_queue *q, const struct aux_window *window, uint64_t from,
		uint64_t to);

/* Where only a part is decoded, -v says how much: @kept of @nr pieces. */
void aux_debug_chosen(size_t nr, size_t kept);

#endif
