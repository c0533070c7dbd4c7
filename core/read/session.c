/*
 * Opens and closes a recording. session_open() reads the header, and makes the first pass over the records, which collects maps
 * and processes in struct machine. Other functions return the events of the recording and counts of its records.
 */
#include "core/read/session.h"

#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "core/arch.h"
#include "core/base/phase.h"
#include "core/base/pool.h"
#include "core/base/printable.h"
#include "core/read/live.h"
#include "core/read/session_impl.h"
#include "core/read/stitch.h"
#include "core/read/source.h"
#include "core/perfdata/recording_path.h"
#include "core/model/java.h"
#include "core/model/python.h"
#include "core/native.h"
#include "core/unwind/tables.h"

/* True if the running kernel on this machine made the recording. Then /proc/kallsyms and the vdso are its own. */
static bool recorded_here(const struct features *f)
{
	struct utsname here;

	return !uname(&here) && f->hostname && f->osrelease && str_eq(f->hostname, here.nodename) &&
	       str_eq(f->osrelease, here.release);
}

/* Events without use_clockid have times of the kernel's own clock. */
static bool is_monotonic(const struct session *s)
{
	bool monotonic = s->file->events.events.nr;

	vec_for(ev, &s->file->events.events)
		monotonic &= (*ev)->attr.use_clockid && (*ev)->attr.clockid == CLOCK_MONOTONIC;
	return monotonic;
}

static void set_facts(struct session *s)
{
	const struct features *f = &s->file->features;
	const char *path = s->file->path, *slash = strrchr(path, '/');
	char *dir = slash ? xstrndup(path, (size_t)(slash - path)) : xstrdup("."), *kcore = recording_kcore_path(dir);

	machine_set_facts(s->machine, &(struct machine_facts){
		.this_host = recorded_here(f), .monotonic = is_monotonic(s), .dir = str_eq(path, "-") ? NULL : dir,
		.kcore_dir = s->file->directory && !access(kcore, R_OK | X_OK) ? kcore : NULL, .release = f->osrelease,
	});
	free(kcore);
	free(dir);
}

/* True if the samples have register numbers that this arch lacks. */
static bool has_other_registers(const struct session *s, const struct arch *arch)
{
	vec_for(ev, &s->file->events.events)
		if (arch->nr_regs < 64 && (*ev)->attr.sample_regs_user >> arch->nr_regs)
			return true;
	return false;
}

/*
 * Finds the architecture. If the header does not have it, because the recorder was killed, guesses it from the mapped files, or
 * takes this host's if the samples may be of this host.
 */
static const struct arch *find_arch(const struct session *s)
{
	const struct arch *arch;

	if (s->file->features.arch)
		return arch_find(s->file->features.arch);
	arch = guess_arch(s->machine);
	if (!arch && !s->file->swap && native.arch && !has_other_registers(s, native.arch))
		arch = native.arch;
	return arch;
}

/* Describes the machine by the features; those of a stream are known only after the walk. */
static void describe_machine(struct session *s)
{
	const struct features *f = &s->file->features;

	set_facts(s);
	machine_set_clock(s->machine, s->file->written_ns, s->scan.by_position ? 0 : s->scan.time, s->file->copied);
	machine_set_arch(s->machine, find_arch(s));
	machine_set_jit_maps(s->machine, f->jit_maps.v, f->jit_maps.nr);
	if (f->python.packed)
		machine_set_python(s->machine, &f->python);
	if (f->java.packed)
		machine_set_java(s->machine, &f->java);
	if (f->archive && !s->header_only)
		s->archive_unusable = machine_set_archive(s->machine, f->archive, f->archive_size) != 0;
	vec_for(b, &f->build_ids)
		machine_add_build_id(s->machine, b->filename, &b->id, b->misc);
}

/* Damaged descriptions cost names: hits of undescribed tracepoints print as bytes. */
static void describe_tracepoints(struct session *s)
{
	const struct features *f = &s->file->features;

	s->tracing_damaged = f->tracing_data && tracing_data_read(&s->tracing, f->tracing_data, f->tracing_data_size);
}

/* A stream may have no other name for a tracepoint than that in its description. */
static void name_tracepoints(struct session *s)
{
	vec_for(ev, &s->file->events.events) {
		const struct event_attr *attr = &(*ev)->attr;
		const struct trace_event *t = attr->type == PERF_TYPE_TRACEPOINT && (*ev)->unnamed ?
					      tracing_data_event(&s->tracing, attr->config) : NULL;

		if (!t)
			continue;
		free((char *)(*ev)->name);
		(*ev)->name = printable_text(xasprintf("%s:%s", t->system, t->name));
	}
}

static void find_raw_waits(struct session *s)
{
	vec_for(ev, &s->file->events.events) {
		const struct event_attr *a = &(*ev)->attr;

		(*ev)->is_offcpu_raw = a->type == PERF_TYPE_SOFTWARE && a->config == PERF_COUNT_SW_BPF_OUTPUT &&
				   a->sample_type & PERF_SAMPLE_RAW && str_eq((*ev)->name, OFF_CPU_NAME);
	}
}

