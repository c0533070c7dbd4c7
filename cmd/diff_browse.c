/* The browser for two sides: their joined profile, and as text the output of prec diff. Layer: cmd */
#include "cmd/diff_browse.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/compare_input.h"
#include "core/base/buf.h"
#include "core/base/intern.h"
#include "core/base/log.h"
#include "core/ui/shell_word.h"
#include "core/show/browse/browse.h"
#include "core/show/browse/compared.h"
#include "core/show/diff/diff_print.h"
#include "core/show/diff/joined_profile.h"
#include "core/show/diff/tree_print.h"

struct browsed {			/* filled by load(), freed by release() */
	const struct compare_opts *opts;
	const struct input_opts *input;
	struct compared_list *all;
	struct diff_opts diff_opts;
	struct browse_opts browse;
	struct browse_compared compared;
	struct buf command, options, files, title, findings_text, worst;
	struct diff_run *runs;		/* owned; of all events */
	struct joined_profile *joined;
	/* The last result of compare(): */
	struct diff *diff;
	struct browse_difference difference;
	struct browse_difference_row *rows;
	struct strtab *strings;
};

/* ---- the command line ---- */

static void put_option(struct buf *out, const char *option, const char *word)
{
	if (!word)
		return;
	buf_printf(out, " %s ", option);
	buf_put_shell_word(out, word);
}

static void put_options(struct browsed *s)
{
	const struct input_opts *in = s->input;
	const char *const *times = s->all->times;
	struct buf *out = &s->options;

	put_option(out, "--per", s->opts->per_text);
	put_option(out, "-e", in->event);
	put_option(out, "-k", in->vmlinux);
	put_option(out, "--kallsyms", in->kallsyms);
	put_option(out, "--symfs", in->symfs);
	buf_puts(out, in->demangle ? "" : " --no-demangle");
	put_option(out, "-C", in->filter.comms);
	put_option(out, "-d", in->filter.dsos);
	put_option(out, "-S", in->filter.symbols);
	put_option(out, "--cpu", in->filter.cpus);
	put_option(out, "--pid", in->filter.pids);
	put_option(out, "--tid", in->filter.tids);
	put_option(out, "--time", times[SIDE_A]);
	if (times[SIDE_A] != times[SIDE_B])
		put_option(out, "--time", times[SIDE_B]);
	buf_puts(out, in->inlines ? "" : " --no-inline");
	if (in->max_stack != INPUT_MAX_STACK)
		buf_printf(out, " --max-stack %llu", (unsigned long long)in->max_stack);
}

static void put_files(struct browsed *s)
{
	enum diff_side before = SIDE_A;

	vec_for(c, &s->all->list) {
		buf_puts(&s->command, c > s->all->list.v ? " " : "");
		if (c->side != before && s->all->list.nr > 2)
			buf_puts(&s->command, "-- ");
		buf_put_shell_word(&s->command, c->path);
		buf_putc(&s->files, ' ');
		buf_put_shell_word(&s->files, c->path);
		before = c->side;
	}
}

static void plan(struct browsed *s)
{
	char *a = compared_name(s->all, SIDE_A), *b = compared_name(s->all, SIDE_B);
	struct terminal t;

	terminal_detect(&t, STDOUT_FILENO, &s->opts->screen);
	put_options(s);
	put_files(s);
	buf_printf(&s->title, "%s, %s", a, b);
	s->browse = (struct browse_opts){
		.compares = true, .command = buf_str(&s->command), .stacks = buf_str(&s->options), .report = "",
		.code = buf_str(&s->files), .title = buf_str(&s->title), .colors = t.colors, .start.own = true,
	};
	free(a);
	free(b);
}

/* ---- the comparison ---- */

static const char *keep(struct browsed *s, struct buf *text)
{
	const char *kept = intern(s->strings, buf_str(text));

	text->len = 0;
	return kept;
}

static void load_rows(struct browsed *s, uint32_t event)
{
	struct buf text = {0};
	size_t i = 0;

	s->rows = xcalloc(MAX(s->diff->rows.nr, 1), sizeof(*s->rows));
	vec_for(row, &s->diff->rows) {
		struct browse_difference_row *r = &s->rows[i++];

		r->function = joined_profile_function(s->joined, event, row->function);
		diff_put_numbers(s->diff, row, &text);
		r->numbers = keep(s, &text);
		diff_put_name(s->diff, row, &text);
		r->name = keep(s, &text);
		r->changed = row->changed;
		r->more = row->difference.value > 0;
		r->less = row->difference.value < 0;
	}
	buf_release(&text);
}

