/*
 * Records: opens events, starts the command, writes the contents of the rings to the file until it is time to stop, ends the file.
 * Layer: loop
 */
#ifndef CORE_RECORD_LOOP_RECORDER_H
#define CORE_RECORD_LOOP_RECORDER_H

#include "core/record/loop/recorder_opts.h"

/* Record. Prints errors and what was lost; returns the exit status of the program: see prec-record(1). */
int recorder_run(struct recorder_opts *o);

#endif
