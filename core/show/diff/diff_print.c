/* Prints the comparison of two groups of recordings, A and B, as text or JSON for prec diff. diff.c computes the comparison. */
#include "core/show/diff/diff_print.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/ui/fit.h"
#include "core/base/json.h"
#include "core/base/printable.h"
#include "core/ui/terminal.h"
#include "core/show/diff/diff.h"

#define NAME_COLUMN	55	/* where names begin */
#define LEAST_SHARE	0.005	/* unchanged rows below this share of both sides are summed up */
#define LEAST_ERROR	0.0005	/* a smaller sampling error is not printed: "0.0 %" would look certain */
#define PIPE_WIDTH	80	/* width of notes if the output is no terminal */
#define NAME_LEAST	20	/* columns of a name, however narrow the terminal is */

struct scale { const char *unit; double of; int digits; };	/* amounts are printed as v / of; .unit is above the column */

/* ---- amounts ---- */

static struct scale scale_of(const struct diff *d)
{
	static const struct scale times[] = { { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 }, { "ns", 1 } };
	static const struct scale counts[] = { { "G", 1e9 }, { "M", 1e6 }, { "k", 1e3 }, { "", 1 } };
	const struct scale *scales = d->unit == PROFILE_NS ? times : counts;
	double most = MAX(d->total.mean[SIDE_A], d->total.mean[SIDE_B]);
	struct scale s;
	size_t i = 0;

	if (d->per == PER_TOTAL)
		return (struct scale){ "%", 0.01, 2 };
	while (i + 1 < ARRAY_SIZE(times) && most < scales[i].of * (d->unit == PROFILE_NS ? 1 : 10))
		i++;
	s = scales[i];
	most /= s.of;
	s.digits = s.of > 1 || d->per != PER_RUN ? most < 10 ? 4 : most < 100 ? 3 : most < 1000 ? 2 : 1 : 0;
	return s;
}

/* Appends "10.20 s", for sentences. */
static void put_amount_of(const struct diff *d, double v, struct buf *out)
{
	if (d->unit == PROFILE_NS && v >= 1)
		put_duration(out, (uint64_t)v);
	else if (v >= 1000 && v < 1e18)
		put_amount(out, (uint64_t)v);
	else
		buf_printf(out, "%.4g", v);
}

static void put_number(struct buf *out, double v, int width, int digits, bool sign)
{
	if (isinf(v))
		buf_printf(out, "%*s", width, "?");
	else
		buf_printf(out, sign ? "%+*.*f" : "%*.*f", width, digits, v);
}

/* Appends "+20.0 %". */
static void put_ratio(struct buf *out, const struct diff_row *row)
{
	double percent = 100 * row->ratio.value;

	if (!(row->mean[SIDE_A] > 0))
		buf_puts(out, "  only B");
	else if (!(row->mean[SIDE_B] > 0))
		buf_puts(out, "  only A");
	else if (percent >= 999.95)
		buf_printf(out, "%6.3g x", row->ratio.value + 1);
	else
		buf_printf(out, "%+6.1f %%", percent);
}

/* ---- the answer ---- */

static const char *amount_name(const struct diff *d)
{
	return d->wall ? "wall time" : d->waits ? "time off the CPU" : d->unit == PROFILE_NS ? "CPU time" : "of it";
}

static void put_per(const struct diff *d, struct buf *out)
{
	static const char *const texts[] = {
		[PER_NUMBER] = " for each unit of work", [PER_EVENT] = " for each event", [PER_SECOND] = " for each second",
	};

	if (d->per < ARRAY_SIZE(texts) && texts[d->per])
		buf_puts(out, texts[d->per]);
}

static void put_functions(const struct diff *d, struct buf *out)
{
	static const char *const numbers[] = {
		"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
	};
	const char *what = d->keys[0]->function ? "function" : "row";

	if (d->nr_changed < ARRAY_SIZE(numbers))
		buf_printf(out, "%s %s%s", numbers[d->nr_changed], what, d->nr_changed == 1 ? "" : "s");
	else
		buf_printf(out, "%zu %ss", d->nr_changed, what);
}

static void put_sides(const struct diff *d, struct buf *out)
{
	buf_puts(out, " (");
	put_amount_of(d, d->total.mean[SIDE_A], out);
	buf_puts(out, ", ");
	put_amount_of(d, d->total.mean[SIDE_B], out);
	if (d->sampling_only && d->counted)
		buf_puts(out, "; each measured whole");
	else if (d->sampling_only && d->total.ratio.error >= LEAST_ERROR)
		buf_printf(out, "; ± %.1f %% by sampling alone", 100 * d->total.ratio.error);
	buf_putc(out, ')');
}