static void load_texts(struct browsed *s, const char *event)
{
	const struct terminal plain = { .width = 80 };
	struct buf text = {0};

	diff_put_answer(s->diff, &text);
	for (size_t i = 0; i < text.len; i++)
		text.data[i] = text.data[i] == '\n' ? ' ' : text.data[i];
	s->difference.answer = keep(s, &text);
	diff_put_titles(s->diff, &text);
	s->difference.titles = keep(s, &text);
	diff_put_head(s->diff, event, &plain, &text);
	s->difference.all = keep(s, &text);
	buf_release(&text);
}

static void forget(struct browsed *s)
{
	diff_free(s->diff);
	strtab_free(s->strings);
	free(s->rows);
	s->diff = NULL;
	s->strings = NULL;
	s->rows = NULL;
}

static const struct browse_difference *compare(void *ctx, uint32_t event, const char *symbol, const char *dso)
{
	struct browsed *s = ctx;
	const struct joined_event *e = &s->joined->events.v[event];
	const struct profile *p = s->joined->profile;
	struct diff_opts opts = s->diff_opts;

	forget(s);
	opts.match = e->match;
	opts.only_symbol = symbol;
	opts.only_dso = dso;
	if (diff_new(&s->diff, e->runs, e->nr, &opts))
		return NULL;
	s->strings = strtab_new();
	load_rows(s, event);
	load_texts(s, profile_string(p, profile_data(p)->events.v[event].name));
	s->difference.rows = s->rows;
	s->difference.nr = s->diff->rows.nr;
	return &s->difference;
}

static void put_numbers(void *ctx, uint32_t event, uint64_t a, uint64_t b, struct buf *out)
{
	const struct browsed *s = ctx;
	double scale = s->joined->events.v[event].scale;

	tree_put_numbers(profile_data(s->joined->profile)->events.v[event].unit, s->diff_opts.per, (double)a / scale,
			 (double)b / scale, out);
}

static void put_amount(void *ctx, uint32_t event, uint64_t period, struct buf *out)
{
	const struct browsed *s = ctx;

	tree_put_amount(profile_data(s->joined->profile)->events.v[event].unit, s->diff_opts.per,
			(double)period / s->joined->events.v[event].scale, out);
}

static void put_names(void *ctx, uint32_t event, bool file, const char *name, struct buf *out)
{
	const struct browsed *s = ctx;

	match_put_names(s->joined->events.v[event].match, file, name, out);
}

/* ---- reading ---- */

static void add_findings(struct browsed *s)
{
	findings_sort(&s->all->found);
	vec_for(f, &s->all->found.list) {
		finding_put(f, true, true, &s->findings_text);
		buf_puts(&s->findings_text, "\n\n");
		if (!s->worst.len && finding_severity(f->code) >= FINDING_WARNING)
			finding_sentence(f, &s->worst);
	}
}

static int load(void *ctx, struct browse_input *out)
{
	struct browsed *s = ctx;
	size_t nr_events;

	if (compared_read(s->all, s->input, s->opts->keys) || compared_check(s->all, s->opts, &s->diff_opts) ||
	    compared_runs(s->all, &s->diff_opts, &s->runs, &nr_events) ||
	    joined_profile_new(&s->joined, s->runs, s->all->list.nr, nr_events, &s->diff_opts))
		return -1;
	add_findings(s);
	progress_end();
	s->compared = (struct browse_compared){
		.ctx = s, .compare = compare, .put_numbers = put_numbers, .put_amount = put_amount, .put_names = put_names,
		.titles = TREE_TITLES,
	};
	*out = (struct browse_input){ .profile = s->joined->profile, .has_chains = s->joined->has_chains,
				      .findings = &s->findings_text, .worst = &s->worst, .compared = &s->compared };
	return 0;
}

/* ---- the command ---- */

static void release(struct browsed *s)
{
	forget(s);
	joined_profile_free(s->joined);
	free(s->runs);
	buf_release(&s->command);
	buf_release(&s->options);
	buf_release(&s->files);
	buf_release(&s->title);
	buf_release(&s->findings_text);
	buf_release(&s->worst);
}

int diff_browse(struct compared_list *all, const struct compare_opts *o, const struct input_opts *input)
{
	struct browsed s = { .opts = o, .input = input, .all = all };
	const struct browse_source source = { .ctx = &s, .load = load };
	int status;

	if (compare_check(&s.diff_opts, o))
		return OPTIONS_USAGE;
	plan(&s);
	status = browse(&s.browse, &source) ? 1 : findings_have(&all->found, FINDING_DAMAGE) ? STATUS_DAMAGED : 0;
	release(&s);
	return status;
}
