/*
 * prec record: parses the command line, checks whether the options can be combined, chooses defaults such as the ring size, and
 * runs the recorder (core/record/loop/recorder_opts.h). record_options.c has the option table.
 */
#include "cmd/cmd.h"
#include "cmd/archiving.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/stat.h>
#include <unistd.h>

#include "auxtrace/aux_events.h"
#include "auxtrace/recording.h"
#include "cmd/record_options.h"
#include "core/base/log.h"
#include "core/ui/shell_word.h"
#include "core/record/events/event_parse.h"
#include "core/record/events/permissions.h"
#include "core/record/bpf/bpf_object.h"
#include "core/record/bpf/filter_program.h"
#include "core/record/open/off_cpu.h"
#include "core/record/loop/recorder_opts.h"
#include "core/record/loop/signals.h"

#define MAP_TIMEOUT_MS	500
#define RATE_MAX	1000000u	/* maximum number of samples per second that a ring is sized for */
#define SAMPLE_BYTES	64		/* usual size of a sample without call chain */
#define SWITCHES_BYTES	2048		/* bytes per sample with --off-cpu, for a thread that waits and is woken 20 times */
#define SWITCH_RATE	DEFAULT_FREQ	/* switches per second, each with a stack, that a ring has room for with --off-cpu */
#define RING_MS		500		/* a ring should hold the samples of so many milliseconds */
#define FITTED_RING_MAX	(4u << 20)
#define LIVE_RING_MS	125		/* the same for stacks of the maximum size that are unwound while recording */
#define LIVE_RING_MAX	(4u << 20)	/* each page of a ring costs the recorder a fault when it is read for the first time */
#define LIMITED_RING_MS	250		/* the same for users other than root, for stacks of the usual size */
#define BESIDE_RING	(160u << 10)	/* other locked memory of a CPU: control pages, the ring for records of maps and tasks */
#define WAKEUP_SHARE	8		/* the reader of a ring with stacks is woken when one part in this many is full, */
#define LIVE_WAKEUP_SHARE 4		/* or one in this many, for root, if stacks are unwound while recording */
#define RING_STACKS	64		/* minimum number of stacks that a ring has room for, if the default size allows it */
#define FITTED_RINGS_MAX (256u << 20)	/* maximum size of the rings of all CPUs together */
#define DEFAULT_OUTPUT	"perf.data"

static const char record_usage[] = "prec record [<options>] [--] [<command>]";

static bool stdout_is_pipe(void)
{
	struct stat st;

	return !fstat(STDOUT_FILENO, &st) && S_ISFIFO(st.st_mode);
}

static int plan_output(struct output_opts *o, const char *on_file)
{
	bool stream = str_eq(o->path, "-");

	if (stream && (o->rotate || o->timestamp))
		return error("a stream to standard output has no name and no end to switch at: give -o <file>");
	if (stream && on_file)
		return error("a stream to standard output is no file for --on-file: give -o <file>");
	if (stream && o->kcore)
		return error("--kcore writes a directory, and no stream: give -o <directory>");
	if (o->max_files && !o->rotate)
		warning("--switch-max-files without --switch-output has no effect");
	o->timestamp = o->timestamp || o->rotate;
	return 0;
}

static int check_archive(const struct record_opts *o)
{
	const struct output_opts *out = &o->rec.output;

	if (!o->archive)
		return 0;
	if (str_eq(out->path, "-"))
		return error("--archive looks names up when the file is whole, and a pipe has gone then: give -o <file>");
	if (out->rotate || out->timestamp)
		return error("--archive is for one file: of several, prec archive makes archives (--on-file can call it)");
	if (out->kcore || o->rec.threads.given)
		return error("--archive writes one file, and --threads and --kcore a directory: use prec archive afterwards");
	return 0;
}

