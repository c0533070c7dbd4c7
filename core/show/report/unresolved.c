/*
 * Prints the list of prec report --unresolved, with a row for each file whose samples have no symbol. symbol_errors.h finds the
 * reason and the remedy that the row shows.
 */
#include "core/show/report/own_tables.h"

#include <inttypes.h>

#include "core/base/buf.h"
#include "core/hists/hist.h"
#include "core/model/symbol_errors.h"

static void put_file(const struct hists *h, const struct machine *m, const struct dso *dso, uint64_t nr, enum unmapped unmapped,
		     struct buf *out)
{
	struct symbol_error missing;

	if (!nr)
		return;
	symbol_error_find(&missing, m, dso, unmapped);
	buf_dec(out, nr, 10);
	buf_printf(out, " %6.2f%%  ", 100.0 * (double)nr / (double)h->counts.nr_samples);
	symbol_error_place(dso, "", out);
	buf_printf(out, "\n%20s%s\n%20s-> %s\n", "", missing.why, "", missing.help);
	symbol_error_release(&missing);
}

void unresolved_print(const struct hists *h, const struct machine *m, struct buf *out)
{
	const struct unresolved_counts *unresolved = &h->counts.unresolved;

	buf_printf(out, "# %" PRIu64 " of %" PRIu64 " samples have no symbol.\n", unresolved->files.total, h->counts.nr_samples);
	if (!unresolved->files.total)
		return;
	buf_puts(out, "#\n# Samples   Share  File, why, and what helps\n#\n");
	vec_for(u, &unresolved->files.list) {
		if (u->dso)
			put_file(h, m, u->dso, u->nr, UNMAPPED_HERE, out);
		for (size_t i = ARRAY_SIZE(unresolved->nr_unmapped); !u->dso && i; i--)
			put_file(h, m, NULL, unresolved->nr_unmapped[i - 1], (enum unmapped)(i - 1), out);
	}
}
