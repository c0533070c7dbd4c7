/*
 * Writes the start of each output file (records of the existing processes) and its end (lost counts and feature sections), for
 * recorder.c. In between, ring_drain.c writes the records of the ring buffers.
 */
#include "core/record/loop/recorder_state.h"

#include <string.h>

#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/perfdata/data_writer.h"
#include "core/perfdata/feature.h"
#include "core/record/host/hostinfo.h"
#include "core/record/host/preamble.h"
#include "core/record/open/event_set.h"
#include "core/record/loop/bpf_rings.h"
#include "core/record/loop/counting.h"
#include "core/record/loop/descriptors.h"
#include "core/record/loop/hotplug.h"
#include "core/record/live/jit_maps.h"
#include "core/record/live/binary_saver.h"
#include "core/record/live/live_unwind.h"
#include "core/record/loop/losses.h"
#include "core/record/loop/pumps.h"
#include "core/record/loop/recorder_aux.h"
#include "core/record/loop/recorder_opts.h"
#include "core/record/loop/short_waits.h"
#include "core/record/loop/summary.h"
#include "core/record/live/python.h"
#include "core/record/live/python_process.h"
#include "core/unwind/chain_cuts.h"

/* ---- opening ---- */

static void add_tracing(struct features *f, const struct recorder *r)
{
	if (!r->tracing.len)
		return;
	f->tracing_data = xmalloc(r->tracing.len);
	f->tracing_data_size = r->tracing.len;
	memcpy(f->tracing_data, r->tracing.data, r->tracing.len);
	f->has[FEATURE_TRACING_DATA] = true;
}

static void add_off_cpu(struct features *f, const struct recorder *r)
{
	f->off_cpu = r->o->off_cpu;
	f->has[FEATURE_OFF_CPU] = r->o->off_cpu != OFF_CPU_NONE;
}

/* Writes the header sections that are known at the start: all that a live stream or the file of a killed recorder has. */
static int write_early_header(struct recorder *r)
{
	struct features f = {0};
	int err;

	if (str_eq(r->o->output.path, "-"))
		preamble_features(&f, r->o->version, r->o->cmdline, &r->at.set);
	else
		hostinfo_read_names(&f, r->o->version, r->o->cmdline);
	add_tracing(&f, r);
	add_off_cpu(&f, r);
	err = data_writer_write_header(r->output.file.writer, &f, &r->at.set.table);
	features_release(&f);
	return err;
}

/* Sets the output of the readers to the current file. */
static void set_writers(struct recorder *r)
{
	for (size_t i = 0; i < r->readers.nr; i++)
		r->readers.list[i].writer = output_writer(&r->output, i);
}

/* Fits the groups of --threads to the recorded CPUs. Each group has a file. */
static int fit_threads(struct recorder *r)
{
	const struct target *t = &r->o->target;

	if (!r->o->threads.given)
		return 0;
	if (thread_layout_fit(&r->o->threads, t->has_cpus ? &t->cpus : &r->at.online, &r->at.online))
		return -1;
	r->o->output.nr_parts = (unsigned)r->o->threads.shares.nr;
	r->o->drain.no_rounds = true;
	return 0;
}

/* Counts the clock's samples as they are read. */
static void watch_clock(struct recorder *r)
{
	const struct target *t = &r->o->target;

	cpu_accounting_plan(&r->cpu_accounting, r->o, &r->at.set, t->has_cpus ? &t->cpus : &r->at.online);
	for (size_t i = 0; i < r->readers.nr && r->cpu_accounting.source != COVERAGE_UNKNOWN; i++)
		stats_watch_clock(&r->readers.list[i].stats, r->cpu_accounting.event,
				  r->cpu_accounting.source == COVERAGE_PROC_STAT);
}

#define LOOKS_BYTES	(4ull << 20)	/* maximum bytes of samples that wait to be inspected */

static bool python_is_seen(const struct recorder_opts *o)
{
	if (o->workload && command_is_python(o->workload[0]))
		return true;
	vec_for(pid, &o->target.pids.list)
		if (process_has_python((uint32_t)*pid))
			return true;
	vec_for(tid, &o->target.tids.list)
		if (process_has_python((uint32_t)*tid))
			return true;
	return false;
}