static int check_threads(const struct record_opts *o)
{
	if (!o->rec.threads.given)
		return 0;
	if (str_eq(o->rec.output.path, "-"))
		return error("--threads writes a directory, and no stream: give -o <directory>");
	if (o->rec.target.per_thread && !o->rec.target.has_cpus)
		return error("--threads shares out CPUs, and --per-thread has rings of threads: give one of them");
	if (o->rec.drain.affinity)
		return error("--affinity and --threads are two answers to one question: give one of them");
	return 0;
}

/* Limits --mmap-flush to a quarter of a ring: the kernel wakes the recorder, which then empties it, at a half. */
static void plan_flush(struct recorder_opts *o)
{
	uint64_t most = o->ring_bytes / 4;

	if (o->drain.min_bytes > most) {
		info("--mmap-flush is at most a quarter of a ring: %llu bytes", (unsigned long long)most);
		o->drain.min_bytes = most;
	}
	o->drain.no_buffering = o->sampling.no_buffering;
}

static bool any_chain(const struct recorder_opts *o, enum chain_mode mode)
{
	vec_for(e, &o->events.list)
		if (e->terms.given & TERM_CHAIN && e->terms.chain == mode)
			return true;
	return o->sampling.chain == mode;
}

static bool any_overwrite(const struct recorder_opts *o)
{
	vec_for(e, &o->events.list)
		if (e->terms.given & TERM_OVERWRITE && e->terms.overwrite)
			return true;
	return o->sampling.overwrite;
}

static bool unwinds_live(const struct recorder_opts *o)
{
	return any_chain(o, CHAIN_AUTO) || (o->live.all && any_chain(o, CHAIN_DWARF));
}

/* Room for the samples (of @sample bytes) of @ms, but at most @max, and within the limit for all rings. */
static void fit_ring(struct recorder_opts *o, uint64_t sample, uint64_t ms, uint64_t max)
{
	uint64_t freq = (o->sampling.freq ? MIN(o->sampling.freq, RATE_MAX) : DEFAULT_FREQ) +
			(o->off_cpu != OFF_CPU_NONE && unwinds_live(o) ? SWITCH_RATE : 0);
	uint64_t bytes = round_up_power_of_two(MIN(freq * sample * ms / 1000, max));
	uint64_t nr_rings = (uint64_t)MAX(sysconf(_SC_NPROCESSORS_ONLN), 1);

	while (bytes > DEFAULT_RING && bytes * nr_rings > FITTED_RINGS_MAX)
		bytes /= 2;
	o->ring_bytes = MAX(bytes, DEFAULT_RING);
}

/* The largest power of two that this user may lock for a ring. */
static uint64_t ring_limit(void)
{
	uint64_t nr_rings = (uint64_t)MAX(sysconf(_SC_NPROCESSORS_ONLN), 1);
	uint64_t most = MIN(permission_lockable_bytes() / nr_rings, LIVE_RING_MAX + BESIDE_RING);

	return most < DEFAULT_RING + BESIDE_RING ? DEFAULT_RING : 1ull << (63 - __builtin_clzll(most - BESIDE_RING));
}

/* Root: copies leave room for RING_STACKS. Others, whose rings are small, and --off-cpu, with many switches/s: the default size. */
static void fit_stack(struct recorder_opts *o)
{
	if (unwinds_live(o) && !o->sampling.stack_size && (geteuid() || o->off_cpu != OFF_CPU_NONE))
		o->sampling.stack_size = DEFAULT_STACK_SIZE;
	else if (unwinds_live(o) && !o->sampling.stack_size) {
		o->sampling.stack_size = (uint32_t)MAX(MIN(o->ring_bytes / RING_STACKS, STACK_SIZE_MAX), DEFAULT_STACK_SIZE);
		o->sampling.stack_fits = true;
	}
	o->sampling.sheds_parts = unwinds_live(o);
	/* Stacks can be left out only if a thread sees that rings become full. */
	o->sampling.sheds = unwinds_live(o) || (any_chain(o, CHAIN_DWARF) && !o->threads.given && !any_overwrite(o) && !o->aux &&
						!o->sampling.no_buffering);
}

