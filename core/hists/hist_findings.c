/* Findings about samples that the tables do not show. Layer: hists */
#include "core/hists/hist.h"

#include "core/ui/finding.h"
#include "core/read/session.h"

void hists_findings(const struct hists *h, const struct session *s, struct findings *out)
{
	uint64_t no_chain = 0, nr = 0;

	vec_for(hist, &h->list) {
		no_chain += hist->total.nr_no_chain;
		nr += hist->total.nr;
		findings_add(out, FINDING_PERIOD_OVERFLOW, hist->total.period == UINT64_MAX, 0, hist->event->name);
	}
	name_counts_findings(&h->counts, s, h->opts.branches, out);
	if (!nr)
		session_without_samples(s, out);
	findings_add(out, FINDING_NO_CHAIN, no_chain, nr, NULL);
}
