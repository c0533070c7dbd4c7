/*
 * A recording: open events, start the command, move what the rings hold into the file until it is time to stop,
 * finish the file.
 * Layer: loop
 */
#ifndef CORE_RECORD_LOOP_RECORDER_H
#define CORE_RECORD_LOOP_RECORDER_H

#include "core/record/loop/recorder_opts.h"

/* Record. Prints errors and what was lost; returns the exit status of the program: see prec-record(1). */
int recorder_run(struct recorder_opts *o);

#endif
