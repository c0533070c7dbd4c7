/*
 * Defines the option table of prec record, and the parsers of options that take more than a number or a text. record.c checks
 * whether the options can be combined.
 */
#include "cmd/record_options.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "auxtrace/aux_group.h"
#include "core/base/log.h"
#include "core/record/events/sample_bits.h"
#include "core/record/events/cgroup.h"
#include "core/record/events/event_parse.h"
#include "core/native.h"

#define RING_MAX	(1ull << 32)

static struct record_opts *opts_of(void *events)
{
	return (struct record_opts *)((char *)events - offsetof(struct record_opts, rec.events));
}

static int parse_events(const struct option_desc *d, void *field, const char *arg, bool unset)
{
	struct event_requests *events = field;
	struct event_error err;
	int failed;

	opts_of(field)->trigger_is_last = false;
	if (unset) {
		event_requests_release(events);
		return 0;
	}
	failed = event_parse(events, arg, &err);
	if (failed)
		event_error_print(arg, &err);
	return failed == -ENODEV ? OPTIONS_FAILED : failed ? -1 : 0;
}

static int add_filter(struct event_requests *events, const char *filter)
{
	char *why;
	int err = event_requests_filter(events, filter, &why);

	if (err == -EBADMSG)
		error("--filter: %s, in '%s'", why, filter);
	else if (err)
		error("option '--filter' belongs after an -e that names tracepoints only, such as -e sched:sched_switch, hardware "
		      "trace, such as -e intel_pt//u, or other events, such as -e cycles, but no probes");
	free(why);
	return err;
}

static int parse_trigger(const struct option_desc *d, void *field, const char *arg, bool unset)
{
	struct record_opts *o = opts_of(field);
	int failed;

	if (unset) {
		trigger_opts_release(&o->rec.triggers);
		o->on_given = o->trigger_is_last = false;
		return 0;
	}
	o->on_given |= str_eq(d->name, "on");
	o->trigger_is_last = true;
	failed = trigger_spec_add(&o->rec.triggers, arg);
	return failed == -ENODEV ? OPTIONS_FAILED : failed ? -1 : 0;
}

static int parse_trigger_time(const struct option_desc *d, void *field, const char *arg, bool unset)
{
	uint64_t *ns = field;

	*ns = 0;
	if (unset || !trigger_time_parse(arg, true, ns))
		return 0;
	return error("option '--%s' needs milliseconds, or a time such as 500us or 2s, not '%s'", d->name, arg);
}

/* Parses --bpf-maps, whose argument is the interval between two dumps, which ",changes" may follow. */
static int parse_bpf_maps(const struct option_desc *d, void *field, const char *arg, bool unset)
{
	struct print_maps_opts *o = field;
	const char *comma = arg && !unset ? strchr(arg, ',') : NULL;
	char *time;
	int err;

	*o = (struct print_maps_opts){ .wanted = !unset, .json = o->json };
	if (!arg || unset)
		return 0;
	if (comma && !str_eq(comma, ",changes"))
		return error("option '--%s' takes TIME or TIME,changes, not '%s'", d->name, arg);
	time = comma ? xstrndup(arg, (size_t)(comma - arg)) : xstrdup(arg);
	o->changes = comma;
	err = parse_trigger_time(d, &o->every_ns, time, false);
	free(time);
	return err;
}

static int parse_filter(const struct option_desc *d, void *field, const char *arg, bool unset)
{
	struct record_opts *o = opts_of(field);
	struct event_requests *events = o->trigger_is_last ? &o->rec.triggers.hits : field;

	if (!unset)
		return add_filter(events, arg);
	vec_for(e, &events->list) {
		free(e->filter);
		e->filter = NULL;
	}
	return 0;
}

/* Adds a filter that excludes one thread of prec. So prec must have no other thread, such as the one that saves binaries. */
static int parse_exclude_perf(const struct option_desc *d, void *field, const char *arg, bool unset)
{
	struct record_opts *o = opts_of(field);
	char filter[64];

	(void)d, (void)arg;
	o->rec.no_copies |= !unset;
	snprintf(filter, sizeof(filter), "common_pid != %d", (int)getpid());
	if (unset || !event_requests_filter_hits(field, filter))
		return 0;
	return error("option '--exclude-perf' belongs after an -e that names tracepoints only, such as -e sched:sched_switch");
}

static int parse_bpf(const struct option_desc *d, void *field, const char *arg, bool unset)
{
	struct event_requests *events = field;

	if (!unset)
		return !event_requests_bpf(events, arg) ? 0 :
		       error("option '--bpf' belongs after an -e, such as -e cpu-clock, whose events have no filter of samples "
			     "and no other --bpf");
	event_requests_no_bpf(events);
	return 0;
}