/* Makes the first pass. If a stream is read as it arrives, only the beginning is read here. */
static int scan_all(struct session *s, const struct session_opts *opts)
{
	s->machine = machine_new(&opts->machine);
	if (s->file->pipe_reader) {
		int err = live_begin(&s->live, &s->scan, s->file, s->machine);

		if (err <= 0)
			return err;
		machine_free(s->machine);
		s->machine = machine_new(&opts->machine);
		if (data_file_settle(s->file))
			return -1;
	}
	if (s->header_only && !s->file->stream)
		return 0;
	return scan_file(&s->scan, s->file, s->machine, &(struct scan_opts){ s->jobs, SCAN_PIECE, opts->check_index });
}

static int open_file(struct session *s, const char *path, const struct session_opts *opts)
{
	if (opts->nr_pieces)
		return data_file_open_pieces(&s->file, opts->pieces, opts->nr_pieces);
	return (opts->live ? data_file_open_live : data_file_open)(&s->file, path);
}

/*
 * More threads than CPUs finish no sooner, and each has tables of its own to fill and to merge: with 64 threads on two CPUs a
 * report took 2.6 times as long and 4.7 times the memory. PREC_MORE_JOBS is for tests of many threads on few CPUs.
 */
static unsigned jobs_of(unsigned jobs)
{
	unsigned cpus = pool_default_jobs();

	return jobs && (jobs < cpus || getenv("PREC_MORE_JOBS")) ? jobs : cpus;
}

int session_open(struct session **out, const char *path, const struct session_opts *opts)
{
	struct session *s = xcalloc(1, sizeof(*s));
	struct phase phase = phase_begin();

	chunk_list_init(&s->scan.chunks);
	s->jobs = jobs_of(opts->jobs);
	s->upto = UINT64_MAX;
	s->header_only = opts->header_only;
	if (open_file(s, path, opts) || scan_all(s, opts)) {
		session_close(s);
		return -1;
	}
	phase_end(&phase, "first pass");
	s->unwind = unwind_tables_of_machine(s->machine);
	describe_machine(s);
	describe_tracepoints(s);
	name_tracepoints(s);
	find_raw_waits(s);
	if (opts->grows && session_may_read_on(s))
		s->upto = s->scan.settled;
	if (!s->live) {
		scan_apply_side_band(&s->scan, s->file, s->machine, s->upto);
		machine_seal(s->machine);
	}
	phase_end(&phase, "side band");
	*out = s;
	return 0;
}

bool session_is_live(const struct session *s)
{
	return s->live;
}

void session_close(struct session *s)
{
	if (!s)
		return;
	vec_for(source, &s->sources)
		if ((*source)->close)
			(*source)->close(*source);
	vec_free(&s->sources);
	findings_release(&s->found);
	live_free(s->live);
	scan_release(&s->scan);
	tracing_data_release(&s->tracing);
	stitches_free(s->stitches);
	unwind_tables_free(s->unwind);
	machine_free(s->machine);
	data_file_close(s->file);
	free(s);
}

struct unwind_tables *session_unwind_tables(const struct session *s)
{
	return s->unwind;
}

const struct data_file *session_file(const struct session *s)
{
	return s->file;
}

const struct event_table *session_events(const struct session *s)
{
	return &s->file->events;
}

const struct features *session_features(const struct session *s)
{
	return &s->file->features;
}

const struct tracing_data *session_tracing(const struct session *s)
{
	return &s->tracing;
}

struct trace_data session_trace_data(const struct session *s, const struct sample *sample)
{
	return session_raw_data(s, sample->raw, sample->raw_size);
}

struct trace_data session_raw_data(const struct session *s, const uint8_t *raw, uint32_t size)
{
	return (struct trace_data){ .bytes = raw, .size = size, .swap = s->tracing.swap, .long_size = s->tracing.long_size };
}

struct machine *session_machine(const struct session *s)
{
	return s->machine;
}

const struct session_counts *session_counts(const struct session *s)
{
	return &s->scan.counts;
}

unsigned session_jobs(const struct session *s)
{
	return s->jobs;
}

const struct trace_records *session_trace_records(const struct session *s)
{
	return &s->scan.trace_records;
}

int session_read_trace_record(const struct session *s, const struct trace_record *note, struct record *out)
{
	const uint8_t *p = chunk_record(&s->scan.chunks, note->position);
	const struct event *ev = event_of_record(&s->file->events, p);

	return record_read(out, p, ev ? &ev->layout : NULL);
}

bool session_is_timeless(const struct session *s)
{
	return s->scan.by_position;
}

void session_found(struct session *s, enum finding_code code, uint64_t count, const char *where)
{
	findings_add(&s->found, code, count, 0, where);
}

void session_add_source(struct session *s, struct item_source *source)
{
	vec_push(&s->sources, source);
}

void session_set_native(struct session *s, enum native_frames wanted)
{
	s->native = wanted;
}

void session_set_augmenter(struct session *s, const struct sample_augmenter *augmenter)
{
	s->augmenter = augmenter;
}

void session_stop_when(struct session *s, bool (*is_stopped)(void))
{
	s->is_stopped = is_stopped;
}

void session_add_types(struct session *s, const struct event *ev, uint64_t types)
{
	s->file->events.events.v[ev->number]->added |= types;
}

struct event *session_add_event(struct session *s, const struct event_attr *attr, const char *name)
{
	struct event *ev = event_table_add(&s->file->events, attr);

	ev->name = xstrdup(name);
	ev->made = true;
	vec_push(&s->scan.counts.samples_by_event, 0);
	return ev;
}
