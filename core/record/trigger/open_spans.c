/*
 * Measures how long calls and waits take: keeps a stack of the times at which they began, for each thread and each trigger.
 */
#include "core/record/trigger/open_spans.h"

#define THREADS_MAX	65536	/* threads come and go: this many are kept before all are forgotten */

static struct open_span *find(struct open_spans *s, uint32_t tid, uint32_t spec)
{
	uint64_t hash = hash_pair(tid, spec);

	index_for(pos, &s->by_thread, hash)
		if (s->list.v[pos].tid == tid && s->list.v[pos].spec == spec)
			return &s->list.v[pos];
	return NULL;
}

static struct open_span *find_or_add(struct open_spans *s, uint32_t tid, uint32_t spec)
{
	struct open_span *span = find(s, tid, spec);

	if (span)
		return span;
	if (s->list.nr >= THREADS_MAX)
		open_spans_release(s);
	index_add(&s->by_thread, hash_pair(tid, spec), (uint32_t)s->list.nr);
	vec_push(&s->list, (struct open_span){ .tid = tid, .spec = spec });
	return &s->list.v[s->list.nr - 1];
}

/* A function that is left by longjmp() or an exception never returns, so its begin stays. The oldest begin makes room. */
void open_spans_begin(struct open_spans *s, uint32_t tid, uint32_t spec, uint64_t time, bool alone)
{
	struct open_span *span = find_or_add(s, tid, spec);

	if (alone)
		span->nr = 0;
	if (span->nr == OPEN_SPANS_DEPTH)
		memmove(span->begun, span->begun + 1, --span->nr * sizeof(span->begun[0]));
	span->begun[span->nr++] = time;
}

uint64_t open_spans_end(struct open_spans *s, uint32_t tid, uint32_t spec, uint64_t time)
{
	struct open_span *span = find(s, tid, spec);

	if (!span || !span->nr)
		return 0;
	span->nr--;
	return time > span->begun[span->nr] ? time - span->begun[span->nr] : 0;
}

void open_spans_forget(struct open_spans *s)
{
	vec_for(span, &s->list)
		span->nr = 0;
}

void open_spans_release(struct open_spans *s)
{
	vec_free(&s->list);
	index_release(&s->by_thread);
}
