/*
 * Counts call chains that are cut short, by the reason, and reports the counts to the user as findings (core/ui/finding.h). Also
 * names the files that lack unwind tables.
 */
#include "core/unwind/chain_cuts.h"

#include "core/model/dso.h"

#define HIDING_SHARE 10	/* report unknown inlined Java methods only if more than one chain in this many lacks them */
#define FILES_TOLD 5	/* at most so many files without tables are reported by name, and the others together */

void chain_cuts_count(struct chain_cuts *c, const struct unwound *u)
{
	c->by_end[u->end]++;
	c->hiding += u->hides_inlined;
	if (u->end == UNWOUND_NO_TABLES)
		dso_counts_add(&c->without_tables, u->dso, 1);
}

void chain_cuts_merge(struct chain_cuts *into, const struct chain_cuts *from)
{
	into->chains += from->chains;
	into->shed += from->shed;
	into->by_kernel += from->by_kernel;
	into->unmapped_loops += from->unmapped_loops;
	into->hiding += from->hiding;
	for (unsigned i = 0; i < NR_UNWOUND_ENDS; i++)
		into->by_end[i] += from->by_end[i];
	dso_counts_merge(&into->without_tables, &from->without_tables);
}

void chain_cuts_release(struct chain_cuts *c)
{
	dso_counts_release(&c->without_tables);
}

static void find_without_tables(const struct chain_cuts *c, struct findings *out)
{
	struct dso_counts files = {0};
	uint64_t others = 0, in_jit = 0;

	vec_for(d, &c->without_tables.list) {
		if (d->dso && (d->dso->kind == DSO_ANON || d->dso->kind == DSO_JIT))
			in_jit += d->nr;
		else
			dso_counts_add(&files, d->dso, d->nr);
	}
	findings_add(out, FINDING_CHAINS_IN_JIT, in_jit, c->chains, NULL);
	dso_counts_sort(&files);
	vec_for(d, &files.list) {
		if (d < files.list.v + FILES_TOLD && d->dso)
			findings_add(out, FINDING_CHAINS_WITHOUT_TABLES, d->nr, c->chains, d->dso->path);
		else
			others += d->nr;
	}
	findings_add(out, FINDING_CHAINS_WITHOUT_TABLES, others, c->chains, files.list.nr > FILES_TOLD ? "other files" : "no file");
	dso_counts_release(&files);
}

void chain_cuts_findings(const struct chain_cuts *c, struct findings *out)
{
	static const struct { enum unwound_end end; enum finding_code code; } rows[] = {
		{ UNWOUND_STACK, FINDING_CHAINS_CUT_BY_STACK },
		{ UNWOUND_UNCOPIED, FINDING_CHAINS_UNCOPIED },
		{ UNWOUND_OTHER_STACK, FINDING_CHAINS_OTHER_STACK },
		{ UNWOUND_NO_CODE, FINDING_CHAINS_MISFIT },
		{ UNWOUND_BAD_RULE, FINDING_CHAINS_MISFIT },
		{ UNWOUND_DEPTH, FINDING_CHAINS_CUT_BY_DEPTH },
	};

	findings_add(out, FINDING_STACKS_SHED, c->shed, c->chains, NULL);
	findings_add(out, FINDING_CHAINS_CUT_BY_KERNEL, c->by_kernel, c->chains, NULL);
	findings_add(out, FINDING_CHAINS_BROKEN, c->unmapped_loops, c->chains, "processes whose files are not known");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		findings_add(out, rows[i].code, c->by_end[rows[i].end], c->chains, NULL);
	if (c->hiding > c->chains / HIDING_SHARE)
		findings_add(out, FINDING_JAVA_INLINED, c->hiding, c->chains, NULL);
	if (c->without_tables.total)
		find_without_tables(c, out);
}
