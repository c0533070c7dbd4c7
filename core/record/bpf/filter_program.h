/*
 * Compiles a filter of samples (core/record/events/sample_filter.h) to a BPF program that the kernel runs before it writes a
 * sample. core/record/open/set_programs.c attaches it.
 * Source: Documentation/bpf/, include/uapi/linux/bpf.h and bpf_perf_event.h of Linux.
 */
#ifndef CORE_RECORD_BPF_FILTER_PROGRAM_H
#define CORE_RECORD_BPF_FILTER_PROGRAM_H

#include <linux/bpf.h>
#include <stdbool.h>

#include "core/base/vec.h"

struct sample_filter;

struct bpf_code { VEC(struct bpf_insn) insns; };

/*
 * Appends the program to @out. The program returns 1 for a sample that is kept. For other samples it adds 1 to the first value
 * of the map @map, which counts them by CPU, and returns 0, so that the kernel drops the sample.
 */
void filter_program_compile(struct bpf_code *out, const struct sample_filter *f, int map);

struct filter_program { int program, map; };	/* file descriptors; .program is for PERF_EVENT_IOC_SET_BPF */

/*
 * Compiles and loads @filter for the event @event. This needs bpf(2), but not libbpf; BPF_PROG_TYPE_PERF_EVENT exists since Linux
 * 4.9. Prints errors; returns 0 or -1. End with filter_program_close().
 */
int filter_program_load(struct filter_program *out, const char *filter, const char *event);
void filter_program_close(struct filter_program *p);
/* True if this user may load such programs on this machine. */
bool filter_programs_allowed(void);

/* Returns the number of samples dropped so far for each CPU below *nr. Owned by the caller; NULL if the numbers are not known. */
uint64_t *filter_program_dropped(const struct filter_program *p, unsigned *nr);

#endif
