/*
 * Recordings that are changed with knowledge of the format go through every command that reads one: counts, offsets, sizes,
 * types, records cut, doubled, moved. Half of the runs have options made from prec's tables of keys, fields, formats and letters
 * of --itrace. No crash, no sanitizer's word, at most 20 s of CPU, 2 GB and 256 MB of output. Each run is a fork of this program,
 * which costs no start. A finding's recording is kept in ./crash.
 *
 * The recordings are those of tests/data, one of each kind that prec makes here (tests/lib/recordings, in ./kinds), those of
 * PREC_CORPUS, and some of PREC_TRACES. Run N of a seed is the same each time for the same recordings.
 * In the environment: MUTATED_SEED (1); MUTATED_FIRST, the first run (0); MUTATED_RUNS, 0: without end; it goes on after
 * findings and keeps them in ./crash.SEED.RUN. Else it makes 2000 runs with sanitizers and 100 without. MUTATED_COMMAND: the first
 * words of the commands that are run.
 * Runs: slow
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "auxtrace/itrace.h"
#include "cmd/cmd.h"
#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/base/util.h"
#include "core/base/vec.h"
#include "core/show/export/formats.h"
#include "core/hists/key_table.h"
#include "core/show/script/field.h"

#define CPU_S		20
#define WALL_S		200
#define MEMORY		(2ul << 30)
#define OUTPUT		(256ul << 20)
#define LARGEST		(1u << 20)	/* larger recordings are left out: runs are better spent on small ones */
#define TRACES		6		/* of each folder */
#define HEADER		104u		/* bytes, of a file; that of a stream has 16 */
#define WORDS		24

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED true
#else
#define SANITIZED false
#endif

const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
	return "exitcode=99:max_allocation_size_mb=2048:quarantine_size_mb=8:thread_local_quarantine_size_kb=64";
}

#define LEAKS_IN	20		/* in one of so many runs leaks are looked for, which takes longer than the run */
#define SAY_RUNS	1000

static bool leaks_are_found = true;
int __lsan_is_turned_off(void);

int __lsan_is_turned_off(void)
{
	return !leaks_are_found;
}

struct input {
	char *name;
	char *dir;			/* the recording is this directory, and @name a file in it; NULL: none */
	struct buf data;
};

struct recording {			/* what is changed */
	struct buf data;
	bool swapped, stream, bare;	/* bare: records without a header, as in a directory's files */
	VEC(size_t) records;		/* where they begin */
};

struct command { int (*run)(int argc, char **argv); const char *words; };

static const struct command commands[] = {
	{ cmd_report, "report --stdio -i IN" },
	{ cmd_report, "report --stdio -G -i IN -s comm,dso,symbol,srcline" },
	{ cmd_report, "report --stdio -j1 --children -i IN -s pid,tid,cpu,period" },
	{ cmd_report, "report --header-only -i IN" },
	{ cmd_report, "report --stats -i IN" },
	{ cmd_report, "report --tasks -i IN" },
	{ cmd_report, "report --mmaps -i IN" },
	{ cmd_script, "script -i IN" },
	{ cmd_script, "script -D -i IN" },
	{ cmd_script, "script --show-task-events --show-mmap-events -i IN" },
	{ cmd_script, "script --header -i IN" },
	{ cmd_verify, "verify IN" },
	{ cmd_summary, "summary -i IN" },
	{ cmd_export, "export --format jsonl -i IN -o o" },
	{ cmd_export, "export --format csv -i IN -o o" },
	{ cmd_export, "export --format folded -i IN -o o" },
	{ cmd_export, "export --format svg -i IN -o o" },
	{ cmd_export, "export --format pprof -i IN -o o" },
	{ cmd_export, "export --format firefox -i IN -o o" },
	{ cmd_annotate, "annotate --stdio -i IN" },
	{ cmd_diff, "diff IN IN" },
	{ cmd_archive, "archive -i IN -o o" },
	{ cmd_archive, "archive --redact -i IN -o o" },
	{ cmd_archive, "archive --unpack -i IN -o unpacked" },
	{ cmd_verify, "verify --repair -o o IN" },
	{ cmd_query, "query -i IN SELECT\t*\tFROM\tsamples" },
	{ cmd_query, "query -i IN SELECT\tcomm,sum(period)\tFROM\tsums\tGROUP\tBY\tcomm" },
	{ cmd_summary, "summary --json -i IN" },
	{ cmd_report, "report --stdio -i -" },
	{ cmd_script, "script -i -" },
	{ cmd_report, "report --unresolved -i IN" },
	{ cmd_report, "report -D -i IN" },
	{ cmd_report, "report --stdio --total-cycles -i IN" },
	{ cmd_report, "report --stdio --slices -i IN" },
	{ cmd_report, "report --stdio --critical-path -i IN" },
	{ cmd_report, "report --stdio --latency-hist -i IN" },
	{ cmd_report, "report --stdio --run-queue -i IN" },
};

