/*
 * Shows the comparison of two recordings in the terminal's browser (core/show/browse/browse.h), for prec diff.
 * core/show/diff/joined_profile.h merges the two recordings into the one profile that the browser displays.
 */
#include "cmd/compare_input.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static void put_options(struct browsed *b)
{
	const struct input_opts *in = b->input;
	const char *const *times = b->all->times;
	struct buf *out = &b->options;

	buf_put_option(out, "--per", b->opts->per_text);
	buf_put_option(out, "-e", in->event);
	buf_put_option(out, "-k", in->vmlinux);
	buf_put_option(out, "--kallsyms", in->kallsyms);
	buf_put_option(out, "--symfs", in->symfs);
	buf_puts(out, in->demangle ? "" : " --no-demangle");
	buf_put_option(out, "-C", in->filter.comms);
	buf_put_option(out, "-d", in->filter.dsos);
	buf_put_option(out, "-S", in->filter.symbols);
	buf_put_option(out, "--cpu", in->filter.cpus);
	buf_put_option(out, "--pid", in->filter.pids);
	buf_put_option(out, "--tid", in->filter.tids);
	buf_put_option(out, "--time", times[SIDE_A]);
	if (times[SIDE_A] != times[SIDE_B])
		buf_put_option(out, "--time", times[SIDE_B]);
	buf_puts(out, in->inlines ? "" : " --no-inline");
	if (in->max_stack != INPUT_MAX_STACK)
		buf_printf(out, " --max-stack %llu", (unsigned long long)in->max_stack);
}

static void put_files(struct browsed *b)
{
	enum diff_side before = SIDE_A;

	vec_for(c, &b->all->list) {
		buf_puts(&b->command, c > b->all->list.v ? " " : "");
		if (c->side != before && b->all->list.nr > 2)
			buf_puts(&b->command, "-- ");
		buf_put_shell_word(&b->command, c->path);
		buf_putc(&b->files, ' ');
		buf_put_shell_word(&b->files, c->path);
		before = c->side;
	}
}

static void plan(struct browsed *browsed)
{
	char *a = compared_name(browsed->all, SIDE_A), *b = compared_name(browsed->all, SIDE_B);
	struct terminal t;

	terminal_detect(&t, STDOUT_FILENO, &browsed->opts->screen);
	put_options(browsed);
	put_files(browsed);
	buf_printf(&browsed->title, "%s, %s", a, b);
	browsed->browse = (struct browse_opts){
		.compares = true, .command = buf_str(&browsed->command), .stacks = buf_str(&browsed->options), .report = "",
		.code = buf_str(&browsed->files), .title = buf_str(&browsed->title), .colors = t.colors, .start.own = true,
	};
	free(a);
	free(b);
}

static const char *keep(struct browsed *b, struct buf *text)
{
	const char *kept = intern(b->strings, buf_str(text));

	text->len = 0;
	return kept;
}

static void load_rows(struct browsed *b, uint32_t event)
{
	struct buf text = {0};
	size_t i = 0;

	b->rows = xcalloc(MAX(b->diff->rows.nr, 1), sizeof(*b->rows));
	vec_for(row, &b->diff->rows) {
		struct browse_difference_row *r = &b->rows[i++];

		r->function = joined_profile_function(b->joined, event, row->function);
		diff_put_numbers(b->diff, row, &text);
		r->numbers = keep(b, &text);
		diff_put_name(b->diff, row, &text);
		r->name = keep(b, &text);
		r->changed = row->changed;
		r->more = row->difference.value > 0;
		r->less = row->difference.value < 0;
	}
	buf_release(&text);
}

static void load_texts(struct browsed *b, const char *event)
{
	const struct terminal plain = { .width = 80 };
	struct buf text = {0};

	diff_put_answer(b->diff, &text);
	for (size_t i = 0; i < text.len; i++)
		text.data[i] = text.data[i] == '\n' ? ' ' : text.data[i];
	b->difference.answer = keep(b, &text);
	diff_put_titles(b->diff, &text);
	b->difference.titles = keep(b, &text);
	diff_put_head(b->diff, event, &plain, &text);
	b->difference.all = keep(b, &text);
	buf_release(&text);
}

