/* prec doctor: what can be recorded here and now, by trying it, and what would have to change for the rest. Layer: cmd */
#include "cmd/cmd.h"

#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/log.h"
#include "core/base/options.h"
#include "core/base/terminal.h"
#include "core/host/doctor.h"

#define WHY_COLUMN	9	/* where reasons are indented to */

struct doctor_opts { bool json, overhead; struct terminal_opts screen; };

static const struct option_desc doctor_options[] = {
	OPT_BOOL(0, "json", struct doctor_opts, json, "print JSON"),
	OPT_BOOL(0, "overhead", struct doctor_opts, overhead, "measure what a sample costs, for half a second (default)"),
	OPT_END
};

static const char usage[] = "prec doctor [<options>]";

/* Words of @text from @column on, in lines of @width. */
static void put_wrapped(struct buf *out, const char *text, unsigned column, unsigned width)
{
	unsigned at = 0;

	while (*text) {
		size_t n = strcspn(text, " ");

		if (!at || at + 1 + n > width) {
			buf_putc(out, '\n');
			buf_fill(out, ' ', column);
			at = column;
		} else {
			buf_putc(out, ' ');
			at++;
		}
		buf_put(out, text, n);
		at += (unsigned)n;
		text += n;
		text += strspn(text, " ");
	}
}

static void put_text(const struct diagnosis *d, size_t nr, double sample_ns, const struct terminal *t, struct buf *out)
{
	static const enum style styles[] = { [DOCTOR_YES] = STYLE_WARM, [DOCTOR_NO] = STYLE_HOT, [DOCTOR_ABSENT] = STYLE_FAINT };

	for (size_t i = 0; i < nr; i++) {
		put_style(out, t->colors, styles[d[i].verdict]);
		buf_left(out, doctor_verdict_name(d[i].verdict), WHY_COLUMN);
		put_style(out, t->colors, STYLE_PLAIN);
		buf_puts(out, d[i].what);
		if (d[i].why)
			put_wrapped(out, d[i].why, WHY_COLUMN + 2, t->width);
		buf_putc(out, '\n');
	}
	if (sample_ns >= 0)
		buf_printf(out, "\na sample costs %.1f us of CPU here: %.2g %% at 4000 a second\n", sample_ns / 1e3,
			   sample_ns * 4000 / 1e7);
}

static void put_json(const struct diagnosis *d, size_t nr, double sample_ns, struct buf *out)
{
	struct json j = { .out = out };

	json_open(&j, '{');
	for (size_t i = 0; i < nr; i++) {
		json_key(&j, d[i].id);
		json_open(&j, '{');
		json_key(&j, "verdict");
		json_string(&j, doctor_verdict_name(d[i].verdict));
		json_key(&j, "why");
		json_string(&j, d[i].why ? d[i].why : "");
		json_close(&j, '}');
	}
	json_key(&j, "sample_ns");
	if (sample_ns >= 0)
		json_fixed(&j, sample_ns, 0);
	else
		json_null(&j);
	json_close(&j, '}');
	buf_putc(out, '\n');
}

int cmd_doctor(int argc, char **argv)
{
	struct doctor_opts o = { .overhead = true };
	int nr_words = 0, first = options_parse(doctor_options, &o, usage, true, argc, argv, &nr_words), err;
	struct diagnosis *d;
	struct buf out = {0};
	struct terminal t;
	double sample_ns;
	size_t nr;

	if (first < 0)
		return first == -2 ? 0 : OPTIONS_USAGE;
	if (nr_words) {
		error("doctor takes no '%s' (see prec doctor -h)", argv[first]);
		return OPTIONS_USAGE;
	}
	terminal_look(&t, STDOUT_FILENO, &o.screen);
	nr = doctor_examine(&d);
	sample_ns = o.overhead ? doctor_sample_ns() : -1;
	if (o.json)
		put_json(d, nr, sample_ns, &out);
	else
		put_text(d, nr, sample_ns, &t, &out);
	/* The first row is the least that recording needs. */
	err = d[0].verdict != DOCTOR_YES;
	doctor_release(d, nr);
	if (write_buf(STDOUT_FILENO, &out))
		err = 1;
	buf_release(&out);
	return err;
}
