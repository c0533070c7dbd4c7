/*
 * Reads the recordings for prec diff and prec compare, checks that they are comparable, and prints the comparison that
 * core/show/diff/ computes. Also parses the options that both commands have, such as the output format.
 */
#include "cmd/compare_input.h"

#include <limits.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/log.h"
#include "core/base/outfile.h"
#include "core/ui/pager.h"
#include "core/show/diff/diff_print.h"
#include "core/show/diff/joined_tree.h"
#include "core/show/diff/tree_page.h"
#include "core/show/diff/tree_print.h"
#include "core/read/session.h"
#include "core/sched/wait_samples.h"
#include "core/profile/session_profile.h"

#define LENGTHS_DIFFER	0.01	/* if lengths of recordings ended by hand differ by more than this share, compare per second */

/* ---- options ---- */

int compare_parse_fail_if(const struct option_desc *o, void *field, const char *arg, bool unset)
{
	const char *number = arg && *arg == '>' ? arg + 1 : arg;
	uint64_t *limit = field;
	char *end = NULL;
	double percent = unset ? 0 : strtod(number, &end);

	*limit = UINT64_MAX;
	if (unset)
		return 0;
	if (end != number && *end == '%')
		end++;
	if (end == number || *end || !(percent >= 0 && percent <= 1e6))
		return error("--%s: '%s' is no limit such as '>2%%'", o->name, arg);
	*limit = (uint64_t)(percent * 1000 + 0.5);
	return 0;
}

int compare_parse_compute(const struct option_desc *o, void *field, const char *arg, bool unset)
{
	struct compare_opts *opts = field;

	opts->as_perf = !unset;
	if (unset || !perf_compute_parse(&opts->perf, arg))
		return 0;
	return error("--%s: '%s' is none of delta, delta-abs, ratio, wdiff:W1,W2 (two numbers, none of them 0)", o->name, arg);
}

static const struct { const char *name, *suffix; enum compare_form form; } forms[] = {
	{ "table", ".txt", COMPARE_TABLE }, { "json", ".json", COMPARE_JSON }, { "folded", ".folded", COMPARE_FOLDED },
	{ "tree", NULL, COMPARE_TREE }, { "html", ".html", COMPARE_HTML },
};

int compare_parse_format(const struct option_desc *o, void *field, const char *arg, bool unset)
{
	struct compare_opts *opts = field;

	opts->form = COMPARE_TABLE;
	opts->form_given = !unset;
	if (unset)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		if (!str_eq(arg, forms[i].name))
			continue;
		opts->form = forms[i].form;
		return 0;
	}
	return error("--%s: '%s' is none of table, tree, json, folded, html", o->name, arg);
}

int compare_parse_form(const struct option_desc *o, void *field, const char *arg, bool unset)
{
	return compare_parse_format(o, field, o->name, unset);
}

static bool has_suffix(const char *path, const char *suffix)
{
	size_t n = strlen(path), k = suffix ? strlen(suffix) : 0;

	return k && n > k && str_eq(path + n - k, suffix);
}

/* A file name, or as in perf diff the order of rows, a number. */
int compare_parse_output(const struct option_desc *o, void *field, const char *arg, bool unset)
{
	struct compare_opts *opts = field;

	opts->output = NULL;
	opts->perf.order = 1;
	if (unset || !parse_count(arg, &opts->perf.order))
		return 0;
	opts->output = arg;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		if (has_suffix(arg, forms[i].suffix))
			opts->form = forms[i].form;
	return 0;
}

/* "3,4": a run of A does 3 units of work, and one of B 4. */
static bool parse_units(const char *text, double *units)
{
	char *end;

	for (int side = 0; side < NR_SIDES; side++) {
		units[side] = strtod(text, &end);
		if (end == text || !(units[side] > 0) || !isfinite(units[side]) || *end != (side == SIDE_A ? ',' : '\0'))
			return false;
		text = end + 1;
	}
	return true;
}

