/*
 * Formats the lines above the table of prec report on a terminal, such as the command and date of the recording, its lost
 * samples, and the number of samples of an event.
 */
#include "core/show/report/headline.h"

#include <inttypes.h>
#include <time.h>

#include "core/base/buf.h"
#include "core/ui/finding.h"
#include "core/ui/fit.h"
#include "core/base/printable.h"
#include "core/ui/terminal.h"
#include "core/read/session.h"

#define INDENT		2	/* columns by which the rest of a text is indented that does not fit one line */

/* The recorder's command line as one string, or the file if the recording has none. */
static void put_command(const struct session *s, struct buf *out)
{
	const struct features *f = session_features(s);

	if (!f->cmdline.nr)
		buf_puts(out, session_file(s)->path);
	for (size_t i = 0; i < f->cmdline.nr; i++) {
		const char *word = f->cmdline.v[i], *name = strrchr(word, '/');

		buf_puts(out, i ? " " : "");
		buf_puts(out, !i && name ? name + 1 : word);
	}
}

/* Appends " (host, Nov 22 15:40 2026, 1.02 s)". */
static void put_when(const struct session *s, struct buf *out)
{
	const struct features *f = session_features(s);
	const struct session_counts *c = session_counts(s);
	time_t recorded = session_file(s)->mtime;
	char text[64] = "";
	struct tm tm;

	if (localtime_r(&recorded, &tm))
		strftime(text, sizeof(text), "%b %e %H:%M %Y", &tm);
	buf_puts(out, " (");
	if (f->hostname)
		buf_printf(out, "%s, ", f->hostname);
	buf_puts(out, text);
	if (c->first_time < c->last_time) {
		buf_puts(out, ", ");
		put_duration(out, c->last_time - c->first_time);
	}
	buf_putc(out, ')');
}

static size_t put_worst(struct findings *found, const struct terminal *t, struct buf *out)
{
	struct buf text = {0};

	findings_sort(found);
	if (!found->list.nr || !finding_matters(&found->list.v[0]))
		return 0;
	finding_sentence(&found->list.v[0], &text);
	put_style(out, t->colors, STYLE_ALERT);
	put_wrapped(out, buf_str(&text), 0, INDENT, t->width);
	put_style(out, t->colors, STYLE_PLAIN);
	buf_putc(out, '\n');
	buf_release(&text);
	return 1;
}

/* True for findings that count incomplete chains, other than those that struct broken_chains counts. */
static bool counts_cut_chains(enum finding_code code)
{
	return code >= FINDING_CHAINS_CUT_BY_KERNEL && code <= FINDING_CHAINS_CUT_BY_DEPTH && code != FINDING_CHAINS_BROKEN &&
	       code != FINDING_CHAINS_WITHOUT_CALLER;
}

/* Appends nothing if fewer chains are shown than the recorder unwound, as of one event, because its counts in @found are of all. */
static void put_chains(const struct session *s, const struct broken_chains *chains, const struct findings *found, struct buf *out)
{
	uint64_t cut = chains->broken.total + chains->alone.total + session_counts(s)->cuts.unmapped_loops;

	vec_for(f, &found->list) {
		if (!counts_cut_chains(f->code))
			continue;
		if (f->of > chains->chains)
			return;
		cut += f->count;
	}
	if (chains->chains)
		buf_printf(out, "; %" PRIu64 " of %" PRIu64 " stacks whole", chains->chains - MIN(cut, chains->chains),
			   chains->chains);
}

void headline_put_quality(const struct session *s, const struct broken_chains *chains, const struct findings *found,
			  struct buf *out)
{
	uint64_t lost = session_counts(s)->lost_samples;
	struct coverage b;

	if (session_coverage(s, &b))
		buf_printf(out, "%.1f %% of %.2f s of CPU is here", MIN(b.here, 100.0), b.charged_s);
	else
		buf_printf(out, "%" PRIu64 " samples", session_counts(s)->by_type[PERF_RECORD_SAMPLE]);
	if (chains)
		put_chains(s, chains, found, out);
	if (lost)
		buf_printf(out, "; %" PRIu64 " sample%s lost", lost, lost == 1 ? "" : "s");
	else
		buf_puts(out, "; no sample lost");
}

size_t headline_print(const struct session *s, const struct broken_chains *chains, struct findings *found, const struct terminal *t,
		      struct buf *out)
{
	struct buf command = {0}, when = {0};
	size_t nr_printed;

	put_command(s, &command);
	put_when(s, &when);
	buf_escape_from(&command, 0, "\n\t");
	buf_escape_from(&when, 0, "\n\t");
	put_style(out, t->colors, STYLE_TITLE);
	fit_name(command.data, command.len, t->width > when.len + 20 ? t->width - when.len : 20, out);
	put_style(out, t->colors, STYLE_PLAIN);
	buf_put(out, when.data, when.len);
	buf_putc(out, '\n');
	headline_put_quality(s, chains, found, out);
	buf_putc(out, '\n');
	nr_printed = put_worst(found, t, out);
	buf_release(&command);
	buf_release(&when);
	return nr_printed;
}

void headline_print_event(const struct event_head *e, const struct terminal *t, struct buf *out)
{
	put_style(out, t->colors, STYLE_TITLE);
	fit_name(e->names, strlen(e->names), t->width / 2, out);
	put_style(out, t->colors, STYLE_PLAIN);
	buf_printf(out, ": %" PRIu64 " sample%s, ", e->nr, e->nr == 1 ? "" : "s");
	if (e->clock)
		put_duration(out, e->amount);
	else
		put_amount(out, e->amount);
	buf_puts(out, e->wall ? " of wall time" : e->off_cpu ? " off CPU" : e->clock ? " of CPU" : e->weight ? " of weight" :
		 " counted");
	if (e->idle)
		buf_printf(out, ", idle %.1f %%", e->amount ? 100.0 * (double)e->idle / (double)e->amount : 0.0);
	if (e->time)
		buf_printf(out, ", time %s", e->time);
	if (e->inlines)
		buf_printf(out, "; inlined code counts for %s",
			   e->inlines == HEAD_INLINES_OWN ? "itself" : "the function around it");
	buf_puts(out, "\n\n");
}