/* What options are made of: K, keys; F, fields; A, the same to be added; X, a format; I, letters of --itrace; Q, SQL. */
static const struct command made[] = {
	{ cmd_report, "report --stdio -i IN -s K" },
	{ cmd_report, "report --stdio -i IN -F K" },
	{ cmd_report, "report --stdio -i IN -H -s K" },
	{ cmd_report, "report --stdio -i IN -n --group -s K" },
	{ cmd_report, "report --stdio -i IN --mem-mode -s K" },
	{ cmd_report, "report --stdio -i IN --branch-history -s K" },
	{ cmd_report, "report --stdio -i IN --wall -s K" },
	{ cmd_report, "report --stdio -i IN --latency -s K" },
	{ cmd_report, "report --stdio -i IN --durations --itrace=I" },
	{ cmd_report, "report --stdio -i IN --itrace=I -s K" },
	{ cmd_script, "script -i IN -F F" },
	{ cmd_script, "script -i IN -F A --itrace=I" },
	{ cmd_script, "script -i IN --itrace=I" },
	{ cmd_script, "script -i - -F F" },
	{ cmd_export, "export -i IN -o o --format X" },
	{ cmd_export, "export -i IN -o o --format X --itrace=I" },
	{ cmd_export, "export -i IN -o o --format X --samples" },
	{ cmd_export, "export -i IN -o o --format X --by K" },
	{ cmd_export, "export -i IN -o o --format jsonl --by K" },
	{ cmd_export, "export -i IN -o o --format csv --columns K" },
	{ cmd_export, "export -i IN -o o --format parquet --columns K" },
	{ cmd_annotate, "annotate --stdio -i IN --itrace=I" },
	{ cmd_diff, "diff --format X -o o IN IN" },
	{ cmd_query, "query -i IN Q" },
	{ cmd_query, "query -i IN -i IN --json Q" },
	{ cmd_query, "query -i IN --arrow -o o Q" },
	{ cmd_query, "query -i IN --itrace=I --parquet -o o Q" },
};