/* "-F max" or stacks fill a default ring in 0.1 s; the recorder may wait longer for a CPU. Limit for non-root: lockable memory. */
static void fit_buffers(struct record_opts *o)
{
	struct recorder_opts *rec = &o->rec;
	uint64_t stack = MAX(rec->sampling.stack_size, rec->sampling.stack_most);
	unsigned share = unwinds_live(rec) && !geteuid() ? LIVE_WAKEUP_SHARE : WAKEUP_SHARE;
	bool fits = !o->ring_given && !rec->target.per_thread, stacks = unwinds_live(rec) || any_chain(rec, CHAIN_DWARF);

	if (fits && !geteuid() && unwinds_live(rec))
		fit_ring(rec, stack ? stack : STACK_SIZE_MAX, LIVE_RING_MS, LIVE_RING_MAX);
	else if (fits && stacks && geteuid())
		fit_ring(rec, stack ? stack : DEFAULT_STACK_SIZE, LIMITED_RING_MS, ring_limit());
	else if (fits && stacks)
		fit_ring(rec, stack ? stack : DEFAULT_STACK_SIZE, RING_MS, FITTED_RING_MAX);
	else if (fits && o->off_cpu && !geteuid())
		fit_ring(rec, SWITCHES_BYTES, RING_MS, FITTED_RING_MAX);
	else if (fits && rec->sampling.freq)
		fit_ring(rec, SAMPLE_BYTES, RING_MS, FITTED_RING_MAX);
	if (stacks)
		rec->sampling.wakeup_bytes = (uint32_t)(rec->ring_bytes / share);
	fit_stack(rec);
}

static int check_cgroups(const struct recorder_opts *o)
{
	vec_for(e, &o->events.list)
		if (e->cgroup && !target_system_wide(&o->target))
			return error("--cgroup watches CPUs: give -a or -C with it");
	return 0;
}

/* Checks the options for stack copies that grow. One thread must read the copies to see whether they are large enough. */
static int check_growth(const struct recorder_opts *o)
{
	if (o->sampling.stack_most && o->threads.given)
		return error("copies of the stack that grow are looked at in one thread: leave out --threads, or give one size");
	if (o->sampling.stack_most && any_overwrite(o))
		return error("copies of the stack that grow are looked at as they are recorded, and --overwrite keeps them: "
			     "give one size");
	return 0;
}

/* Unwinding while recording needs the maps at the time of each sample, so one thread must read all records in order of time. */
static int check_unwind(const struct recorder_opts *o)
{
	const char *option = any_chain(o, CHAIN_AUTO) ? "--call-graph auto" : "--unwind=live";

	if (o->live.all && !unwinds_live(o))
		return error("--unwind=live unwinds copies of the stack: give --call-graph dwarf or auto");
	if (check_growth(o))
		return -1;
	if (!unwinds_live(o))
		return 0;
	if (o->threads.given)
		return error("%s follows all maps in one thread: leave out --threads, or use --call-graph dwarf", option);
	if (any_overwrite(o))
		return error("%s unwinds what comes out of the rings at once, and --overwrite keeps it there: "
			     "use --call-graph dwarf", option);
	return o->aux ? error("%s and hardware trace do not go together: use --call-graph fp or dwarf", option) : 0;
}

/* True if plain -g may unwind while recording. On all CPUs there may be more stacks than can be copied and unwound. */
static bool may_unwind(const struct record_opts *o)
{
	const struct recorder_opts *rec = &o->rec;

	return !target_system_wide(&rec->target) && !rec->target.has_cpus && !rec->threads.given && !any_overwrite(rec) &&
	       !rec->short_waits_ns && !rec->live.all;
}

