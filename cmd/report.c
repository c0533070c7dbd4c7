/*
 * prec report: prints a table for each event, with the samples summed by sort keys such as process, file and function.
 * core/hists/hist.h makes the sums, and core/show/report/table.h prints the table. On a terminal, report_browse.c shows a
 * browser instead.
 */
#include "cmd/cmd.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "auxtrace/aux.h"
#include "cmd/findings.h"
#include "cmd/report_options.h"
#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/base/outfile.h"
#include "core/base/phase.h"
#include "core/base/printable.h"
#include "core/hists/trace_key.h"
#include "core/hists/key_table.h"
#include "core/read/session.h"
#include "core/sched/running.h"
#include "core/sched/runqueue.h"
#include "core/sched/wait_samples.h"
#include "core/sched/waits.h"
#include "core/show/report/headline.h"
#include "core/show/report/own_tables.h"
#include "core/show/report/table.h"
#include "core/show/report/tasks.h"
#include "core/show/script/dump.h"
#include "core/ui/finding.h"
#include "core/ui/pager.h"
#include "core/ui/suggest.h"
#include "core/ui/terminal.h"

#define MEM_KEYS "local_weight,mem,symbol,dso,symbol_daddr,dso_daddr,snoop,tlb,locked,blocked,local_ins_lat"
#define WAIT_KEYS "comm,reason,symbol"
#define WALL_KEYS "pid,state,reason,symbol"
#define LEAST_GRAPH 10u		/* minimum number of lines for a call graph, even on a terminal with few lines */
#define HISTORY_KEYS "srcline,symbol,dso"
#define BRANCH_KEYS "comm,dso_from,symbol_from,symbol_to,cycles"

struct report {
	const struct report_opts *opts;
	struct input in;
	struct trace_keys *traces;
	struct runqueues *queues;
	struct running *running;
	enum layout_latency latency;
	regex_t usual_parent;
	bool has_usual_parent;
	char *sort;		/* owned */
	size_t nr_printed;		/* number of worst findings that are printed above the numbers */
	struct terminal terminal;	/* standard output; .is_terminal is false if the text is for a program */
	struct hists_opts hists;
	struct table_opts table;
};

static void put_single(const struct report *r, struct buf *out, const char *key, const char *name)
{
	if (name && layout_has(&r->hists.layout, key))
		buf_printf(out, "# %s: %s\n", key, name);
}

static void put_head(struct report *r, const struct hists *h, struct buf *out)
{
	struct filter_single single = filter_single(r->in.filter);
	const struct session_counts *c = session_counts(r->in.session);
	struct findings found = {0};

	if (r->terminal.is_terminal) {
		session_findings(r->in.session, &found);
		hists_findings(h, r->in.session, &found);
		/* Counts of cut chains are of all samples. */
		r->nr_printed = headline_print(r->in.session, h->opts.chains && filter_is_open(r->in.filter) ?
					       &h->counts.chains : NULL, &found, &r->terminal, out);
		findings_release(&found);
		return;
	}
	put_single(r, out, "comm", single.comm);
	put_single(r, out, "dso", single.dso);
	put_single(r, out, "symbol", single.symbol);
	buf_printf(out, "#\n# Total Lost Samples: %" PRIu64 "\n#\n", c->lost_samples);
	if (c->filtered_samples)
		buf_printf(out, "# Samples dropped by filters: %" PRIu64 "\n#\n", c->filtered_samples);
}

/* "132  of event", "2K of event". */
static void put_rounded(struct buf *out, uint64_t nr)
{
	static const char units[] = " KMG";
	const char *unit = units;

	for (; nr >= 1000 && unit[1]; unit++)
		nr /= 1000;
	buf_printf(out, "%" PRIu64 "%c", nr, *unit);
}

/* "cycles", "anon group { cycles, instructions }", or if the user put them together "cycles, instructions". */
static void put_event_names(const struct report_opts *o, const struct hists *h, const struct hist *hist, struct buf *out)
{
	const struct event *leader = hist->event;
	bool group = hist->nr_members > 1, forced = leader->nr_members <= 1;
	const char *before = "";

	if (group && !forced)
		buf_printf(out, "%s { ", leader->group_name ? leader->group_name : "anon group");
	for (uint32_t m = 0; m < hist->nr_members; m++) {
		const struct hist *member = hist_member(h, hist, m);

		if (group && o->no_empty && !member->total.nr)
			continue;
		buf_printf(out, "%s%s", before, member->event->name);
		before = ", ";
	}
	if (group && !forced)
		buf_puts(out, " }");
}