static int parse_bpf_set(const struct option_desc *d, void *field, const char *arg, bool unset)
{
	return !event_requests_bpf_set(field, unset ? NULL : arg) ? 0 :
	       error("option '--bpf-set' belongs after the --bpf whose variable it sets");
}

static int parse_freq(const struct option_desc *d, void *field, const char *arg, bool unset)
{
	struct record_opts *o = field;
	uint64_t *freq = &o->rec.sampling.freq;

	o->freq_given = !unset;
	if (unset)
		*freq = DEFAULT_FREQ;
	else if (str_eq(arg, "max"))
		*freq = UINT64_MAX;
	else if (parse_count(arg, freq) || !*freq)
		return error("option '-F' needs a number above 0 or 'max', not '%s'", arg);
	return 0;
}

static int parse_period(const struct option_desc *d, void *field, const char *arg, bool unset)
{
	struct record_opts *o = field;
	uint64_t *period = &o->rec.sampling.period;

	o->period_given = !unset;
	if (unset)
		*period = 0;
	else if (parse_count(arg, period) || !*period || *period > INT64_MAX)
		return error("option '-c' needs a number above 0, not '%s'", arg);
	return 0;
}

static int parse_stack_size(uint32_t *out, const char *arg)
{
	uint64_t v;

	if (parse_size(arg, &v) || !v || v > STACK_SIZE_MAX)
		return error("a piece of stack is of 8 to %u bytes, not '%s'", STACK_SIZE_MAX, arg);
	*out = (uint32_t)round_up(v, 8);
	return 0;
}

/* Parses "8192", the size of stack copies, or "8192-65528", a size that may grow up to a maximum. */
static int parse_stack_sizes(struct sampling_opts *s, const char *arg)
{
	const char *dash = strchr(arg, '-');
	char *first = xstrndup(arg, dash ? (size_t)(dash - arg) : strlen(arg));
	int err = parse_stack_size(&s->stack_size, first);

	free(first);
	s->stack_most = 0;
	if (!err && dash)
		err = parse_stack_size(&s->stack_most, dash + 1);
	if (!err && dash && s->stack_most <= s->stack_size)
		err = error("copies of the stack grow from a size to a larger one, not '%s'", arg);
	return err;
}

static int parse_call_graph(const struct option_desc *d, void *field, const char *arg, bool unset)
{
	static const struct { const char *name; enum chain_mode mode; bool sized; } modes[] = {
		{ "fp", CHAIN_FP, false }, { "dwarf", CHAIN_DWARF, true },
		{ "auto", CHAIN_AUTO, true }, { "lbr", CHAIN_LBR, false },
	};
	struct sampling_opts *s = field;

	s->chain = unset ? CHAIN_NONE : CHAIN_FP;
	s->chain_by_default = !unset && !arg;
	s->defer = arg && str_eq(arg, "fp,defer");
	if (s->defer)
		return 0;
	for (size_t i = 0; arg && i < ARRAY_SIZE(modes); i++) {
		size_t n = strlen(modes[i].name);

		if (!str_starts(arg, modes[i].name) || (arg[n] && !(modes[i].sized && arg[n] == ',')))
			continue;
		s->chain = modes[i].mode;
		return arg[n] ? parse_stack_sizes(s, arg + n + 1) : 0;
	}
	if (!arg)
		return 0;
	return error("unknown way '%s' to record call graphs; there are: fp, fp,defer, dwarf, dwarf,<bytes>, "
		     "dwarf,<bytes>-<bytes>, auto, auto,<bytes>, lbr", arg);
}

/* Parses the maximum size of the queue of stacks in memory, and after a comma that of its file: "BYTES" or "BYTES,BYTES". */
static int parse_queue(const char *text, struct live_unwind_opts *o)
{
	const char *comma = strchr(text, ',');
	char *memory = comma ? xstrndup(text, (size_t)(comma - text)) : xstrdup(text);
	int err = parse_size(memory, &o->queue_bytes);

	free(memory);
	o->given = true;
	o->file_given = comma;
	return err || !comma ? err : parse_size(comma + 1, &o->file_bytes);
}

/* Parses --unwind: "live", "live,SIZES" or "later". */
static int parse_unwind(const struct option_desc *d, void *field, const char *arg, bool unset)
{
	struct live_unwind_opts *o = field;

	*o = (struct live_unwind_opts){0};
	if (unset || str_eq(arg, "later"))
		return 0;
	o->all = str_eq(arg, "live") || str_starts(arg, "live,");
	if (!o->all)
		return error("stacks are unwound live, live,<bytes>, live,<bytes>,<bytes> or later, not '%s'", arg);
	if (arg[strlen("live")] && parse_queue(arg + strlen("live,"), o))
		return error("option '--unwind' needs after 'live,' the sizes of the queue in memory and in a file, such as 64M or "
			     "64M,1G, not '%s'", arg);
	return 0;
}

