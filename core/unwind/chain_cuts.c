/*
 * Counts call chains that are cut short, by the reason, and reports the counts to the user as findings (core/ui/finding.h). Also
 * names the files that lack unwind tables.
 * Layer: unwind
 */
#include "core/unwind/chain_cuts.h"

#include "core/ui/finding.h"
#include "core/model/dso.h"

#define HIDING_SHARE 10	/* report unknown inlined Java methods only if more than one chain in this many lacks them */
#define FILES_TOLD 5	/* at most so many files without tables are reported by name, and the others together */

static void add_without_tables(struct chain_cuts *c, const struct dso *dso, uint64_t nr)
{
	vec_for(known, &c->without_tables)
		if (known->dso == dso) {
			known->nr += nr;
			return;
		}
	vec_push(&c->without_tables, (struct dso_chains){ dso, nr });
}

void chain_cuts_count(struct chain_cuts *c, const struct unwound *u)
{
	c->by_end[u->end]++;
	c->hiding += u->hides_inlined;
	if (u->end == UNWOUND_NO_TABLES)
		add_without_tables(c, u->dso, 1);
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
	vec_for(d, &from->without_tables)
		add_without_tables(into, d->dso, d->nr);
}

void chain_cuts_release(struct chain_cuts *c)
{
	vec_free(&c->without_tables);
}

/* Orders files by their number of chains, the largest first. Equal files are in the order of the machine's dsos. */
ORDER(compare_files, struct dso_chains,
	compare_numbers(b->nr, a->nr) ?:
	compare_numbers(a->dso ? a->dso->number : UINT32_MAX, b->dso ? b->dso->number : UINT32_MAX))

static void find_without_tables(const struct chain_cuts *c, struct findings *out)
{
	struct dso_chains *files = xmalloc(c->without_tables.nr * sizeof(*files) + 1);
	size_t nr = 0;
	uint64_t others = 0, in_jit = 0;

	for (size_t i = 0; i < c->without_tables.nr; i++) {
		const struct dso_chains *d = &c->without_tables.v[i];

		if (d->dso && (d->dso->kind == DSO_ANON || d->dso->kind == DSO_JIT))
			in_jit += d->nr;
		else
			files[nr++] = *d;
	}
	findings_add(out, FINDING_CHAINS_IN_JIT, in_jit, c->chains, NULL);
	qsort(files, nr, sizeof(*files), compare_files);
	for (size_t i = 0; i < nr; i++) {
		if (i < FILES_TOLD && files[i].dso)
			findings_add(out, FINDING_CHAINS_WITHOUT_TABLES, files[i].nr, c->chains, files[i].dso->path);
		else
			others += files[i].nr;
	}
	findings_add(out, FINDING_CHAINS_WITHOUT_TABLES, others, c->chains, nr > FILES_TOLD ? "other files" : "no file");
	free(files);
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
	if (c->without_tables.nr)
		find_without_tables(c, out);
}