static void put_event(const struct report *r, const struct hists *h, const struct hist *hist, struct buf *out)
{
	const struct report_opts *o = r->opts;
	bool many = hist->nr_members > 1 || hist->event->nr_members > 1;
	struct event_head head = { .time = o->input.filter.time, .wall = o->input.wall, .weight = o->mem_mode,
				   .clock = !o->mem_mode && !r->hists.branches };
	struct buf names = {0};

	for (uint32_t m = 0; m < hist->nr_members; m++) {
		const struct hist *member = hist_member(h, hist, m);
		const struct event_total *t = &member->total;

		head.nr += t->nr - (o->relative ? t->nr_out : 0);
		head.amount += hist_total(member, o->relative);
		head.idle += t->period_idle;
		head.off_cpu |= str_eq(member->event->name, OFF_CPU_NAME);
		head.clock &= event_counts_time(member->event);
	}
	put_event_names(o, h, hist, &names);
	if (r->terminal.is_terminal) {
		head.inlines = h->opts.self_inlined ? HEAD_INLINES_OWN : h->opts.branches ? HEAD_INLINES_NONE : HEAD_INLINES_AROUND;
		buf_escape_from(&names, 0, "\n\t");
		head.names = buf_str(&names);
		headline_print_event(&head, &r->terminal, out);
		buf_release(&names);
		return;
	}
	buf_puts(out, "# Samples: ");
	put_rounded(out, head.nr);
	buf_printf(out, " of event%s '%s'", many ? "s" : "", buf_str(&names));
	buf_release(&names);
	if (o->input.filter.time)
		buf_printf(out, " (time slices: %s)", o->input.filter.time);
	buf_printf(out, "\n# %s: %" PRIu64 "\n#\n", o->mem_mode ? "Total weight " : "Event count (approx.)", head.amount);
}

/* The exit status is @err if the command failed before. */
static int end(const struct report *r, struct findings *f, int err)
{
	int status;

	session_findings(r->in.session, f);
	status = findings_end(f, &r->opts->input.strict, r->nr_printed);
	return err ? err : status;
}

static int write_out(const struct report *r, struct buf *out)
{
	return check_output(pager_show(&r->terminal, r->opts->screen.no_pager, out));
}

/* On a terminal, escapes control characters. Returns the exit status. */
static int finish(const struct report *r, struct buf *out)
{
	if (r->terminal.is_terminal)
		buf_escape_from(out, 0, "\n\t");
	return end(r, &(struct findings){0}, write_out(r, out) ? 1 : 0);
}

/* True if all events are tracepoints. Their samples differ in their fields rather than in their addresses. */
static bool all_tracepoints(const struct session *s)
{
	vec_for(ev, &session_events(s)->events)
		if ((*ev)->attr.type != PERF_TYPE_TRACEPOINT)
			return false;
	return session_events(s)->events.nr;
}

static const char *sort_of(struct report *r)
{
	const struct report_opts *o = r->opts;

	if (o->unresolved)
		return "dso,symbol";
	if (!o->parent.given)
		return o->sort;
	r->sort = o->sort ? xasprintf("%s,parent", o->sort) :
			    xstrdup(o->fields && *o->fields != '+' ? "parent" : "+parent");
	return r->sort;
}

/* True if the recording has branches to count. Branches that replace a call chain (--call-graph lbr) are not counted. */
static bool has_branches(const struct session *s)
{
	vec_for(ev, &session_events(s)->events)
		if (event_shows(*ev, PERF_SAMPLE_BRANCH_STACK) &&
		    !((*ev)->attr.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK))
			return true;
	return false;
}

static bool traces_branches(const struct report *r)
{
	const struct itrace_opts *itrace = &r->opts->input.itrace;

	return r->in.traced && (!itrace->given || itrace->branches);
}

/* True if call chains begin with the last branches of a sample. */
static bool chains_of_branches(const struct report_opts *o)
{
	return o->branch_history || (o->graph.given && o->graph.tree.branches);
}

