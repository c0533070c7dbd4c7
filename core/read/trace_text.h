/*
 * Prints a tracepoint sample as text. It replaces addresses in the sample by the names of kernel functions, or by the constant
 * strings that the recorded kernel had at these addresses.
 */
#ifndef CORE_READ_TRACE_TEXT_H
#define CORE_READ_TRACE_TEXT_H

#include <stdint.h>

#include "core/base/buf.h"
#include "core/read/raw_memo.h"

struct item;
struct session;
struct trace_event;

/*
 * A worker's cache of the names of kernel functions (only few call kmalloc(), for example) and of the texts of hits (samples of
 * tracepoints). = {0}; trace_texts_release()
 */
struct trace_texts {
	struct trace_function { uint64_t addr, offset; const char *name; uint32_t space; } functions[256]; /* space + 1; 0: free */
	struct raw_memo hits;		/* maps the raw data of a hit to the offset of its text in .texts */
	struct buf texts;		/* each text has its size (u32) before it */
};

/* Appends the text of the hit @item of @ev. Safe from any thread, if each has its own @texts (NULL: no cache). */
void trace_text_put(const struct session *s, const struct trace_event *ev, const struct item *item, struct trace_texts *texts,
		    struct buf *out);
void trace_texts_release(struct trace_texts *t);

#endif
