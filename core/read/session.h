/*
 * Reads a recording, in two passes.
 *
 * session_open() makes the first: it walks over all record headers, cuts the file into chunks, and applies the side band to the
 * machine, in order of time. After that everything here is read-only.
 * The second pass reads the samples, on all CPUs. session_samples() gives them to workers in any order, to be summed;
 * session_ordered() gives records in order of time, and writes the workers' text in that order. Both give the same result for any
 * number of jobs.
 * Layer: read
 */
#ifndef CORE_READ_SESSION_H
#define CORE_READ_SESSION_H

#include "core/base/buf.h"
#include "core/ui/finding.h"
#include "core/read/counts.h"
#include "core/read/item.h"
#include "core/read/native_frames.h"
#include "core/read/trace_record.h"
#include "core/perfdata/data_file.h"
#include "core/perfdata/record.h"
#include "core/model/machine.h"

struct running;
struct runqueues;
struct session;
struct source_extent;
struct trace_data;
struct tracing_data;
struct unwind_tables;

struct session_opts {
	unsigned jobs;		/* worker threads; 0: one a CPU */
	struct machine_opts machine;
	bool header_only;	/* do not look at the data section, unless the header is in it */
	/* One recorder's files instead of a path, as data_file_open_pieces() wants them; borrowed for session_open(). 0: none. */
	char *const *pieces;
	size_t nr_pieces;
	bool grows;		/* the last piece is still written: session_read_on() */
	bool live;		/* read a stream in a pipe as it comes: only for session_ordered(), see session_is_live() */
};

/* Prints what is wrong; 0 and *out (session_close()), damaged or cut files included, or -1. */
int session_open(struct session **out, const char *path, const struct session_opts *opts);
void session_close(struct session *s);
/*
 * Reads on in a recorder's pieces, which are @pieces now; @ended: no more is written. Only what was written since is read, and
 * what pieces that are gone had is forgotten. Everything looked up before is invalid, and what was added to the session stays.
 * false: it has to be closed, and opened again.
 */
bool session_read_on(struct session *s, char *const *pieces, size_t nr, bool ended);

/*
 * True if the stream is read while session_ordered() runs. Only its events are known then: no counts, no threads, maps, and
 * dsos, no notes. Streams with hardware trace or with deferred call chains are never read live.
 */
bool session_is_live(const struct session *s);
const struct data_file *session_file(const struct session *s);
const struct event_table *session_events(const struct session *s);
const struct features *session_features(const struct session *s);
/* The formats of its tracepoints; empty where there are none. */
const struct tracing_data *session_tracing(const struct session *s);
/* The raw data of a tracepoint's sample, as core/tracepoint/tracepoint.h wants it; borrowed from the sample. */
struct trace_data session_trace_data(const struct session *s, const struct sample *sample);
struct trace_data session_raw_data(const struct session *s, const uint8_t *raw, uint32_t size);
/*
 * How many threads wait for each CPU, replayed from the samples of sched_switch, sched_wakeup, sched_wakeup_new and
 * sched_migrate_task: another walk over the recording. Owned by the caller: runqueues_free(). NULL (printed) where there
 * is no sched_switch; what else is missing becomes findings.
 */
struct runqueues *session_runqueues(struct session *s);
/*
 * How many threads ran at any time, replayed from the context switches (record --latency). Owned by the caller:
 * running_free(). NULL (printed) where they were not recorded.
 */