int compare_check(struct diff_opts *out, const struct compare_opts *o)
{
	bool lines = false, cpus = false;

	*out = (struct diff_opts){ .keys = o->keys, .per_event = o->per_text };
	if (diff_keys_check(o->keys, &lines, &cpus))
		return -1;
	if (!o->per_text)
		return 0;
	if (str_eq(o->per_text, "total"))
		out->per = PER_TOTAL;
	else if (str_eq(o->per_text, "second"))
		out->per = PER_SECOND;
	else if (parse_units(o->per_text, out->units))
		out->per = PER_NUMBER;
	else if (strchr("0123456789-+.,", o->per_text[0]))
		return error("--per: two numbers above 0 are wanted, as 1000,1200: of A and of B, not '%s'", o->per_text);
	else
		out->per = PER_EVENT;
	return 0;
}

/* ---- reading ---- */

static bool is_workload(const struct session *s)
{
	vec_for(e, &session_events(s)->events)
		if ((*e)->attr.enable_on_exec)
			return true;
	return false;
}

/* From the first sample to the last, within --time; 0: samples have no times. */
static double seconds_of(const struct profile *p, const struct filter *f)
{
	const struct profile_info *i = &profile_data(p)->info;
	const struct time_span *spans;
	uint64_t sum = 0;
	size_t nr;

	if (i->last_time <= i->first_time)
		return 0;
	spans = filter_times(f, &nr);
	for (size_t k = 0; k < nr; k++) {
		uint64_t from = MAX(spans[k].from, i->first_time), to = MIN(spans[k].to, i->last_time);

		sum += to > from ? to - from : 0;
	}
	return (double)(nr ? sum : i->last_time - i->first_time) / 1e9;
}

static int read_one(struct compared *c, struct compared_list *all, const struct input_opts *input,
		    const struct profile_query *wanted)
{
	struct profile_query q = *wanted;
	struct findings found = {0};
	struct input in = {0};
	int err = input_open(&in, input) || input_attach_event(&in, &q.event, input) ? -1 : 0;

	q.filter = in.filter;
	q.wait_frames = input->wall;
	if (!err) {
		c->profile = profile_of_session(in.session, &q);
		c->seconds = seconds_of(c->profile, in.filter);
		c->workload = is_workload(in.session);
		session_findings(in.session, &found);
		c->damaged = findings_have(&found, FINDING_DAMAGE);
		findings_merge(&found, profile_findings(c->profile));
		findings_merge(&all->found, &found);
		findings_merge(&all->of_sides[c->side], &found);
	}
	findings_release(&found);
	input_close(&in);
	return err;
}

/* The notes on many recordings would be longer than the table. */
static void drop_notes(struct findings *f)
{
	size_t nr = 0;

	vec_for(one, &f->list)
		if (finding_severity(one) == FINDING_NOTE && log_level() < 1)
			free(one->where);
		else
			f->list.v[nr++] = *one;
	f->list.nr = nr;
}

/* file://PATH may be a pipe, so reads it once for all recordings. */
static int parse_list(const char **list, const char *what, struct buf *text)
{
	const char *path = *list && str_starts(*list, "file://") ? *list + strlen("file://") : NULL;
	int err = path ? read_file(path, text) : 0;

	if (err)
		return error("cannot read the list of %s '%s': %s", what, path, strerror(-err));
	if (path) {
		buf_putc(text, '\n');
		*list = buf_str(text);
	}
	return 0;
}

static int read_all(struct compared_list *all, const struct input_opts *input, const char *keys)
{
	struct profile_query q = {
		.max_depth = (unsigned)MIN(input->max_stack, UINT_MAX), .inlines = input->inlines,
		.times = true,
	};
	bool lines = false;
	int err = diff_keys_check(keys, &lines, &q.cpus);

	q.frames = lines ? PROFILE_BY_LINE : PROFILE_BY_FUNCTION;
	vec_for(c, &all->list) {
		struct input_opts one = *input;

		one.path = c->path;
		one.filter.time = all->times[c->side];
		if (err || read_one(c, all, &one, &q))
			return -1;
	}
	drop_notes(&all->found);
	return err;
}

