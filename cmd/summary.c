/*
 * prec summary: prints one page about a recording, as text or JSON, with the hottest functions, threads and call chains.
 * core/show/report/profile_summary.h makes the page from the profile.
 */
#include "cmd/cmd.h"

#include <limits.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cmd/findings.h"
#include "cmd/input.h"
#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/base/outfile.h"
#include "core/ui/pager.h"
#include "core/read/session.h"
#include "core/sched/wait_samples.h"
#include "core/tracepoint/tracing_data.h"
#include "core/profile/session_profile.h"
#include "core/show/report/headline.h"
#include "core/show/report/profile_summary.h"
#include "core/show/report/tasks.h"
#include "core/show/report/own_tables.h"

struct summary_opts {
	const char *of;
	uint64_t budget;
	bool json, quiet;
	struct terminal_opts screen;
	struct input_opts input;
};

static int parse_budget(const struct option_desc *o, void *field, const char *arg, bool unset)
{
	uint64_t *bytes = field;

	*bytes = 0;
	if (unset || !parse_size(arg, bytes))
		return 0;
	return error("option '--%s' needs a number of bytes, or a size such as 8K, not '%s'", o->name, arg);
}

static const struct option_desc summary_options[] = {
	OPT_GROUP("Output"),
	OPT_BOOL(0, "wall", struct summary_opts, input.wall, "time on and off the CPU, with what for (record --off-cpu)"),
	OPT_BOOL(0, "json", struct summary_opts, json, "print JSON"),
	OPT_CALL(0, "budget", struct summary_opts, budget, "bytes", parse_budget, "print no more than this, with fewer rows"),
	OPT_STRING(0, "of", struct summary_opts, of, "id", "only of this: an id that a summary printed, or a function's name"),
	INPUT_FILES(struct summary_opts),
	OPT_GROUP("Call chains"),
	INPUT_STACKS(struct summary_opts),
	INPUT_FILTERS(struct summary_opts, 'd'),
	INPUT_EVENT(struct summary_opts),
	INPUT_PROGRAM(struct summary_opts),
	INPUT_PAGER(struct summary_opts),
	OPT_BOOL('q', "quiet", struct summary_opts, quiet, "print no warnings"),
	OPT_END
};

static const char usage[] = "prec summary [<options>] [<file>]";

static uint32_t choose_event(const struct profile *p, const struct event *wanted)
{
	const struct profile_data *d = profile_data(p);

	if (wanted)
		return wanted->number;
	for (uint32_t i = 0; i < d->events.nr; i++)
		if (d->events.v[i].nr)
			return i;
	return 0;
}

static int show(const struct summary_opts *o, const struct terminal *t, const struct profile_summary *s, const char *path)
{
	struct buf out = {0};
	int err;

	profile_summary_print(s, path, o->budget, o->json, &out);
	err = check_output(pager_show(t, o->screen.no_pager, &out));
	buf_release(&out);
	return err;
}

static struct profile_summary_opts page_of(const struct summary_opts *o, const struct session *session, const struct profile *p,
					   const struct event *wanted, const struct terminal *t)
{
	struct profile_summary_opts page = { .event = choose_event(p, wanted), .event_named = wanted, .of = o->of,
					     .width = t->is_terminal ? t->width : 0 };
	const struct event_attr *attr = &session_events(session)->events.v[page.event]->attr;

	page.tracepoint = attr->type == PERF_TYPE_TRACEPOINT;
	page.fields = page.tracepoint && tracing_data_event(session_tracing(session), attr->config);
	return page;
}

static bool is_finding(const char *id)
{
	for (enum finding_code code = 0; code < FINDING_NR; code++)
		if (str_eq(finding_name(code), id))
			return true;
	return false;
}

/* Returns the only event to read; NULL: all, as --of tells of samples of other events, unless the event only serves another. */
static const struct event *lone_event(const struct summary_opts *o, const struct event *wanted)
{
	return wanted && o->of && !wanted->hidden_source && !is_finding(o->of) ? NULL : wanted;
}