static int parse_branches(const struct option_desc *d, void *field, const char *arg, bool unset)
{
	uint64_t *branches = field;
	char *what;

	*branches = unset ? 0 : PERF_SAMPLE_BRANCH_ANY;
	if (!arg || !branch_filter_parse(arg, ",", branches, &what))
		return 0;
	error("option '-%c': %s", d->letter, what);
	free(what);
	return -1;
}

/* Parses names of registers. "?" prints all names on standard output and ends the command. */
static int parse_regs(const struct option_desc *d, void *field, const char *arg, bool unset)
{
	uint64_t *mask = field;
	char *what;

	*mask = unset ? 0 : native.sample_regs;
	if (unset || (!arg && *mask))
		return 0;
	if (arg && str_eq(arg, "?")) {
		sample_regs_print();
		return -2;
	}
	if (!sample_regs_parse(arg ? arg : "", mask, &what))
		return 0;
	error("option '--%s': %s", d->name, what);
	free(what);
	return -1;
}

/* Parses a number of pages, or a size with suffix B, K, M or G. Rounds up to a power of two of pages. Returns 0 or -1 (printed). */
static int parse_pages(const char *what, const char *arg, uint64_t *bytes)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), v;
	bool pages = arg[strspn(arg, "0123456789")] == '\0';

	if (parse_size(arg, &v) || !v || v > RING_MAX / (pages ? page : 1))
		return error("option '-m' needs a number of pages or a size such as 512K, up to 4G, not '%s'", arg);
	v = pages ? v * page : v;
	*bytes = round_up_power_of_two(MAX(v, page));
	if (*bytes != v)
		info("%s of %llu KiB (%llu pages): a power of two of pages", what, (unsigned long long)*bytes / 1024,
		     (unsigned long long)(*bytes / page));
	return 0;
}

/* Parses -m, the sizes of a ring and of an AUX area: "RING", "RING,AREA" or ",AREA". */
static int parse_ring(const struct option_desc *d, void *field, const char *arg, bool unset)
{
	struct record_opts *o = field;
	const char *comma = arg ? strchr(arg, ',') : NULL;
	char *ring;
	int err = 0;

	o->rec.ring_bytes = DEFAULT_RING;
	o->ring_given = !unset;
	o->aux.area_bytes = 0;
	if (unset)
		return 0;
	ring = comma ? xstrndup(arg, (size_t)(comma - arg)) : xstrdup(arg);
	if (*ring || !comma)
		err = parse_pages("rings", ring, &o->rec.ring_bytes);
	if (!err && comma)
		err = parse_pages("AUX areas", comma + 1, &o->aux.area_bytes);
	free(ring);
	return err;
}

/* Parses -S: "", "SIZE", "e" or "eSIZE". With "e", there is a snapshot at the end, too. */
static int parse_snapshot(const struct option_desc *d, void *field, const char *arg, bool unset)
{
	struct aux_record_opts *o = field;

	o->snapshot = !unset;
	o->at_exit = arg && *arg == 'e';
	o->snapshot_bytes = 0;
	if (!arg || !arg[o->at_exit])
		return 0;
	if (parse_size(arg + o->at_exit, &o->snapshot_bytes) || !o->snapshot_bytes || o->snapshot_bytes > RING_MAX)
		return error("option '-S' needs a size such as 64K, 'e' before it for a snapshot at the end, not '%s'", arg);
	return 0;
}

static int parse_aux_sample(const struct option_desc *d, void *field, const char *arg, bool unset)
{
	uint32_t *bytes = field;
	uint64_t v = AUX_SAMPLE_DEFAULT;

	if (arg && (parse_size(arg, &v) || v > AUX_SAMPLE_MAX))
		return error("option '--aux-sample' needs a size of up to %u bytes, not '%s'", AUX_SAMPLE_MAX, arg);
	*bytes = unset ? 0 : v ? (uint32_t)v : AUX_SAMPLE_DEFAULT;
	return 0;
}

static int parse_cgroups(const struct option_desc *d, void *field, const char *arg, bool unset)
{
	struct event_requests *events = field;

	if (!unset)
		return cgroup_assign(events, arg);
	events->nr_cgroups = 0;
	vec_for(e, &events->list) {
		free(e->cgroup);
		e->cgroup = NULL;
	}
	return 0;
}