static bool overwrites(const struct recorder_opts *o)
{
	vec_for(e, &o->events.list)
		if (e->terms.given & TERM_OVERWRITE && e->terms.overwrite)
			return true;
	return o->sampling.overwrite;
}

/*
 * True if Python frames can be recorded. A stream has no sections of prec's own. Chains that are unwound later have no place for
 * the frames. Overwrite ring buffers are read when the frames that the BPF program sent have been dropped already.
 */
bool recorder_wants_python(const struct recorder_opts *o)
{
	if (str_eq(o->output.path, "-") || o->threads.given || o->aux || o->short_waits_ns || overwrites(o) ||
	    (o->sampling.chain == CHAIN_DWARF && !o->live.all))
		return false;
	return o->python_given ? o->python : python_is_seen(o);
}

/* Opens the reading of Python frames, if wanted. Samples then pass through live_unwind.h, which adds the frames. */
static int open_python(struct recorder *r)
{
	char *why = NULL;

	if (!r->reads_python)
		return 0;
	r->python = python_new(&r->at.set, &why);
	r->o->live.python = r->python;
	if (r->python)
		return 0;
	if (r->o->python_given)
		error("--python: %s", why);
	else
		info("frames of Python are not read: %s", why);
	free(why);
	return r->o->python_given ? -1 : 0;
}

/* Opens the threads that unwind stacks while recording: all stacks, or only some to check if their copies are large enough. */
static int open_unwinders(struct recorder *r)
{
	const struct live_unwind_opts probe = { .all = true, .given = true, .file_given = true, .queue_bytes = LOOKS_BYTES,
						.probes_stacks = true };
	const struct sampling_opts *s = &r->o->sampling;

	r->o->live.keeps_java = !str_eq(r->o->output.path, "-");
	if (live_unwind_new(&r->live, &r->at.set, s, &r->o->live))
		return -1;
	if (s->stack_most && !r->live && live_unwind_new(&r->stack_probe, &r->at.set, s, &probe))
		return -1;
	r->o->drain.live = r->live;
	r->o->drain.stack_probe = r->stack_probe;
	return 0;
}

/* Opens the ring buffers of BPF programs, which are drained after the perf ring buffers and before the AUX areas. */
static int open_bpf_rings(struct recorder *r)
{
	struct drain *rings = r->readers.list[0].rings, *own;

	if (bpf_rings_open(&r->bpf_rings, &r->at.set, r->stats))
		return -1;
	if (!r->bpf_rings)
		return 0;
	own = bpf_rings_drain(r->bpf_rings);
	own->next = rings->next;
	rings->next = own;
	return 0;
}

/*
 * True if samples are large or come in bursts, so that a copy of the ring buffers is worth its cost. Checks r->live, too, because
 * the attrs of events that are unwound no longer have the copy of the stack.
 */
static bool is_much(const struct recorder *r)
{
	vec_for(ev, &r->at.set.table.events)
		if ((*ev)->attr.sample_type & PERF_SAMPLE_STACK_USER)
			return true;
	return r->live || r->o->sampling.switches || r->o->off_cpu != OFF_CPU_NONE;
}

/*
 * Opens the thread that copies ring buffers. Four kinds of recordings never have it: with overwrite ring buffers, which keep their
 * data (pumps_new() checks this); with AUX areas, which must be read together with their ring buffers; with --threads, where each
 * reader has its own CPUs and file; and unbuffered ones, which write each record when it arrives.
 */
static void open_pumps(struct recorder *r)
{
	const struct sampling_opts *s = &r->o->sampling;

	if (is_much(r) && r->readers.nr == 1 && !r->o->threads.given && !r->o->aux && !s->no_buffering && !r->o->drain.no_buffering)
		r->pumps = pumps_new(&r->at.set, &r->readers.list[0], r->live);
}

static enum mapped_ids ids_wanted(const struct recorder *r)
{
	bool kernel_gives_ids = event_set_side_band(&r->at.set)->attr.build_id;

	if (r->o->no_build_ids)
		return MAPPED_IDS_NONE;
	return r->o->all_build_ids || !kernel_gives_ids ? MAPPED_IDS_READ : MAPPED_IDS_GIVEN;
}