/* Chooses how -g without a mode finds call chains, and says why if it only follows frame pointers. */
static void choose_chain(struct record_opts *o)
{
	struct recorder_opts *rec = &o->rec;
	bool all = target_system_wide(&rec->target) || rec->target.has_cpus;
	const char *why = may_unwind(o) ? sampling_choose_chain(&rec->sampling, &rec->events) : all ? "of all CPUs" : NULL;

	if (why && rec->sampling.chain_by_default && !rec->sampling.no_user_chain)
		info("-g %s follows frame pointers; where code has none, --call-graph auto finds the callers, and costs more", why);
}

/* Checks --off-cpu-thresh. It pairs context switches while recording, so one thread must read those of all CPUs at once. */
static int check_short_waits(const struct record_opts *o)
{
	const struct recorder_opts *rec = &o->rec;

	if (!rec->short_waits_ns)
		return 0;
	if (!o->off_cpu)
		return error("--off-cpu-thresh is of waits: add --off-cpu");
	if (rec->threads.given)
		return error("--off-cpu-thresh pairs switches of all CPUs in one thread: leave out --threads");
	if (any_overwrite(rec))
		return error("--off-cpu-thresh pairs switches as they come, and --overwrite keeps them: leave out one of them");
	if (any_chain(rec, CHAIN_DWARF) || unwinds_live(rec))
		return error("--off-cpu-thresh sums up waits by the kernel's call chains: use --call-graph fp");
	return 0;
}

/* Plans what triggers save: AUX areas with -S, else the contents of the rings. */
static int plan_triggers(struct record_opts *o)
{
	struct trigger_opts *t = &o->rec.triggers;
	struct output_opts *out = &o->rec.output;

	if (o->once)
		t->at_most = 1;
	if (!t->specs.nr)
		return t->at_most || t->after_ns || t->pause_ns ?
			error("--after, --once, --at-most and --pause belong to --on: there is no trigger") : 0;
	if (any_overwrite(&o->rec) && !o->timestamp)
		return error("--on needs times to end a dump: leave out --no-timestamp");
	o->rec.dumps_exact = any_overwrite(&o->rec) && !o->aux.snapshot;
	o->rec.dumps_only = o->rec.dumps_exact && o->on_given;
	/* If there is only one dump, the recording ends with it, and there is no other file to switch to. */
	if (!o->on_given || (t->at_most != 1 && !o->aux.snapshot))
		out->rotate = true;
	return 0;
}

/* True if a BPF program can filter the samples of all events. Tracepoints and probes have filters of another kind. */
static bool events_allow_programs(const struct event_requests *r)
{
	vec_for(e, &r->list)
		if (event_is_tracepoint(&e->attr) || e->path || e->bpf || e->symbol ||
		    (e->filter && !event_filters_samples(e)))
			return false;
	return true;
}

/* -u records all CPUs and drops samples of other users by a BPF program. If this is not allowed, records the user's processes. */
static int plan_user(struct record_opts *o)
{
	struct target *t = &o->rec.target;
	bool alone = !t->pids.list.nr && !t->tids.list.nr && !t->per_thread && !t->no_inherit && !o->off_cpu;
	char filter[32], *why = NULL;
	size_t last = o->rec.events.last;
	int failed;

	if (!t->has_user)
		return 0;
	if (!o->rec.events.list.nr)
		event_default(&o->rec.events);
	if (!alone || !events_allow_programs(&o->rec.events) || !filter_programs_allowed())
		return pids_of_user(&t->pids, t->user);
	snprintf(filter, sizeof(filter), "uid == %u", (unsigned)t->user);
	o->rec.events.last = 0;
	failed = event_requests_filter(&o->rec.events, filter, &why);
	o->rec.events.last = last;
	free(why);
	if (failed)
		return pids_of_user(&t->pids, t->user);
	t->all_cpus = true;
	return 0;
}

