/* The browser for a recording: the profile, and as text the output of the commands. Layer: cmd */
#include "cmd/report_browse.h"

#include <stdlib.h>
#include <string.h>

#include "auxtrace/aux.h"
#include "cmd/findings.h"
#include "cmd/report_options.h"
#include "core/base/buf.h"
#include "core/ui/finding.h"
#include "core/base/log.h"
#include "core/base/printable.h"
#include "core/ui/shell_word.h"
#include "core/ui/terminal.h"
#include "core/show/browse/browse.h"
#include "core/read/session.h"
#include "core/sched/wait_source.h"
#include "core/profile/session_profile.h"
#include "core/show/report/annotate.h"
#include "core/show/report/headline.h"

struct browsed {			/* filled by load(), freed by release() */
	const struct report_opts *opts;
	struct input_opts input;	/* without what the browser filters itself */
	struct browse_opts browse;
	struct terminal terminal;
	struct buf command, stacks, code, title, header, told, worst, quality;
	struct session *session;
	struct filter *filter;
	struct aux *aux;
	struct profile *profile;
	struct findings findings;
	struct annotate_opts annotate;	/* how code is shown */
	struct annotation annotation;	/* of all samples; made when it is first asked for */
	bool is_annotated;
};

/* ---- whether ---- */

