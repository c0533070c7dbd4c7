/*
 * Warns the user about samples without a symbol, samples in functions of interpreters, and broken call chains. Each warning is a
 * finding (core/ui/finding.h), which the command prints at its end.
 */
#include "core/hists/naming.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/base/buf.h"
#include "core/hists/bucket.h"
#include "core/model/interpreter.h"
#include "core/read/session.h"

#define INTERPRETED_MIN	20	/* percent of the samples */
#define DSOS_TOLD	3	/* files that have most of the samples without a symbol */

static enum unmapped unmapped_of(const struct bucket *bucket, const struct location *location)
{
	if (location->made || bucket->space != SPACE_NONE)
		return UNMAPPED_HERE;
	switch (bucket->key.mode) {
	case PERF_RECORD_MISC_USER:
		return UNMAPPED_PROCESS;
	case PERF_RECORD_MISC_GUEST_KERNEL:
	case PERF_RECORD_MISC_GUEST_USER:
		return UNMAPPED_GUEST;
	default:
		return UNMAPPED_HERE;
	}
}

void unresolved_counts_add(struct unresolved_counts *u, const struct bucket *bucket, const struct location *location)
{
	dso_counts_add(&u->files, location->dso, bucket->nr);
	if (!location->dso)
		u->nr_unmapped[unmapped_of(bucket, location)] += bucket->nr;
}

void name_counts_release(struct name_counts *c)
{
	dso_counts_release(&c->unresolved.files);
	dso_counts_release(&c->interpreted);
	broken_chains_release(&c->chains);
}

static void put_file(const struct unresolved_counts *u, const struct machine *m, const struct dso_count *file, struct buf *out)
{
	enum unmapped unmapped = UNMAPPED_HERE;
	struct symbol_error missing;

	/* The reason, if it is that of all samples outside of files. */
	for (size_t i = 0; !file->dso && i < ARRAY_SIZE(u->nr_unmapped); i++)
		if (u->nr_unmapped[i] == file->nr)
			unmapped = (enum unmapped)i;
	symbol_error_find(&missing, m, file->dso, unmapped);
	buf_printf(out, "%s%" PRIu64 " in ", out->len ? ", " : "", file->nr);
	symbol_error_place(file->dso, "'", out);
	buf_printf(out, " (%s: %s)", missing.why, missing.help);
	symbol_error_release(&missing);
}

static void add_unresolved(const struct name_counts *c, const struct machine *m, bool branches, struct findings *out)
{
	const struct unresolved_counts *u = &c->unresolved;
	struct buf where = {0};

	for (size_t i = 0; i < MIN(u->files.list.nr, DSOS_TOLD); i++)
		put_file(u, m, &u->files.list.v[i], &where);
	findings_add(out, branches ? FINDING_NO_TARGET_SYMBOL : FINDING_NO_SYMBOL, u->files.total, c->nr_samples, buf_str(&where));
	buf_release(&where);
}

/* Adds a finding unless compiled code has names, which are the important ones. Names only the most used interpreter. */
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
	add_unresolved(c, session_machine(s), branches, out);
	add_interpreted(c, session_machine(s), out);
	broken_chains_findings(&c->chains, out);
}
