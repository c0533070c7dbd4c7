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

static void print_one(const struct finding *f, bool wrap)
{
	struct buf text = {0}, out = {0};

	buf_puts(&text, finding_severity(f->code) >= FINDING_WARNING ? "warning: " : "");
	finding_sentence(f, &text);
	buf_printf(&text, " [%s]", finding_name(f->code));
	put_wrapped(&out, buf_str(&text), INDENT, wrap);
	text.len = 0;
	finding_remedy(f, &text);
	if (text.len) {
		buf_putc(&out, '\n');
		buf_fill(&out, ' ', INDENT);
		put_wrapped(&out, buf_str(&text), INDENT, wrap);
	}
	info("%s", buf_str(&out));
	buf_release(&text);
	buf_release(&out);
}

void findings_print(struct findings *f)
{
	unsigned nr[FINDING_NR] = {0};
	bool wrap = isatty(STDERR_FILENO);

	findings_sort(f);
	vec_for(it, &f->list)
		if (nr[it->code]++ < SAME_CODE_MAX || log_level() > 0)
			print_one(it, wrap);
	for (unsigned code = 0; code < FINDING_NR; code++)
		if (nr[code] > SAME_CODE_MAX && log_level() <= 0)
			info("%u more of these (-v prints them) [%s]", nr[code] - SAME_CODE_MAX, finding_name(code));
}