int compared_read(struct compared_list *all, const struct input_opts *input, const char *keys)
{
	struct buf comms = {0}, dsos = {0}, symbols = {0};
	struct input_opts in = *input;
	int err = parse_list(&in.filter.comms, "comms", &comms) || parse_list(&in.filter.dsos, "dsos", &dsos) ||
		  parse_list(&in.filter.symbols, "symbols", &symbols) || read_all(all, &in, keys) ? -1 : 0;

	buf_release(&comms);
	buf_release(&dsos);
	buf_release(&symbols);
	return err;
}

void compared_release(struct compared_list *c)
{
	vec_for(one, &c->list)
		profile_free(one->profile);
	vec_free(&c->list);
	findings_release(&c->found);
	for (unsigned side = 0; side < NR_SIDES; side++)
		findings_release(&c->of_sides[side]);
}

/* ---- can they be compared? ---- */

static const char *text_of(const struct compared *c, uint32_t string)
{
	return profile_string(c->profile, string);
}

static int check_machines(const struct compared_list *all)
{
	const struct compared *first = &all->list.v[0];
	const struct profile_info *a = &profile_data(first->profile)->info;

	vec_for(c, &all->list) {
		const struct profile_info *b = &profile_data(c->profile)->info;

		if (a->cpu && b->cpu && !str_eq(text_of(first, a->cpu), text_of(c, b->cpu)))
			return error("'%s' is from a CPU '%s', '%s' from '%s': their times do not compare (--per=total does)",
				     first->path, text_of(first, a->cpu), c->path, text_of(c, b->cpu));
		if (a->arch && b->arch && !str_eq(text_of(first, a->arch), text_of(c, b->arch)))
			return error("'%s' is from %s, '%s' from %s: their times do not compare (--per=total does)",
				     first->path, text_of(first, a->arch), c->path, text_of(c, b->arch));
	}
	return 0;
}

/* Compares per second, because lengths of runs that were ended by hand are unrelated to the work. */
static int check_lengths(const struct compared_list *all, struct diff_opts *opts)
{
	const struct compared *first = &all->list.v[0];
	double least = first->seconds, most = least;

	vec_for(c, &all->list) {
		if (c->workload != first->workload)
			return error("'%s' is a command's recording, '%s' was attached to what ran: their times do not compare "
				     "(--per=second, --per=total and --per=EVENT do)",
				     (c->workload ? c : first)->path, (c->workload ? first : c)->path);
		least = MIN(least, c->seconds);
		most = MAX(most, c->seconds);
	}
	if (!first->workload && least > 0 && most > (1 + LENGTHS_DIFFER) * least) {
		info("the recordings are of %.3g s to %.3g s, and of no command from begin to end: compared for each second",
		     least, most);
		opts->per = PER_SECOND;
	}
	return 0;
}

static bool has_samples(const struct compared *c)
{
	const struct profile_data *d = profile_data(c->profile);

	for (size_t i = 0; i < d->events.nr; i++)
		if (d->events.v[i].nr)
			return true;
	return error("there are no samples in '%s'", c->path), false;
}

/* Tables as of perf need no check, because they compare shares, or leave the comparison to the reader. */
int compared_check(const struct compared_list *all, const struct compare_opts *o, struct diff_opts *opts)
{
	vec_for(c, &all->list)
		if (!has_samples(c))
			return -1;
	if (opts->per != PER_RUN || o->as_perf || o->form == COMPARE_FOLDED)
		return 0;
	return check_machines(all) || check_lengths(all, opts) ? -1 : 0;
}

/* ---- events ---- */

static uint32_t find_event(const struct compared *c, const char *name)
{
	const struct profile_data *d = profile_data(c->profile);

	for (uint32_t i = 0; i < d->events.nr; i++)
		if (str_eq(text_of(c, d->events.v[i].name), name))
			return i;
	return PROFILE_NONE;
}

