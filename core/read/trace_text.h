/* Prints a hit of a tracepoint, with function names and constant strings of the recorded kernel. Layer: read */
#ifndef CORE_READ_TRACE_TEXT_H
#define CORE_READ_TRACE_TEXT_H

#include <stdint.h>

#include "core/base/buf.h"
#include "core/read/raw_memo.h"

struct item;
struct session;
struct trace_event;

/* A worker's memory of the kernel's functions - callers of kmalloc() are few - and of hits. = {0}; trace_texts_release() */
struct trace_texts {
	struct trace_function { uint64_t addr, offset; const char *name; uint32_t space; } functions[256]; /* space + 1; 0: free */
	struct raw_memo hits;		/* where in .texts that of a hit begins */
	struct buf texts;		/* for each its bytes (u32), and these */
};

/* Append what @ev prints for it. Safe from any thread, with texts of its own (NULL: nothing is remembered). */
void trace_text_put(const struct session *s, const struct trace_event *ev, const struct item *item, struct trace_texts *texts,
		    struct buf *out);
void trace_texts_release(struct trace_texts *t);

#endif
