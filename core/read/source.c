/*
 * Keeps a decoder state for each worker thread and each source (source.h). A source makes records that are not in the file
 * itself, such as samples from a hardware trace.
 */
#include "core/read/source.h"

static void *state_of(struct source_workers *w, struct item_source *s)
{
	void *state;

	vec_for(i, &w->list)
		if (i->source == s)
			return i->state;
	state = s->worker_new ? s->worker_new(s) : NULL;
	vec_reserve(&w->list, 1);
	w->list.v[w->list.nr].source = s;
	w->list.v[w->list.nr++].state = state;
	return state;
}

void source_worker_decode(struct source_workers *w, struct item_source *s, size_t piece, const struct item_sink *sink)
{
	s->decode(s, state_of(w, s), piece, sink);
}

void source_workers_release(struct source_workers *w)
{
	vec_for(i, &w->list)
		if (i->source->worker_free)
			i->source->worker_free(i->source, i->state);
	vec_free(&w->list);
}
