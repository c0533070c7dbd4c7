/*
 * prec verify: reads all of each recording, and prints whether its numbers can be trusted (good, incomplete, damaged or unreadable)
 * and the problems that it found. With --repair, it writes a new file with only the valid records (core/read/copy.h).
 */
#include "cmd/cmd.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/findings.h"
#include "cmd/input.h"
#include "core/base/file.h"
#include "core/ui/finding.h"
#include "core/base/json.h"
#include "core/base/log.h"
#include "core/base/outfile.h"
#include "core/base/printable.h"
#include "core/unwind/dso_counts.h"
#include "core/read/copy.h"
#include "core/read/session.h"
#include "core/perfdata/coverage.h"
#include "core/hists/bucket.h"
#include "core/hists/chain_breaks.h"
#include "core/sched/wait_samples.h"

#define INCOMPLETE_SHARE	0.01	/* the verdict is INCOMPLETE if warnings concern this share of the samples or more */

#define SYNOPSIS "prec verify [<options>] <file>..."
static const char verify_usage[] = SYNOPSIS "\n\n"
	"Reads all of each recording and says whether its numbers can be trusted.\n"
	"Exit status: 0 good, 3 incomplete, 2 damaged, 1 unreadable; of several files\n"
	"that of the worst.\n"
	"With --repair: 0 where a file was written.";

struct verify_opts {
	bool json, repair;
	const char *output;
	struct input_opts input;
};

#define OPTS struct verify_opts

static const struct option_desc verify_options[] = {
	OPT_BOOL(0, "json", OPTS, json, "print JSON"),
	OPT_BOOL(0, "repair", OPTS, repair, "write what is good of the file as a clean one: see --output"),
	OPT_STRING('o', "output", OPTS, output, "file", "with --repair: write <file>"),
	OPT_U64('j', "jobs", OPTS, input.jobs, "n", "use <n> threads (one a CPU)"),
	OPT_COUNT('v', "verbose", OPTS, input.verbose, "say more of what is done"),
	OPT_END
};

/* From the best to the worst. */
enum verdict { GOOD, INCOMPLETE, DAMAGED, UNREADABLE };
static const struct { const char *name; int status; } verdicts[] = {
	[GOOD] = { "good", 0 },
	[INCOMPLETE] = { "incomplete", 3 },	/* warnings concern INCOMPLETE_SHARE of the samples or more */
	[DAMAGED] = { "damaged", STATUS_DAMAGED },
	[UNREADABLE] = { "unreadable", 1 },
};

struct verified {		/* a recording that was read */
	const char *path;
	enum verdict verdict;
	uint64_t samples;
	bool has_coverage;
	struct coverage coverage;
	struct findings found;
};

/* Counts samples and checks their chains, except for samples that only serve to make waits, as no view shows these. */
static void count_samples(struct verified *v, struct session *s, const struct buckets *buckets, struct broken_chains *chains)
{
	const struct event_table *events = session_events(s);
	const struct event *waits = session_waits_event(s);
	struct chain_breaks breaks;

	for (size_t i = 0; i < buckets->totals.nr; i++)
		if (!waits || i != waits->number)
			v->samples += buckets->totals.v[i].nr;
	chain_breaks_find(&breaks, buckets, events, session_machine(s), NULL);
	vec_for(bucket, &buckets->table.buckets)
		if (!events->events.v[bucket->key.event]->hidden_source)
			chain_breaks_count(&breaks, bucket);
	chain_breaks_sum(&breaks, chains);
	chain_breaks_release(&breaks);
}

/* Only decoding shows errors of a trace. Chains' files come last, so changed files do not count. Returns 0 or -1 (printed). */
static int read_all(struct verified *v, struct input *in, const struct input_opts *input)
{
	struct bucket_opts opts = { .needs = NEED_ADDRESS | NEED_CHAIN, .sources = true, .max_depth = INPUT_MAX_STACK };
	struct broken_chains chains = {0};
	struct buckets buckets = {0};
	struct session *s = in->session;
	int err = input_attach(in, input);

	opts.filter = in->filter;
	if (!err)
		err = buckets_collect(&buckets, s, &opts);
	count_samples(v, s, &buckets, &chains);
	if (!err && !v->samples)
		session_without_samples(s, &v->found);
	session_findings(s, &v->found);
	broken_chains_findings(&chains, &v->found);
	findings_sort(&v->found);
	v->has_coverage = session_coverage(s, &v->coverage);
	broken_chains_release(&chains);
	buckets_release(&buckets);
	return err;
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat st_a, st_b;

	return !stat(a, &st_a) && !stat(b, &st_b) && st_a.st_dev == st_b.st_dev && st_a.st_ino == st_b.st_ino;
}