static int parse_cpus(const struct option_desc *d, void *field, const char *arg, bool unset)
{
	struct target *t = field;
	const char *bad;

	cpus_release(&t->cpus);
	t->has_cpus = !unset;
	if (unset || !cpus_parse(&t->cpus, arg, &bad))
		return 0;
	return error("option '-C' needs a list of CPUs such as 0-3,8, not '%s' (at '%s')", arg, bad);
}

static int parse_pids(const struct option_desc *d, void *field, const char *arg, bool unset)
{
	struct pid_list *pids = field;

	if (!unset)
		return pids_parse(pids, d->name, arg);
	vec_free(&pids->list);
	return 0;
}

static int parse_user(const struct option_desc *d, void *field, const char *arg, bool unset)
{
	struct target *t = field;

	t->has_user = !unset;
	return unset ? 0 : user_parse(&t->user, arg);
}

static const struct { const char *name; int32_t id; } clocks[] = {
	{ "monotonic", CLOCK_MONOTONIC }, { "mono", CLOCK_MONOTONIC },
	{ "monotonic_raw", CLOCK_MONOTONIC_RAW }, { "raw", CLOCK_MONOTONIC_RAW },
	{ "realtime", CLOCK_REALTIME }, { "real", CLOCK_REALTIME },
	{ "boottime", CLOCK_BOOTTIME }, { "boot", CLOCK_BOOTTIME },
	{ "tai", CLOCK_TAI },
};

static int parse_clock(const struct option_desc *d, void *field, const char *arg, bool unset)
{
	struct sampling_opts *s = field;
	const char *name;
	char *end;
	long number;

	s->clock_given = true;
	s->use_clockid = !unset;
	if (!arg)
		return 0;
	name = strncasecmp(arg, "CLOCK_", 6) ? arg : arg + 6;
	number = strtol(arg, &end, 0);
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
		if (strcasecmp(clocks[i].name, name) && (!*arg || *end || clocks[i].id != number))
			continue;
		s->clockid = clocks[i].id;
		return 0;
	}
	return error("unknown clock '%s'; there are: monotonic (1), monotonic_raw (4), realtime (0), boottime (7), tai (11)", arg);
}

static int parse_schedule(const struct option_desc *d, void *field, const char *arg, bool unset)
{
	if (!unset)
		return schedule_parse(field, arg);
	schedule_release(field);
	return 0;
}

static const struct { char suffix; uint64_t ms; } time_units[] = {
	{ 's', 1000 }, { 'm', 60 * 1000 }, { 'h', 3600 * 1000 }, { 'd', 24 * 3600 * 1000 },
};

/* "30s", "2m"; false if it is no time. */
static bool rotate_time(const char *arg, uint64_t *ms)
{
	char *end;
	unsigned long long v = strtoull(arg, &end, 10);

	if (end == arg || !*end || end[1] || !v || v > INT_MAX)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(time_units); i++) {
		if (time_units[i].suffix != *end)
			continue;
		*ms = v * time_units[i].ms;
		return true;
	}
	return false;
}

/* "100M"; false if it is no size with a suffix. */
static bool rotate_size(const char *arg, uint64_t *bytes)
{
	size_t n = strlen(arg);

	return n && strchr("BKMG", arg[n - 1]) && !parse_size(arg, bytes) && *bytes;
}

/* Parses --switch-output. SIGUSR2 switches the output file, too, whatever the argument is. */
static int parse_switch(const struct option_desc *d, void *field, const char *arg, bool unset)
{
	struct output_opts *o = field;
	char *list, *rest, *word;
	int err = 0;

	o->rotate = !unset;
	o->rotate_bytes = o->rotate_ms = 0;
	if (unset || !arg)
		return 0;
	rest = list = xstrdup(arg);
	while (!err && (word = strsep(&rest, ",")))
		if (!str_eq(word, "signal") && !rotate_size(word, &o->rotate_bytes) && !rotate_time(word, &o->rotate_ms))
			err = error("option '--switch-output' needs 'signal', a size (100M) or a time (30s, 5m, 1h, 1d), not '%s'",
				    word);
	free(list);
	return err;
}

static int parse_max_size(const struct option_desc *d, void *field, const char *arg, bool unset)
{
	uint64_t *bytes = field;

	*bytes = 0;
	if (unset || rotate_size(arg, bytes))
		return 0;
	return error("option '--max-size' needs a size with a suffix B, K, M or G, not '%s'", arg);
}

#define ZSTD_LEVEL_MAX	22

static int parse_level(const struct option_desc *d, void *field, const char *arg, bool unset)
{
	int *level = field;
	uint64_t v = 1;

	if (arg && (parse_count(arg, &v) || v > ZSTD_LEVEL_MAX))
		return error("option '-z' needs a level from 1 to %d, not '%s'", ZSTD_LEVEL_MAX, arg);
	*level = unset ? 0 : (int)v;
	return 0;
}