struct running *session_threads_running(const struct session *s);
/* True if switches were recorded. */
bool session_has_switches(const struct session *s);
struct machine *session_machine(const struct session *s);
/* The tables of that machine's files. */
struct unwind_tables *session_unwind_tables(const struct session *s);
const struct session_counts *session_counts(const struct session *s);
unsigned session_jobs(const struct session *s);
/* The records that decoders of hardware traces start from, in file order. */
const struct trace_records *session_trace_records(const struct session *s);
/* Read such a record again. Returns 0, or -EINVAL where it is damaged. */
int session_read_trace_record(const struct session *s, const struct trace_record *record, struct record *out);
/* True if records have no times. Then their position in the file serves as time (item.at, trace_record.time). */
bool session_is_timeless(const struct session *s);
/* How much of the CPU time that was charged is in the recording; false: that is not known. When the recording was read. */
bool session_coverage(const struct session *s, struct coverage *out);
/* Add a finding to those of session_findings(). Not thread-safe: not from a pass. See findings_add(). */
void session_found(struct session *s, enum finding_code code, uint64_t count, const char *contexts);
/* No sample was found: add whether the recording has none, and why, or filters left none. When the recording was read. */
void session_without_samples(const struct session *s, struct findings *out);
/*
 * Add what is wrong with the recording - lost, cut, damaged, unknown -, with the files that it names, and with what its sources
 * decoded. To be called last: the passes find some of it.
 */
void session_findings(const struct session *s, struct findings *out);

/*
 * Shows @source's items too, in both kinds of pass, together with the file's records. Borrowed until session_close(). Call
 * session_add_event() for its events before.
 */
struct item_source;
void session_add_source(struct session *s, struct item_source *source);
/* Before the caller frees it. */
void session_remove_source(struct session *s, const struct item_source *source);
/* An event that a source makes; named, numbered after the others. */
struct event *session_add_event(struct session *s, const struct event_attr *attr, const char *name);

/* Completes samples of the file as they are read. */
struct sample_augmenter {
	/* @sample is @item's, of an event with .added: that is to be set. Called by several threads. */
	void (*add)(const struct sample_augmenter *augmenter, const struct item *item, struct sample *sample);
};

/*
 * From now on chains that the processor recorded go on with calls of earlier samples that are still open: core/read/stitch.h.
 * Another walk over the recording, which is not read live. Returns false where the recording does not tell what that takes.
 */
bool session_stitch_calls(struct session *s);

/* From now on samples have these frames of their call chains; before, NATIVE_MERGED. */
void session_set_native(struct session *s, enum native_frames wanted);

/* From now on samples of events with .added are given to @augmenter (NULL: none); borrowed until session_close(). */
void session_set_augmenter(struct session *s, const struct sample_augmenter *augmenter);
/*
 * From now on a pass over the samples leaves out the rest of the recording once @is_stopped is true: its result is then of no use.
 * Called by several threads. NULL: never.
 */
void session_stop_when(struct session *s, bool (*is_stopped)(void));
/* Let samples of @ev have @types, PERF_SAMPLE_*, which the augmenter gives them. */
void session_add_types(struct session *s, const struct event *ev, uint64_t types);

/* ---- unordered: sums ---- */

/* A sample without raw data, or with sample_pass.plain_chains without its call chain, as most passes need it. */
struct plain_sample {
	const struct event *event;
	uint64_t ip, at, period;	/* at: as struct item's */
	uint32_t pid, tid;
	uint16_t cpumode;
};

struct sample_pass {
	size_t worker_size;				/* private state of a worker, zeroed */
	void (*init)(void *worker, void *ctx);		/* NULL: zeroes will do */
	void (*sample)(void *worker, void *ctx, const struct item *item);
	/*
	 * In place of sample() for a sample that plain_sample holds all of; NULL: sample() takes them, too. @contexts: for
	 * machine_context().
	 */
	void (*plain)(void *worker, void *ctx, const struct plain_sample *sample, struct context_cache *contexts);
	bool plain_chains;				/* plain() may take samples that have call chains */
	/* When all samples were seen: what each worker can do by itself before all are merged, on the threads. NULL: nothing. */
	void (*finish)(void *worker, void *ctx);
	/* Called one at a time, in worker order, after that; it also releases @worker's state. */
	void (*merge)(void *worker, void *ctx);
	unsigned unwind;				/* see item_reader_init() */
	/* Samples of other events are only looked at for damage. NULL: those of all are shown. */
	bool (*wants_event)(const void *ctx, const struct event *event);
	/* True if samples in this part of the file may be wanted; other parts are not read. NULL: all are. */
	bool (*may_want)(const void *filter, const struct source_extent *extent);
	const void *filter;
	bool only_wanted;	/* samples of threads that the filter leaves out are not counted: such parts are not read, either */
};

