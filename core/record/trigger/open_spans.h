/*
 * Measures how long function calls and waits take, for triggers such as slow:PATH:FUNCTION>TIME. For each thread it keeps the
 * calls and waits that have begun and not ended.
 */
#ifndef CORE_RECORD_TRIGGER_OPEN_SPANS_H
#define CORE_RECORD_TRIGGER_OPEN_SPANS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/hash.h"
#include "core/base/vec.h"

#define OPEN_SPANS_DEPTH	16	/* recursive calls that are measured; if there are more, the outermost are not */

/* Calls or waits of one thread, for one trigger, that have begun and not ended. */
struct open_span {
	uint32_t tid, spec;
	unsigned nr;				/* how many of .begun */
	uint64_t begun[OPEN_SPANS_DEPTH];	/* ns; the innermost is the last */
};

struct open_spans {			/* open_spans_release() */
	VEC(struct open_span) list;
	struct index by_thread;
};

/*
 * A call or wait of trigger @spec begins in thread @tid. It may be a call within calls that have not ended. With @alone it is a
 * wait, and ends all others of the thread and trigger.
 */
void open_spans_begin(struct open_spans *s, uint32_t tid, uint32_t spec, uint64_t time, bool alone);
/* Ends the innermost call or wait. Returns how long it took (ns), or 0 if its begin was not seen or it took no time. */
uint64_t open_spans_end(struct open_spans *s, uint32_t tid, uint32_t spec, uint64_t time);
/* Forgets all calls and waits that have not ended. Call it after records were lost. */
void open_spans_forget(struct open_spans *s);
void open_spans_release(struct open_spans *s);

#endif
