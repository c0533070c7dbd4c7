/*
 * Prints the summary at the end of a recording: the bytes written, the recorder's own CPU time, when records were lost, and on
 * which CPUs or threads.
 */
#ifndef CORE_RECORD_LOOP_SUMMARY_H
#define CORE_RECORD_LOOP_SUMMARY_H

struct findings;
struct recorder;

/* Adds findings about losses and their causes. */
void summary_findings(const struct recorder *r, struct findings *out);
/* Prints the last lines of record: the cost of the recording, and its size. */
void summary_print(const struct recorder *r);

#endif
