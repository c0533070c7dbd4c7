/*
 * Shows a recording in the browser on the terminal (core/show/browse/browse.h), for prec report and prec top: reads the recording,
 * and makes the profile and the texts that the browser displays.
 */
#include "cmd/report_options.h"

#include <limits.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <unistd.h>

#include "cmd/findings.h"
#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/ui/finding.h"
#include "core/base/log.h"
#include "core/base/printable.h"
#include "core/ui/shell_word.h"
#include "core/ui/terminal.h"
#include "core/show/browse/browse.h"
#include "core/code/code_lines.h"
#include "core/code/listing.h"
#include "core/model/srcline.h"
#include "core/record/loop/pieces.h"
#include "core/read/copy.h"
#include "core/read/session.h"
#include "core/sched/wait_samples.h"
#include "core/sched/wall.h"
#include "core/profile/session_profile.h"
#include "core/show/report/annotate.h"
#include "core/show/report/headline.h"
#include "core/show/report/tasks.h"

struct loaded {			/* a recording that was read; release_loaded() */
	struct buf header, processes, findings_text, worst, quality;
	struct input in;
	struct profile *profile;
	struct findings findings;
	struct annotation annotation;	/* the samples by address; made when it is first needed */
	bool is_annotated;
	bool wall;			/* wall time is one of the events, and is shown first */
};

struct browsed {
	const struct report_opts *opts;
	struct input_opts input;	/* without the filters that the browser applies itself */
	struct browse_opts browse;
	struct terminal terminal;
	struct buf command, stacks, code, title;
	struct annotate_opts annotate;	/* how code is shown */
	struct loaded *now, *before;	/* owned; .before: the last reading, used by the browser until retire(); NULL: none */
	struct pieces *pieces;		/* the recording in progress; borrowed; NULL: the recording is finished */
	unsigned nr_read;		/* number of times that the recording was read */
	bool has_ended;			/* the recorder has ended, and everything that it wrote was read */
	uint64_t cpu_ns;		/* CPU time of this process up to the last wait_ms() */
	uint64_t began_ns;		/* CLOCK_MONOTONIC at the first wait_ms() */
};

/* ---- whether ---- */

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

/* Adds the options that select samples, without those that the browser can undo itself. */
static void put_command(struct browsed *s)
{
	const struct input_opts *in = &s->input;
	struct buf *out = &s->command;

	buf_put_option(out, "-i", in->path ? in->path : "perf.data");
	buf_put_option(out, "-k", in->vmlinux);
	buf_put_option(out, "--kallsyms", in->kallsyms);
	buf_put_option(out, "--symfs", in->symfs);
	buf_put_option(out, "--guestkallsyms", in->guest.kallsyms);
	buf_put_option(out, "--guestmodules", in->guest.modules);
	buf_put_option(out, "--guestvmlinux", in->guest.vmlinux);
	buf_put_option(out, "--guestmount", in->guest.mount);
	buf_puts(out, in->guest.code ? " --guest-code" : "");
	buf_puts(out, in->demangle ? "" : " --no-demangle");
	buf_puts(out, in->demangle_kernel ? " --demangle-kernel" : "");
	input_put_filters(in, out);
	buf_puts(&s->stacks, in->inlines ? "" : " --no-inline");
	if (in->max_stack != INPUT_MAX_STACK)
		buf_printf(&s->stacks, " --max-stack %llu", (unsigned long long)in->max_stack);
}

/* Takes a filter option that is a single name or number, as the browser can apply it and undo it. Returns NULL for a list. */
static const char *single_option(const char **option)
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
		start->tid = single_option(&s->input.filter.tids);
	start->comm = single_option(&s->input.filter.comms);
	start->dso = single_option(&s->input.filter.dsos);
	start->symbol = single_option(&s->input.filter.symbols);
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
	s->browse.command = buf_str(&s->command) + 1;	/* without the space before the first option */
	s->browse.stacks = buf_str(&s->stacks);
	s->browse.code = buf_str(&s->code);
	s->browse.report = s->input.inlines ? " --inline-self" : "";
	s->browse.title = buf_str(&s->title);
	s->browse.colors = s->terminal.colors;
	s->browse.max_samples = o->samples;
}

