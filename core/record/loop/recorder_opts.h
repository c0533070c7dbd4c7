/*
 * Declares the options of a recording, which cmd/record.c fills from the command line, and the function that runs it
 * (recorder.c).
 */
#ifndef CORE_RECORD_LOOP_RECORDER_OPTS_H
#define CORE_RECORD_LOOP_RECORDER_OPTS_H

#include <signal.h>

#include "core/ui/finding.h"
#include "core/record/events/event_request.h"
#include "core/perfdata/feature.h"
#include "core/record/host/preamble.h"
#include "core/record/open/sampling.h"
#include "core/record/open/target.h"
#include "core/record/loop/drain.h"
#include "core/record/live/live_unwind.h"
#include "core/record/loop/output.h"
#include "core/record/loop/print_maps.h"
#include "core/record/loop/schedule.h"
#include "core/record/loop/thread_layout.h"
#include "core/record/trigger/trigger_spec.h"

struct recorder_aux;

#define PRIORITY_UNLESS_GIVEN	UINT64_MAX

#define DEFAULT_RING	(512u << 10)	/* bytes of a ring, unless the options or the rate ask for another size */

struct recorder_opts {
	struct output_opts output;
	const char *version;		/* prec's version; borrowed, as are all strings here */
	const char *control;		/* --control; NULL: none */
	char *const *cmdline;		/* the words of prec's command line, NULL-terminated */
	sigset_t mask;			/* signal mask for the command, from signals_hold() */
	char *const *workload;		/* the command's words, NULL-terminated; NULL: none */
	struct event_requests events;
	struct target target;
	struct sampling_opts sampling;
	uint64_t ring_bytes;		/* size of each ring buffer's data, a power of two of pages */
	struct ring_drain_opts drain;
	struct thread_layout threads;	/* --threads */
	struct trigger_opts triggers;	/* --on, --switch-output-event */
	bool dumps_exact;		/* with overwrite ring buffers: a dump ends at its exact time, and newer data wait for the
					 * next dump */
	bool dumps_only;		/* only dumps are kept: the last file is discarded if it is no dump */
	struct live_unwind_opts live;	/* --unwind=live */
	struct recorder_aux *aux;	/* NULL: no event fills AUX areas */
	struct schedule schedule;
	bool tail_synthesize;		/* synthesize existing processes and maps at the end, not at the start */
	struct synthesize_opts synthesize;
	uint64_t priority;		/* -r: priority of SCHED_FIFO; 0: normal priority; PRIORITY_UNLESS_GIVEN: normal, but a
					 * thread that empties ring buffers may raise its own (urgency.h) */
	bool all_build_ids;		/* --buildid-all, or no build ids in the maps: keep the names of mapped files */
	bool no_copies;			/* -N: no copies of binaries are kept (binary_saver.h) */
	bool python, python_given;	/* .python: read Python frames (python.h); .python_given: --python or --no-python was given.
					 * Default: if CPython is seen */
	bool no_jit_maps;		/* --no-jit-map: the files /tmp/perf-PID.map are not copied (jit_maps.h) */
	bool no_build_ids;		/* -B: no build ids in the header */
	const char *on_file;		/* --on-file: the command for finished files; NULL: none */
	struct print_maps_opts maps;	/* --bpf-maps: print the maps of the user's BPF programs */
	uint64_t counts_ns;		/* -n: counts are printed whenever this much time has passed; 0: at the end alone */
	enum off_cpu_access off_cpu;	/* --off-cpu: how waits are recorded; OFF_CPU_NONE: not at all */
	bool descriptor_names;		/* --off-cpu-args: look up the descriptors in system calls */
	uint64_t short_waits_ns;	/* --off-cpu-thresh: shorter waits are summed up; 0: all are written */
	struct findings found;		/* set, and printed, by recorder_run(): parts that the recording lacks; the caller
					 * releases it */
};

/*
 * Makes a recording: opens the events, starts the command, writes the contents of the ring buffers to the file until it is time to
 * stop, and finishes the file. Prints errors and losses. Returns the exit status of the program: see prec-record(1).
 */
int recorder_run(struct recorder_opts *o);

#endif
