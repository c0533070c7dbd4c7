/*
 * Runs a recording. It opens the events, starts the command, writes the contents of the ring buffers to the file until it is time
 * to stop, and finishes the file. cmd/record.c calls it.
 * Layer: loop
 */
#ifndef CORE_RECORD_LOOP_RECORDER_H
#define CORE_RECORD_LOOP_RECORDER_H

#include "core/record/loop/recorder_opts.h"

/* Makes a recording. Prints errors and losses. Returns the exit status of the program: see prec-record(1). */
int recorder_run(struct recorder_opts *o);

#endif