int recorder_open_output(struct recorder *r)
{
	r->o->drain.idle_rounds = str_eq(r->o->output.path, "-");
	if (open_python(r) || open_unwinders(r))
		return -1;
	preamble_tracing_data(&r->tracing, &r->o->events);
	if (r->o->short_waits_ns)
		r->short_waits = short_waits_new(&r->at.set.table, &r->tracing, r->o->short_waits_ns);
	r->o->drain.waits = r->short_waits;
	if (r->o->descriptor_names)
		r->descriptors = descriptors_new(&r->at.set, &r->tracing);
	r->o->drain.descriptors = r->descriptors;
	r->o->drain.kept = &r->side_band;
	r->side_band.wanted = r->o->triggers.specs.nr && !r->o->threads.given && !r->o->tail_synthesize;
	if (fit_threads(r) || output_open(&r->output, &r->o->output, &r->at.set.table) ||
	    readers_init(&r->readers, &r->at.set, &r->o->threads, &r->o->drain, ids_wanted(r)))
		return -1;
	open_pumps(r);
	r->stats = &r->readers.list[0].stats;
	watch_clock(r);
	for (size_t i = 0; i < r->readers.nr; i++) {
		r->readers.list[i].stats.binary_saver = r->binary_saver;
		if (r->jit_maps)
			stats_see_jit_maps(&r->readers.list[i].stats, r->jit_maps);
		r->readers.list[i].stats.python = r->python;
	}
	r->readers.report_writes = r->o->output.max_bytes || r->o->output.rotate_bytes;
	set_writers(r);
	if (r->o->aux && r->o->aux->start(r->o->aux, &r->at.set, r->stats, r->readers.list[0].rings))
		return -1;
	return open_bpf_rings(r) ? -1 : write_early_header(r);
}

/* ---- what was there before ---- */

static int append(struct recorder *r, struct buf *b)
{
	int err = b->len ? data_writer_append(r->output.file.writer, b->data, b->len) : 0;

	b->len = 0;
	if (err)
		r->write_error = err;
	return err;
}

/* Appends the records at the begin of each file that describe the hardware trace in it. */
static int append_aux(struct recorder *r)
{
	struct buf b = {0};
	int err;

	if (!r->o->aux)
		return 0;
	r->o->aux->describe(r->o->aux, &b);
	err = append(r, &b);
	buf_release(&b);
	return err;
}

static int write_existing(struct recorder *r, bool everyone)
{
	struct synthesize_opts synthesize = r->o->synthesize;
	struct buf b = {0};
	int err;

	synthesize.everyone = everyone;
	synthesize.found = everyone ? NULL : &r->o->found;
	vec_for(e, &r->o->events.list)
		synthesize.all_names |= e->on_all_cpus;
	synthesize_existing(&b, &r->at.set, &r->o->target, &r->o->sampling, &synthesize);
	if (r->binary_saver)
		binary_saver_see_all(r->binary_saver, b.data, b.len);
	if (r->jit_maps)
		jit_maps_see_all(r->jit_maps, b.data, b.len);
	if (r->python)
		python_see_all(r->python, b.data, b.len);
	mapped_files_see_all(&r->stats->files, b.data, b.len, r->binary_saver);
	/* For later files, these are known from the ring buffers. */
	if (r->live && !everyone)
		live_unwind_add_records(r->live, b.data, b.len);
	if (r->stack_probe && !everyone)
		live_unwind_add_records(r->stack_probe, b.data, b.len);
	if (r->side_band.wanted)
		buf_put(&r->side_band.records, b.data, b.len);
	err = r->o->tail_synthesize && !everyone ? 0 : append(r, &b);
	buf_release(&b);
	return err;
}

/*
 * Writes the last file's MMAP, COMM and similar records again, because samples kept for this file may be of processes that have
 * ended. If these records become too many, only current processes are described.
 */
static int replay_side_band(struct recorder *r)
{
	struct kept_side_band *k = &r->side_band;
	int err;

	if (k->too_much || !k->records.len) {
		k->too_much = false;
		k->records.len = 0;
		return write_existing(r, true);
	}
	err = data_writer_append(r->output.file.writer, k->records.data, k->records.len);
	r->write_error = err ? err : r->write_error;
	return err;
}