/* Adds an event "bpf-output" if the user's BPF programs write records. The records become samples of this event. */
static void add_bpf_output(struct event_requests *r, struct sampling_opts *s)
{
	unsigned writes = 0;

	vec_for(e, &r->list)
		writes |= e->bpf ? user_program_writes(e->bpf) : 0;
	if (writes)
		vec_push(&r->list, (struct event_request){
			.attr = { .type = PERF_TYPE_SOFTWARE, .size = ATTR_SIZE_VER7, .config = PERF_COUNT_SW_BPF_OUTPUT,
				  .sample_type = PERF_SAMPLE_RAW },
			.name = xstrdup("bpf-output"), .on_all_cpus = true,
			.terms = { .given = TERM_PERIOD, .period = 1 },
		});
	/* Records of ring buffers get the time at which they are read, so the clock must be readable. */
	if (writes & USER_OUTPUT_RINGS && !s->use_clockid) {
		s->use_clockid = true;
		s->clockid = CLOCK_MONOTONIC;
	}
}

static bool any_program(const struct event_requests *r)
{
	vec_for(e, &r->list)
		if (e->bpf)
			return true;
	return false;
}

#define MIN_PRINT_NS	10000000u	/* as perf stat -I */

/* Adds cpu-clock, if no clock is sampled, and all hits of the tracepoints that show run queues. Returns 0 or -1 (printed). */
static int add_runqueue(struct event_requests *r)
{
	static const char hits[] = "sched:sched_switch,sched:sched_wakeup,sched:sched_wakeup_new,sched:sched_migrate_task";
	struct event_error err;
	bool clock = false;

	vec_for(e, &r->list)
		clock |= event_is_clock(&e->attr);
	if (!clock && event_parse(r, "cpu-clock", &err))
		return event_error_print("cpu-clock", &err);
	if (event_parse(r, hits, &err))
		return event_error_print(hits, &err);
	for (size_t i = r->last; i < r->list.nr; i++) {
		r->list.v[i].terms.given |= TERM_PERIOD;
		r->list.v[i].terms.period = 1;
	}
	return 0;
}

/* Adds existing children with --children. Events of a process only follow the children that it creates later. */
static int plan_children(struct target *t)
{
	struct pid_list children = {0};

	if (t->children && !t->pids.list.nr)
		return error("--children are those of the processes of -p");
	if (t->pids.list.nr)
		pids_of_children(&children, &t->pids);
	if (t->children)
		vec_append(&t->pids.list, &children.list);
	else if (children.list.nr && !t->no_inherit)
		info("%zu %s of these processes, which %s already, %s not recorded: --children records them, too",
		     children.list.nr, children.list.nr == 1 ? "child" : "children", children.list.nr == 1 ? "runs" : "run",
		     children.list.nr == 1 ? "is" : "are");
	vec_free(&children.list);
	return 0;
}

static bool target_is_command(const struct target *t)
{
	return !t->all_cpus && !t->has_cpus && !t->has_user && !t->per_thread && !t->pids.list.nr && !t->tids.list.nr;
}