/* Tables of prec query, each with some of its columns. The last ones may not be there. */
static const struct { const char *name, *columns[8]; } tables[] = {
	{ "samples", { "time", "event", "tid", "cpu", "symbol", "stack", "mem", "weight" } },
	{ "samples", { "period", "pid", "comm", "dso", "address", "line", "data_symbol", "cgroup" } },
	{ "sums", { "samples", "period", "event", "tid", "cpu", "symbol", "file", "function" } },
	{ "stacks", { "id", "parent", "depth", "symbol", "stack_text(id)", "stack_root(id)", "stack_has(id,'main')", "rowid" } },
	{ "frames", { "stack", "level", "symbol", "dso", "file", "line", "node", "rowid" } },
	{ "functions", { "id", "symbol", "dso", "address", "size", "level", "inlined", "dso_id" } },
	{ "lines", { "event", "file", "line", "symbol", "self", "total", "samples", "total_samples" } },
	{ "dsos", { "id", "name", "path", "build_id", "kind", "rowid", "1", "2" } },
	{ "threads", { "pid", "tid", "comm", "begin", "end", "rowid", "1", "2" } },
	{ "processes", { "pid", "parent", "comm", "begin", "end", "rowid", "1", "2" } },
	{ "maps", { "time", "pid", "syscall_name(tid)", "start", "size", "pgoff", "file", "build_id" } },
	{ "switches", { "time", "pid", "tid", "cpu", "out", "preempted", "other_pid", "other_tid" } },
	{ "losses", { "time", "lost", "kind", "event", "cpu", "rowid", "1", "2" } },
	{ "branches", { "time", "event", "tid", "from_address", "from_symbol", "to_symbol", "mispredicted", "cycles" } },
	{ "instructions", { "time", "tid", "address", "symbol", "size", "bytes", "rowid", "1" } },
	{ "calls", { "id", "parent", "depth", "tid", "begin", "duration", "symbol", "instructions" } },
	{ "counts", { "time", "kind", "event", "pid", "tid", "cpu", "value", "rowid" } },
	{ "findings", { "code", "severity", "count", "share", "place", "sentence", "rowid", "1" } },
	{ "recording", { "name", "value", "rowid", "syscall_name(value)", "2", "3", "4", "5" } },
	{ "events", { "id", "name", "unit", "samples", "period", "frequency", "interval", "rowid" } },
	{ "waits", { "begin", "end", "duration", "tid", "state", "reason", "lock", "stack" } },
	{ "diff", { "event", "symbol", "dso", "self_a", "self_b", "change", "samples_a", "samples_b" } },
	{ "sched_sched_switch", { "time", "hits", "tid", "prev_pid", "next_pid", "prev_comm", "next_comm", "stack" } },
	{ "raw_syscalls_sys_enter", { "time", "hits", "tid", "syscall_name(id)", "args", "cpu", "comm", "symbol" } },
	{ "pairs('sched_sched_switch','sched_sched_switch','cpu','next_pid,next_comm,stack','prev_pid')",
	  { "begin", "end", "duration", "first_1", "first_2", "first_3", "second_1", "second_4" } },
	{ "pairs('raw_syscalls_sys_enter','sched_sched_switch','tid','id,args,comm')",
	  { "begin", "end", "duration", "first_1", "first_2", "first_3", "first_4", "second_1" } },
};

/* ---- random numbers ---- */

