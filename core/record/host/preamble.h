/*
 * Synthesizes records of the processes and maps that exist before the first sample of a recording, and makes the header sections
 * about the machine and the events. core/record/loop/recorder_files.c writes all of them to the file.
 */
#ifndef CORE_RECORD_HOST_PREAMBLE_H
#define CORE_RECORD_HOST_PREAMBLE_H

#include "core/record/host/synthesize.h"

struct buf;
struct event_requests;
struct event_set;
struct features;
struct sampling_opts;
struct target;

/* Appends records of the kernel's maps, and of the names and maps of the processes of @t. @set must have been opened with @o. */
void synthesize_existing(struct buf *out, const struct event_set *set, const struct target *t, const struct sampling_opts *o,
		   const struct synthesize_opts *synthesize);
/* Fills the sections about this machine and the events. Copies @version of prec and its command line (NULL-terminated). */
void preamble_features(struct features *f, const char *version, char *const *cmdline, const struct event_set *set);
/* Appends the section TRACING_DATA with the formats of the tracepoints. Appends nothing if the kernel does not show them. */
void preamble_tracing_data(struct buf *out, const struct event_requests *events);

#endif
