/*
 * Defines the state of a running recording, and the functions that the source files of the recorder share. recorder.c has the
 * loop, recorder_wakes.c wakes it, recorder_files.c writes the start and end of each file, and switch_output.c saves snapshots
 * and dumps.
 */
#ifndef CORE_RECORD_LOOP_RECORDER_STATE_H
#define CORE_RECORD_LOOP_RECORDER_STATE_H

#include "core/base/buf.h"
#include "core/record/open/attach.h"
#include "core/record/loop/cpu_accounting.h"
#include "core/record/loop/counting.h"
#include "core/record/trigger/dumps.h"
#include "core/record/loop/hotplug.h"
#include "core/record/trigger/on_file.h"
#include "core/record/loop/output.h"
#include "core/record/loop/readers.h"
#include "core/record/loop/urgency.h"
#include "core/record/trigger/trigger.h"
#include "core/record/loop/workload.h"

struct bpf_rings;
struct control;
struct descriptors;
struct jit_maps;
struct live_unwind;
struct map_watch;
struct pumps;
struct python;
struct recorder_opts;
struct short_waits;

/* The timers that wake the recorder. recorder_wakes.c says when they are started, and what they do. */
enum recorder_timer {
	TIMER_SCHEDULE, TIMER_ROTATION, TIMER_DUMP, TIMER_TRIGGERS, TIMER_DESCRIPTORS, TIMER_BPF, TIMER_COUNTS, TIMER_MAPS,
	NR_TIMERS
};

struct recorder {
	struct recorder_opts *o;
	struct attached at;
	struct trigger trigger;
	struct trigger_hits hits;	/* read from .trigger; dumps_see() takes them */
	struct dumps dumps;
	struct kept_side_band side_band;	/* used with triggers: records for the start of the next file */
	uint64_t dump_due_ns;		/* the time set in TIMER_DUMP; 0: none */
	struct workload workload;
	struct output output;
	struct on_file on_file;
	struct control *control;
	struct hotplug hotplug;
	struct cpu_accounting cpu_accounting;
	struct feature_coverage coverage;	/* set when a file is finished; the last one is printed */
	struct live_unwind *live;	/* NULL: no stack is unwound while recording */
	struct live_unwind *stack_probe;	/* checks if copies of stacks are large enough; NULL: not used */
	struct short_waits *short_waits;	/* owned; NULL: all waits are written */
	struct bpf_rings *bpf_rings;	/* owned; NULL: no BPF program has a ring buffer */
	struct descriptors *descriptors;	/* owned; NULL: descriptors are not looked up */
	struct binary_saver *binary_saver;		/* owned; NULL: no binaries are kept */
	struct jit_maps *jit_maps;	/* owned; NULL: map files of JIT compilers are not copied */
	bool reads_python;		/* Python frames are wanted: recorder_wants_python() */
	struct python *python;		/* owned; NULL: Python's frames are not read */
	struct map_watch *map_watch;	/* owned; NULL: maps are seen only when their ring is emptied */
	struct urgency urgency;		/* priority of the main thread, raised only if there are no .pumps */
	struct cpu_waits waits;
	struct pumps *pumps;		/* owned; NULL: the readers take data directly from the ring buffers */
	struct buf tracing;		/* the section TRACING_DATA; empty without tracepoints */
	struct readers readers;
	struct stats *stats;		/* the first reader's statistics; after readers_collect(), the sum of all readers' */
	struct counting counting;	/* used with .o->counts_ns */
	int signals, timers[NR_TIMERS];	/* descriptors; -1: not open */
	size_t nr_watched;		/* watched events (one a thread and CPU) whose threads have not ended */
	bool ends_with_threads;		/* the end of all threads ends the recording: -p and -t without a command */
	bool stop, rotate, snapshot;	/* requests, handled at the end of a turn of the loop */
	bool dump_at_end;		/* the current file is a dump, and the last file of the recording */
	bool failed;			/* an error was printed: the exit status is not 0 */
	size_t step;			/* number of the schedule's next step */
	int write_error;		/* -errno of a failed write; 0: none failed */
	uint64_t tail_size;		/* estimated bytes that --tail-synthesize will write; 0: none, or not known yet */
	uint64_t started_ns;
};

/* ---- switch_output.c ---- */

/* Saves the contents of the AUX areas. */
void recorder_take_snapshot(struct recorder *r);
/* Empties all ring buffers, finishes the file and begins the next one. */
void recorder_rotate(struct recorder *r);
/* Reads the hits of triggers, and plans their dumps. */
void recorder_read_triggers(struct recorder *r);
/* Writes the dumps that are due. With @all, at the end of the recording, writes all dumps. */
void recorder_dump(struct recorder *r, bool all);
/* Empties the ring buffers for the last time, into a dump or into the last file. Returns true if this file is to be kept. */
bool recorder_drain_last(struct recorder *r);

/* ---- recorder_files.c ---- */

/* True if Python frames are wanted. */
bool recorder_wants_python(const struct recorder_opts *o);
/* Opens the file, sets up its readers, and writes the start of the file. Returns 0 or -1 (printed). */
int recorder_open_output(struct recorder *r);
/* Reserves disk space for the end of the file, as much as its sections need so far. */
void recorder_keep_room(struct recorder *r);
/*
 * Writes the records of existing processes, unless they are written at the end of the file. @everyone: of all processes, not
 * only of the target. Returns 0 or -errno; the error is also kept.
 */
int recorder_write_preamble(struct recorder *r, bool everyone);
/* Adds the findings made while recording. */
void recorder_findings(struct recorder *r, struct findings *out);
/* Writes the data that are known only at the end of a file, and its header sections. Returns 0 or -errno. */
int recorder_finish_file(struct recorder *r);
/*
 * Finishes this file and begins the next, which repeats the records of existing processes. All readers are stopped, and their
 * ring buffers are empty. Returns 0, or -1 after printing an error; then, too, there is a file to continue in.
 */
int recorder_next_file(struct recorder *r);

/* ---- recorder_wakes.c ---- */

/* Adds all descriptors to the epoll. Returns 0, or -1 after printing an error. */
int recorder_watch(struct recorder *r);
/* Makes the epoll wait for the side-band ring buffers, too, if no map_watch does. Returns 0 or -1 (printed). */
int recorder_watch_side_band(struct recorder *r);
/* Callback of reader_turn(): returns true if rings may hold data. */
bool recorder_handle(void *recorder, const struct epoll_event *e);
/* Sets the timer of dumps to the time at which the next dump is due. */
void recorder_arm_dump(struct recorder *r);
/* Handles the signals that have arrived. */
void recorder_read_signals(struct recorder *r);
/* Handles write errors of other readers, and checks the sizes of the output. */
void recorder_on_reader_event(struct recorder *r);

#endif