static uint64_t random_number(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static size_t below(uint64_t *state, size_t n)
{
	return n ? random_number(state) % n : 0;
}

/* ---- numbers in a recording ---- */

static uint64_t get(const struct recording *r, size_t at, unsigned n)
{
	uint64_t value = 0;

	if (at > r->data.len || n > r->data.len - at)
		return 0;
	for (unsigned i = 0; i < n; i++)
		value |= (uint64_t)(uint8_t)r->data.data[at + (r->swapped ? n - 1 - i : i)] << 8 * i;
	return value;
}

static void set(struct recording *r, size_t at, unsigned n, uint64_t value)
{
	if (at > r->data.len || n > r->data.len - at)
		return;
	for (unsigned i = 0; i < n; i++)
		r->data.data[at + (r->swapped ? n - 1 - i : i)] = (char)(value >> 8 * i);
}

static size_t data_begin(const struct recording *r)
{
	return r->bare ? 0 : r->stream ? MIN(16, r->data.len) : MIN(get(r, 40, 8), r->data.len);
}

static size_t data_end(const struct recording *r)
{
	uint64_t begin = data_begin(r), size = get(r, 48, 8);

	return r->stream || begin > r->data.len || size > r->data.len - begin ? r->data.len : begin + size;
}

static void find_records(struct recording *r)
{
	size_t end;

	r->swapped = r->data.len >= 8 && !memcmp(r->data.data, "2ELIFREP", 8);
	r->bare = r->data.len < 4 || (memcmp(r->data.data, "PERF", 4) && memcmp(r->data.data + 4, "FREP", 4));
	r->stream = r->bare || get(r, 8, 8) == 16;
	end = data_end(r);
	r->records.nr = 0;
	for (size_t at = data_begin(r); end - at >= 8 && get(r, at + 6, 2) >= 8; at += MIN(get(r, at + 6, 2), end - at))
		vec_push(&r->records, at);
}

static unsigned nr_features(const struct recording *r)
{
	unsigned nr = 0;

	for (size_t at = 72; !r->stream && at < HEADER; at += 8)
		nr += (unsigned)__builtin_popcountll(get(r, at, 8));
	return nr;
}

/* Put @n bytes in place of @removed at @at in the data; what lies behind is found where it then is. */
static void replace(struct recording *r, size_t at, size_t removed, const void *bytes, size_t n)
{
	size_t end = data_end(r), table;
	struct buf out = {0};
	uint64_t offset;

	if (at > end || removed > end - at)
		return;
	buf_put(&out, r->data.data, at);
	buf_put(&out, bytes, n);
	buf_put(&out, r->data.data + at + removed, r->data.len - at - removed);
	buf_release(&r->data);
	r->data = out;
	if (r->stream)
		return;
	table = end + n - removed;
	set(r, 48, 8, table - data_begin(r));
	for (unsigned i = 0; i < nr_features(r); i++) {
		offset = get(r, table + i * (size_t)16, 8);
		set(r, table + i * (size_t)16, 8, offset + n - removed);
	}
}

/* ---- changes ---- */

static uint64_t hurting(uint64_t *random, uint64_t was, size_t size)
{
	static const uint64_t values[] = {
		0, 1, 2, 7, 8, 0x7f, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 1ull << 32, 1ull << 40, 1ull << 48,
		INT64_MAX, 1ull << 63, UINT64_MAX, UINT64_MAX - 7
	};

	switch (below(random, 8)) {
	case 0:	return was + 1;
	case 1:	return was - 1;
	case 2:	return was + 8;
	case 3:	return was - 8;
	case 4:	return was ^ 1ull << below(random, 64);
	case 5:	return below(random, size + 16);
	case 6:	return was * 2;
	}
	return values[below(random, ARRAY_SIZE(values))];
}

static void hurt(struct recording *r, uint64_t *random, size_t at, unsigned n)
{
	set(r, at, n, hurting(random, get(r, at, n), r->data.len));
}

static void change_header(struct recording *r, uint64_t *random)
{
	size_t table = data_end(r), section = table + 16 * below(random, nr_features(r));
	uint64_t size, attr = get(r, 24, 8) + 4 * below(random, get(r, 32, 8) / 4);

	switch (below(random, nr_features(r) ? 8 : 2)) {
	case 0:
		hurt(r, random, 8 + 8 * below(random, r->stream ? 1 : 12), 8);
		break;
	case 1:
		hurt(r, random, attr, below(random, 2) ? 4 : 8);
		break;
	case 2:
		hurt(r, random, section + 8 * below(random, 2), 8);
		break;
	default:		/* a number in a section */
		size = MIN(get(r, section + 8, 8), below(random, 2) ? 64u : 4096u);
		hurt(r, random, get(r, section, 8) + 4 * below(random, size / 4), below(random, 3) ? 4 : 8);
		break;
	}
}

static void change_record(struct recording *r, uint64_t *random)
{
	size_t at, other, size;
	char *copy;

	if (!r->records.nr)
		return;
	at = r->records.v[below(random, r->records.nr)];
	other = r->records.v[below(random, r->records.nr)];
	size = get(r, at + 6, 2);
	if (size > r->data.len - at)
		return;
	switch (below(random, 11)) {
	case 0:
		hurt(r, random, at + 6, 2);
		break;
	case 1:
		set(r, at, 4, below(random, 2) ? 1 + below(random, 22) : 64 + below(random, 21));
		break;
	case 2:
		set(r, at + 4, 2, get(r, at + 4, 2) ^ 1u << below(random, 16));
		break;
	case 3:			/* removed */
		replace(r, at, size, "", 0);
		break;
	case 4:			/* doubled, or moved */
	case 5:
		copy = malloc(size);
		memcpy(copy, r->data.data + at, size);
		replace(r, other, 0, copy, size);
		free(copy);
		break;
	case 6:			/* shorter, and whole */
		other = (8 + below(random, size)) & ~7u;
		if (other < size) {
			replace(r, at + other, size - other, "", 0);
			set(r, at + 6, 2, other);
		}
		break;
	default:
		hurt(r, random, at + 8 + 4 * below(random, size / 4 - 1), below(random, 2) ? 4 : 8);
		break;
	}
}

static void mutate(struct recording *r, uint64_t *random)
{
	for (size_t n = 1 + below(random, 4); n; n--) {
		find_records(r);
		switch (below(random, 12)) {
		case 0:
			r->data.len -= below(random, below(random, 4) ? MIN(r->data.len, 64) : r->data.len);
			break;
		case 1:
			hurt(r, random, below(random, r->data.len), 1);
			break;
		case 2: case 3: case 4:
			change_header(r, random);
			break;
		default:
			change_record(r, random);
			break;
		}
	}
}

/* ---- options ---- */

/* One to three words of @list, which blanks separate; with commas between. */
static void put_words(struct buf *out, const char *list, uint64_t *random)
{
	size_t nr = 1, n = 1 + below(random, 3), chosen;
	const char *word;

	for (const char *s = list; *s; s++)
		nr += *s == ' ';
	for (; n; n--) {
		word = list;
		for (chosen = below(random, nr); chosen; chosen--)
			word = strchr(word, ' ') + 1;
		buf_put(out, word, strcspn(word, " "));
		if (n > 1)
			buf_putc(out, ',');
	}
}

static void put_keys(struct buf *out, uint64_t *random)
{
	struct buf keys = {0};

	key_names(&keys);
	put_words(out, buf_str(&keys), random);
	buf_release(&keys);
}

static void put_format(struct buf *out, uint64_t *random)
{
	struct buf names = {0};
	size_t nr = 0, chosen;
	char *line;

	formats_put_help(&names);
	for (size_t i = 0; i < names.len; i++)
		nr += names.data[i] == '\n';
	line = (char *)buf_str(&names);
	for (chosen = below(random, nr); chosen; chosen--)
		line = strchr(line, '\n') + 1;
	buf_put(out, line, strcspn(line, " "));
	buf_release(&names);
}

static void put_fields(struct buf *out, const char *before, uint64_t *random)
{
	for (size_t n = 1 + below(random, 3); n; n--)
		buf_printf(out, "%s%s%s", before, fields[below(random, FIELD_MAX)].name, n > 1 ? "," : "");
}

static void put_letters(struct buf *out, uint64_t *random)
{
	static const char *const periods[] = { "", "", "1i", "100i", "100us", "10000ns", "50t" };
	static const char *const depths[] = { "", "", "1", "7", "1024" };
	char letter;

	for (size_t n = 1 + below(random, 4); n; n--) {
		letter = ITRACE_LETTERS[2 * below(random, sizeof(ITRACE_LETTERS) / 2)];
		buf_putc(out, letter);
		if (strchr("iy", letter))
			buf_puts(out, periods[below(random, ARRAY_SIZE(periods))]);
		else if (strchr("gGlL", letter))
			buf_puts(out, depths[below(random, ARRAY_SIZE(depths))]);
		else if (letter == 's')
			buf_printf(out, "%zu", below(random, 100));
	}
	if (!below(random, 8))
		buf_puts(out, below(random, 2) ? "d+o" : "e-ol");
}

/* A statement over one table, with tabs for blanks. */
static void put_statement(struct buf *out, uint64_t *random)
{
	static const char *const conditions[] = {
		"%s=0", "%s\tIS\tNULL", "%s>-1", "%s<9223372036854775807", "%s='[kernel.kallsyms]'", "%s\tIN\t(1,2,NULL)",
		"%s\tBETWEEN\t1\tAND\t10000000000000", "%s=1\tOR\t1", "%s=-1", "%s=0\tOR\tNOT\t1", "%s\tLIKE\t'%%a%%'",
	};
	static const char *const sums[] = {
		"%s", "count(%s)", "count(*),%s", "sum(%s)", "max(%s)", "count(DISTINCT\t%s)", "median(%s)", "percentile(%s,90)",
		"%s+0",
	};
	size_t t = below(random, ARRAY_SIZE(tables));
	const char *const *columns = tables[t].columns;
	bool groups = below(random, 2);

#define COLUMN	columns[below(random, 8)]
	buf_puts(out, "SELECT\t");
	buf_printf(out, sums[below(random, ARRAY_SIZE(sums))], COLUMN);
	buf_printf(out, ",%s\tFROM\t%s", COLUMN, tables[t].name);
	if (below(random, 2)) {
		buf_puts(out, "\tWHERE\t");
		buf_printf(out, conditions[below(random, ARRAY_SIZE(conditions))], COLUMN);
	}
	if (groups)
		buf_printf(out, "\tGROUP\tBY\t%s,%s", COLUMN, COLUMN);
	if (below(random, 2))
		buf_printf(out, "\tORDER\tBY\t%s%s,%s", COLUMN, below(random, 2) ? "\tDESC" : "", COLUMN);
	if (!below(random, 3))
		buf_puts(out, "\tLIMIT\t3");
#undef COLUMN
}

/* The command that is run: owned by the caller. */
static char *command_line(const struct command *c, uint64_t *random)
{
	struct buf out = {0};
	char *words;

	for (const char *s = c->words; *s; s++) {
		bool alone = s > c->words && strchr(" =", s[-1]) && (!s[1] || s[1] == ' ');

		if (alone && *s == 'K')
			put_keys(&out, random);
		else if (alone && *s == 'F')
			put_fields(&out, "", random);
		else if (alone && *s == 'A')
			put_fields(&out, "+", random);
		else if (alone && *s == 'X')
			put_format(&out, random);
		else if (alone && *s == 'I')
			put_letters(&out, random);
		else if (alone && *s == 'Q')
			put_statement(&out, random);
		else
			buf_putc(&out, *s);
	}
	/* Where only the recording matters, time is not spent on symbols. */
	if (c->run != cmd_verify && c->run != cmd_archive && below(random, 4))
		buf_puts(&out, " --symfs nothing --kallsyms kallsyms");
	words = strdup(buf_str(&out));
	buf_release(&out);
	return words;
}

/* ---- runs ---- */

static _Noreturn void run_child(const struct command *c, const char *line)
{
	struct rlimit cpu = { CPU_S, CPU_S + 5 }, memory = { MEMORY, MEMORY }, output = { OUTPUT, OUTPUT };
	char *words[WORDS + 1] = {0}, *text = strdup(line), *rest = text;
	int nr = 0, out = open("out", O_WRONLY | O_CREAT | O_TRUNC, 0600), err = open("err", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	int in = open(strstr(line, " -i -") ? "IN" : "/dev/null", O_RDONLY);

	while (nr < WORDS && (words[nr] = strsep(&rest, " ")))
		nr++;
	if (in < 0 || out < 0 || err < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
		_exit(98);
	setrlimit(RLIMIT_CPU, &cpu);
	setrlimit(RLIMIT_FSIZE, &output);
	if (!SANITIZED)
		setrlimit(RLIMIT_AS, &memory);
	alarm(WALL_S);
	sigbus_means_file_error();
	nr = c->run(nr, words);
	fflush(NULL);
	free(text);
	if (!leaks_are_found)
		_exit(nr);
	exit(nr);
}

static const char *of_signal(int number)
{
	switch (number) {
	case SIGXCPU:
	case SIGKILL:	return "too much CPU time";
	case SIGXFSZ:	return "too much output";
	case SIGALRM:	return "no end";
	}
	return strsignal(number);
}

/* NULL: as it should be. */
static const char *run(const struct command *c, const char *line)
{
	struct rusage usage;
	int status;
	pid_t pid;

	fflush(NULL);
	unlink("o");
	pid = fork();
	if (!pid)
		run_child(c, line);
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid)
		return "cannot fork";
	if (WIFSIGNALED(status))
		return of_signal(WTERMSIG(status));
	if (WEXITSTATUS(status) == 99)
		return "a sanitizer's word";
	if (WEXITSTATUS(status) > 90 && WEXITSTATUS(status) != 129)
		return "an odd exit status";
	return (unsigned long)usage.ru_maxrss > MEMORY >> 10 ? "too much memory" : NULL;
}

static void write_file(const char *name, const struct buf *data)
{
	FILE *f = fopen(name, "w");

	if (!f || (data->len && fwrite(data->data, data->len, 1, f) != 1) || fclose(f)) {
		perror(name);
		exit(1);
	}
}

static void remove_recording(void)
{
	struct dirent *e;
	DIR *d;

	if (!unlink("IN") || !(d = opendir("IN")))
		return;
	while ((e = readdir(d)))
		unlinkat(dirfd(d), e->d_name, 0);
	closedir(d);
	rmdir("IN");
}

/* IN: a file of @data, or the directory with it in the place of one of its files. */
static void write_recording(const struct input *i, const struct buf *data)
{
	struct dirent *e;
	char *path;
	DIR *d;

	remove_recording();
	if (!i->dir) {
		write_file("IN", data);
		return;
	}
	d = opendir(i->dir);
	if (!d || mkdir("IN", 0700)) {
		perror(i->dir);
		exit(1);
	}
	path = xasprintf("IN/%s", strrchr(i->name, '/') + 1);
	write_file(path, data);
	free(path);
	while ((e = readdir(d)))
		if (e->d_name[0] != '.') {
			path = xasprintf("IN/%s", e->d_name);
			(void)!linkat(dirfd(d), e->d_name, AT_FDCWD, path, 0);	/* one is there */
			free(path);
		}
	closedir(d);
}

static void show_words(void)
{
	char line[512];
	FILE *f = fopen("err", "r");

	for (unsigned n = 0; f && n < 40 && fgets(line, sizeof(line), f); n++)
		printf("    %s", line);
	if (f)
		fclose(f);
}

/* ---- inputs ---- */

struct inputs { VEC(struct input) list; };

static void add_file(struct inputs *in, const char *path, const char *dir)
{
	static const char *const magics[] = { "PERFILE2", "2ELIFREP", "PERFFILE" };
	struct input i = { .name = xstrdup(path), .dir = dir ? xstrdup(dir) : NULL };
	struct stat st = {0};
	FILE *f = fopen(path, "r");
	bool known = dir;

	/* What this program holds makes each fork slower. */
	buf_grow(&i.data, f && !fstat(fileno(f), &st) ? (size_t)MIN(st.st_size + 1, LARGEST) : 1);
	i.data.len = f ? fread(i.data.data, 1, MIN((size_t)st.st_size + 1, LARGEST), f) : 0;
	if (f)
		fclose(f);
	for (size_t m = 0; m < ARRAY_SIZE(magics) && i.data.len >= 8; m++)
		known = known || !memcmp(i.data.data, magics[m], 8);
	if (known && i.data.len && i.data.len < LARGEST) {
		vec_push(&in->list, i);
		return;
	}
	buf_release(&i.data);
	free(i.name);
	free(i.dir);
}

/* All files in and below it, or so many of those right in it that one finds spread over its names. */
static void add_folder(struct inputs *in, const char *path, int most)
{
	char *data = xasprintf("%s/data", path);
	bool is_recording = !access(data, F_OK);
	struct dirent **names;
	int nr = scandir(path, &names, NULL, alphasort), step = most && nr > most ? nr / most : 1;

	free(data);
	if (nr < 0) {
		add_file(in, path, NULL);
		return;
	}
	for (int i = 0; i < nr; i++) {
		char *name = xasprintf("%s/%s", path, names[i]->d_name);

		if (names[i]->d_name[0] == '.' || i % step)
			;
		else if (is_recording || most)
			add_file(in, name, is_recording ? path : NULL);
		else
			add_folder(in, name, 0);
		free(name);
		free(names[i]);
	}
	free(names);
}

/* What tests/data describes, and what prec records here. */
static void add_made(struct inputs *in, const char *src, const char *build)
{
	char *command = xasprintf("mkdir made kinds && for f in '%s'/tests/data/*.txt '%s'/tests/fuzz/seeds/mutated/*.txt; do "
				  "'%s/tests/mkdata/mkdata' $f made/$(basename $f .txt).data; done 2>/dev/null; "
				  "'%s/prec' archive -i made/every-kind.data -o made/archive.data 2>/dev/null; "
				  "cd kinds && '%s'/tests/lib/recordings", src, src, build, build, src);

	if (access("kinds", F_OK) && system(command))	/* some say what is no recording */
		errno = 0;
	free(command);
	add_folder(in, "made", 0);
	add_folder(in, "kinds", 0);
}

static void add_traces(struct inputs *in, const char *traces)
{
	static const char *const folders[] = { "pt", "ptt", "cs", "real" };

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		char *path = xasprintf("%s/%s", traces, folders[i]);

		add_folder(in, path, TRACES * 8);
		free(path);
	}
}

static unsigned long number_of(const char *name, unsigned long otherwise)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 0) : otherwise;
}