/* ---- reading ---- */

static void add_findings(struct loaded *l)
{
	session_findings(l->in.session, &l->findings);
	findings_merge(&l->findings, profile_findings(l->profile));
	findings_sort(&l->findings);
	headline_put_quality(l->in.session, NULL, NULL, &l->quality);
	vec_for(f, &l->findings.list) {
		finding_put(f, true, true, &l->findings_text);
		buf_puts(&l->findings_text, "\n\n");
		if (l->worst.len || !finding_matters(f))
			continue;
		finding_sentence(f, &l->worst);
		buf_puts(&l->worst, ": ");
		finding_remedy(f, &l->worst);
	}
}

static void add_processes(struct loaded *l)
{
	const struct profile_data *d = profile_data(l->profile);
	uint32_t event = 0;
	size_t small;

	while (event + 1 < d->events.nr && (l->wall ? !str_eq(profile_string(l->profile, d->events.v[event].name), WALL_EVENT) :
					    !d->events.v[event].nr))
		event++;
	small = tasks_print_brief(l->in.session, l->profile, event, &l->processes);
	if (small)
		buf_printf(&l->processes, "  %zu more: prec report --tasks\n", small);
}

/* True if prec report would count branches and not samples. */
static bool has_branches(const struct loaded *l)
{
	vec_for(ev, &session_events(l->in.session)->events)
		if (event_shows(*ev, PERF_SAMPLE_BRANCH_STACK))
			return true;
	return l->in.traced;
}

/* For prec top, the last session goes on, or a new one takes over its symbols. Releases the annotation, which refers to it. */
static int open_session(struct browsed *s, struct loaded *l)
{
	struct loaded *before = s->before;

	if (!before)
		return input_open(&l->in, &s->input);
	annotation_release(&before->annotation);
	before->is_annotated = false;
	if (session_read_on(before->in.session, s->input.pieces, s->input.nr_pieces, s->has_ended)) {
		l->in.session = before->in.session;
		before->in.session = NULL;
		return 0;
	}
	if (input_open(&l->in, &s->input))
		return -1;
	machine_reuse_files(session_machine(l->in.session), session_machine(before->in.session));
	return 0;
}

/* Adds wall time, with what threads waited for, as the first event if waits were recorded. Returns 0 or -1 (printed). */
static int add_wall(struct browsed *s, struct loaded *l, const struct event **event)
{
	bool asked = s->opts->input.wall;

	if (!asked && (*event || !session_waits_event(l->in.session)))
		return 0;
	if (input_add_wall(event, l->in.session, &s->input))
		return asked ? -1 : 0;
	l->wall = true;
	return 0;
}

static int read_recording(struct browsed *s, struct loaded *l)
{
	const struct event *event;
	struct profile_query query = { .frames = PROFILE_BY_FUNCTION, .inlines = s->input.inlines, .times = true,
					.cpus = true };

	if (open_session(s, l))
		return -1;
	if (input_attach(&l->in, &s->input) || input_find_event(&event, l->in.session, &s->input))
		return -1;
	if (add_wall(s, l, &event))
		return -1;
	session_clip_waits(l->in.session, l->in.filter);
	query.wait_frames = l->wall;
	if (event)
		s->browse.start.event = event->name;
	if (has_branches(l))
		s->browse.report = s->input.inlines ? " --no-branch-stack --inline-self" : " --no-branch-stack";
	query.filter = l->in.filter;
	query.max_depth = (unsigned)MIN(s->input.max_stack, UINT32_MAX);
	l->profile = profile_of_session(l->in.session, &query);
	if (!profile_data(l->profile)->events.nr)
		return error("there is no event in '%s'", session_file(l->in.session)->path);
	data_file_print_header(session_file(l->in.session), session_events(l->in.session), session_features(l->in.session), true,
			       &l->header);
	buf_escape_from(&l->header, 0, "\n\t");
	if (!s->pieces)
		add_processes(l);
	return 0;
}

