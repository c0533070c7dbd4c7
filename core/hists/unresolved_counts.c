/* Which files lack names. Layer: hists */
#include "core/hists/unresolved_counts.h"

#include <inttypes.h>

#include "core/base/buf.h"
#include "core/perfdata/abi.h"
#include "core/hists/bucket.h"
#include "core/hists/location.h"

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

void unresolved_counts_release(struct unresolved_counts *u)
{
	dso_counts_release(&u->files);
}

static void put_file(const struct unresolved_counts *u, const struct machine *m, const struct dso_count *file, struct buf *out)
{
	enum unmapped unmapped = UNMAPPED_HERE;
	struct symbol_error missing;

	/* The one reason, if all have it. */
	for (size_t i = 0; !file->dso && i < ARRAY_SIZE(u->nr_unmapped); i++)
		if (u->nr_unmapped[i] == file->nr)
			unmapped = (enum unmapped)i;
	symbol_error_find(&missing, m, file->dso, unmapped);
	buf_printf(out, "%s%" PRIu64 " in '%s' (%s: %s)", out->len ? ", " : "", file->nr,
		   file->dso ? file->dso->path : "[unknown]", missing.why, missing.help);
	symbol_error_release(&missing);
}

void unresolved_counts_finding(const struct unresolved_counts *u, const struct machine *m, bool branches, uint64_t nr_samples,
			       struct findings *out)
{
	struct buf where = {0};

	for (size_t i = 0; i < MIN(u->files.list.nr, DSOS_TOLD); i++)
		put_file(u, m, &u->files.list.v[i], &where);
	findings_add(out, branches ? FINDING_NO_TARGET_SYMBOL : FINDING_NO_SYMBOL, u->files.total, nr_samples, buf_str(&where));
	buf_release(&where);
}
