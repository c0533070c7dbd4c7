/*
 * Reads a recording in two passes: the first collects the maps and processes, and the second gives the records to worker threads.
 * All commands that read recordings use session.h. The first pass is in scan.h.
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
	unsigned jobs;		/* worker threads, whose number never changes a result; 0, or more than CPUs: one for each CPU */
	struct machine_opts machine;
	bool check_index;	/* read all records, and compare them with the file's index */
	bool header_only;	/* do not read the data section, unless the header is in it */
	/* If .nr_pieces is not 0: these files of one recorder in place of a path (data_file_open_pieces()); only borrowed. */
	char *const *pieces;
	size_t nr_pieces;
	bool grows;		/* the last piece is still being written: session_read_on() */
	bool live;		/* read a stream from a pipe as it arrives; only for session_ordered(), see session_is_live() */
};

/*
 * Opens a recording and makes the first pass, which walks over all record headers, cuts the file into chunks (chunk.h), and applies
 * the MMAP, COMM, FORK and similar records in order of time to struct machine. The second pass only reads these results. Returns 0
 * and sets *out, to be freed by session_close(); or prints an error and returns -1. Damaged files open, too.
 */
int session_open(struct session **out, const char *path, const struct session_opts *opts);
void session_close(struct session *s);
/*
 * Reads what a recorder has written since the last call or session_open(). @pieces: all its files now. @ended: the recorder has
 * ended. Records of files that are gone are dropped. Results of earlier lookups become invalid; events that callers added stay.
 * Returns false if the session must be closed and opened again, for example because it has sources.
 */
bool session_read_on(struct session *s, char *const *pieces, size_t nr, bool ended);

/*
 * True if the stream is read while session_ordered() runs. Before that call, only its events are known: no counts, threads, maps,
 * dsos or findings. Streams with hardware trace or deferred call chains are never read live.
 */
bool session_is_live(const struct session *s);
const struct data_file *session_file(const struct session *s);
const struct event_table *session_events(const struct session *s);
const struct features *session_features(const struct session *s);
/* The formats of the recorded tracepoints; may be empty. */
const struct tracing_data *session_tracing(const struct session *s);
/* The raw data of a tracepoint's sample, for core/tracepoint/tracepoint.h; borrowed from the sample. */
struct trace_data session_trace_data(const struct session *s, const struct sample *sample);
struct trace_data session_raw_data(const struct session *s, const uint8_t *raw, uint32_t size);
/*
 * Finds how many threads wait for each CPU, by a walk over the samples of sched_switch, sched_wakeup, sched_wakeup_new and
 * sched_migrate_task. Owned by the caller: runqueues_free(). Prints an error and returns NULL if there is no
 * sched_switch; other missing events become findings.
 */
struct runqueues *session_runqueues(struct session *s);
/*
 * Finds how many threads were running at each moment, from the context switches (record --latency). Owned by the caller:
 * running_free(). Prints an error and returns NULL if no context switches were recorded.
 */
struct running *session_threads_running(const struct session *s);
/* True if context switches were recorded. */
bool session_has_switches(const struct session *s);
struct machine *session_machine(const struct session *s);
/* The unwind tables of the machine's files. */
struct unwind_tables *session_unwind_tables(const struct session *s);
const struct session_counts *session_counts(const struct session *s);
unsigned session_jobs(const struct session *s);
/* The records that decoders of hardware traces start from, in file order. */
const struct trace_records *session_trace_records(const struct session *s);
/* Reads such a record again. Returns 0, or -EINVAL if it is damaged. */
int session_read_trace_record(const struct session *s, const struct trace_record *record, struct record *out);
/* True if records have no times. Then the position in the file takes the place of the time (item.at, trace_record.time). */
bool session_is_timeless(const struct session *s);
/* Computes how much of the charged CPU time is in the recording. Call it after the passes. False: unknown. */
bool session_coverage(const struct session *s, struct coverage *out);
/* Adds a finding for session_findings(). Not thread-safe, so do not call it in a pass. See findings_add(). */
void session_found(struct session *s, enum finding_code code, uint64_t count, const char *contexts);
/* Call it if no pass found a sample. Adds a finding with the reason: the recording has no samples, or filters removed all. */
void session_without_samples(const struct session *s, struct findings *out);
/*
 * Adds findings about the recording (lost, cut, damaged or unknown data), about the files that it refers to, and about its
 * sources. Call it last, because some findings are only known after the passes.
 */
void session_findings(const struct session *s, struct findings *out);

/*
 * Shows @source's items too, in both kinds of pass, together with the file's records. Borrowed until session_close(). Call
 * session_add_event() for its events before.
 */
struct item_source;
void session_add_source(struct session *s, struct item_source *source);
/* Adds an event that a source makes, numbered after the others. */
struct event *session_add_event(struct session *s, const struct event_attr *attr, const char *name);

/* Completes samples of the file as they are read. */
struct sample_augmenter {
	/* Sets the fields that event->added lists in @sample, the sample of @item. Called by several threads. */
	void (*add)(const struct sample_augmenter *augmenter, const struct item *item, struct sample *sample);
};

/*
 * From now on, extends chains that the processor recorded by calls of earlier samples that are still open: core/read/stitch.h.
 * Walks over the recording, which must not be live. Returns false if the recording lacks the necessary data.
 */
bool session_stitch_calls(struct session *s);

/* Sets which frames call chains have in the following passes. The default is NATIVE_MERGED. */
void session_set_native(struct session *s, enum native_frames wanted);

