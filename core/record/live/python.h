/*
 * Python frames in samples: selects the processes that core/record/bpf/python.bpf.c reads, keeps the frames that it sends for each
 * sample, and writes the table of code for the recording. If a frame is not certain, the sample stays as it is, and is counted.
 * Layer: live
 */
#ifndef CORE_RECORD_LIVE_PYTHON_H
#define CORE_RECORD_LIVE_PYTHON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/record/live/python_stacks.h"

struct event_set;
struct features;
struct findings;
struct python;
struct python_ranges;

/* Loads the program, and lets it run at the samples of @set. NULL: *why says why not, to be freed. */
struct python *python_new(const struct event_set *set, char **why);
void python_free(struct python *p);
/* Looks at the record @record, of @size bytes: a map of code, a name, or the end of a process. From any thread. */
void python_see(struct python *p, const void *record, size_t size);
void python_see_all(struct python *p, const void *records, size_t n);

/* ---- samples ---- */

struct python_stack {
	const uint64_t *frames;		/* addresses, the innermost first; borrowed until the next python_find() */
	size_t nr;
	const struct python_ranges *loop;	/* borrowed from the struct python */
};

/* Takes the records that the BPF program has sent. Call it after reading the rings, before handling their samples. */
void python_read(struct python *p);
/*
 * Finds the frames of the sample of @tid at @time; @at_switch: a sample of event_is_timed_switch(). False: there are none. Call it
 * from one thread.
 */
bool python_find(struct python *p, uint32_t tid, uint64_t time, bool at_switch, struct python_stack *out);

/* ---- the recording ---- */

void python_section(struct python *p, struct features *f);
uint64_t python_bytes(struct python *p);
void python_findings(struct python *p, struct findings *out);

#endif
