/* Findings on standard error: a sentence, its code, and below what can be done. Layer: base */
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/finding.h"
#include "core/base/log.h"

#define COLUMNS		80
#define INDENT		6	/* "prec: " */
#define SAME_CODE_MAX	8	/* findings of one code that are printed, each of another place */

/* Append @text, whose first line begins at column @at, broken at blanks where it is longer than a terminal's line. */
static void put_wrapped(struct buf *out, const char *text, unsigned at, bool wrap)
{
	while (*text) {
		size_t word = strcspn(text, " "), blanks = strspn(text + word, " ");

		if (wrap && at > INDENT && at + word > COLUMNS) {
			out->len -= out->data[out->len - 1] == ' ';
			buf_putc(out, '\n');
			buf_fill(out, ' ', INDENT);
			at = INDENT;
		}
		buf_put(out, text, word + blanks);
		text += word + blanks;
		at += (unsigned)(word + blanks);
	}
}

static void print_one(const struct finding *f, bool wrap, bool with_remedy)
{
	struct buf text = {0}, out = {0};

	buf_puts(&text, finding_severity(f->code) >= FINDING_WARNING ? "warning: " : "");
	finding_sentence(f, &text);
	buf_printf(&text, " [%s]", finding_name(f->code));
	put_wrapped(&out, buf_str(&text), INDENT, wrap);
	text.len = 0;
	if (with_remedy) {
		finding_remedy(f, &text);
		buf_putc(&out, '\n');
		buf_fill(&out, ' ', INDENT);
		put_wrapped(&out, buf_str(&text), INDENT, wrap);
	}
	info("%s", buf_str(&out));
	buf_release(&text);
	buf_release(&out);
}

/* Those of one code and severity stand together where they are of one share: what can be done is said once. */
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
