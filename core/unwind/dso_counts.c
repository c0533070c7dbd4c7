/*
 * Counts samples and broken call chains by mapped file (dso), and adds findings (messages to the user, core/ui/finding.h) about
 * broken chains. A finding names up to three files, those with most broken chains.
 */
#include "core/unwind/dso_counts.h"

#include <stdlib.h>

#include "core/base/buf.h"
#include "core/model/dso.h"

#define FILES_TOLD	3	/* maximum number of files that a finding names */
#define ALONE_LEAST	10	/* chains without a caller are reported if there are at least so many, */
#define ALONE_PERCENT	10	/* and at least this percentage of all chains */

void dso_counts_add(struct dso_counts *c, const struct dso *dso, uint64_t nr)
{
	uint64_t hash = hash_u64((uintptr_t)dso);

	c->total += nr;
	index_for(pos, &c->by_dso, hash)
		if (c->list.v[pos].dso == dso) {
			c->list.v[pos].nr += nr;
			return;
		}
	index_add(&c->by_dso, hash, (uint32_t)c->list.nr);
	vec_push(&c->list, ((struct dso_count){ dso, nr }));
}

void dso_counts_merge(struct dso_counts *c, const struct dso_counts *other)
{
	vec_for(d, &other->list)
		dso_counts_add(c, d->dso, d->nr);
}

void dso_counts_release(struct dso_counts *c)
{
	vec_free(&c->list);
	index_release(&c->by_dso);
}

static int compare_counts(const void *a, const void *b)
{
	const struct dso_count *x = a, *y = b;

	if (x->nr != y->nr)
		return x->nr > y->nr ? -1 : 1;
	if (!x->dso || !y->dso)
		return !x->dso - !y->dso;
	return compare_numbers(x->dso->number, y->dso->number);
}

void dso_counts_sort(struct dso_counts *c)
{
	vec_sort(&c->list, compare_counts);
}

void broken_chains_merge(struct broken_chains *b, const struct broken_chains *other)
{
	b->chains += other->chains;
	dso_counts_merge(&b->broken, &other->broken);
	dso_counts_merge(&b->alone, &other->alone);
}

void broken_chains_release(struct broken_chains *b)
{
	dso_counts_release(&b->broken);
	dso_counts_release(&b->alone);
}

static void add_finding(const struct dso_counts *counts, enum finding_code code, uint64_t of, struct findings *out)
{
	struct dso_counts sorted = {0};
	struct buf where = {0};

	dso_counts_merge(&sorted, counts);
	dso_counts_sort(&sorted);
	for (size_t i = 0; i < MIN(sorted.list.nr, FILES_TOLD); i++) {
		const struct dso *dso = sorted.list.v[i].dso;

		buf_printf(&where, "%s%s", i ? ", " : "", dso ? dso->name : "[unknown]");
	}
	findings_add(out, code, counts->total, of, buf_str(&where));
	buf_release(&where);
	dso_counts_release(&sorted);
}

void broken_chains_findings(const struct broken_chains *b, struct findings *out)
{
	add_finding(&b->broken, FINDING_CHAINS_BROKEN, b->chains, out);
	if (b->alone.total >= ALONE_LEAST && (double)b->alone.total >= (double)b->chains * ALONE_PERCENT / 100)
		add_finding(&b->alone, FINDING_CHAINS_WITHOUT_CALLER, b->chains, out);
}
