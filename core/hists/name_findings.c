/* Findings about what has no name. Layer: hists */
#include <stdlib.h>

#include "core/hists/naming.h"
#include "core/model/interpreter.h"
#include "core/read/session.h"
#include "core/ui/finding.h"

#define INTERPRETED_MIN	20	/* percent of the samples */

/* Names of compiled code are the important ones; of interpreters without names the most used one is named. */
static void add_interpreted(const struct name_counts *c, const struct machine *m, struct findings *out)
{
	const struct dso_counts *all = &c->interpreted;
	const char *help = all->list.nr ? interpreter_switch(all->list.v[0].dso) : NULL;
	char *where;

	if (!help || all->total < c->nr_samples * INTERPRETED_MIN / 100 || has_jit_names(m))
		return;
	where = xasprintf("'%s' (%s)", all->list.v[0].dso->name, help);
	findings_add(out, FINDING_INTERPRETER, all->total, c->nr_samples, where);
	free(where);
}

void name_counts_findings(const struct name_counts *c, const struct session *s, bool branches, struct findings *out)
{
	unresolved_counts_finding(&c->unresolved, session_machine(s), branches, c->nr_samples, out);
	add_interpreted(c, session_machine(s), out);
	broken_chains_findings(&c->chains, out);
}