static const char *no_difference(const struct diff *d)
{
	return d->sampling_only ? "no difference that one run can show: " : "no difference: ";
}

static void put_shares_answer(const struct diff *d, struct buf *out)
{
	if (!d->nr_changed) {
		buf_printf(out, "%sno part of the whole has changed", no_difference(d));
		return;
	}
	buf_puts(out, "of the whole, ");
	put_functions(d, out);
	buf_puts(out, d->nr_changed == 1 ? " takes another part" : " take another part");
}

/* Begins the answer. A single run describes only itself, so its sentence has no error after the number. */
static const char *in_runs(const struct diff *d)
{
	return !d->sampling_only ? "B takes " : d->nr_runs[SIDE_A] == d->nr_runs[SIDE_B] ? "in one run each, B took " :
	       "in these runs, B took ";
}

/* Warns of a side whose recording is cut or damaged, because this side has less in any case. */
static void put_damage(const struct diff *d, struct buf *out)
{
	const bool *damaged = d->damaged;

	if (damaged[SIDE_A] || damaged[SIDE_B])
		buf_printf(out, "%s cut or damaged, so that less of it is here: ", damaged[SIDE_A] && damaged[SIDE_B] ?
			   "both sides are" : damaged[SIDE_A] ? "A is" : "B is");
}

void diff_put_answer(const struct diff *d, struct buf *out)
{
	const struct estimate *r = &d->total.ratio;

	put_damage(d, out);
	if (d->per == PER_TOTAL) {
		put_shares_answer(d, out);
		return;
	}
	if (!(d->total.mean[SIDE_A] > 0)) {
		buf_puts(out, "A has nothing to compare with");
		return;
	}
	buf_printf(out, "%s%s%.1f %%", d->total.changed ? "" : no_difference(d), in_runs(d), 100 * fabs(r->value));
	if (!d->sampling_only)
		buf_printf(out, " ± %.1f %%", 100 * r->error);
	buf_printf(out, " %s %s", r->value < 0 ? "less" : "more", amount_name(d));
	put_per(d, out);
	put_sides(d, out);
	if (!d->nr_changed)
		return;
	buf_puts(out, d->total.changed ? ",\nand " : ";\nbut ");
	if (d->total.changed && d->explained > 0 && d->explained < 2) {
		buf_puts(out, d->nr_changed == 1 ? "this " : "these ");
		put_functions(d, out);
		buf_printf(out, " account%s for %.0f %% of that", d->nr_changed == 1 ? "s" : "", 100 * d->explained);
	} else {
		put_functions(d, out);
		buf_puts(out, d->nr_changed == 1 ? " has changed" : " have changed");
	}
}

static void put_runs(size_t nr, uint64_t samples, struct buf *out)
{
	buf_printf(out, "%zu run%s with %llu samples", nr, nr == 1 ? "" : "s", (unsigned long long)samples);
}

/* Warns that one run on a side does not show how much runs differ. */
static void put_uncertainty(const struct diff *d, struct buf *out)
{
	if (d->counted) {
		buf_printf(out, "One run a side says nothing of how runs differ: several runs a side (A1 A2 -- B1 B2)%s do.\n",
			   d->waits ? "" : ", or 'prec compare',");
		return;
	}
	if (!d->total.changed && !d->nr_changed)
		buf_puts(out, "This may be noise. ");
	buf_puts(out, "The intervals hold the sampling error only: the code's layout in memory, the CPU's frequency and its "
		      "neighbours differ from run to run. 'prec compare' runs both several times.\n");
}

/* Appends the lines of @text, broken at blanks. The last line does not end with a newline. */
static void put_lines(struct buf *text, size_t width, struct buf *out)
{
	for (const char *at = buf_str(text); *at;) {
		size_t n = strcspn(at, "\n");
		char *line = xstrndup(at, n);

		put_wrapped(out, line, 0, 0, width);
		free(line);
		at += n;
		if (*at == '\n') {
			buf_putc(out, '\n');
			at++;
		}
	}
}

static void put_notes(const struct diff *d, struct buf *out)
{
	buf_puts(out, "A: ");
	put_runs(d->nr_runs[SIDE_A], d->total.nr[SIDE_A], out);
	buf_puts(out, "; B: ");
	put_runs(d->nr_runs[SIDE_B], d->total.nr[SIDE_B], out);
	buf_puts(out, d->sampling_only && d->counted ? "\n" : "; 95 % intervals\n");
	if (d->sampling_only)
		put_uncertainty(d, out);
	match_put_files(d->match, "", out);
}

