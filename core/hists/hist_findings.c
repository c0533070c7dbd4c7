/* Findings about samples that the tables do not show. Layer: hists */
#include <inttypes.h>
#include <stdlib.h>

#include "core/ui/finding.h"
#include "core/read/session.h"
#include "core/model/interpreter.h"
#include "core/hists/hist.h"

#define INTERPRETED_MIN	20	/* percent of the samples */

/* Names of compiled code are the important ones; of interpreters without names the most used one is named. */
static void add_interpreted(const struct hists *h, const struct machine *m, struct findings *out)
{
	const struct dso_counts *all = &h->interpreted;
	const char *help = all->list.nr ? interpreter_switch(all->list.v[0].dso) : NULL;
	char *where;

	if (!help || all->total < h->nr_samples * INTERPRETED_MIN / 100 || has_jit_names(m))
		return;
	where = xasprintf("'%s' (%s)", all->list.v[0].dso->name, help);
	findings_add(out, FINDING_INTERPRETER, all->total, h->nr_samples, where);
	free(where);
}

void hists_findings(const struct hists *h, const struct session *s, struct findings *out)
{
	uint64_t no_chain = 0, nr = 0;

	vec_for(hist, &h->list) {
		no_chain += hist->total.nr_no_chain;
		nr += hist->total.nr;
		findings_add(out, FINDING_PERIOD_OVERFLOW, hist->total.period == UINT64_MAX, 0, hist->event->name);
	}
	unresolved_counts_finding(&h->unresolved, session_machine(s), h->opts.branches, h->nr_samples, out);
	add_interpreted(h, session_machine(s), out);
	broken_chains_findings(&h->chains, out);
	if (!nr)
		session_without_samples(s, out);
	findings_add(out, FINDING_NO_CHAIN, no_chain, nr, NULL);
}