#define SECTIONS_SIZE	(16u << 10)	/* bytes of the header sections, without the parts below */
#define CPU_SIZE	512u		/* for each CPU: topology and caches */
#define EVENT_SIZE	256u		/* for each event: attr and name */
#define OPENED_SIZE	64u		/* for each opened event: its id, and a record and an entry of losses */
#define GAP_SIZE	48u		/* for each gap in the records of a ring buffer */
#define BUILD_ID_SIZE	128u		/* for each build id: with the file's name, mostly */
#define ROOM_STEP	(16u << 10)	/* the reserved space grows in steps of this size */

/* Estimates the bytes of the sections. With --threads, the other readers are assumed to have seen about as many files. */
static uint64_t sections_size(const struct recorder *r)
{
	const struct stats *t = r->stats;

	return SECTIONS_SIZE + r->at.online.list.nr * CPU_SIZE + r->at.set.table.events.nr * EVENT_SIZE +
	       r->at.set.opened.nr * OPENED_SIZE + (t->gaps.nr * GAP_SIZE + t->files.list.nr * BUILD_ID_SIZE) * r->readers.nr +
	       (r->jit_maps ? jit_maps_bytes(r->jit_maps) : 0) + (r->python ? python_bytes(r->python) : 0) +
	       (r->live ? live_unwind_bytes(r->live) : 0);
}

/*
 * Reserves disk space for the end of the file: on a full disk, the last samples are worth less than the sections, which are needed
 * to read all other samples.
 */
void recorder_keep_room(struct recorder *r)
{
	output_keep_room(&r->output, round_up(sections_size(r) + r->tail_size, ROOM_STEP));
}

/* Estimates the size of the records that --tail-synthesize will write, from the present processes. */
static void measure_tail(struct recorder *r)
{
	struct synthesize_opts synthesize = r->o->synthesize;
	struct buf b = {0};

	synthesize.everyone = true;
	synthesize_existing(&b, &r->at.set, &r->o->target, &r->o->sampling, &synthesize);
	r->tail_size = b.len + b.len / 4;
	buf_release(&b);
}

int recorder_write_preamble(struct recorder *r, bool everyone)
{
	int err;

	if (r->o->tail_synthesize && !r->tail_size)
		measure_tail(r);
	recorder_keep_room(r);
	err = append_aux(r);
	if (!err && everyone && r->side_band.wanted)
		return replay_side_band(r);
	return err || (r->o->tail_synthesize && !(r->live && !everyone)) ? err : write_existing(r, everyone);
}

/* ---- the end of a file ---- */

static void append_lost(struct recorder *r)
{
	struct buf b = {0};

	losses_append(&b, &r->at.set, r->stats);
	if (r->o->sampling.no_samples)
		counting_append(&b, &r->at.set, r->stats->last_time);
	append(r, &b);
	buf_release(&b);
}

/* Adds the header sections that are known only at the end. */
static void add_features(struct features *f, const struct recorder *r)
{
	const struct stats *t = r->stats;

	preamble_features(f, r->o->version, r->o->cmdline, &r->at.set);
	add_tracing(f, r);
	add_off_cpu(f, r);
	if (r->o->no_build_ids)
		f->has[FEATURE_BUILD_ID] = false;
	else
		mapped_files_put(&t->files, f);
	if (t->first_time) {
		f->first_sample = t->first_time;
		f->last_sample = t->last_time;
		f->has[FEATURE_SAMPLE_TIME] = true;
	}
}

/* Adds the section with the CPU time that the samples cover and with the cost of the recording. The summary prints both. */
static void add_balance(struct features *f, struct recorder *r)
{
	struct feature_coverage *c = &r->coverage;

	cpu_accounting_coverage(c, &r->cpu_accounting, &r->at.set, r->stats, &r->workload);
	c->wall_ns = now_ns() - r->started_ns;
	c->recorder_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	c->bytes = output_bytes(&r->output);
	c->wakeups = r->readers.list[0].wakeups;
	f->has[FEATURE_BALANCE] = true;
	f->coverage = *c;
}

/*
 * Finds how many samples the user's BPF program has dropped. The number is known only if no other event has samples. The program of
 * a tracepoint or a probe also runs for hits of tasks that are not recorded, so its number of runs is no measure.
 */
