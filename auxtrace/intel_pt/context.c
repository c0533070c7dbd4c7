/* When and who it is: asked where the flow says that it may have changed. Layer: auxtrace */
#include "auxtrace/intel_pt/sampler.h"

/* ns; 0: not known. */
static uint64_t ns_of(struct sampler *w, const struct pt_state *s)
{
	if (!s->tsc || w->stage->aux.timeless)
		return 0;
	if (s->tsc != w->tsc) {
		w->tsc = s->tsc;
		w->tsc_ns = pt_info_ns(&w->stage->info, s->tsc);
	}
	return w->tsc_ns;
}

void pt_set_time(struct sampler *w, const struct pt_state *s)
{
	aux_set_time(&w->aux, ns_of(w, s));
}

void pt_look_around(struct sampler *w, const struct pt_state *s)
{
	uint64_t at = w->piece->from + s->offset;

	if (w->stage->aux.timeless)
		aux_worker_move(&w->aux, at);
	if (aux_look_around(&w->aux, ns_of(w, s), AUX_NONE, at))
		w->prepared = NULL;
}
