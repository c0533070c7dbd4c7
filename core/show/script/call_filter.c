/*
 * Tracks, for each thread of a hardware trace, whether it is in a call of a function named by prec script --graph-function
 * (call_filter.h). Only the branches within such calls are printed.
 * Layer: script
 */
#include "core/show/script/call_filter.h"

#include <string.h>

#include "core/perfdata/sample.h"

static struct called_thread *thread_of(struct call_filter *f, uint32_t tid)
{
	uint64_t hash = hash_pair(tid, 0);

	index_for(pos, &f->by_tid, hash)
		if (f->threads.v[pos].tid == tid)
			return &f->threads.v[pos];
	index_add(&f->by_tid, hash, (uint32_t)f->threads.nr);
	vec_push(&f->threads, (struct called_thread){ .tid = tid });
	return &f->threads.v[f->threads.nr - 1];
}

static bool is_named(const char *names, const char *name, size_t len)
{
	for (const char *at = names; *at;) {
		size_t n = strcspn(at, ",");

		if (n == len && len && !memcmp(at, name, n))
			return true;
		at += n + (at[n] == ',');
	}
	return false;
}

bool call_filter_shows(struct call_filter *f, const char *names, const struct sample *s, const char *name, size_t len)
{
	struct called_thread *t = thread_of(f, s->tid);
	bool into = s->flags & (SYNTH_CALL | SYNTH_BEGIN), leaves = s->flags & SYNTH_RETURN;
	uint64_t depth = s->depth + leaves;	/* the call depth of the function that is called, returns or jumps */

	if (!s->flags)
		return t->inside;
	if (t->inside && (into ? depth > t->depth : depth >= t->depth)) {
		t->inside = !leaves || depth > t->depth;
		return true;
	}
	t->inside = !leaves && is_named(names, name, len);
	t->depth = depth;
	return t->inside;
}

void call_filter_release(struct call_filter *f)
{
	vec_free(&f->threads);
	index_release(&f->by_tid);
}
