/*
 * Trials: go on for a while without reports, to see if the trace fits the code, or the same way again, to find the error; all
 * of it is undone.
 * Layer: auxtrace
 */
#include "auxtrace/intel_pt/flow_impl.h"

#include "core/base/vec.h"

#define CERTAIN		12	/* one in 4096 by chance */
#define MAX_PACKETS	256	/* of a trial */
#define TRIAL_BITS		30	/* evidence, in bits, of what a wrong way does not come by for long */

void trial_begin(struct pt_flow *f, struct pt_flow *out)
{
	*out = *f;
	f->trial.on = true;
	f->trial.gap = 0;
	f->trial.space = f->spaces.nr;
	f->silent = (struct pt_sink){ .traced = f->config.sink->traced, .mapped = f->config.sink->mapped };
	f->config.sink = &f->silent;
	f->detailed = false;
	f->next_sample = f->stop = UINT64_MAX;
	f->path.on = false;
	f->path.next = &f->path.scratch;
}

void trial_undo(struct pt_flow *f, const struct pt_flow *before)
{
	struct superblock_pool sbs = f->sbs;

	*f = *before;
	f->sbs = sbs;
}

unsigned trial_evidence(const struct pt_packet *p, bool fup, bool in_psb)
{
	switch (p->type) {
	case PT_TNT: return p->count > 3 ? 1 + p->count / 16u : 0;
	case PT_TIP: return fup ? 1 : 3;
	case PT_TIP_PGD: return fup ? 1 : 3;
	case PT_FUP: return in_psb ? 0 : CERTAIN;
	case PT_PSBEND: return CERTAIN;
	default: return 0;
	}
}

int trial_follow(struct pt_flow *f, const uint8_t *data, size_t size, size_t at, int enough)
{
	int sum = 0;

	for (unsigned left = MAX_PACKETS; left && sum < enough && at < size; left--) {
		bool fup = f->have_fup, in_psb = f->in_psb;
		struct pt_packet p;
		int n = pt_packet_read(&p, data + at, size - at, f->item_size);

		if (n < 0 || p.type == PT_OVF)
			return -1;
		flow_take(f, &p);
		if (f->trial.gap)
			return -1;
		sum += (int)trial_evidence(&p, fup, in_psb);
		if (!f->state.ip && !f->in_psb)
			break;
		at += (size_t)n;
	}
	return sum;
}

size_t trial_go_back(struct pt_flow *f, uint64_t base)
{
	f->trial.space = 0;
	if (f->anchor.use_flow)
		place_take(f, f->anchor.flow);
	else
		place_restart(f);
	return f->anchor.offset - base;
}

/* ---- looking back ---- */

struct step {			/* a packet that was passed */
	uint64_t insns;		/* before it */
	unsigned top;		/* calls before it, */
	unsigned low;		/* and the fewest until the next */
	unsigned evidence;	/* that it agreed with the code: see trial_evidence() */
};

struct steps { VEC(struct step) list; };

/* From the anchor to the packet at @at, or to where there is doubt. */
static void step_again(struct pt_flow *f, size_t at, struct steps *out)
{
	struct pt_packet p;
	int n;

	for (size_t i = trial_go_back(f, f->base); i <= at && i < f->data_size && !f->doubt; i += (size_t)n) {
		struct step s = { .insns = f->state.insns, .top = f->top };
		bool fup = f->have_fup, in_psb = f->in_psb;

		n = pt_packet_read(&p, f->data + i, f->data_size - i, f->item_size);
		if (n < 0)
			break;
		s.evidence = trial_evidence(&p, fup, in_psb);
		f->low = f->top;
		flow_take(f, &p);
		s.low = f->low;
		vec_push(&out->list, s);
	}
}

/* The step before @i from which on up to it there is evidence enough that the way was right, before what went wrong. */
static size_t before_doubt(const struct step *v, size_t i)
{
	for (unsigned sum = 0; i && sum < TRIAL_BITS; )
		sum += v[--i].evidence;
	return i;
}

/*
 * The last @unsure of @insns instructions may be wrong. So may be those since the calls were made which these returned from, and
 * what led there. Returns how many these are.
 */
static uint64_t reach(const struct steps *steps, uint64_t insns, uint64_t unsure)
{
	const struct step *v = steps->list.v;
	size_t i = steps->list.nr, from = before_doubt(v, i), calls;
	unsigned low = i ? v[i - 1].low : 0;

	while (i && (i > from || insns - v[i - 1].insns <= unsure)) {
		i--;
		low = (int)(v[i].low - low) < 0 ? v[i].low : low;
	}
	if (i == steps->list.nr)
		return unsure;
	for (calls = i; calls && (int)(v[calls].top - low) > 0; )
		calls--;
	if (calls < i)
		i = before_doubt(v, calls);
	return MAX(unsure, insns - v[i].insns);
}

void trial_look_back(struct pt_flow *f, size_t at)
{
	uint64_t unsure = f->gap.unsure;
	struct steps steps = {0};
	struct pt_flow before;

	if (!f->anchor.known || f->anchor.offset < f->base || f->no_branches)
		return;
	trial_begin(f, &before);
	step_again(f, at, &steps);
	/* There was a call too few, at any time. */
	if (f->gap.reason == PT_GAP_RETURN && steps.list.nr)
		unsure = MAX(unsure, f->state.insns - steps.list.v[0].insns);
	unsure = reach(&steps, f->state.insns, unsure);
	trial_undo(f, &before);
	f->gap.unsure = MIN(unsure, f->state.insns);
	vec_free(&steps.list);
}
