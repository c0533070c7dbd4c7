/*
 * Declares the option table of prec record, and the struct that holds the values of the options. record.c checks whether the
 * options can be combined.
 */
#ifndef CMD_RECORD_OPTIONS_H
#define CMD_RECORD_OPTIONS_H

#include "auxtrace/aux_events.h"
#include "cmd/findings.h"
#include "core/ui/options.h"
#include "core/record/loop/recorder_opts.h"

struct record_opts {
	struct recorder_opts rec;
	struct aux_record_opts aux;
	bool freq_given, period_given, ring_given;
	bool timestamp;
	bool period_bit_given;
	bool kernel_chains, user_chains;
	bool strict_freq, dry_run, quiet;
	bool map_build_ids;
	bool off_cpu, off_cpu_args, runqueue;
	bool on_given;			/* --on was given, not only --switch-output-event */
	bool trigger_is_last;		/* the last of -e and --on was --on, so --filter applies to that */
	bool once;
	bool archive, open;
	const char *page;		/* path of the HTML page to write in place of a recording; NULL: none */
	char *page_recording;		/* owned; with .page, path of the recording until the page is written */
	int verbose;
	struct strict strict;
};

extern const struct option_desc record_options[];

/* ---- record_view.c ---- */

/* True if the output's name asks for a page, and not for a recording: "x.html". */
bool record_wants_page(const struct record_opts *o);
/* For a page, call it before recording: redirects the recording to a file next to the page. Returns 0 or -1 (printed). */
int record_plan_page(struct record_opts *o);
/* Call it after recording: writes the page and removes the recording, or keeps it if the page failed. Returns the exit status. */
int record_write_page(const struct record_opts *o);
/* Shows the recording in the browser, as "prec report" does, in place of this program. Returns only on failure (printed): 1. */
int record_open_view(const struct record_opts *o);

#endif