static bool branch_mode(const struct report *r)
{
	const struct report_opts *o = r->opts;

	if (chains_of_branches(o))
		return false;
	if (o->branches_given)
		return o->branches && (has_branches(r->in.session) || traces_branches(r));
	return !o->mem_mode && (has_branches(r->in.session) || (o->input.itrace.last_branch && traces_branches(r)));
}

static int check_no_branches(const struct report *r)
{
	const struct layout *l = &r->hists.layout;

	for (unsigned i = 0; i < l->nr_keys; i++)
		if (l->keys[i]->needs & NEED_BRANCH)
			return error("'%s' is a key of branches, which are not counted: %s", l->keys[i]->name,
				     has_branches(r->in.session) ? "leave out --mem-mode, --no-branch-stack" :
				     "the recording has none (record with -b)");
	return 0;
}

/* Plans --parent and --ignore-callees. The default parents are those of perf, system calls and page faults. */
static void plan_parents(struct report *r)
{
	const struct report_opts *o = r->opts;

	if (o->ignore_callees.given)
		r->hists.ignored_callers = &o->ignore_callees.regex;
	if (!(layout_needs(&r->hists.layout) & NEED_PARENT) && !o->exclude_other)
		return;
	r->hists.exclude_other = o->exclude_other;
	r->hists.parent = o->parent.given ? &o->parent.regex : &r->usual_parent;
	if (!o->parent.given)
		r->has_usual_parent = !regcomp(&r->usual_parent, "^sys_|^do_page_fault", REG_EXTENDED | REG_NOSUB);
}

/* Finds run queues and running threads, if a key needs them, from the whole recording. Returns 0 or -1 (printed). */
static int replay(struct report *r)
{
	unsigned needs = layout_needs(&r->hists.layout);

	if (needs & NEED_QUEUE)
		r->queues = session_runqueues(r->in.session);
	if (needs & NEED_RUNNING || r->opts->parallelism.list.nr)
		r->running = session_threads_running(r->in.session);
	r->hists.queues = r->queues;
	r->hists.running = r->running;
	r->hists.wanted_running = r->opts->parallelism.list.nr ? &r->opts->parallelism : NULL;
	return (needs & NEED_QUEUE && !r->queues) || ((needs & NEED_RUNNING || r->hists.wanted_running) && !r->running) ? -1 : 0;
}

/* Latency needs recorded context switches. Waits have none. */
static enum layout_latency latency_of(const struct report *r, bool branches)
{
	const struct report_opts *o = r->opts;
	bool usual = !branches && !o->mem_mode && !r->in.traced && !session_waits_event(r->in.session);

	return o->latency ? LATENCY_FIRST : usual && session_has_switches(r->in.session) ? LATENCY_SECOND : LATENCY_NONE;
}

static bool asks_for_graphs(const struct report_opts *o)
{
	return o->graph.given || o->inverted;
}

/* On a terminal, call graphs below each row are shown only on request, so that the first screen has more rows. */
static void plan_graphs(struct report *r)
{
	struct tree_opts *tree = &r->hists.tree;

	if (!r->terminal.is_terminal)
		return;
	if (!asks_for_graphs(r->opts))
		tree->form = TREE_NONE;
	tree->screen = true;
	if (!r->opts->screen.wide)
		tree->width = r->terminal.width;
	if (!r->opts->screen.all)
		tree->max_lines = MAX(r->terminal.height / 2, LEAST_GRAPH);
}

/* True if only waits have call chains, or only waits are shown. Callers then get no totals, unless --children is given. */
static bool only_waits_have_chains(const struct report *r)
{
	const struct event *waits = session_waits_event(r->in.session);

	if (!waits || r->hists.event)
		return r->opts->input.wall || (r->hists.event && r->hists.event == waits);
	vec_for(ev, &session_events(r->in.session)->events)
		if (!(*ev)->hidden_source && *ev != waits && event_shows(*ev, PERF_SAMPLE_CALLCHAIN))
			return false;
	return true;
}

/* True if inlined functions have self time. In text for programs, as in perf, the function around an inlined one has its time. */
static bool counts_inlined(const struct report *r)
{
	const struct report_opts *o = r->opts;

	return o->input.inlines && (o->self_given ? o->self_inlined : r->terminal.is_terminal && !o->stdio);
}