static void give(struct loaded *l, struct browse_input *out)
{
	progress_end();
	*out = (struct browse_input){ .profile = l->profile, .has_chains = event_table_has_chains(session_events(l->in.session)),
				      .findings = &l->findings_text, .header = &l->header, .processes = &l->processes,
				      .worst = &l->worst, .quality = &l->quality };
}

static int load(void *ctx, struct browse_input *out)
{
	struct browsed *s = ctx;

	s->now = xcalloc(1, sizeof(*s->now));
	if (read_recording(s, s->now))
		return -1;
	add_findings(s->now);
	give(s->now, out);
	return 0;
}

static void release_loaded(struct loaded *l)
{
	if (!l)
		return;
	annotation_release(&l->annotation);
	profile_free(l->profile);
	findings_release(&l->findings);
	input_close(&l->in);
	buf_release(&l->header);
	buf_release(&l->processes);
	buf_release(&l->findings_text);
	buf_release(&l->worst);
	buf_release(&l->quality);
	free(l);
}

/* ---- annotate ---- */

/* Finds the annotated function of a @function of the profile, the hottest of several that a JIT compiler made. NULL: none. */
static const struct annotated_function *find_function(const struct browsed *s, uint32_t function)
{
	const struct profile_data *d = profile_data(s->now->profile);
	const struct profile_function *wanted = &d->functions.v[function];

	if (wanted->inlined || wanted->dso == PROFILE_NONE)
		return NULL;
	vec_for(f, &s->now->annotation.functions)
		if ((f->location.symbol->start == wanted->address || wanted->level == 'j') &&
		    str_eq(f->location.dso->path, profile_string(s->now->profile, d->dsos.v[wanted->dso].path)) &&
		    str_eq(f->location.symbol->name, profile_string(s->now->profile, wanted->name)))
			return f;
	return NULL;
}

ORDER(by_address, struct address_weight, compare_numbers(a->addr, b->addr) ?: compare_numbers(a->event, b->event))

static void add(struct event_weight *to, const struct profile_sum *what)
{
	to->nr += what->nr;
	add_saturated(&to->period, what->period);
}

/* Fills @f and @a, which are empty, with the samples that pass the filters of the browser. */
static void load_weights(struct annotated_function *f, struct annotation *a, const struct profile_data *d, uint32_t function,
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
	vec_sort(&f->weights, by_address);
	for (size_t e = 0; e < f->events.nr; e++)
		if (a->totals.v[e].period)
			f->share = MAX(f->share, (double)f->events.v[e].period / (double)a->totals.v[e].period);
}

static void print_function(struct browsed *s, const struct annotated_function *where, uint32_t function,
			   const struct profile_sum *weights, struct buf *out, struct code_lines *lines)
{
	const struct profile_data *d = profile_data(s->now->profile);
	struct annotated_function f = { .location = where->location, .space = where->space };
	struct annotation a = {0};

	f.events.v = xcalloc(d->events.nr, sizeof(*f.events.v));
	a.totals.v = xcalloc(d->events.nr, sizeof(*a.totals.v));
	f.events.nr = f.events.cap = a.totals.nr = a.totals.cap = d->events.nr;
	load_weights(&f, &a, d, function, weights);
	annotate_print(&a, &f, s->now->in.session, &s->annotate, out, lines);
	vec_free(&f.weights);
	vec_free(&f.events);
	vec_free(&a.totals);
}

static int annotate(void *ctx, uint32_t function, const struct profile_sum *weights, struct buf *out, struct code_lines *lines)
{
	struct browsed *s = ctx;
	const struct annotated_function *where;

	if (!s->now->is_annotated)
		annotation_init(&s->now->annotation, s->now->in.session, NULL, true);
	s->now->is_annotated = true;
	where = find_function(s, function);
	if (where)
		print_function(s, where, function, weights, out, lines);
	progress_end();
	return where ? 0 : -1;
}

/* ---- where a function is ---- */