/* Some command; with MUTATED_COMMAND one that begins with it. */
static const struct command *some_command(uint64_t *random)
{
	const char *only = getenv("MUTATED_COMMAND");
	const struct command *c;

	do
		c = below(random, 2) ? &made[below(random, ARRAY_SIZE(made))] : &commands[below(random, ARRAY_SIZE(commands))];
	while (only && !str_starts(c->words, only));
	return c;
}

/* Returns whether the run was as it should be. */
static bool one(const struct inputs *in, unsigned long seed, unsigned long n)
{
	uint64_t random = seed * 1000000007u + n;
	const struct input *i = &in->list.v[below(&random, in->list.nr)];
	const struct command *c = some_command(&random);
	char *line = command_line(c, &random), *kept;
	struct recording r = {0};
	const char *why;

	buf_put(&r.data, i->data.data, i->data.len);
	mutate(&r, &random);
	write_recording(i, &r.data);
	leaks_are_found = n % LEAKS_IN == 0;
	why = run(c, line);
	if (why) {
		kept = getenv("MUTATED_RUNS") ? xasprintf("crash.%lu.%lu", seed, n) : xstrdup("crash");
		printf("seed %lu, run %lu, of %s: %s: %s (input: %s)\n", seed, n, i->name, line, why, kept);
		show_words();
		if (rename("IN", kept))
			perror(kept);
		free(kept);
	}
	free(line);
	buf_release(&r.data);
	vec_free(&r.records);
	return !why;
}