/* Parses --synth, the list of records to synthesize for existing processes. The kernel's own records are always synthesized. */
static int parse_synth(const struct option_desc *d, void *field, const char *arg, bool unset)
{
	struct recorder_opts *o = field;
	bool all = unset || str_eq(arg, "all");
	char *words, *word, *rest;

	o->synthesize.no_tasks = o->synthesize.no_maps = o->synthesize.no_cgroups = !all;
	if (all || str_eq(arg, "no"))
		return 0;
	words = xstrdup(arg);
	for (word = strtok_r(words, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
		if (str_eq(word, "task"))
			o->synthesize.no_tasks = false;
		else if (str_eq(word, "mmap"))
			o->synthesize.no_maps = o->synthesize.no_tasks = false;
		else if (str_eq(word, "cgroup"))
			o->synthesize.no_cgroups = false;
		else
			break;
	}
	free(words);
	return word ? error("option '--synth' needs no, all, or a list of task, mmap and cgroup, not '%s'", arg) : 0;
}

static int parse_threads(const struct option_desc *d, void *field, const char *arg, bool unset)
{
	if (!unset)
		return thread_layout_parse(field, arg ? arg : "");
	thread_layout_release(field);
	return 0;
}

static int parse_affinity(const struct option_desc *d, void *field, const char *arg, bool unset)
{
	enum affinity_mode *mode = field;

	*mode = unset ? AFFINITY_ANY : str_eq(arg, "node") ? AFFINITY_NODE : AFFINITY_CPU;
	if (*mode == AFFINITY_CPU && !str_eq(arg, "cpu"))
		return error("option '--affinity' needs 'node' or 'cpu', not '%s'", arg);
	return 0;
}

static int parse_flush(const struct option_desc *d, void *field, const char *arg, bool unset)
{
	uint64_t *bytes = field;

	*bytes = 0;
	if (unset || !parse_size(arg, bytes))
		return 0;
	return error("option '--mmap-flush' needs a number of bytes, or a size such as 64K, not '%s'", arg);
}

/* Parses --aio, the number of simultaneous writes. It has no effect, because one write at a time is enough at prec's sizes. */
static int parse_aio(const struct option_desc *d, void *field, const char *arg, bool unset)
{
	uint64_t nr;

	(void)d, (void)field, (void)unset;
	if (arg && parse_count(arg, &nr))
		return error("option '--aio' needs a number, not '%s'", arg);
	return 0;
}

#define OPTS struct record_opts
#define NO_BPF "prec compiles no BPF programs; "

const struct option_desc record_options[] = {
	OPT_COMMON("e,a,C,p,off-cpu,off-cpu-args,F,c,n,g,call-graph,o,on,max-size,archive"),
	OPT_GROUP("what to record"),
	OPT_CALL('e', "event", OPTS, rec.events, "event", parse_events, "events, such as cpu-clock,page-faults:u"),
	OPT_CALL(0, "pfm-events", OPTS, rec.events, "event", parse_events, "the same, for names as libpfm4 has them"),
	OPT_CALL(0, "bpf", OPTS, rec.events, "file", parse_bpf, "only samples that the BPF program in <file>[:name] keeps"),
	OPT_CALL(0, "bpf-set", OPTS, rec.events, "name=value", parse_bpf_set, "set a variable of that program before it is loaded"),
	OPT_CALL_FLAGS(0, "bpf-maps", OPTS, rec.maps, "time", parse_bpf_maps, OPTION_OPTIONAL,
		       "print what is in the maps and variables of --bpf at the end, and every <time>"),
	OPT_BOOL(0, "json", OPTS, rec.maps.json, "print them as JSON"),
	OPT_CALL(0, "filter", OPTS, rec.events, "expr", parse_filter,
		 "only hits or samples that match; of hardware trace, this code"),
	OPT_CALL(0, "exclude-perf", OPTS, rec.events, NULL, parse_exclude_perf, "of those, no hits of prec itself"),
	OPT_BOOL('a', "all-cpus", OPTS, rec.target.all_cpus, "everything on every CPU (with -- sleep 3: for 3 s)"),
	OPT_CALL('C', "cpu", OPTS, rec.target, "list", parse_cpus, "everything on these CPUs"),
	OPT_CALL('p', "pid", OPTS, rec.target.pids, "list", parse_pids, "these processes (with -- sleep 3: for 3 s)"),
	OPT_CALL('t', "tid", OPTS, rec.target.tids, "list", parse_pids, "these threads"),
	OPT_CALL('G', "cgroup", OPTS, rec.events, "names", parse_cgroups,
		 "with -a or -C: events before it only in a cgroup, as of a container"),
	OPT_CALL('u', "uid", OPTS, rec.target, "user", parse_user, "all processes of a user"),
	OPT_BOOL(0, "per-thread", OPTS, rec.target.per_thread, "follow each thread by itself, one ring a thread"),
	OPT_BOOL(0, "children", OPTS, rec.target.children, "with -p, children that run already, too"),
	OPT_BOOL('i', "no-inherit", OPTS, rec.target.no_inherit, "leave out new threads and children"),
	OPT_BOOL(0, "all-user", OPTS, rec.sampling.all_user, "user space only, for all events"),
	OPT_BOOL(0, "all-kernel", OPTS, rec.sampling.all_kernel, "the kernel only, for all events"),
	OPT_CALL('D', "delay", OPTS, rec.schedule, "ms", parse_schedule, "begin so much later, or 100-200,300-400; -1: never"),
	OPT_STRING(0, "control", OPTS, rec.control, "channel", "commands from fifo:PATH[,PATH] or fd:IN[,OUT]"),
	OPT_BOOL(0, "switch-events", OPTS, rec.sampling.switches, "context switches too"),
	OPT_BOOL(0, "latency", OPTS, rec.sampling.switches,
		 "context switches, for how many threads ran at a time (report --latency)"),
	OPT_BOOL(0, "off-cpu", OPTS, off_cpu, "how long, where and why threads wait: event offcpu-time"),
	OPT_CALL(0, "off-cpu-thresh", OPTS, rec.short_waits_ns, "ms", parse_trigger_time,
		 "sum up shorter waits by thread, stack and state, instead of writing each (0: none)"),
	OPT_BOOL(0, "off-cpu-args", OPTS, off_cpu_args, "--off-cpu with the locks, descriptors and children that threads wait for"),
	OPT_BOOL(0, "run-queue", OPTS, runqueue, "how many threads wait for a CPU, at samples of cpu-clock (report --run-queue)"),
	OPT_BOOL(0, "namespaces", OPTS, rec.sampling.namespaces, "namespaces of processes too"),
	OPT_BOOL(0, "all-cgroups", OPTS, rec.sampling.cgroups, "names of cgroups too"),
	OPT_BOOL(0, "no-bpf-event", OPTS, rec.sampling.no_bpf_events, "leave out loading of BPF programs"),

	OPT_GROUP("how to sample"),
	OPT_CALL('F', "freq", OPTS, rec, "hz", parse_freq, "samples a second (4000), or max"),
	OPT_BOOL(0, "strict-freq", OPTS, strict_freq, "fail where the kernel does not allow that many"),
	OPT_CALL('c', "count", OPTS, rec, "n", parse_period, "a sample every <n> events (ns for clocks)"),
	OPT_CALL('g', NULL, OPTS, rec.sampling, NULL, parse_call_graph, "call graphs: auto for a command or processes, else fp"),
	OPT_CALL(0, "call-graph", OPTS, rec.sampling, "mode", parse_call_graph,
		 "call graphs by frame pointers (fp[,defer]), by copies of the stack (dwarf[,<bytes>[-<bytes>]]), "
		 "by both (auto[,<bytes>]) or by branches (lbr)"),
	OPT_CALL(0, "unwind", OPTS, rec.live, "when", parse_unwind,
		 "unwind stacks while recording (live[,<memory>[,<file>]]) or when they are read (later)"),
	OPT_BOOL(0, "kernel-callchains", OPTS, kernel_chains, "only the kernel's part of call graphs"),
	OPT_BOOL(0, "user-callchains", OPTS, user_chains, "only user space's part of call graphs"),
	OPT_CALL_FLAGS('b', "branch-any", OPTS, rec.sampling.branches, NULL, parse_branches, 0, "branches taken before"),
	OPT_CALL('j', "branch-filter", OPTS, rec.sampling.branches, "kinds", parse_branches,
		 "these kinds of branches: any_call,u"),
	OPT_BOOL('d', "data", OPTS, rec.sampling.addr, "data addresses"),
	OPT_BITS(0, "sample-mem-info", OPTS, rec.sampling.sample_bits, PERF_SAMPLE_DATA_SRC, "where data came from"),
	OPT_BOOL(0, "data-mmap", OPTS, rec.sampling.data_maps, "maps of data, not only of code"),
	OPT_BITS(0, "phys-data", OPTS, rec.sampling.sample_bits, PERF_SAMPLE_PHYS_ADDR, "physical addresses of data"),
	OPT_BITS(0, "data-page-size", OPTS, rec.sampling.sample_bits, PERF_SAMPLE_DATA_PAGE_SIZE, "sizes of data pages"),
	OPT_BITS(0, "code-page-size", OPTS, rec.sampling.sample_bits, PERF_SAMPLE_CODE_PAGE_SIZE, "sizes of code pages"),
	OPT_BITS('W', "weight", OPTS, rec.sampling.sample_bits, PERF_SAMPLE_WEIGHT_STRUCT, "costs of samples"),
	OPT_BITS(0, "transaction", OPTS, rec.sampling.sample_bits, PERF_SAMPLE_TRANSACTION, "flags of transactions"),
	OPT_CALL_FLAGS('I', "intr-regs", OPTS, rec.sampling.intr_regs, "regs", parse_regs, OPTION_OPTIONAL,
		       "registers at the sample; ?: their names"),
	OPT_CALL_FLAGS(0, "user-regs", OPTS, rec.sampling.user_regs, "regs", parse_regs, OPTION_OPTIONAL,
		       "registers of user space; ?: their names"),
	OPT_BOOL('R', "raw-samples", OPTS, rec.sampling.raw, "the raw data of events"),
	OPT_BOOL('s', "stat", OPTS, rec.sampling.read, "counts of each thread at its end"),
	OPT_BOOL('T', "timestamp", OPTS, timestamp, "the time of each sample (default)"),
	OPT_BOOL_GIVEN('P', "period", OPTS, rec.sampling.period_bit, period_bit_given, "periods of samples"),
	OPT_BOOL(0, "sample-cpu", OPTS, rec.sampling.cpu, "CPUs of samples"),
	OPT_IGNORED(0, "sample-identifier", NULL, 0, "ids of samples in front (always so)"),
	OPT_BOOL(0, "running-time", OPTS, rec.sampling.running_time, "with counts, how long they were enabled and counted"),
	OPT_CALL('k', "clockid", OPTS, rec.sampling, "clock", parse_clock, "the clock of times: monotonic, boottime, ..."),
	OPT_BOOL('n', "no-samples", OPTS, rec.sampling.no_samples, "count only"),
	OPT_CALL(0, "interval-print", OPTS, rec.counts_ns, "ms", parse_trigger_time, "with -n, print counts every <ms>, too"),

	OPT_GROUP("output"),
	OPT_STRING('o', "output", OPTS, rec.output.path, "file",
		   "write to <file> (perf.data); -: standard output; x.html: only a page"),
	OPT_CALL('m', "mmap-pages", OPTS, rec, "pages", parse_ring, "pages of a ring, or a size: 512K; and of an AUX area: ,4M"),
	OPT_CALL_FLAGS('S', "snapshot", OPTS, aux, "size", parse_snapshot, OPTION_OPTIONAL,
		       "save hardware trace only at SIGUSR2; e: at the end, too"),
	OPT_CALL_FLAGS(0, "aux-sample", OPTS, aux.sample_bytes, "size", parse_aux_sample, OPTION_OPTIONAL,
		       "only the newest hardware trace, with each sample"),
	OPT_BOOL(0, "overwrite", OPTS, rec.sampling.overwrite, "rings keep the newest, written at the end (or at each switch)"),
	OPT_CALL_FLAGS(0, "switch-output", OPTS, rec.output, "when", parse_switch, OPTION_OPTIONAL,
		       "a new file at SIGUSR2 (signal), after a size or a time"),
	OPT_CALL(0, "switch-output-event", OPTS, rec.events, "event", parse_trigger,
		 "a new file at each hit of an event, which is not recorded"),
	OPT_CALL(0, "on", OPTS, rec.events, "trigger", parse_trigger,
		 "then begin a new file, or with --overwrite write what came before: an event, slow:PATH:FUNC>5ms, wait>1s, "
		 "signal:USR1, file:PATH, load>4, psi:io>10%"),
	OPT_CALL(0, "after", OPTS, rec.triggers.after_ns, "ms", parse_trigger_time, "with --on, and so long after it"),
	OPT_BOOL(0, "once", OPTS, once, "with --on, one dump, which ends the recording"),
	OPT_U64(0, "at-most", OPTS, rec.triggers.at_most, "n", "with --on, <n> dumps, the last of which ends the recording"),
	OPT_CALL(0, "pause", OPTS, rec.triggers.pause_ns, "ms", parse_trigger_time, "with --on, no dump so soon after another"),
	OPT_U64(0, "switch-max-files", OPTS, rec.output.max_files, "n", "keep only the newest <n> files"),
	OPT_STRING(0, "on-file", OPTS, rec.on_file, "command", "run <command> for each finished file: {} is its name"),
	OPT_BOOL(0, "timestamp-filename", OPTS, rec.output.timestamp, "the time at the end of file names"),
	OPT_IGNORED(0, "timestamp-boundary", NULL, 0, "times of first and last sample in the header (always so)"),
	OPT_CALL(0, "max-size", OPTS, rec.output.max_bytes, "size", parse_max_size, "stop when that much is written"),
	OPT_CALL_FLAGS('z', "compression-level", OPTS, rec.output.zstd_level, "level", parse_level, OPTION_OPTIONAL,
		       "compress with zstd, level 1 (default) to 22"),
	OPT_CALL_FLAGS(0, "threads", OPTS, rec.threads, "spec", parse_threads, OPTION_OPTIONAL,
		       "one thread a cpu, core, package or numa node, or CPUS/AFFINITY:...; writes a directory"),
	OPT_BOOL(0, "kcore", OPTS, rec.output.kcore, "keep a copy of the kernel's code; writes a directory"),
	OPT_CALL(0, "affinity", OPTS, rec.drain.affinity, "where", parse_affinity,
		 "threads that empty rings run on the ring's node or cpu"),
	OPT_CALL(0, "mmap-flush", OPTS, rec.drain.min_bytes, "size", parse_flush, "leave less than that in a ring for a while"),
	OPT_BOOL(0, "no-buffering", OPTS, rec.sampling.no_buffering, "write each record at once"),
	OPT_CALL_FLAGS(0, "aio", OPTS, rec, "n", parse_aio, OPTION_OPTIONAL | OPTION_NOTED,
		       "has no effect: writes are few and large"),
	OPT_BOOL(0, "tail-synthesize", OPTS, rec.tail_synthesize, "describe running processes at the end, not the start"),
	OPT_CALL(0, "synth", OPTS, rec, "what", parse_synth, "which records of what runs: all, no, task, mmap, cgroup"),
	OPT_U64(0, "num-thread-synthesize", OPTS, rec.synthesize.threads, "n", "describe running processes with <n> threads"),
	OPT_U64(0, "proc-map-timeout", OPTS, rec.synthesize.map_timeout_ms, "ms",
		"read a process's maps no longer than that (500)"),
	OPT_BOOL(0, "open", OPTS, open, "at the end show the recording, on a terminal"),
	OPT_BOOL(0, "archive", OPTS, archive, "at the end look up all names, and keep them in the file: as prec archive"),
	OPT_BOOL('N', "no-buildid-cache", OPTS, rec.no_copies, "keep no copies of what runs in ~/.debug"),
	OPT_BOOL_GIVEN(0, "python", OPTS, rec.python, rec.python_given,
		       "frames of Python, whatever is recorded (default: where the command, or a process of -p, is Python)"),
	OPT_BOOL(0, "no-jit-map", OPTS, rec.no_jit_maps, "keep no copies of /tmp/perf-PID.map in the recording"),
	OPT_BOOL('B', "no-buildid", OPTS, rec.no_build_ids, "no build ids in the header"),
	OPT_BOOL(0, "buildid-all", OPTS, rec.all_build_ids, "build ids of all mapped files in the header"),
	OPT_BOOL(0, "buildid-mmap", OPTS, map_build_ids, "build ids in the records of maps (default)"),
	OPT_U64('r', "realtime", OPTS, rec.priority, "priority", "record with this real-time priority"),
	OPT_BOOL(0, "dry-run", OPTS, dry_run, "check the options, record nothing"),
	OPT_STRICT(OPTS, strict),
	OPT_COUNT('v', "verbose", OPTS, verbose, "say more"),
	OPT_BOOL('q', "quiet", OPTS, quiet, "say only what went wrong"),
	/* With perf, this fetches files for the cache ~/.debug. prec record does not need them. */
	OPT_IGNORED(0, "debuginfod", "urls", OPTION_OPTIONAL | OPTION_HIDDEN | OPTION_NOTED,
		    "nothing is fetched from servers while recording"),
	OPT_NO_EFFECT(0, "vmlinux", "file", "no event needs the kernel's file while recording; report and script have -k"),
	OPT_ABSENT(0, "group", "put braces around the events: -e '{a,b}'"),
	OPT_ABSENT(0, "setup-filter",
		   "each --filter is a program of its own, with nothing to pin. Users other than root have --filter by a prec with "
		   "capabilities (setcap cap_bpf,cap_perfmon+ep), or record all and choose in script and report"),
	OPT_ABSENT(0, "clang-path", NO_BPF "--bpf takes what clang made"),
	OPT_ABSENT(0, "clang-opt", NO_BPF "--bpf takes what clang made"),
	OPT_END
};