static struct dso *find_dso(const struct browsed *s, uint32_t number)
{
	const struct profile_dso *wanted = &profile_data(s->now->profile)->dsos.v[number];
	const struct machine *m = session_machine(s->now->in.session);

	for (uint32_t i = 0; i < machine_nr_dsos(m); i++) {
		struct dso *dso = machine_dso(m, i);

		if (build_id_equal(&dso->build_id, &wanted->build_id) &&
		    str_eq(dso->path, profile_string(s->now->profile, wanted->path)))
			return dso;
	}
	return NULL;
}

/* Finds the address with the most samples in the function itself; if it has none, its first address. False: both are unknown. */
static bool hottest_address(const struct profile_data *d, uint32_t function, const struct profile_sum *weights,
			    struct profile_address *out)
{
	const struct profile_function *f = &d->functions.v[function];
	uint64_t *sums = xcalloc(MAX(d->addresses.nr, 1), sizeof(*sums)), most = 0;

	*out = (struct profile_address){ .dso = f->dso, .address = f->address };
	for (size_t i = 0; i < d->weights.nr; i++) {
		uint32_t at = d->weights.v[i].address;

		if (at == PROFILE_NONE || d->addresses.v[at].own != function || !weights[i].nr)
			continue;
		add_saturated(&sums[at], weights[i].period);
		if (sums[at] <= most)
			continue;
		most = sums[at];
		*out = d->addresses.v[at];
	}
	free(sums);
	return out->dso != PROFILE_NONE && (most || !f->inlined);
}

static bool place(void *ctx, uint32_t function, const struct profile_sum *weights, struct buf *path, uint32_t *line)
{
	struct browsed *s = ctx;
	struct profile_address at;
	struct frames frames = {0};
	struct dso *dso;
	char *moved;

	if (!hottest_address(profile_data(s->now->profile), function, weights, &at))
		return false;
	dso = find_dso(s, at.dso);
	if (dso)
		frames = dso_frames(dso, at.address);
	if (!frames.nr || !frames.v[0].file || !frames.v[0].line)
		return false;
	moved = source_path_moved(frames.v[0].file, s->annotate.prefix, s->annotate.prefix_strip);
	buf_puts(path, moved);
	free(moved);
	*line = frames.v[0].line;
	return true;
}

/* ---- what is recorded now ---- */

#define FIRST_MS	1200	/* wait so long before the first reading, because the recorder writes once a second */
#define LEAST_MS	1000	/* minimum time between two readings */
#define COST		50u	/* reading takes at most about one part in this many of a CPU's time ... */
#define EAGER_NS	5000000000	/* ... after this time, in which it is read as often as LEAST_MS allows */

/* Waits for the first records. Returns 0, or -1 if the recorder has failed and has printed why. */
static int await_records(struct pieces *pieces)
{
	struct piece_paths paths = {0};
	bool has_ended = false;
	int status = 0;

	for (unsigned ms = 0; !has_ended && (ms < FIRST_MS || !paths.list.nr); ms += 50) {
		usleep(50000);
		piece_paths_release(&paths);
		has_ended = pieces_ended(pieces, &status);
		pieces_list(pieces, &paths);
	}
	piece_paths_release(&paths);
	return has_ended && status ? -1 : 0;
}

static void report_state(struct browsed *s, int status)
{
	struct loaded *l = s->now;
	const struct session_counts *c = session_counts(l->in.session);

	if (s->has_ended && status)
		buf_printf(&l->quality, "the recorder has failed with status %d; ", status);
	else if (s->has_ended)
		buf_puts(&l->quality, "recording has ended; ");
	buf_printf(&l->quality, "the last %.0f s", c->last_time > c->first_time ? (double)(c->last_time - c->first_time) / 1e9 : 0);
	if (c->lost_samples)
		buf_printf(&l->quality, "; %llu samples lost", (unsigned long long)c->lost_samples);
}

/* Shows the previous reading again, because the new one failed. Gives the session back if the new reading took it. */
static void keep_before(struct browsed *s)
{
	if (s->before && !s->before->in.session) {
		s->before->in.session = s->now->in.session;
		s->now->in.session = NULL;
	}
	release_loaded(s->now);
	s->now = s->before;
	s->before = NULL;
}