static int summarize(const struct summary_opts *o, struct session *session, const struct profile_query *q,
		     const struct event *wanted, struct findings *found)
{
	struct profile *p = profile_of_session(session, q), *waits = NULL;
	const char *path = session_file(session)->path;
	struct profile_summary_opts page;
	struct profile_summary s;
	struct buf quality = {0}, counts = {0}, processes = {0}, filters = {0};
	struct terminal t;
	int err = 0;

	session_findings(session, found);
	findings_merge(found, profile_findings(p));
	findings_sort(found);
	if (!profile_data(p)->events.nr) {
		profile_free(p);
		return error("'%s' has no events", path);
	}
	terminal_detect(&t, STDOUT_FILENO, &o->screen);
	page = page_of(o, session, p, wanted, &t);
	input_put_filters(&o->input, &filters);
	page.filters = buf_str(&filters);
	page.all_findings = o->input.strict.all;
	if (!q->event && !o->of && session_waits_event(session)) {
		struct profile_query of_waits = *q;

		of_waits.event = session_waits_event(session);
		of_waits.only_ready = false;
		page.waits = waits = profile_of_session(session, &of_waits);
	}
	if (event_table_only_counts(session_events(session)) && event_counts_print(session, &counts))
		page.counts = buf_str(&counts);
	if (t.is_terminal && !o->input.strict.all) {
		headline_put_quality(session, NULL, NULL, &quality);
		page.quality = buf_str(&quality);
	}
	if (!profile_summary_init(&s, p, found, &page))
		err = error("nothing in '%s' is '%s': give an id (f:, t:, s:), a function's name or a finding's",
			    path, o->of);
	else {
		if (!o->of && !o->json && profile_summary_many_processes(&s)) {
			page.small_processes = tasks_print_brief(session, p, page.event, &processes);
			page.processes = buf_str(&processes);
		}
		err = show(o, &t, &s, path);
	}
	profile_summary_release(&s);
	profile_free(p);
	profile_free(waits);
	buf_release(&quality);
	buf_release(&counts);
	buf_release(&processes);
	buf_release(&filters);
	return err;
}

static int run(const struct summary_opts *o)
{
	struct profile_query q = { .max_depth = (unsigned)MIN(o->input.max_stack, UINT_MAX), .inlines = o->input.inlines,
				   .unresolved = true };
	const struct event *wanted = NULL;
	struct findings found = {0};
	struct input in = {0};
	int status, err;

	if (input_open(&in, &o->input))
		return 1;
	err = input_attach_event(&in, &wanted, &o->input);
	q.filter = in.filter;
	q.event = o->input.wall ? wanted : lone_event(o, wanted);
	q.wait_frames = o->input.wall || session_waits_event(in.session);
	q.only_ready = !o->input.wall;
	if (!err)
		err = summarize(o, in.session, &q, wanted, &found);
	/* The summary has the findings already, so they are not printed again. */
	status = findings_have(&found, FINDING_DAMAGE) ? STATUS_DAMAGED : strict_status(&o->input.strict, &found);
	findings_release(&found);
	input_close(&in);
	return err ? 1 : status;
}

static int parse(struct summary_opts *o, int argc, char **argv)
{
	int nr_words = 0, first = options_parse(summary_options, o, usage, true, argc, argv, &nr_words);

	if (first < 0)
		return first;
	if (input_parse_only_word(&o->input, argv[0], argv + first, nr_words))
		return -1;
	log_set_level(o->quiet ? -1 : o->input.verbose);
	if (!o->input.max_stack)
		return error("--max-stack needs a number above 0");
	return input_check(&o->input);
}

int cmd_summary(int argc, char **argv)
{
	struct summary_opts o = { .input = { .demangle = true, .inlines = true, .max_stack = INPUT_MAX_STACK } };
	int err = parse(&o, argc, argv);

	if (err)
		return err == -2 ? 0 : OPTIONS_USAGE;
	signal(SIGPIPE, SIG_IGN);
	return run(&o);
}