static void put_events(const struct compared *c, struct buf *out)
{
	const struct profile_data *d = profile_data(c->profile);
	unsigned nr = 0;

	for (uint32_t i = 0; i < d->events.nr; i++)
		if (d->events.v[i].nr)
			buf_printf(out, "%s%s", nr++ ? ", " : "", text_of(c, d->events.v[i].name));
}

static bool find_runs(const struct compared_list *all, const char *name, struct diff_run *out)
{
	uint64_t nr = 0;
	size_t i = 0;

	vec_for(c, &all->list) {
		uint32_t event = find_event(c, name);

		if (event == PROFILE_NONE)
			return false;
		nr += profile_data(c->profile)->events.v[event].nr;
		out[i++] = (struct diff_run){ c->profile, event, c->side, c->seconds, c->damaged };
	}
	return nr > 0;
}

static int no_event(const struct compared_list *all)
{
	const struct compared *a = &all->list.v[0], *b = &all->list.v[all->list.nr - 1];
	struct buf has_a = {0}, has_b = {0};

	put_events(a, &has_a);
	put_events(b, &has_b);
	error("no event is in all of the recordings: '%s' has %s, '%s' has %s", a->path, buf_str(&has_a), b->path, buf_str(&has_b));
	buf_release(&has_a);
	buf_release(&has_b);
	return -1;
}

int compared_runs(const struct compared_list *all, const struct diff_opts *opts, struct diff_run **runs, size_t *nr_events)
{
	const struct compared *first = &all->list.v[0];
	const struct profile_data *d = profile_data(first->profile);

	*runs = xcalloc(MAX(d->events.nr, 1) * all->list.nr, sizeof(**runs));
	*nr_events = 0;
	for (uint32_t i = 0; i < d->events.nr; i++) {
		const char *name = text_of(first, d->events.v[i].name);

		if (opts->per == PER_EVENT && str_eq(name, opts->per_event) && d->events.nr > 1)
			continue;
		if (find_runs(all, name, *runs + *nr_events * all->list.nr))
			++*nr_events;
		else if (d->events.v[i].nr)
			info("'%s' is not in all of the recordings", name);
	}
	return *nr_events ? 0 : no_event(all);
}

/* ---- showing ---- */

struct showing {
	const struct compare_opts *opts;
	struct terminal terminal;
	struct buf out;
	struct json json;
	unsigned nr;			/* number of tables printed so far */
	bool slower;			/* the first event fails the condition of --fail-if */
};

static bool is_slower(const struct diff *d, uint64_t limit)
{
	double over = d->total.ratio.value;

	return limit != UINT64_MAX && !d->sampling_only && d->total.changed && over > 0 && over * 1e5 > (double)limit;
}

static void show(struct showing *s, const struct diff *d, const char *event)
{
	if (s->opts->form == COMPARE_JSON) {
		diff_print_json(d, event, &s->json);
	} else {
		if (s->nr)
			buf_putc(&s->out, '\n');
		diff_print(d, event, s->opts->all, &s->terminal, &s->out);
	}
	if (!s->nr && s->opts->noise && isfinite(d->noise))
		info("noise floor: A against itself, %zu runs a side, is within ± %.1f %%", d->nr_runs[SIDE_A], 100 * d->noise);
	if (!s->nr++)
		s->slower = is_slower(d, s->opts->fail_over);
	if (s->opts->fail_over != UINT64_MAX && d->sampling_only && s->nr == 1)
		info("--fail-if says nothing with one run on a side: two programs that are the same differ, too, from run to run");
}

char *compared_name(const struct compared_list *all, enum diff_side side)
{
	const char *first = NULL;
	size_t nr = 0;

	vec_for(c, &all->list) {
		if (c->side != side)
			continue;
		first = first ? first : c->path;
		nr++;
	}
	return nr > 1 ? xasprintf("%s and %zu more", first, nr - 1) : xstrdup(first);
}

