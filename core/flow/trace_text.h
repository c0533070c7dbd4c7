/*
 * What the hit of a tracepoint says, with the names that its recording knows.
 * Layer: flow
 */
#ifndef CORE_FLOW_TRACE_TEXT_H
#define CORE_FLOW_TRACE_TEXT_H

#include <stdint.h>

struct buf;
struct item;
struct session;
struct trace_event;

/* A worker's memory of the kernel's functions: callers of kmalloc() are few. = {0} */
struct trace_functions {
	struct trace_function { uint64_t addr, offset; const char *name; uint32_t space; } slots[256];	/* space + 1; 0: free */
};

/* Append what @ev prints for it. Safe from any thread, with functions of its own (NULL: none). */
void trace_text_put(const struct session *s, const struct trace_event *ev, const struct item *item,
		    struct trace_functions *functions, struct buf *out);

#endif