static void find_dropped_by_program(const struct recorder *r, struct findings *out)
{
	const struct event_set *set = &r->at.set;
	const struct event *ev = set->table.events.v[0];
	uint64_t kept = r->stats->samples, ran;
	char *where;

	/* The event for MMAP and similar records is the second. An event for records that BPF programs write is the third. */
	if (set->programs.nr != 1 || set->table.events.nr > (kept ? 2 : 3) || ev->attr.type == PERF_TYPE_TRACEPOINT ||
	    r->o->events.list.v[0].path)
		return;
	vec_for(e, &set->opened)
		kept += e->event ? 0 : e->lost;
	ran = user_program_runs(&set->objects, set->programs.v[0].fd);
	if (ran <= kept)
		return;
	where = xasprintf("event '%s' kept %llu of %llu samples", ev->name, (unsigned long long)kept, (unsigned long long)ran);
	findings_add(out, FINDING_BPF_DROPPED, ran - kept, ran, where);
	free(where);
}

void recorder_findings(struct recorder *r, struct findings *out)
{
	summary_findings(r, out);
	findings_merge(out, &r->at.found);
	hotplug_findings(&r->hotplug, out);
	if (r->live)
		live_unwind_findings(r->live, out);
	if (r->stats->shed)
		chain_cuts_findings(&(struct chain_cuts){ .chains = r->stats->samples, .shed = r->stats->shed }, out);
	if (r->bpf_rings)
		bpf_rings_findings(r->bpf_rings, out);
	find_dropped_by_program(r, out);
	if (r->jit_maps)
		jit_maps_findings(r->jit_maps, r->stats->of_pid, r->stats->samples - r->stats->samples_before, out);
	if (r->binary_saver)
		binary_saver_findings(r->binary_saver, out);
	if (r->python)
		python_findings(r->python, out);
	if (r->o->aux)
		r->o->aux->findings(r->o->aux, out);
}

/* True for losses that each file already has in its records. */
static bool is_in_records(enum finding_code code)
{
	return code == FINDING_LOST_SAMPLES || code == FINDING_LOST_RECORDS || code == FINDING_UNWRITTEN ||
	       code == FINDING_THROTTLED;
}

static void add_found(struct features *f, struct recorder *r)
{
	struct findings found = {0};

	recorder_findings(r, &found);
	vec_for(one, &found.list)
		if (!is_in_records(one->code))
			vec_push(&f->found, (struct feature_found){ xstrdup(finding_name(one->code)),
								    xstrdup(one->where ? one->where : ""), one->count, one->of });
	f->has[FEATURE_FOUND] = f->found.nr;
	findings_release(&found);
}

int recorder_finish_file(struct recorder *r)
{
	struct features f = {0};
	int err;

	output_give_room(&r->output, sections_size(r));
	append_lost(r);
	if (r->o->tail_synthesize)
		write_existing(r, true);
	if (r->o->aux)
		r->o->aux->index(r->o->aux, &f);
	losses_section(&f, &r->at.set, r->stats);
	if (r->o->triggers.specs.nr)
		dumps_feature(&r->dumps, &f);
	if (r->descriptors) {
		descriptors_poll(r->descriptors);
		descriptors_section(r->descriptors, &f);
	}
	if (r->jit_maps)
		jit_maps_section(r->jit_maps, &f);
	if (r->python)
		python_section(r->python, &f);
	if (r->live)
		live_unwind_section(r->live, &f);
	add_balance(&f, r);
	add_found(&f, r);
	add_features(&f, r);
	err = output_finish_file(&r->output, &f, &r->at.set.table);
	features_release(&f);
	return err;
}

int recorder_next_file(struct recorder *r)
{
	int err = output_begin_next(&r->output, &r->at.set.table);

	if (err)
		return err;
	err = recorder_finish_file(r);
	r->output.in_use = on_file_waiting(&r->on_file);
	if (output_next(&r->output))
		err = -1;
	else
		on_file_give(&r->on_file, r->output.last);
	set_writers(r);
	info("wrote '%s'", r->output.last);
	r->stats->first_time = r->stats->last_time = 0;
	stats_begin_file(r->stats);
	/* Samples that triggers hold back may be of processes that have ended. */
	if (r->jit_maps && !r->side_band.wanted)
		jit_maps_forget(r->jit_maps);
	return write_early_header(r) || recorder_write_preamble(r, true) || err ? -1 : 0;
}