static int plan_record(struct record_opts *o)
{
	struct sampling_opts *s = &o->rec.sampling;

	if (o->freq_given && o->period_given)
		return error("-F and -c are two answers to one question: give one of them");
	if (s->all_user && s->all_kernel)
		return error("--all-user and --all-kernel leave nothing to record");
	if (o->period_given)
		s->freq = 0;
	s->rate_given = o->freq_given || o->period_given;
	s->no_kernel_chain = o->user_chains && !o->kernel_chains;
	s->no_user_chain = o->kernel_chains && !o->user_chains;
	s->no_time = !o->timestamp;
	s->no_period = o->period_bit_given && !s->period_bit;
	s->no_build_ids = !o->map_build_ids;
	o->off_cpu |= o->off_cpu_args;
	if (o->rec.counts_ns && !s->no_samples)
		return error("--interval-print prints counts: it needs -n");
	if ((o->rec.counts_ns && o->rec.counts_ns < MIN_PRINT_NS) || (o->rec.maps.every_ns && o->rec.maps.every_ns < MIN_PRINT_NS))
		return error("--interval-print and --bpf-maps print at most every 10 ms");
	if (o->rec.maps.wanted && !any_program(&o->rec.events))
		return error("--bpf-maps prints the maps of a program: it needs --bpf");
	if (o->rec.maps.json && !o->rec.maps.wanted)
		return error("--json is a form of --bpf-maps: it needs that");
	if (o->runqueue && !o->timestamp)
		return error("--run-queue needs times: leave out --no-timestamp");
	if (o->runqueue && add_runqueue(&o->rec.events))
		return -1;
	/* Threads of other programs wait for the CPUs, too. */
	if (o->runqueue && target_is_command(&o->rec.target))
		o->rec.target.all_cpus = true;
	if (plan_children(&o->rec.target))
		return -1;
	if (plan_user(o) || target_check(&o->rec.target) || check_cgroups(&o->rec))
		return -1;
	s->cpu = s->cpu || s->raw || o->runqueue || target_system_wide(&o->rec.target) || o->rec.target.has_cpus;
	if (!o->rec.output.path)
		o->rec.output.path = stdout_is_pipe() ? "-" : DEFAULT_OUTPUT;
	if (plan_triggers(o) || plan_output(&o->rec.output, o->rec.on_file) || check_threads(o) ||
	    check_archive(o))
		return -1;
	if (!o->rec.events.list.nr)
		event_default(&o->rec.events);
	add_bpf_output(&o->rec.events, s);
	choose_chain(o);
	if (o->off_cpu && !o->timestamp)
		return error("--off-cpu needs times: leave out --no-timestamp");
	if (check_short_waits(o))
		return -1;
	s->wait_sums = o->rec.short_waits_ns;
	if (o->off_cpu)
		o->rec.off_cpu = off_cpu_plan(&o->rec.events, s, &o->rec.target, o->off_cpu_args);
	o->rec.descriptor_names = o->off_cpu_args && o->rec.off_cpu == OFF_CPU_TRACEPOINTS;
	if (aux_record_new(&o->rec.aux, &o->rec, &o->aux))
		return -1;
	/* JIT compilers, logs and BPF programs use this clock, too. */
	if (!o->rec.aux && !s->clock_given) {
		s->use_clockid = true;
		s->clockid = CLOCK_MONOTONIC;
	}
	if (o->rec.aux && o->rec.short_waits_ns)
		return error("hardware trace needs each switch: leave out --off-cpu-thresh");
	if (o->rec.aux && o->rec.threads.given)
		return error("--threads cannot take hardware trace along: leave one of them out");
	if (check_unwind(&o->rec))
		return -1;
	if (sampling_check(s, &o->rec.events, o->strict_freq))
		return -1;
	fit_buffers(o);
	plan_flush(&o->rec);
	return 0;
}

static void record_release(struct record_opts *o)
{
	aux_record_free(o->rec.aux);
	event_requests_release(&o->rec.events);
	trigger_opts_release(&o->rec.triggers);
	thread_layout_release(&o->rec.threads);
	target_release(&o->rec.target);
	schedule_release(&o->rec.schedule);
	findings_release(&o->rec.found);
	free(o->page_recording);
}

/* True for "-g dwarf". Unlike --call-graph, -g takes no argument, so "dwarf" was parsed as the command. */
static bool is_call_graph(char *const *argv, int first)
{
	const char *word = argv[first], *before = first > 1 ? argv[first - 1] : "";

	return before[0] == '-' && before[1] != '-' && str_eq(before + strlen(before) - 1, "g") &&
	       (str_eq(word, "fp") || str_eq(word, "lbr") || str_eq(word, "dwarf") || str_starts(word, "dwarf,") ||
		str_eq(word, "auto") || str_starts(word, "auto,"));
}