static int repair(struct session *s, const char *output)
{
	struct copied copied;

	if (is_same_file(session_file(s)->path, output))
		return error("'%s' is the recording itself: --output is to be another file", output);
	if (session_copy(s, output, &(struct copy_opts){0}, &copied))
		return -1;
	info("samples in '%s': %llu; other records: %llu; left out: %llu", output,
	     (unsigned long long)copied.samples, (unsigned long long)copied.records, (unsigned long long)copied.left_out);
	return 0;
}

static int read_recording(struct verified *v, const struct verify_opts *o)
{
	struct input_opts input = o->input;
	struct input in = {0};
	int err;

	input.path = v->path;
	if (input_open(&in, &input))
		return -1;
	err = read_all(v, &in, &input);
	if (!err && o->repair)
		err = repair(in.session, o->output);
	input_close(&in);
	return err;
}

static enum verdict verdict_of(const struct verified *v)
{
	if (findings_have(&v->found, FINDING_DAMAGE))
		return DAMAGED;
	return findings_concern(&v->found) >= INCOMPLETE_SHARE ? INCOMPLETE : GOOD;
}

static void put_text(const struct verified *v, struct buf *out)
{
	buf_put_printable(out, v->path);
	buf_printf(out, ": %s", verdicts[v->verdict].name);
	if (v->verdict != UNREADABLE)
		buf_printf(out, ", %llu samples", (unsigned long long)v->samples);
	if (v->has_coverage) {
		buf_puts(out, ", ");
		coverage_put(&v->coverage, out);
	}
	buf_putc(out, '\n');
	vec_for(f, &v->found.list) {
		buf_printf(out, "  %-7s  %s: ", finding_severity_name(finding_severity(f)), finding_name(f->code));
		finding_sentence(f, out);
		buf_puts(out, "\n           ");
		finding_remedy(f, out);
		buf_putc(out, '\n');
	}
}

static void put_json(const struct verified *v, struct json *out)
{
	json_open(out, '{');
	json_key_string(out, "file", v->path);
	json_key_string(out, "verdict", verdicts[v->verdict].name);
	json_key_u64(out, "samples", v->samples);
	json_key(out, "cpu_here_percent");
	if (v->has_coverage)
		json_fixed(out, v->coverage.here, 1);
	else
		json_null(out);
	json_key(out, "findings");
	findings_json(&v->found, out);
	json_close(out, '}');
}

static int verify(const struct verify_opts *o, char **paths, int nr)
{
	struct buf out = {0};
	struct json json = { .out = &out };
	enum verdict worst = GOOD;
	int err = 0;

	if (o->json)
		json_open(&json, '[');
	for (int i = 0; i < nr && !err; i++) {
		struct verified v = { .path = paths[i] };

		v.verdict = read_recording(&v, o) ? UNREADABLE : verdict_of(&v);
		worst = MAX(worst, v.verdict);
		if (o->json)
			put_json(&v, &json);
		else
			put_text(&v, &out);
		findings_release(&v.found);
		err = write_buf(STDOUT_FILENO, &out);
	}
	if (o->json) {
		json_close(&json, ']');
		buf_putc(&out, '\n');
	}
	err = err ? err : write_buf(STDOUT_FILENO, &out);
	check_output(err);
	buf_release(&out);
	return o->repair && !err && worst != UNREADABLE ? 0 : verdicts[err ? UNREADABLE : worst].status;
}

int cmd_verify(int argc, char **argv)
{
	struct verify_opts o = { .input = { .max_stack = INPUT_MAX_STACK, .check_index = true } };
	int nr_words = 0, first = options_parse(verify_options, &o, verify_usage, true, argc, argv, &nr_words);

	if (first < 0)
		return first == -2 ? 0 : OPTIONS_USAGE;
	if (!nr_words)
		return usage_error("verify needs a file: " SYNOPSIS);
	if (input_check(&o.input))
		return OPTIONS_USAGE;
	if (o.repair != (o.output != NULL) || (o.repair && nr_words > 1))
		return usage_error("--repair wants one file, and --output another: prec verify --repair -o clean.data perf.data");
	log_set_level(o.input.verbose);
	signal(SIGPIPE, SIG_IGN);
	return verify(&o, argv + first, nr_words);
}
