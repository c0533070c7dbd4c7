/*
 * Calls the functions of an output format (struct profile_writer) to write a profile, or the rows of a report. writer.h
 * describes the order of the calls.
 */
#include "core/profile/writer.h"

static void write_event(const struct profile_writer *writer, struct export *x, uint32_t event)
{
	if (writer->event)
		writer->event(x, event);
	if (writer->tree)
		writer->tree(x, event);
	outfile_maybe_flush(x->out);
}

void profile_write(const struct profile_writer *writer, const struct profile *p, const struct findings *findings,
		   const struct export_opts *opts, struct outfile *out)
{
	struct export x = { .profile = p, .findings = findings, .opts = opts, .out = out,
			    .state = xcalloc(1, MAX(writer->state_size, 1)) };

	if (writer->begin)
		writer->begin(&x);
	for (uint32_t event = 0; event < profile_data(p)->events.nr; event++)
		if (opts->event == PROFILE_NONE || opts->event == event)
			write_event(writer, &x, event);
	if (writer->end)
		writer->end(&x);
	free(x.state);
}

static bool has_samples(const struct hists *h, const struct hist *hist)
{
	for (uint32_t m = 0; m < hist->nr_members; m++)
		if (hist_member(h, hist, m)->total.nr)
			return true;
	return false;
}

static void write_rows(const struct profile_writer *writer, struct export *x, struct hists *h, const struct hist *hist)
{
	struct rows rows;

	rows_init(&rows, h, hist, false, false);
	writer->rows(x, &rows);
	rows_release(&rows);
	outfile_maybe_flush(x->out);
}

void profile_write_rows(const struct profile_writer *writer, struct hists *h, const struct findings *findings,
			const struct export_opts *opts, struct outfile *out)
{
	struct export x = { .findings = findings, .opts = opts, .out = out, .state = xcalloc(1, MAX(writer->state_size, 1)) };
	bool any = false;

	if (writer->begin)
		writer->begin(&x);
	vec_for(hist, &h->list) {
		if (!has_samples(h, hist) || (h->opts.event && hist->event != h->opts.event))
			continue;
		write_rows(writer, &x, h, hist);
		any = true;
	}
	/* If nothing has samples, write at least the columns. */
	if (!any && h->list.nr)
		write_rows(writer, &x, h, &h->list.v[0]);
	if (writer->end)
		writer->end(&x);
	free(x.state);
}