/* In a pipe the answer is not broken into more lines, and notes are broken at PIPE_WIDTH. */
void diff_put_head(const struct diff *d, const char *event, const struct terminal *t, struct buf *out)
{
	struct buf answer = {0}, notes = {0};

	buf_put_printable(&answer, event);
	buf_puts(&answer, ": ");
	diff_put_answer(d, &answer);
	put_notes(d, &notes);
	put_style(out, t->colors, STYLE_TITLE);
	put_lines(&answer, t->is_terminal ? t->width : SIZE_MAX, out);
	put_style(out, t->colors, STYLE_PLAIN);
	buf_putc(out, '\n');
	put_lines(&notes, t->is_terminal ? t->width : PIPE_WIDTH, out);
	buf_release(&answer);
	buf_release(&notes);
}

/* ---- rows ---- */

static size_t name_width(const struct terminal *t)
{
	return !t->is_terminal ? SIZE_MAX : t->width > NAME_COLUMN + NAME_LEAST ? t->width - NAME_COLUMN : NAME_LEAST;
}

static void put_name(const struct diff *d, const struct diff_row *row, const struct terminal *t, struct buf *out)
{
	struct buf text = {0}, note = {0};
	size_t width = name_width(t), used;

	if (row->function != UINT32_MAX)
		match_put_note(d->match, row->function, &note);
	for (unsigned k = 0; k < d->nr_keys; k++) {
		/* The file in brackets; left out if the function has no name but its file's in brackets. */
		bool second = k && str_eq(d->keys[k]->name, "dso"), file = second && row->values[k][0] != '[';

		if (second && row->values[k - 1][0] == '[')
			continue;
		buf_puts(&text, k ? file ? "  [" : "  " : "");
		buf_put_printable(&text, row->values[k]);
		buf_puts(&text, file ? "]" : "");
	}
	used = note.len ? MIN(note.len + 3, width / 2) : 0;
	fit_name(text.data, text.len, width - used, out);
	if (used) {
		buf_puts(out, " (");
		buf_escape_from(&note, 0, "");
		fit_name(note.data, note.len, width == SIZE_MAX ? width : used - 3, out);
		buf_puts(out, ")");
	}
	buf_release(&text);
	buf_release(&note);
}

static void put_numbers(const struct diff *d, const struct diff_row *row, const struct scale *s, struct buf *out)
{
	double share = row->difference.value / d->total.difference.value;

	put_number(out, row->mean[SIDE_A] / s->of, 9, s->digits, false);
	put_number(out, row->mean[SIDE_B] / s->of, 10, s->digits, false);
	put_number(out, row->difference.value / s->of, 10, s->digits, true);
	put_number(out, row->difference.error / s->of, 8, s->digits, false);
	buf_putc(out, ' ');
	put_ratio(out, row);
	if (row->changed && d->total.changed && d->per != PER_TOTAL && fabs(share) < 9.995)
		buf_printf(out, "%5.0f %%  ", 100 * share);
	else
		buf_puts(out, "         ");
}

void diff_put_numbers(const struct diff *d, const struct diff_row *row, struct buf *out)
{
	struct scale s = scale_of(d);

	put_numbers(d, row, &s, out);
}

void diff_put_name(const struct diff *d, const struct diff_row *row, struct buf *out)
{
	put_name(d, row, &(struct terminal){ .is_terminal = false }, out);
}

static void put_row(const struct diff *d, const struct diff_row *row, const struct scale *s, const struct terminal *t,
		    struct buf *out)
{
	enum style style = !row->changed ? STYLE_FAINT : row->difference.value > 0 ? STYLE_HOT : STYLE_WARM;

	put_style(out, t->colors, style);
	put_numbers(d, row, s, out);
	put_name(d, row, t, out);
	put_style(out, t->colors, STYLE_PLAIN);
	buf_putc(out, '\n');
}

void diff_put_titles(const struct diff *d, struct buf *out)
{
	struct scale s = scale_of(d);
	char a[16], b[16];

	snprintf(a, sizeof(a), *s.unit ? "A, %s" : "A%s", s.unit);
	snprintf(b, sizeof(b), *s.unit ? "B, %s" : "B%s", s.unit);
	buf_printf(out, "%9s%10s%10s       ±    ratio  share  ", a, b, "change");
}

static void put_titles(const struct diff *d, const struct terminal *t, struct buf *out)
{
	put_style(out, t->colors, STYLE_TITLE);
	buf_putc(out, '\n');
	diff_put_titles(d, out);
	for (unsigned k = 0; k < d->nr_keys; k++)
		buf_printf(out, "%s%s", k ? ", " : "", d->keys[k]->title);
	put_style(out, t->colors, STYLE_PLAIN);
	buf_putc(out, '\n');
}

