/*
 * prec doctor: prints what this user can record on this machine, and which settings would have to change to record more.
 * core/record/host/doctor.h makes trial recordings. doctor_symbols.c finds files without symbols.
 */
#include "cmd/cmd.h"

#include <string.h>
#include <unistd.h>

#include "cmd/doctor_symbols.h"
#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/log.h"
#include "core/base/outfile.h"
#include "core/ui/fit.h"
#include "core/ui/options.h"
#include "core/base/printable.h"
#include "core/ui/terminal.h"
#include "core/record/host/doctor.h"

#define WHY_COLUMN	9	/* number of columns that reasons are indented by */

struct doctor_opts { bool json, overhead; uint64_t pid; const char *user; struct terminal_opts screen; };

static const struct option_desc doctor_options[] = {
	OPT_BOOL(0, "json", struct doctor_opts, json, "print JSON"),
	OPT_BOOL(0, "overhead", struct doctor_opts, overhead, "measure what a sample costs, for half a second (default)"),
	OPT_STRING('u', "user", struct doctor_opts, user, "user", "what this user can record (only root can ask)"),
	OPT_U64('p', "pid", struct doctor_opts, pid, "pid", "which symbols of this process a report would miss"),
	OPT_END
};

static const char usage[] = "prec doctor [<options>] [<program>]\n\n"
	"Says what you can record here and now, what refuses the rest, the smallest\n"
	"change that allows it, and which symbols of <program>, or of a process, a\n"
	"report would miss. It changes nothing.\n"
	"Exit status: 0, or 1 where not even your own programs can be recorded.";

struct doctor_report {			/* the output */
	struct diagnosis *rows;
	size_t nr;
	double sample_ns;	/* negative: not measured */
	bool hint;		/* root asks about itself, so print that -u asks about an ordinary user */
	struct program_symbols symbols;
	const char *program;	/* the program that .symbols are of; NULL: none was given */
};

static void put_below(struct buf *out, const char *text, unsigned width)
{
	buf_putc(out, '\n');
	buf_fill(out, ' ', WHY_COLUMN + 2);
	put_wrapped(out, text, WHY_COLUMN + 2, WHY_COLUMN + 2, width);
}

static void put_word(const char *word, enum style style, const struct terminal *t, struct buf *out)
{
	put_style(out, t->colors, style);
	buf_left(out, word, WHY_COLUMN);
	put_style(out, t->colors, STYLE_PLAIN);
}

static const char *symbols_word(const struct file_symbols *f)
{
	return !f->why ? "yes" : f->any ? "some" : "no";
}

static void put_symbols(const struct program_symbols *p, const char *program, const struct terminal *t, struct buf *out)
{
	size_t whole = 0;

	buf_puts(out, "\nsymbols of ");
	buf_put_printable(out, program);
	buf_puts(out, ":\n");
	vec_for(f, &p->list) {
		if (!f->why) {
			whole++;
			continue;
		}
		put_word(symbols_word(f), f->any ? STYLE_PLAIN : STYLE_HOT, t, out);
		buf_put_printable(out, f->path);
		put_below(out, f->why, t->width);
		buf_puts(out, ":");
		put_below(out, f->help, t->width);
		buf_putc(out, '\n');
	}
	if (whole) {
		put_word("yes", STYLE_WARM, t, out);
		buf_printf(out, "%zu %sfile%s\n", whole, whole < p->list.nr ? "other " : "", whole == 1 ? "" : "s");
	}
}

static void put_text(const struct doctor_report *report, const struct terminal *t, struct buf *out)
{
	static const enum style styles[] = { [DOCTOR_YES] = STYLE_WARM, [DOCTOR_NO] = STYLE_HOT, [DOCTOR_ABSENT] = STYLE_FAINT };

	for (size_t i = 0; i < report->nr; i++) {
		const struct diagnosis *d = &report->rows[i];

		put_word(doctor_verdict_name(d->verdict), styles[d->verdict], t, out);
		buf_puts(out, d->what);
		if (d->why)
			put_below(out, d->why, t->width);
		buf_putc(out, '\n');
	}
	if (report->program)
		put_symbols(&report->symbols, report->program, t, out);
	if (report->sample_ns >= 0)
		buf_printf(out, "\na sample costs %.1f us of CPU here: %.2g %% at 4000 a second\n", report->sample_ns / 1e3,
			   report->sample_ns * 4000 / 1e7);
	if (report->hint)
		buf_puts(out, "\nthis is what root can record; 'prec doctor -u USER' says it of an ordinary user\n");
}

static void json_member(struct json *j, const char *key, const char *text)
{
	json_key_string(j, key, text ? text : "");
}

static void json_symbols(struct json *j, const struct program_symbols *p)
{
	json_key_open(j, "files", '[');
	vec_for(f, &p->list) {
		json_open(j, '{');
		json_member(j, "file", f->path);
		json_member(j, "symbols", symbols_word(f));
		json_member(j, "why", f->why);
		json_member(j, "help", f->help);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void put_json(const struct doctor_report *report, struct buf *out)
{
	struct json j = { .out = out };

	json_open(&j, '{');
	for (size_t i = 0; i < report->nr; i++) {
		json_key(&j, report->rows[i].id);
		json_open(&j, '{');
		json_member(&j, "verdict", doctor_verdict_name(report->rows[i].verdict));
		json_member(&j, "why", report->rows[i].why);
		json_close(&j, '}');
	}
	if (report->program)
		json_symbols(&j, &report->symbols);
	json_key(&j, "sample_ns");
	if (report->sample_ns >= 0)
		json_fixed(&j, report->sample_ns, 0);
	else
		json_null(&j);
	json_close(&j, '}');
	buf_putc(out, '\n');
}

static int check_symbols(struct doctor_report *report, const struct doctor_opts *o, const char *program)
{
	static const char process[] = "the process";

	if (!o->pid && !program)
		return 0;
	report->program = program ? program : process;
	return program ? symbols_of_program(&report->symbols, program) : symbols_of_process(&report->symbols, (uint32_t)o->pid);
}

int cmd_doctor(int argc, char **argv)
{
	struct doctor_opts o = { .overhead = true };
	int nr_words = 0, first = options_parse(doctor_options, &o, usage, true, argc, argv, &nr_words), err, unwritten;
	struct doctor_report report = {0};
	struct buf out = {0};
	struct terminal t;

	if (first < 0)
		return first == -2 ? 0 : OPTIONS_USAGE;
	if (nr_words > 1 || (nr_words && o.pid) || o.pid > INT32_MAX)
		return usage_error("doctor takes one program, or -p and the number of one process (see prec doctor -h)");
	if (o.user && doctor_become(o.user))
		return 1;
	report.hint = !o.user && !geteuid();
	if (check_symbols(&report, &o, nr_words ? argv[first] : NULL)) {
		program_symbols_release(&report.symbols);
		return 1;
	}
	terminal_detect(&t, STDOUT_FILENO, &o.screen);
	report.nr = doctor_examine(&report.rows);
	report.sample_ns = o.overhead ? doctor_sample_ns() : -1;
	if (o.json)
		put_json(&report, &out);
	else
		put_text(&report, &t, &out);
	/* The first row is the least that recording needs. */
	err = report.rows[0].verdict != DOCTOR_YES;
	doctor_release(report.rows, report.nr);
	program_symbols_release(&report.symbols);
	unwritten = write_buf(STDOUT_FILENO, &out);
	check_output(unwritten);
	buf_release(&out);
	return err || unwritten;
}