/* Show all samples to the workers. Returns 0; damaged records are counted, not fatal. */
int session_samples(struct session *s, const struct sample_pass *pass, void *ctx);

/* ---- unordered: records of some types ---- */

/* The time and the task of an event; members that are not recorded are 0. */
struct bare_sample {
	const struct event *event;
	uint64_t at, position;		/* as struct item's */
	uint32_t pid, tid, cpu;		/* tid: as recorded */
	uint32_t raw_size;
	const uint8_t *raw;		/* borrowed for the call */
};

struct record_pass {
	size_t worker_size;				/* private state of a worker, zeroed */
	bool (*wants)(uint32_t type);			/* PERF_RECORD_* */
	bool (*wants_event)(const void *ctx, const struct event *event);	/* its samples; NULL: those of all */
	void (*record)(void *worker, void *ctx, const struct item *item);
	void (*sample)(void *worker, void *ctx, const struct bare_sample *sample);	/* NULL: record() takes them, too */
	/* Called one at a time, in worker order, when all records were seen; it also releases @worker's state. */
	void (*merge)(void *worker, void *ctx);
};

/*
 * Show the file's records of the types that the pass wants to the workers; sources are not asked, and call chains not unwound.
 * Damaged records are left out: the first pass, or that over the samples, counts them.
 */
void session_records(const struct session *s, const struct record_pass *pass, void *ctx);

/* ---- ordered: text ---- */

struct merge;

struct ordered_text {		/* the output of an item() */
	struct buf buf;
	struct merge *merge;	/* whose part number this is; for ordered_text_flush() alone */
	size_t part;
	size_t asked;		/* its length when it was last to be written */
};

struct ordered_pass {
	size_t worker_size;				/* private state of a worker, zeroed */
	void (*init)(void *worker, void *ctx);		/* NULL: zeroes will do */
	void (*release)(void *worker, void *ctx);	/* NULL: there is nothing to free */
	/* True if this record is wanted. Called in the key-collecting scan: cheap, and from the header alone. NULL: all. */
	bool (*wants)(void *ctx, const struct record_header *header);
	/*
	 * These items are to be printed next (NULLs are none): the place to look things up for all of them together, so
	 * that waiting for memory is done once. NULL: not needed.
	 */
	void (*expect)(void *worker, void *ctx, const struct item *const *items, unsigned nr);
	/* The next item of this worker; its text in @out is written in order. */
	void (*item)(void *worker, void *ctx, const struct item *item, struct ordered_text *out);
	bool file_order;	/* not by time but as they stand in the file (--dump-unsorted-raw-trace) */
	unsigned unwind;	/* see item_reader_init() */
	/*
	 * Invalidates lookups: the live stream has gone on. Reset the worker's caches; keep the state that its next line
	 * needs of earlier ones. NULL: nothing is cached.
	 */
	void (*forget)(void *worker, void *ctx);
	bool one_worker;	/* print all with one worker, in order: a line depends on those before */
	/*
	 * With .one_worker: no item that comes from now on is earlier than @time. (Those of one stream come in order, while
	 * those of several streams are merged as text only.) NULL: not wanted.
	 */
	void (*reached)(void *ctx, uint64_t time);
};

/*
 * The text in @out may be written now, so that memory is bounded: done between items, and by an item() that makes a large text
 * piecewise. May wait for this text's turn.
 */
void ordered_text_flush(struct ordered_text *out);

/* Returns 0, or -errno where writing to @fd failed (-EPIPE: the reader went away). @fd -1: nothing is written. */
int session_ordered(struct session *s, const struct ordered_pass *pass, void *ctx, int fd);

#endif