static bool is_small(const struct diff *d, const struct diff_row *row)
{
	return !row->changed && row->mean[SIDE_A] < LEAST_SHARE * d->total.mean[SIDE_A] &&
	       row->mean[SIDE_B] < LEAST_SHARE * d->total.mean[SIDE_B];
}

static void put_rest(const struct diff *d, const struct scale *s, const struct terminal *t, struct buf *out)
{
	double rest[NR_SIDES] = {0};
	size_t nr = 0;
	char *text;

	vec_for(row, &d->rows)
		if (is_small(d, row)) {
			nr++;
			for (int side = 0; side < NR_SIDES; side++)
				rest[side] += row->mean[side];
		}
	if (!nr)
		return;
	put_style(out, t->colors, STYLE_FAINT);
	put_number(out, rest[SIDE_A] / s->of, 9, s->digits, false);
	put_number(out, rest[SIDE_B] / s->of, 10, s->digits, false);
	put_number(out, (rest[SIDE_B] - rest[SIDE_A]) / s->of, 10, s->digits, true);
	buf_printf(out, "%*s", NAME_COLUMN - 29, "");
	text = xasprintf("%zu more, none of them changed (--all)", nr);
	put_wrapped(out, text, NAME_COLUMN, NAME_COLUMN, t->is_terminal ? NAME_COLUMN + name_width(t) : SIZE_MAX);
	free(text);
	put_style(out, t->colors, STYLE_PLAIN);
	buf_putc(out, '\n');
}

void diff_print(const struct diff *d, const char *event, bool all, const struct terminal *t, struct buf *out)
{
	struct scale s = scale_of(d);

	diff_put_head(d, event, t, out);
	put_titles(d, t, out);
	vec_for(row, &d->rows)
		if (all || !is_small(d, row))
			put_row(d, row, &s, t, out);
	if (!all)
		put_rest(d, &s, t, out);
}

/* ---- JSON ---- */

static void json_number(struct json *out, const char *key, double v)
{
	json_key(out, key);
	if (isfinite(v))
		json_fixed(out, v, 6);
	else
		json_null(out);
}

static void json_numbers(struct json *out, const struct diff_row *row)
{
	json_number(out, "a", row->mean[SIDE_A]);
	json_number(out, "b", row->mean[SIDE_B]);
	json_number(out, "difference", row->difference.value);
	json_number(out, "error", row->difference.error);
	json_number(out, "ratio", row->ratio.value);
	json_number(out, "ratio_error", row->ratio.error);
	json_number(out, "p", row->difference.p);
	json_key_u64(out, "samples_a", row->nr[SIDE_A]);
	json_key_u64(out, "samples_b", row->nr[SIDE_B]);
	json_key_bool(out, "changed", row->changed);
}

static void json_row(const struct diff *d, const struct diff_row *row, struct json *out)
{
	struct buf note = {0};

	json_open(out, '{');
	for (unsigned k = 0; k < d->nr_keys; k++) {
		json_key(out, d->keys[k]->name);
		json_string(out, row->values[k]);
	}
	json_numbers(out, row);
	if (row->function != UINT32_MAX)
		match_put_note(d->match, row->function, &note);
	json_key_string(out, "note", buf_str(&note));
	json_close(out, '}');
	buf_release(&note);
}

void diff_print_json(const struct diff *d, const char *event, struct json *out)
{
	static const char *const pers[] = {
		[PER_RUN] = "run", [PER_NUMBER] = "unit", [PER_EVENT] = "event", [PER_SECOND] = "second", [PER_TOTAL] = "total",
	};

	json_open(out, '{');
	json_key_string(out, "event", event);
	json_key_string(out, "unit", d->per == PER_TOTAL ? "share" : d->unit == PROFILE_NS ? "ns" : "count");
	json_key_string(out, "per", pers[d->per]);
	json_key_u64(out, "runs_a", d->nr_runs[SIDE_A]);
	json_key_u64(out, "runs_b", d->nr_runs[SIDE_B]);
	json_key_bool(out, "sampling_error_only", d->sampling_only);
	json_key_open(out, "total", '{');
	json_numbers(out, &d->total);
	json_number(out, "explained", d->explained);
	json_close(out, '}');
	json_key_open(out, "rows", '[');
	vec_for(row, &d->rows)
		json_row(d, row, out);
	json_close(out, ']');
	json_close(out, '}');
}