/* True if the file at @path was written since @before, whose st_ino is 0 if there was no file. */
static bool was_recorded(const char *path, const struct stat *before)
{
	struct stat now;

	return !stat(path, &now) && S_ISREG(now.st_mode) &&
	       (now.st_ino != before->st_ino || now.st_mtim.tv_sec != before->st_mtim.tv_sec ||
		now.st_mtim.tv_nsec != before->st_mtim.tv_nsec);
}

/* Prints the command that shows the recording, for users at a terminal. */
static void print_next(const struct record_opts *o)
{
	struct buf command = {0};

	buf_puts(&command, o->off_cpu ? "prec report --wall" : "prec report");
	buf_put_option(&command, "-i", str_eq(o->rec.output.path, DEFAULT_OUTPUT) ? NULL : o->rec.output.path);
	fprintf(stderr, "[ prec record: %s shows it ]\n", buf_str(&command));
	buf_release(&command);
}

/* The recorder's exit status; if it is 0, that of archiving, of writing the page, or of --strict. */
static int run(struct record_opts *o)
{
	const char *path = o->rec.output.path;
	struct stat before = {0};
	int status, archived = 0;
	bool recorded;

	if (stat(path, &before))
		before.st_ino = 0;
	status = recorder_run(&o->rec);
	recorded = was_recorded(path, &before);
	if (o->archive && recorded)
		archived = archive_recording(&(struct archiving){ .input.path = path, .output = path, .unwind = true }) ? 1 : 0;
	if (recorded && o->page)
		archived = record_write_page(o);
	else if (recorded && o->open && isatty(STDOUT_FILENO))
		return record_open_view(o);
	else if (recorded && o->open)
		info("standard output is no terminal for --open: prec report%s%s shows the recording",
		     str_eq(path, DEFAULT_OUTPUT) ? "" : " -i ", str_eq(path, DEFAULT_OUTPUT) ? "" : path);
	else if (recorded && !o->rec.sampling.no_samples && log_level() >= 0 && isatty(STDERR_FILENO))
		print_next(o);
	if (!status)
		status = archived;
	return status ? status : strict_status(&o->strict, &o->rec.found);
}

static int parse_and_run(struct record_opts *o, int argc, char **argv)
{
	int nr_args, first = options_parse(record_options, o, record_usage, false, argc, argv, &nr_args);

	if (first < 0)
		return first == -2 ? 0 : first == OPTIONS_FAILED ? 1 : OPTIONS_USAGE;
	log_set_level(o->quiet ? -1 : o->verbose);
	if (nr_args && is_call_graph(argv, first))
		return usage_error("-g takes no word: write --call-graph %s", argv[first]);
	if (nr_args)
		o->rec.workload = argv + first;
	o->rec.target.workload = nr_args;
	if (plan_record(o))
		return OPTIONS_USAGE;
	if (record_wants_page(o) && record_plan_page(o))
		return OPTIONS_USAGE;
	return o->dry_run ? 0 : run(o);
}

int cmd_record(int argc, char **argv)
{
	char **cmdline = xcalloc((size_t)argc + 1, sizeof(*cmdline));	/* the command line, for the file's header */
	struct record_opts o = {
		.rec = { .version = PREC_VERSION, .cmdline = cmdline, .ring_bytes = DEFAULT_RING,
			 .synthesize.map_timeout_ms = MAP_TIMEOUT_MS, .priority = PRIORITY_UNLESS_GIVEN,
			 .sampling.freq = DEFAULT_FREQ, .events.traces = aux_traces },
		.timestamp = true, .map_build_ids = true,
	};
	int status;

	memcpy(cmdline, argv, (size_t)argc * sizeof(*cmdline));
	signals_hold(&o.rec.mask);
	status = parse_and_run(&o, argc, argv);

	record_release(&o);
	free(cmdline);
	return status;
}
