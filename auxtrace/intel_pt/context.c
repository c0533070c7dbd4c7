/*
 * Sets the fields that all samples from an Intel PT trace have: the time, thread, address space and CPU mode at the decoder's
 * position in the trace. samples.c and event_samples.c set the other fields.
 */
#include "auxtrace/intel_pt/sampler.h"

/* Returns the time of @s in ns; 0: not known. */
static uint64_t ns_of(struct pt_worker *w, const struct pt_state *s)
{
	if (!s->tsc || w->stage->aux.timeless)
		return 0;
	if (s->tsc != w->tsc) {
		w->tsc = s->tsc;
		w->tsc_ns = pt_info_ns(&w->stage->info, s->tsc);
	}
	return w->tsc_ns;
}

void pt_set_time(struct pt_worker *w, const struct pt_state *s)
{
	aux_set_time(&w->aux, ns_of(w, s));
}

void pt_update_task(struct pt_worker *w, const struct pt_state *s)
{
	uint64_t at = w->piece->from + s->offset;

	if (w->stage->aux.timeless)
		aux_worker_move(&w->aux, at);
	if (aux_update_task(&w->aux, ns_of(w, s), AUX_NONE, at))
		w->prepared = NULL;
}

/* ---- samples ---- */

uint16_t pt_cpumode(const struct pt_worker *w, const struct pt_state *s, uint64_t ip)
{
	if (s->non_root)
		return ip >= w->stage->aux.kernel_start ? PERF_RECORD_MISC_GUEST_KERNEL : PERF_RECORD_MISC_GUEST_USER;
	return aux_cpumode(&w->aux, ip);
}

static void place_sample(struct pt_worker *w, const struct pt_state *s, uint64_t ip)
{
	pt_set_time(w, s);
	w->aux.sample.time = w->aux.item.time = w->stage->aux.timeless ? 0 : w->aux.time;
	w->aux.item.at = w->aux.machine_time;
	w->aux.item.cpumode = pt_cpumode(w, s, ip);
	w->aux.record.header.misc = w->aux.item.cpumode;
	pt_set_place(w, ip);
}

void pt_start_sample(struct pt_worker *w, const struct pt_state *s, const struct event *ev, uint64_t ip)
{
	if (!w->aux.context)
		pt_update_task(w, s);
	pt_set_time(w, s);
	w->aux.sample = (struct sample){0};
	aux_start_sample(&w->aux, ev, ip, pt_cpumode(w, s, ip));
	w->prepared = NULL;
	pt_set_place(w, ip);
}

void pt_again_sample(struct pt_worker *w, const struct pt_state *s, const struct event *ev, uint64_t ip)
{
	if (w->prepared == ev)
		place_sample(w, s, ip);
	else
		pt_start_sample(w, s, ev, ip);
	w->prepared = ev;
}

uint32_t pt_interrupt_flags(const struct pt_worker *w, const struct pt_state *s)
{
	if (!w->stage->info.event_trace)
		return 0;
	return (s->interrupts ? 0 : SYNTH_INTR_OFF) | (s->toggles ? SYNTH_INTR_TOGGLE : 0);
}

uint32_t pt_state_flags(const struct pt_worker *w, const struct pt_state *s)
{
	return (s->in_tx ? SYNTH_IN_TX : 0) | pt_interrupt_flags(w, s);
}