static uint64_t first_sample(const struct session *s)
{
	const struct session_counts *c = session_counts(s);

	return c->first_time <= c->last_time ? c->first_time : 0;
}

static int plan(struct report *r)
{
	const struct report_opts *o = r->opts;
	struct filter_single single = filter_single(r->in.filter);
	bool waits = r->hists.event && r->hists.event == session_waits_event(r->in.session);
	bool branches = branch_mode(r);
	bool chains = !branches && (chains_of_branches(o) || event_table_has_chains(session_events(r->in.session)));
	struct layout_opts layout;

	r->latency = latency_of(r, branches);
	layout = (struct layout_opts){
		.sort = sort_of(r), .fields = o->fields, .find_more = report_find_key,
		.children = chains && o->children && !o->hierarchy && (o->children_given || !only_waits_have_chains(r)),
		.latency = r->latency,
		.nr_samples = o->nr_samples, .total_period = o->total_period, .cpu_utilization = o->cpu_utilization,
		.defaults = o->mem_mode ? MEM_KEYS : o->branch_history ? HISTORY_KEYS : branches ? BRANCH_KEYS :
			    all_tracepoints(r->in.session) ? "trace" :
			    o->input.wall ? WALL_KEYS : waits ? WAIT_KEYS : NULL,
	};
	/* With totals of callers, each caller would count the branches of the rest of its chain. */
	layout.branch_sums = chains_of_branches(o) && !layout.children;

	if ((o->branches && !branches) || (chains_of_branches(o) && !has_branches(r->in.session)))
		return -error("there are no branches to count in '%s' (record with -b)", session_file(r->in.session)->path);
	if (o->graph.given && o->graph.tree.form != TREE_NONE && !chains && !branches)
		return -error("cannot draw call graphs: there are no call chains in '%s' (record with -g)",
			      session_file(r->in.session)->path);
	r->traces = trace_keys_new(r->in.session, o->raw_trace);
	r->hists = (struct hists_opts){
		.event = r->hists.event, .filter = r->in.filter, .traces = r->traces, .symbol_filter = o->symbol_filter,
		.slot_ns = o->quantum.ns, .slot_from = o->quantum.since_first ? first_sample(r->in.session) : 0,
		.max_depth = (unsigned)MIN(o->input.max_stack, UINT_MAX), .children = layout.children,
		.by_weight = o->mem_mode, .branches = branches, .separate = !o->group || r->hists.event,
		.forced = o->group && o->group_given, .first_member = (uint32_t)MIN(o->group_sort, UINT32_MAX),
		.inlines = o->input.inlines, .self_inlined = counts_inlined(r), .branch_history = chains_of_branches(o),
		.hide_unresolved = o->hide_unresolved, .full_paths = o->full_paths,
		.nanoseconds = o->nanoseconds,
		.tree = o->graph.tree,
	};
	if (o->branch_history && !o->graph.given)
		r->hists.tree.key = TREE_BY_ADDRESS;
	plan_graphs(r);
	if (!r->hists.tree.order_given)
		r->hists.tree.caller_first = o->inverted || layout.children;
	layout.find_more_ctx = r->traces;
	if (layout_parse(&r->hists.layout, &layout))
		return OPTIONS_USAGE;
	if (o->hierarchy && !r->hists.layout.nr_keys)
		return usage_error("--hierarchy has a level for each key of --sort that groups, and there is none "
				   "(see prec report -h)");
	layout_split_waits(&r->hists.layout, r->in.session);
	plan_parents(r);
	r->hists.chains = chains && (layout.children || o->graph.tree.form != TREE_NONE || r->hists.parent ||
				     r->hists.ignored_callers);
	if (!branches && check_no_branches(r))
		return 1;
	if (replay(r))
		return 1;
	if (o->hierarchy)
		return 0;
	if (single.comm)
		layout_drop(&r->hists.layout, "comm");
	/* Callers have rows, too, and may be in other dsos and functions. */
	if (single.dso && !layout.children)
		layout_drop(&r->hists.layout, "dso");
	if (single.symbol && !layout.children && !r->hists.self_inlined)
		layout_drop(&r->hists.layout, "symbol");
	return 0;
}

static bool has_samples(const struct hists *h, const struct hist *hist)
{
	for (uint32_t m = 0; m < hist->nr_members; m++)
		if (hist_member(h, hist, m)->total.nr)
			return true;
	return false;
}

