/* Going on for a while without telling anybody, to see whether the trace fits the code; all of it is undone. Layer: auxtrace */
#include "auxtrace/intel_pt/flow_impl.h"

#define CERTAIN		12	/* one in 4096 by chance */

void trial_begin(struct pt_flow *f, struct pt_flow *out)
{
	*out = *f;
	f->trial.on = true;
	f->trial.gap = 0;
	f->trial.space = f->spaces.nr;
	f->silent = (struct pt_sink){ .traced = f->config.sink->traced };
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