static void forget(struct browsed *b)
{
	diff_free(b->diff);
	strtab_free(b->strings);
	free(b->rows);
	b->diff = NULL;
	b->strings = NULL;
	b->rows = NULL;
}

/* The browser calls this function for the differences between the programs, and the next ones for the text of a number or name. */
static const struct browse_difference *compare(void *ctx, uint32_t event, const char *symbol, const char *dso)
{
	struct browsed *b = ctx;
	const struct joined_event *e = &b->joined->events.v[event];
	const struct profile *p = b->joined->profile;
	struct diff_opts opts = b->diff_opts;

	forget(b);
	opts.match = e->match;
	opts.only_symbol = symbol;
	opts.only_dso = dso;
	if (diff_new(&b->diff, e->runs, e->nr, &opts))
		return NULL;
	b->strings = strtab_new();
	load_rows(b, event);
	load_texts(b, profile_string(p, profile_data(p)->events.v[event].name));
	b->difference.rows = b->rows;
	b->difference.nr = b->diff->rows.nr;
	return &b->difference;
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
	const struct browsed *b = ctx;

	tree_put_amount(profile_data(b->joined->profile)->events.v[event].unit, b->diff_opts.per,
			(double)period / b->joined->events.v[event].scale, out);
}

static void put_names(void *ctx, uint32_t event, bool file, const char *name, struct buf *out)
{
	const struct browsed *b = ctx;

	match_put_names(b->joined->events.v[event].match, file, name, out);
}

static void add_findings(struct browsed *b)
{
	findings_sort(&b->all->found);
	vec_for(f, &b->all->found.list) {
		finding_put(f, true, true, &b->findings_text);
		buf_puts(&b->findings_text, "\n\n");
		if (!b->worst.len && finding_severity(f) >= FINDING_WARNING)
			finding_sentence(f, &b->worst);
	}
}

static int load(void *ctx, struct browse_input *out)
{
	struct browsed *b = ctx;
	size_t nr_events;

	if (compared_read(b->all, b->input, b->opts->keys) || compared_check(b->all, b->opts, &b->diff_opts) ||
	    compared_runs(b->all, &b->diff_opts, &b->runs, &nr_events) ||
	    joined_profile_new(&b->joined, b->runs, b->all->list.nr, nr_events, &b->diff_opts))
		return -1;
	add_findings(b);
	progress_end();
	b->compared = (struct browse_compared){
		.ctx = b, .compare = compare, .put_numbers = put_numbers, .put_amount = put_amount, .put_names = put_names,
		.titles = TREE_TITLES,
	};
	*out = (struct browse_input){ .profile = b->joined->profile, .has_chains = b->joined->has_chains,
				      .findings = &b->findings_text, .worst = &b->worst, .compared = &b->compared };
	return 0;
}

static void release(struct browsed *b)
{
	forget(b);
	joined_profile_free(b->joined);
	free(b->runs);
	buf_release(&b->command);
	buf_release(&b->options);
	buf_release(&b->files);
	buf_release(&b->title);
	buf_release(&b->findings_text);
	buf_release(&b->worst);
}

int diff_browse(struct compared_list *all, const struct compare_opts *o, const struct input_opts *input)
{
	struct browsed b = { .opts = o, .input = input, .all = all };
	const struct browse_source source = { .ctx = &b, .load = load };
	int status;

	if (compare_check(&b.diff_opts, o))
		return OPTIONS_USAGE;
	plan(&b);
	status = browse(&b.browse, &source) ? 1 : findings_have(&all->found, FINDING_DAMAGE) ? STATUS_DAMAGED : 0;
	release(&b);
	return status;
}