int main(void)
{
	unsigned long seed = number_of("MUTATED_SEED", 1), first = number_of("MUTATED_FIRST", 0), failed = 0, n;
	unsigned long runs = number_of("MUTATED_RUNS", SANITIZED ? 2000 : 100);
	const char *src = getenv("SRC"), *build = getenv("BUILD"), *corpus = getenv("PREC_CORPUS"),
		   *traces = getenv("PREC_TRACES");
	struct inputs in = {0};

	setenv("HOME", ".", true);
	if (src && build)
		add_made(&in, src, build);
	if (corpus)
		add_folder(&in, corpus, 0);
	if (traces)
		add_traces(&in, traces);
	if (!in.list.nr) {
		puts("no recordings: tests/run names the folders where they are made");
		return 77;
	}
	for (n = first; !runs || n - first < runs; n++) {
		if (!one(&in, seed, n) && ++failed && !getenv("MUTATED_RUNS"))
			break;
		if ((n - first + 1) % SAY_RUNS == 0 && getenv("MUTATED_RUNS"))
			printf("seed %lu: %lu runs, %lu findings\n", seed, n - first + 1, failed);
	}
	printf("seed %lu: %zu recordings, %lu runs, %lu findings\n", seed, in.list.nr, n - first, failed);
	vec_for(i, &in.list) {
		buf_release(&i->data);
		free(i->name);
		free(i->dir);
	}
	vec_free(&in.list);
	return failed != 0;
}