static int load_now(void *ctx, struct browse_input *out)
{
	struct browsed *s = ctx;
	struct piece_paths paths = {0};
	int err, status;

	if (!s->nr_read && await_records(s->pieces))
		return -1;
	s->has_ended = pieces_ended(s->pieces, &status);
	pieces_list(s->pieces, &paths);
	s->before = s->now;
	s->now = xcalloc(1, sizeof(*s->now));
	s->input.pieces = paths.list.v;
	s->input.nr_pieces = paths.list.nr;
	s->input.grows = !s->has_ended;
	err = paths.list.nr ? read_recording(s, s->now) : -1;
	piece_paths_release(&paths);
	if (err) {
		keep_before(s);
		return -1;
	}
	s->nr_read++;
	report_state(s, status);
	give(s->now, out);
	return 0;
}

static int wait_ms(void *ctx)
{
	struct browsed *s = ctx;
	uint64_t now = clock_ns(CLOCK_PROCESS_CPUTIME_ID), spent = now - s->cpu_ns;

	s->began_ns = s->began_ns ? s->began_ns : now_ns();
	s->cpu_ns = now;
	if (now_ns() - s->began_ns < EAGER_NS)
		spent = 0;
	return s->has_ended ? -1 : (int)MIN(MAX(spent * COST / 1000000, LEAST_MS), INT_MAX);
}

static void retire(void *ctx)
{
	struct browsed *s = ctx;

	release_loaded(s->before);
	s->before = NULL;
#ifdef __GLIBC__
	malloc_trim(0);		/* the heaps of worker threads would otherwise grow, as they are only partly reused */
#endif
}

static char *new_recording_name(void)
{
	for (unsigned i = 0;; i++) {
		char *name = xasprintf("prec-top.%u.data", i);

		if (faccessat(AT_FDCWD, name, F_OK, AT_SYMLINK_NOFOLLOW))
			return name;
		free(name);
	}
}

/* Copies the recorder's files again, because the session on the screen may lack the state that the oldest file begins with. */
static int copy_pieces(const struct browsed *s, const char *name, struct copied *copied)
{
	struct input_opts input = s->input;
	struct piece_paths paths = {0};
	struct input in = {0};
	int err;

	pieces_list(s->pieces, &paths);
	input.pieces = paths.list.v;
	input.nr_pieces = paths.list.nr;
	input.grows = false;
	err = paths.list.nr ? input_open(&in, &input) : -1;
	if (!err)
		err = session_copy(in.session, name, &(struct copy_opts){ .keep_time = true }, copied);
	input_close(&in);
	piece_paths_release(&paths);
	return err;
}

static void write_now(void *ctx, struct buf *said)
{
	char *name = new_recording_name();
	struct copied copied;

	if (copy_pieces(ctx, name, &copied))
		buf_printf(said, "cannot write '%s'", name);
	else
		buf_printf(said, "'%s' has the last minute: %llu samples", name, (unsigned long long)copied.samples);
	free(name);
}

/* ---- the command ---- */

static void release(struct browsed *s)
{
	release_loaded(s->now);
	release_loaded(s->before);
	buf_release(&s->command);
	buf_release(&s->stacks);
	buf_release(&s->code);
	buf_release(&s->title);
}

int report_browse(const struct report_opts *o, const struct terminal *t, struct pieces *pieces, const char *title)
{
	struct browsed s = { .opts = o, .terminal = *t, .pieces = pieces };
	struct browse_source source = { .ctx = &s, .load = load, .annotate = annotate, .place = place };
	int status;

	plan(&s);
	if (pieces) {
		s.browse.watches = true;
		s.browse.title = title;
		source.load = load_now;
		source.wait_ms = wait_ms;
		source.retire = retire;
		source.write = write_now;
	}
	status = browse(&s.browse, &source) ? 1 : findings_have(&s.now->findings, FINDING_DAMAGE) ? STATUS_DAMAGED : 0;
	release(&s);
	return status;
}
