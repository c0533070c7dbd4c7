/* Defines the options of a recording, which cmd/record.c fills from the command line and recorder.c uses. Layer: loop */
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

struct recorder_opts {
	struct output_opts output;
	const char *version;		/* of the program; borrowed, as all strings here */
	const char *control;		/* --control; NULL: none */
	char *const *cmdline;		/* the program's words, NULL-terminated */
	sigset_t mask;			/* of signals, for the command: signals_hold() */
	char *const *workload;		/* the command's words, NULL-terminated; NULL: none */
	struct event_requests events;
	struct target target;
	struct sampling_opts sampling;
	uint64_t ring_bytes;		/* data of a ring, a power of two of pages */
	struct ring_drain_opts drain;
	struct thread_layout threads;	/* --threads */
	struct trigger_opts triggers;	/* --on, --switch-output-event */
	bool dumps_exact;		/* overwrite rings: a dump ends at its exact time, and newer data wait for the next */
	bool dumps_only;		/* and only dumps are written */
	struct live_unwind_opts live;	/* --unwind=live */
	struct recorder_aux *aux;	/* NULL: no event fills AUX areas */
	struct schedule schedule;
	bool tail_synthesize;		/* synthesize existing processes and maps at the end, not at the start */
	struct synthesize_opts synthesize;
	uint64_t priority;		/* -r: SCHED_FIFO; 0: normal priority; PRIORITY_UNLESS_GIVEN: normal, except for
					 * threads that only copy rings */
	bool all_build_ids;		/* --buildid-all, or no build ids in the maps: keep the names of mapped files */
	bool no_copies;			/* -N: no copies of binaries are kept (binary_saver.h) */
	bool python, python_given;	/* --python, --no-python: read its frames (python.h). Default: if CPython is seen */
	bool no_jit_maps;		/* --no-jit-map: the files /tmp/perf-PID.map are not kept (jit_maps.h) */
	bool no_build_ids;		/* -B: no build ids in the header */
	const char *on_file;		/* --on-file: the command for finished files; NULL: none */
	struct print_maps_opts maps;	/* of the user's BPF programs */
	uint64_t counts_ns;		/* -n: counts are printed whenever this much time has passed; 0: at the end alone */
	enum off_cpu_access off_cpu;	/* --off-cpu: how; OFF_CPU_NONE: not */
	bool descriptor_names;		/* --off-cpu-args: look up the descriptors in system calls */
	uint64_t short_waits_ns;	/* --off-cpu-thresh: shorter waits are summed up; 0: all are written */
	struct findings found;		/* set, and printed, by recorder_run(): parts that the recording lacks; the caller
					 * releases it */
};

#endif