/* The option, of those given, that asks for what only text has; NULL: none. */
static const char *asks_for_text(const struct report_opts *o)
{
	const struct { bool given; const char *name; } all[] = {
		{ o->sort, "--sort" }, { o->fields, "--fields" }, { o->widths, "--column-widths" },
		{ o->separator, "--field-separator" }, { o->hierarchy, "--hierarchy" }, { o->exclude_other, "--exclude-other" },
		{ o->parent.given, "--parent" }, { o->ignore_callees.given, "--ignore-callees" }, { o->nanoseconds, "--ns" },
		{ o->full_paths, "--full-source-path" }, { o->nr_samples, "--show-nr-samples" },
		{ o->total_period, "--show-total-period" }, { o->cpu_utilization, "--show-cpu-utilization" },
		{ o->hide_unresolved, "--hide-unresolved" }, { o->threads, "--threads" }, { o->raw_trace, "--raw-trace" },
		{ o->stats, "--stats" }, { o->tasks, "--tasks" }, { o->mmaps, "--mmaps" }, { o->total_cycles, "--total-cycles" },
		{ o->branch_history, "--branch-history" },
		{ o->dump, "--dump-raw-trace" }, { o->latency, "--latency" },
		{ o->latency_hist.given, "--latency-hist" }, { o->pair, "--pair" },
		{ o->slices, "--slices" }, { o->critical_path, "--critical-path" },
		{ o->graph.given, "--call-graph" }, { o->inverted, "--inverted" }, { o->parallelism.list.nr, "--parallelism" },
		{ o->mem_mode, "--mem-mode" }, { o->branches_given && o->branches, "--branch-stack" },
		{ o->group_sort, "--group-sort-idx" }, { o->input.header, "--header" }, { o->input.header_only, "--header-only" },
		{ o->input.full_info, "--show-info" }, { o->screen.no_pager, "--no-pager" }, { o->screen.wide, "--wide" },
		{ o->screen.all, "--all" }, { o->input.strict.on, "--strict" },
		{ o->input.filter.switches.show, "--show-on-off-events" },
		{ o->quiet, "--quiet" }, { o->screen.color == COLOR_ALWAYS, "--color=always" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (all[i].given)
			return all[i].name;
	return NULL;
}

int report_wants_browser(const struct report_opts *o, const struct terminal *t)
{
	return browse_is_wanted(t, o->tui, o->stdio, asks_for_text(o));
}

/* ---- the command line ---- */

static void put_option(struct buf *out, const char *option, const char *word)
{
	if (!word)
		return;
	buf_printf(out, "%s%s ", out->len ? " " : "", option);
	buf_put_shell_word(out, word);
}

/* Adds the options that select samples, without those that the browser can undo itself. */
static void put_command(struct browsed *s)
{
	const struct input_opts *in = &s->input;
	struct buf *out = &s->command;

	put_option(out, "-i", in->path ? in->path : "perf.data");
	put_option(out, "-k", in->vmlinux);
	put_option(out, "--kallsyms", in->kallsyms);
	put_option(out, "--symfs", in->symfs);
	buf_puts(out, s->opts->input.wall ? " --wall" : "");
	buf_puts(out, in->demangle ? "" : " --no-demangle");
	put_option(out, "-c", in->filter.comms);
	put_option(out, "-d", in->filter.dsos);
	put_option(out, "-S", in->filter.symbols);
	put_option(out, "-C", in->filter.cpus);
	put_option(out, "--pid", in->filter.pids);
	put_option(out, "--tid", in->filter.tids);
	put_option(out, "--time", in->filter.time);
	put_option(out, "--switch-on", in->filter.switches.on);
	put_option(out, "--switch-off", in->filter.switches.off);
	buf_puts(&s->stacks, in->inlines ? "" : " --no-inline");
	if (in->max_stack != INPUT_MAX_STACK)
		buf_printf(&s->stacks, " --max-stack %llu", (unsigned long long)in->max_stack);
}

/* One name or number, of which the browser makes a filter of its own: it can be undone. The rest is left to reading. */
static const char *take_single(const char **option)
{
	const char *word = *option;

	if (!word || !*word || strchr(word, ',') || str_starts(word, "file://"))
		return NULL;
	*option = NULL;
	return word;
}

static void plan(struct browsed *s)
{
	const struct report_opts *o = s->opts;
	const char *path;
	struct browse_start *start = &s->browse.start;

	s->input = o->input;
	s->input.path = path = input_path(o->input.path);
	if (s->input.filter.tids && !s->input.filter.tids[strspn(s->input.filter.tids, "0123456789")])
		start->tid = take_single(&s->input.filter.tids);
	start->comm = take_single(&s->input.filter.comms);
	start->dso = take_single(&s->input.filter.dsos);
	start->symbol = take_single(&s->input.filter.symbols);
	start->text = o->symbol_filter;
	start->own = !o->children;
	start->own_given = o->children_given || !o->children;
	start->relative = o->relative;
	start->min_percent = o->graph.limit_given ? o->graph.min_percent : 0;
	put_command(s);
	s->annotate = o->code;
	s->annotate.titles = s->annotate.line_shares = true;
	code_put_options(&s->annotate, &s->code);
	buf_puts(&s->title, !path ? "perf.data" : str_eq(path, "-") ? "standard input" : path);
	s->browse.command = buf_str(&s->command);
	s->browse.stacks = buf_str(&s->stacks);
	s->browse.code = buf_str(&s->code);
	s->browse.report = s->input.inlines ? " --inline-self" : "";
	s->browse.title = buf_str(&s->title);
	s->browse.colors = s->terminal.colors;
	s->browse.max_samples = o->samples;
}

/* ---- reading ---- */

static void tell_findings(struct browsed *s)
{
	session_findings(s->session, &s->findings);
	findings_merge(&s->findings, profile_findings(s->profile));
	findings_sort(&s->findings);
	headline_put_quality(s->session, NULL, &s->quality);
	vec_for(f, &s->findings.list) {
		finding_put(f, true, true, &s->told);
		buf_puts(&s->told, "\n\n");
		if (!s->worst.len && finding_matters(f))
			finding_sentence(f, &s->worst);
	}
}

static void tell_header(struct browsed *s)
{
	data_file_print_header(session_file(s->session), session_events(s->session), session_features(s->session), true,
			       &s->header);
	buf_escape_from(&s->header, 0, "\n\t");
}

/* Report would count branches. */
static bool has_branches(const struct browsed *s)
{
	vec_for(ev, &session_events(s->session)->events)
		if (event_shows(*ev, PERF_SAMPLE_BRANCH_STACK))
			return true;
	return s->aux;
}

static int load(void *ctx, struct browse_input *out)
{
	struct browsed *s = ctx;
	const struct event *event;
	struct profile_query query = { .frames = PROFILE_BY_FUNCTION, .inlines = s->input.inlines, .times = true,
					.cpus = true };

	if (input_open(&s->session, &s->input) || input_attach(&s->filter, &s->aux, s->session, &s->input) ||
	    input_find_event(&event, s->session, &s->input))
		return -1;
	if (s->opts->input.wall && input_add_wall(&event, s->session, &s->input))
		return -1;
	session_clip_waits(s->session, s->filter);
	query.event = s->opts->input.wall ? event : NULL;
	query.wait_frames = s->opts->input.wall;
	if (event)
		s->browse.start.event = event->name;
	if (has_branches(s))
		s->browse.report = s->input.inlines ? " --no-branch-stack --inline-self" : " --no-branch-stack";
	query.filter = s->filter;
	query.max_depth = (unsigned)MIN(s->input.max_stack, UINT32_MAX);
	s->profile = profile_of_session(s->session, &query);
	if (!profile_data(s->profile)->events.nr)
		return error("there is no event in '%s'", session_file(s->session)->path);
	tell_findings(s);
	tell_header(s);
	progress_end();
	*out = (struct browse_input){ .profile = s->profile, .has_chains = event_table_has_chains(session_events(s->session)),
				      .findings = &s->told, .header = &s->header, .worst = &s->worst, .quality = &s->quality };
	return 0;
}

/* ---- annotate ---- */

/* The session's function, which has the place of its code. */
static const struct annotated_function *find_function(const struct browsed *s, uint32_t function)
{
	const struct profile_data *d = profile_data(s->profile);
	const struct profile_function *wanted = &d->functions.v[function];

	if (wanted->inlined || wanted->dso == PROFILE_NONE)
		return NULL;
	vec_for(f, &s->annotation.functions)
		if (f->location.symbol->start == wanted->address &&
		    str_eq(f->location.dso->path, profile_string(s->profile, d->dsos.v[wanted->dso].path)) &&
		    str_eq(f->location.symbol->name, profile_string(s->profile, wanted->name)))
			return f;
	return NULL;
}

static int by_address(const void *pa, const void *pb)
{
	const struct address_weight *a = pa, *b = pb;

	return a->addr != b->addr ? compare_numbers(a->addr, b->addr) : compare_numbers(a->event, b->event);
}

static void add(struct event_weight *to, const struct profile_sum *what)
{
	to->nr += what->nr;
	add_saturated(&to->period, what->period);
}

/* @f and @a, which are empty, get the samples that pass. */
static void take_weights(struct annotated_function *f, struct annotation *a, const struct profile_data *d, uint32_t function,
			 const struct profile_sum *weights)
{
	for (size_t i = 0; i < d->weights.nr; i++) {
		const struct profile_weight *w = &d->weights.v[i];

		if (!weights[i].nr)
			continue;
		add(&a->totals.v[w->event], &weights[i]);
		if (w->address == PROFILE_NONE || d->addresses.v[w->address].function != function)
			continue;
		add(&f->events.v[w->event], &weights[i]);
		vec_push(&f->weights, ((struct address_weight){ d->addresses.v[w->address].address, weights[i].period,
								weights[i].nr, w->event }));
	}
	if (f->weights.nr)
		qsort(f->weights.v, f->weights.nr, sizeof(*f->weights.v), by_address);
	for (size_t e = 0; e < f->events.nr; e++)
		if (a->totals.v[e].period)
			f->share = MAX(f->share, (double)f->events.v[e].period / (double)a->totals.v[e].period);
}

static void print_function(struct browsed *s, const struct annotated_function *where, uint32_t function,
			   const struct profile_sum *weights, struct buf *out)
{
	const struct profile_data *d = profile_data(s->profile);
	struct annotated_function f = { .location = where->location, .space = where->space };
	struct annotation a = {0};

	f.events.v = xcalloc(d->events.nr, sizeof(*f.events.v));
	a.totals.v = xcalloc(d->events.nr, sizeof(*a.totals.v));
	f.events.nr = f.events.cap = a.totals.nr = a.totals.cap = d->events.nr;
	take_weights(&f, &a, d, function, weights);
	annotate_print(&a, &f, s->session, &s->annotate, out);
	vec_free(&f.weights);
	vec_free(&f.events);
	vec_free(&a.totals);
}

static int annotate(void *ctx, uint32_t function, const struct profile_sum *weights, struct buf *out)
{
	struct browsed *s = ctx;
	const struct annotated_function *where;

	if (!s->is_annotated)
		annotation_init(&s->annotation, s->session, NULL, true);
	s->is_annotated = true;
	where = find_function(s, function);
	if (where)
		print_function(s, where, function, weights, out);
	progress_end();
	return where ? 0 : -1;
}

/* ---- the command ---- */

static void release(struct browsed *s)
{
	annotation_release(&s->annotation);
	profile_free(s->profile);
	findings_release(&s->findings);
	filter_free(s->filter);
	aux_detach(s->aux);
	session_close(s->session);
	buf_release(&s->command);
	buf_release(&s->stacks);
	buf_release(&s->code);
	buf_release(&s->title);
	buf_release(&s->header);
	buf_release(&s->told);
	buf_release(&s->worst);
	buf_release(&s->quality);
}

int report_browse(const struct report_opts *o, const struct terminal *t)
{
	struct browsed s = { .opts = o, .terminal = *t };
	const struct browse_source source = { .ctx = &s, .load = load, .annotate = annotate };
	int status;

	plan(&s);
	status = browse(&s.browse, &source) ? 1 : findings_have(&s.findings, FINDING_DAMAGE) ? STATUS_DAMAGED : 0;
	release(&s);
	return status;
}