static void put_findings(struct findings *of_sides, struct buf *out)
{
	for (unsigned side = 0; side < NR_SIDES; side++) {
		struct findings *found = &of_sides[side];
		size_t nr = 0;

		findings_sort(found);
		vec_for(f, &found->list) {
			if (!finding_matters(f) || nr++)
				continue;
			buf_printf(out, "%s%c: ", out->len ? "; " : "", "AB"[side]);
			finding_sentence(f, out);
		}
		if (nr > 1)
			buf_printf(out, ", and %zu more", nr - 1);
	}
}

static int show_tree(struct showing *s, struct compared_list *all, const struct diff_run *runs,
		     const struct diff_opts *opts, const char *event)
{
	char *a = compared_name(all, SIDE_A), *b = compared_name(all, SIDE_B);
	struct buf findings = {0};
	struct joined_tree *tree;
	int err = joined_tree_new(&tree, runs, all->list.nr, opts);

	put_findings(all->of_sides, &findings);
	if (!err && s->opts->form == COMPARE_FOLDED)
		tree_print_folded(tree, &s->out);
	else if (!err && s->opts->form == COMPARE_TREE)
		tree_print(tree, event, s->opts->all, &s->terminal, &s->out);
	else if (!err)
		tree_page_put(tree, event, &(struct tree_page_words){ { a, b }, buf_str(&findings) }, &s->out);
	buf_release(&findings);
	joined_tree_free(tree);
	free(a);
	free(b);
	return err;
}

static int show_table(struct showing *s, const struct compared_list *all, const struct diff_run *runs,
		      const struct diff_opts *opts, const char *event)
{
	struct diff *diff;
	int err = diff_new(&diff, runs, all->list.nr, opts);

	if (!err)
		show(s, diff, event);
	diff_free(diff);
	return err;
}

static int show_events(struct showing *s, struct compared_list *all, const struct diff_opts *opts)
{
	bool of_first = s->opts->form != COMPARE_TABLE && s->opts->form != COMPARE_JSON;
	struct diff_run *list;
	size_t nr;
	int err = compared_runs(all, opts, &list, &nr);

	for (size_t i = 0; i < nr && !err; i++) {
		const struct diff_run *runs = list + i * all->list.nr;
		const struct compared *first = &all->list.v[0];
		const char *name = text_of(first, profile_data(first->profile)->events.v[runs[0].event].name);

		if (s->opts->as_perf) {
			buf_puts(&s->out, i ? "\n" : "");
			perf_text_print(runs[0].profile, runs[0].event, runs[1].profile, runs[1].event, &s->opts->perf, &s->out);
		} else if (!of_first) {
			err = show_table(s, all, runs, opts, name);
		} else if (!i) {
			err = show_tree(s, all, runs, opts, name);
		}
	}
	free(list);
	return err;
}

static int print_to_file(struct showing *s)
{
	struct outfile o;

	if (outfile_open(&o, s->opts->output))
		return -1;
	buf_put(&o.buf, s->out.data, s->out.len);
	return outfile_close(&o);
}

static int print(struct showing *s)
{
	if (s->opts->form == COMPARE_JSON) {
		json_close(&s->json, ']');
		buf_putc(&s->out, '\n');
	}
	if (s->opts->output)
		return print_to_file(s);
	return check_output(pager_show(&s->terminal, s->opts->screen.no_pager, &s->out));
}

int compare_show(struct compared_list *all, const struct compare_opts *o, const struct input_opts *input)
{
	struct showing s = { .opts = o };
	struct diff_opts opts;
	int status, err = compare_check(&opts, o) || compared_check(all, o, &opts) ? -1 : 0;

	s.json.out = &s.out;
	if (!o->output)
		terminal_detect(&s.terminal, STDOUT_FILENO, &o->screen);
	if (o->form == COMPARE_JSON)
		json_open(&s.json, '[');
	if (!err)
		err = show_events(&s, all, &opts) || print(&s) ? -1 : 0;
	buf_release(&s.out);
	status = findings_end(&all->found, &input->strict, 0);
	return err ? 1 : s.slower ? STATUS_SLOWER : status;
}