static void hint_graphs(const struct report *r, struct buf *out)
{
	if (r->terminal.is_terminal && !r->opts->quiet && !asks_for_graphs(r->opts) && !r->hists.branches &&
	    event_table_has_chains(session_events(r->in.session)))
		buf_puts(out, "Option -g prints the call chains below each row, -G from the outermost caller.\n");
}

/* Prints that no symbol has the given text; @known are the existing symbols. The text may be a file, which diff would take. */
static void report_no_symbol(const struct report_opts *o, const struct names *known)
{
	const char *word = o->symbol_filter;
	struct buf meant = {0};

	if (o->filter_is_word && !access(word, F_OK)) {
		info("'%s' was taken for a part of symbols' names: prec diff compares two files, -i gives the file", word);
		return;
	}
	names_suggest(&meant, word, strlen(word), known);
	info("no sample is left of symbol '%s'%s", word, buf_str(&meant));
	buf_release(&meant);
}

/* If the report has no rows, prints the name that no symbol has, or the filter that no sample passes. */
static void report_nothing_left(const struct report *r, const struct hists *h)
{
	struct names known = {0};

	vec_for(hist, &h->list)
		if (hist->sorted.nr)
			return;
	if (!session_counts(r->in.session)->by_type[PERF_RECORD_SAMPLE])
		return;
	vec_for(location, &h->locations.list)
		if (location->name)
			names_add(&known, location->name);
	names_sort(&known);
	if (r->opts->symbol_filter)
		report_no_symbol(r->opts, &known);
	else
		print_empty_result(r->in.session, r->hists.filter, &known);
	if (filter_word(r->hists.filter, FILTER_SYMBOLS, 0) && r->hists.inlines && !r->hists.self_inlined)
		info("inlined functions count for the function around them: --inline-self gives them rows of their own");
	names_release(&known);
}

static int print_unresolved(struct report *r, struct buf *out)
{
	struct hists *h;
	int err = input_attach(&r->in, &r->opts->input) ||
		  input_find_event(&r->hists.event, r->in.session, &r->opts->input) ? 1 : plan(r);

	if (err)
		return err;
	h = hists_new(r->in.session, &r->hists);
	unresolved_print(h, session_machine(r->in.session), out);
	hists_free(h);
	return finish(r, out);
}

static bool asks_for_own_table(const struct report_opts *o)
{
	return o->latency_hist.given || o->pair || o->slices || o->critical_path || o->runqueue;
}

static int print_own_table(const struct report *r, struct buf *out)
{
	const struct report_opts *o = r->opts;
	const struct own_table_opts own = {
		.filter = r->in.filter, .separator = o->separator, .max_depth = (unsigned)MIN(o->input.max_stack, UINT_MAX),
	};

	if (o->runqueue)
		return runqueue_print(r->in.session, &own, r->hists.event, o->by, out);
	if (o->slices)
		return slices_print(r->in.session, &own, o->slices, o->split, out);
	if (o->critical_path)
		return critical_path_print(r->in.session, &own, o->critical_path, out);
	return o->pair ? pair_latency_print(r->in.session, &own, o->pair, out) :
	       latency_print(r->in.session, &own, o->latency_hist.key, out);
}

static int print_own(struct report *r, struct buf *out)
{
	const struct report_opts *o = r->opts;
	int err = input_attach(&r->in, &o->input) ||
		  (o->runqueue && input_find_event(&r->hists.event, r->in.session, &o->input)) ||
		  (!o->pair && !o->runqueue && input_add_waits(r->in.session, &o->input, true));

	return err || print_own_table(r, out) ? 1 : finish(r, out);
}

static int print_durations(struct report *r, struct buf *out)
{
	const struct report_opts *o = r->opts;
	struct input_opts input = o->input;
	struct own_table_opts own = { .separator = o->separator };
	bool insns = input_ask_for_calls(&input.itrace);
	int err = input_attach(&r->in, &input);

	own.filter = r->in.filter;
	return err || durations_print(r->in.session, &own, insns, !o->quiet, out) ? 1 : finish(r, out);
}

