/*
 * Finds the Python frames of samples. The BPF program core/record/bpf/python.bpf.c reads the frames at each sample.
 * live_unwind.c asks for the frames of a sample, and live_sample.c merges them into the call chain.
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

/* Loads the BPF program, and makes the kernel run it at the samples of @set. NULL: it failed; the caller frees *why. */
struct python *python_new(const struct event_set *set, char **why);
void python_free(struct python *p);
/* Handles a record of @size bytes: maps of code, begin and end of processes. Safe from any thread. */
void python_see(struct python *p, const void *record, size_t size);
void python_see_all(struct python *p, const void *records, size_t n);

/* ---- samples ---- */

struct python_stack {
	const uint64_t *frames;		/* addresses, the innermost first; borrowed until the next python_find() */
	size_t nr;
	const struct python_ranges *loop;	/* borrowed from the struct python */
};

/* Takes the records that the BPF program has sent. Call it after reading the ring buffers and before handling their samples. */
void python_read(struct python *p);
/*
 * Finds the frames of the sample of thread @tid at @time. @at_switch is true for samples of event_is_timed_switch(). Returns
 * false if there are no frames, or if they are uncertain: then the sample stays as it is, and is counted. Call it from one thread
 * only.
 */
bool python_find(struct python *p, uint32_t tid, uint64_t time, bool at_switch, struct python_stack *out);

/* ---- the recording ---- */

void python_section(struct python *p, struct features *f);
uint64_t python_bytes(struct python *p);
void python_findings(struct python *p, struct findings *out);

#endif
