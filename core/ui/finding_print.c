/*
 * Prints findings (problems of a recording, finding.h) on standard error, or writes them as JSON. Each finding is a sentence
 * with a name in brackets, such as [cut-file], followed by a remedy.
 */
#include <unistd.h>

#include "core/base/buf.h"
#include "core/ui/finding.h"
#include "core/ui/fit.h"
#include "core/base/json.h"
#include "core/base/log.h"

#define COLUMNS		80
#define INDENT		6	/* the width of "prec: ", which info() prints first */
#define FEW		2	/* the most that findings_print_few() prints as sentences */
#define SAME_CODE_MAX	8	/* the most of one code that are printed without -v */

void finding_put(const struct finding *f, bool wrap, bool with_remedy, struct buf *out)
{
	struct buf text = {0};

	buf_puts(&text, finding_severity(f) >= FINDING_WARNING ? "warning: " : "");
	finding_sentence(f, &text);
	buf_printf(&text, " [%s]", finding_name(f->code));
	put_wrapped(out, buf_str(&text), INDENT, INDENT, wrap ? COLUMNS : SIZE_MAX);
	text.len = 0;
	if (with_remedy) {
		finding_remedy(f, &text);
		buf_putc(out, '\n');
		buf_fill(out, ' ', INDENT);
		put_wrapped(out, buf_str(&text), INDENT, INDENT, wrap ? COLUMNS : SIZE_MAX);
	}
	buf_release(&text);
}

static void print_one(const struct finding *f, bool wrap, bool with_remedy)
{
	struct buf out = {0};

	finding_put(f, wrap, with_remedy, &out);
	info("%s", buf_str(&out));
	buf_release(&out);
}

/* Prints the findings from @first on that have the same code, followed by one remedy. Returns their number. */
static size_t print_run(const struct finding *first, size_t nr, bool wrap)
{
	size_t run = 1, shown;

	while (run < nr && first[run].code == first->code)
		run++;
	shown = log_level() > 0 ? run : MIN(run, SAME_CODE_MAX);
	for (size_t i = 0; i < shown; i++)
		print_one(&first[i], wrap, i + 1 == shown);
	if (shown < run)
		info("%zu more of these (-v prints them) [%s]", run - shown, finding_name(first->code));
	return run;
}

void findings_print(struct findings *f)
{
	bool wrap = isatty(STDERR_FILENO);

	findings_sort(f);
	for (size_t i = 0; i < f->list.nr;)
		i += print_run(&f->list.v[i], f->list.nr - i, wrap);
}

/* True if the finding before it has the same code: the worst one of a code stands for all. */
static bool is_repeated(const struct findings *f, size_t i)
{
	return i && f->list.v[i].code == f->list.v[i - 1].code;
}

void findings_print_few(struct findings *f, size_t printed)
{
	bool wrap = isatty(STDERR_FILENO), small = true;
	size_t shown = 0, left = 0;

	findings_sort(f);
	for (size_t i = 0; i < f->list.nr; i++) {
		const struct finding *one = &f->list.v[i];

		if (i < printed)
			continue;
		if (finding_matters(one) && !is_repeated(f, i) && printed + shown < FEW) {
			print_one(one, wrap, false);
			shown++;
		} else {
			small &= !finding_matters(one);
			left++;
		}
	}
	if (left)
		info("%zu %s finding%s: --findings prints %s", left, small ? "smaller" : "more", left == 1 ? "" : "s",
		     left == 1 ? "it" : "them");
}

void findings_print_worst(struct findings *f)
{
	size_t nr;
	bool matters;

	findings_sort(f);
	nr = f->list.nr;
	matters = nr && finding_matters(&f->list.v[0]);
	if (matters)
		print_one(&f->list.v[0], true, true);
	if (nr > matters)
		info("%zu %s finding%s: record -v prints all, prec verify those of the file", nr - matters,
		     matters ? "more" : "smaller", nr - matters == 1 ? "" : "s");
}

typedef void text_fn(const struct finding *f, struct buf *out);

static void json_text(struct json *out, const char *key, text_fn *text, const struct finding *f)
{
	struct buf b = {0};

	text(f, &b);
	json_string_n(json_key(out, key), b.data, b.len);
	buf_release(&b);
}

static void json_finding(struct json *out, const struct finding *f)
{
	json_open(out, '{');
	json_key_string(out, "code", finding_name(f->code));
	json_key_string(out, "severity", finding_severity_name(finding_severity(f)));
	json_key_u64(out, "count", f->count);
	json_key(out, "of");
	if (f->of)
		json_u64(out, f->of);
	else
		json_null(out);
	json_key(out, "share");
	if (f->share >= 0)
		json_fixed(out, f->share, 6);
	else
		json_null(out);
	json_text(out, "sentence", finding_sentence, f);
	json_text(out, "remedy", finding_remedy, f);
	json_close(out, '}');
}

void findings_json(const struct findings *f, struct json *out)
{
	json_open(out, '[');
	vec_for(it, &f->list)
		json_finding(out, it);
	json_close(out, ']');
}