/* From now on, passes samples of events with .added to @augmenter (NULL: none); borrowed until session_close(). */
void session_set_augmenter(struct session *s, const struct sample_augmenter *augmenter);
/* A pass over the samples stops early, incomplete, once @is_stopped is true. Several threads call it. NULL: never. */
void session_stop_when(struct session *s, bool (*is_stopped)(void));
/* Adds @types, PERF_SAMPLE_*, to the samples of @ev; the augmenter sets them. */
void session_add_types(struct session *s, const struct event *ev, uint64_t types);

/* ---- unordered: sums ---- */

/* The fields of a sample that most passes need, without its call chain. */
struct plain_sample {
	const struct event *event;
	uint64_t ip, at, period;	/* at: as struct item's */
	uint32_t pid, tid;
	uint16_t cpumode;
	uint32_t raw_size;		/* 0: none, or sample_pass.plain_raw is not set */
	const uint8_t *raw;		/* borrowed for the call */
};

struct sample_pass {
	size_t worker_size;				/* private state of a worker, zeroed */
	void (*init)(void *worker, void *ctx);		/* NULL: zeroes will do */
	void (*sample)(void *worker, void *ctx, const struct item *item);
	/*
	 * Called instead of sample() for samples that fit into a plain_sample; NULL: sample() gets all samples. @contexts: for
	 * machine_context(). Returns false if sample() must be called for this sample, too.
	 */
	bool (*plain)(void *worker, void *ctx, const struct plain_sample *sample, struct context_cache *contexts);
	bool plain_chains;				/* plain() also gets samples with call chains */
	bool plain_raw;					/* plain() needs their raw data */
	/* After the last sample: called on the worker threads, for work that each can do before all are merged. NULL: none. */
	void (*finish)(void *worker, void *ctx);
	/* Then called for one worker at a time, in their order; it also releases @worker's state. */
	void (*merge)(void *worker, void *ctx);
	unsigned unwind;				/* see item_reader_init() */
	/* Samples of other events are only checked for damage. NULL: all events. */
	bool (*wants_event)(const void *ctx, const struct event *event);
	/* True if samples in this part of the file may be wanted; other parts are not read. NULL: all parts. */
	bool (*may_want)(const void *filter, const struct source_extent *extent);
	const void *filter;
	bool only_wanted;	/* samples of unwanted threads need not be counted, so parts with only such samples are not read */
};

/* Passes all samples to the workers. Returns 0; damaged records are counted, not fatal. */
int session_samples(struct session *s, const struct sample_pass *pass, void *ctx);

/* ---- unordered: records of some types ---- */

/* A sample with little more than time and task; members that were not recorded are 0. */
struct bare_sample {
	const struct event *event;
	uint64_t at, position;		/* as struct item's */
	uint32_t pid, tid, cpu;		/* tid: as recorded */
	uint32_t raw_size;
	const uint8_t *raw;		/* borrowed for the call */
};

struct record_pass {
	size_t worker_size;				/* private state of a worker, zeroed */
	uint8_t types[8];				/* of records that are wanted: PERF_RECORD_*, and 0 after the last */
	bool (*wants_event)(const void *ctx, const struct event *event);	/* for samples; NULL: all events */
	void (*record)(void *worker, void *ctx, const struct item *item);
	void (*sample)(void *worker, void *ctx, const struct bare_sample *sample);	/* NULL: record() gets them, too */
	/* After the last record, called for one worker at a time, in their order; it also releases @worker's state. */
	void (*merge)(void *worker, void *ctx);
};

/*
 * Passes the file's records of the wanted types to the workers, without those of sources, and with call chains not unwound. Skips
 * damaged records, which the first pass, or the pass over the samples, counts.
 */
void session_records(const struct session *s, const struct record_pass *pass, void *ctx);

/* ---- ordered: text ---- */

struct merge;

struct ordered_text {		/* the output of an item() */
	struct buf buf;
	struct merge *merge;	/* only for ordered_text_flush() */
	size_t part;		/* the number of the piece in .merge */
	size_t asked;		/* the length of .buf at the last ordered_text_flush() */
};

struct ordered_pass {
	size_t worker_size;				/* private state of a worker, zeroed */
	void (*init)(void *worker, void *ctx);		/* NULL: zeroes will do */
	void (*release)(void *worker, void *ctx);	/* NULL: there is nothing to free */
	/* True if this record is wanted, by its header alone. Called while keys are collected, so it must be cheap. NULL: all. */
	bool (*wants)(void *ctx, const struct record_header *header);
	/* Prefetches the items that are printed next (some may be NULL) together. NULL: not needed. */
	void (*expect)(void *worker, void *ctx, const struct item *const *items, unsigned nr);
	/* The next item of this worker; its text in @out is written in order. */
	void (*item)(void *worker, void *ctx, const struct item *item, struct ordered_text *out);
	bool file_order;	/* in the order of the file, not by time (--dump-unsorted-raw-trace) */
	unsigned unwind;	/* see item_reader_init() */
	/*
	 * Resets the worker's caches of lookups, which are invalid as the live stream has gone on. Keeps the state of earlier lines
	 * that the next line needs. NULL: nothing is cached.
	 */
	void (*forget)(void *worker, void *ctx);
	bool one_worker;	/* one worker prints everything in order, as a line depends on earlier ones */
	/*
	 * With .one_worker: reports that no later item is earlier than @time. (Items of one stream are in order; those of several
	 * streams are only merged as text.) NULL: not needed.
	 */
	void (*reached)(void *ctx, uint64_t time);
};

/*
 * Lets the text in @out be written now, to bound memory. Called between items, and by item() functions that make a large text
 * piece by piece. May wait for this text's turn.
 */
void ordered_text_flush(struct ordered_text *out);

/* Passes all wanted items to workers, in order. Returns 0, -errno of writing to @fd (-EPIPE: no reader), or -1: no output. */
int session_ordered(struct session *s, const struct ordered_pass *pass, void *ctx, int fd);

#endif