static int print_blocks(struct report *r, struct buf *out)
{
	const struct event *event = NULL;
	int err = input_attach(&r->in, &r->opts->input) ||
		  input_find_event(&event, r->in.session, &r->opts->input);

	if (!err && !has_branches(r->in.session))
		err = error("there are no branches to count in '%s' (record with -b)", session_file(r->in.session)->path);
	if (err)
		return 1;
	vec_for(ev, &session_events(r->in.session)->events)
		if (event_shows(*ev, PERF_SAMPLE_BRANCH_STACK) && (!event || *ev == event))
			blocks_print(r->in.session, *ev, filter_is_open(r->in.filter) ? NULL : r->in.filter,
				     r->opts->graph.min_percent, !r->opts->quiet, out);
	return finish(r, out);
}

/* Adds a finding if a sort key needs the arguments of system calls (lock, holder) and they were not recorded. */
static void find_no_args(const struct report *r, struct findings *found)
{
	if (!session_waits_event(r->in.session) ||
	    !(layout_has(&r->hists.layout, WAIT_KEY_LOCK) || layout_has(&r->hists.layout, WAIT_KEY_HOLDER)))
		return;
	vec_for(ev, &session_events(r->in.session)->events)
		if (str_starts((*ev)->name, "raw_syscalls:sys_enter"))
			return;
	findings_add(found, FINDING_WAITS_NO_ARGS, 1, 0, session_file(r->in.session)->path);
}

static int print_tables(struct report *r, struct buf *out)
{
	const struct report_opts *o = r->opts;
	struct findings found = {0};
	struct hists *h;
	struct phase phase;
	bool titles = !o->quiet, counted = false;
	int err = input_attach_event(&r->in, &r->hists.event, &o->input) ? 1 : plan(r);

	if (err)
		return err;
	h = hists_new(r->in.session, &r->hists);
	if (r->latency == LATENCY_SECOND && hists_are_single(h)) {
		layout_drop(&h->opts.layout, "latency");
		layout_drop(&h->opts.layout, "latency_children");
	}
	phase = phase_begin();
	if (titles)
		put_head(r, h, out);
	vec_for(hist, &h->list) {
		if (!has_samples(h, hist) && (o->no_empty || !hist->nr_members))
			continue;
		if (r->hists.event && hist->event != r->hists.event)
			continue;
		if (titles)
			put_event(r, h, hist, out);
		table_print(h, hist, &r->table, out);
		/* On a terminal, everything is written at the end, by a pager if it is long. */
		err = err || r->terminal.is_terminal ? err : write_out(r, out);
	}
	if (event_table_only_counts(session_events(r->in.session)))
		counted = event_counts_print(r->in.session, out);
	if (o->threads)
		thread_counts_print(r->in.session, out);
	hint_graphs(r, out);
	err = err ? err : write_out(r, out);
	phase_end(&phase, "printing");
	report_nothing_left(r, h);
	find_no_args(r, &found);
	/* If counts were printed in place of samples, there are no findings about samples. */
	if (!counted)
		hists_findings(h, r->in.session, &found);
	hists_free(h);
	return end(r, &found, err ? 1 : 0);
}

static int dump_all(const struct report *r)
{
	struct pager *pager = r->opts->screen.no_pager ? NULL : pager_start(&r->terminal, true);
	struct aux_dumper *dumper = aux_dumper_new(r->in.session);
	int err = dump_records(r->in.session, aux_dump, dumper, STDOUT_FILENO);

	pager_end(pager);
	aux_dumper_free(dumper);
	return err;
}

static const struct event *first_event_with_samples(const struct session *s)
{
	const struct session_counts *c = session_counts(s);

	vec_for(ev, &session_events(s)->events)
		if ((*ev)->number < c->samples_by_event.nr && c->samples_by_event.v[(*ev)->number])
			return *ev;
	return NULL;
}

static int print_tasks(struct report *r, struct buf *out)
{
	if (r->terminal.is_terminal && !r->opts->stdio && !r->opts->mmaps)
		tasks_print_groups(r->in.session, first_event_with_samples(r->in.session), out);
	else
		tasks_print(r->in.session, r->opts->mmaps, out);
	return finish(r, out);
}

static bool shows_functions(const struct report *r)
{
	const char *sort = r->opts->sort, *fields = r->opts->fields;

	return (!sort && !fields && !all_tracepoints(r->in.session)) || (sort && strstr(sort, "sym")) ||
	       (fields && strstr(fields, "sym"));
}

static void put_hints(const struct report *r, struct buf *out)
{
	buf_puts(out, "# To display the perf.data header info, please use --header/--header-only options.\n");
	if (r->opts->input.inlines && !branch_mode(r) && shows_functions(r))
		buf_printf(out, "# Inlined code counts for %s.\n", counts_inlined(r) ? "itself" :
			   "the function around it, as in perf; --inline-self: for itself");
	else
		buf_puts(out, "#\n");
}

static int print_all(struct report *r, struct buf *out)
{
	const struct report_opts *o = r->opts;
	bool tables = !o->dump && !o->input.header_only && !o->stats;

	if (o->input.header || o->input.header_only || o->input.full_info) {
		data_file_print_header(session_file(r->in.session), session_events(r->in.session), session_features(r->in.session),
				       o->input.full_info, out);
		if (r->terminal.is_terminal)
			buf_escape_from(out, 0, "\n\t");
	} else if (tables && !o->quiet && !o->unresolved && !o->tasks && !o->mmaps && !r->terminal.is_terminal) {
		put_hints(r, out);
	}
	if (o->stats)
		counts_print(r->in.session, out);
	if ((o->tasks || o->mmaps) && !o->dump && !o->input.header_only)
		return print_tasks(r, out);
	if (tables)
		return (o->unresolved ? print_unresolved : o->total_cycles ? print_blocks : o->durations ? print_durations :
			asks_for_own_table(o) ? print_own : print_tables)(r, out);
	if (write_out(r, out) || (o->dump && check_output(dump_all(r))))
		return 1;
	return end(r, &(struct findings){0}, 0);
}

/* Fits the output to a terminal. With a field separator, the text is for programs even if it goes to a terminal. */
static void plan_screen(struct report *r)
{
	const struct report_opts *o = r->opts;
	struct terminal *t = &r->terminal;

	terminal_detect(t, STDOUT_FILENO, &o->screen);
	r->table.colors = t->colors && !o->separator;
	if (o->separator)
		t->is_terminal = false;
	if (!t->is_terminal)
		return;
	r->table.screen_width = t->width;
	r->table.wide = o->screen.wide;
	r->table.all = o->screen.all || (o->graph.limit_given && !o->graph.min_percent);
	r->table.amounts = !o->mem_mode && (!o->fields || *o->fields == '+');
}

/* Prints a hint if options for code or samples were given, because only the browser uses them. */
static void report_no_code(const struct report_opts *o)
{
	struct buf options = {0};

	if (o->samples)
		info("--samples of report is for the browser's key S: 'prec script' prints samples as text");

	code_put_options(&o->code, &options);
	if (options.len)
		info("%s of report is for the browser's key a: 'prec annotate%s' prints code as text",
		     buf_str(&options) + 1, buf_str(&options));
	buf_release(&options);
}

static int open_and_print(const struct report_opts *o)
{
	struct report r = {
		.opts = o,
		.table = { .separator = o->separator, .widths = o->widths, .min_percent = o->graph.min_percent,
			   .relative = o->relative, .no_titles = o->quiet,
			   .hierarchy = o->hierarchy, .show_empty = !o->no_empty },
	};
	struct buf out = {0};
	int status;

	plan_screen(&r);

	if (table_check(&r.table))
		return OPTIONS_USAGE;
	status = report_wants_browser(o, &r.terminal);
	if (status)
		return status < 0 ? OPTIONS_USAGE : report_browse(o, &r.terminal, NULL, NULL);
	report_no_code(o);
	if (input_open(&r.in, &o->input))
		return 1;
	status = print_all(&r, &out);
	buf_release(&out);
	trace_keys_free(r.traces);
	if (r.has_usual_parent)
		regfree(&r.usual_parent);
	free(r.sort);
	runqueues_free(r.queues);
	running_free(r.running);
	input_close(&r.in);
	return status;
}

int cmd_report(int argc, char **argv)
{
	struct report_opts o;
	int status = report_opts_parse(&o, argc, argv);

	signal(SIGPIPE, SIG_IGN);
	status = status > 0 ? 0 : status < 0 ? OPTIONS_USAGE : open_and_print(&o);
	report_opts_release(&o);
	return status;
}
