/*
 * Compiles a filter of samples (core/record/events/sample_filter.h) to a BPF program that the kernel runs before it writes a
 * sample. Samples that do not pass are dropped, and counted by CPU in a map. Needs bpf(2), but no libbpf.
 * Source: Documentation/bpf/ and include/uapi/linux/bpf.h, bpf_perf_event.h of Linux; BPF_PROG_TYPE_PERF_EVENT is of Linux 4.9.
 * Layer: bpf
 */
#ifndef CORE_RECORD_BPF_FILTER_PROGRAM_H
#define CORE_RECORD_BPF_FILTER_PROGRAM_H

#include <linux/bpf.h>
#include <stdbool.h>

#include "core/base/vec.h"

struct sample_filter;

struct bpf_code { VEC(struct bpf_insn) insns; };

/* Append the program: it returns 1 for a sample that is kept; else it adds 1 to the value 0 of map @map, and returns 0. */
void filter_program_compile(struct bpf_code *out, const struct sample_filter *f, int map);

struct filter_program { int program, map; };	/* file descriptors; .program is for PERF_EVENT_IOC_SET_BPF */

/* Compile and load @filter, of event @event. Prints what is wrong; 0 or -1. filter_program_close(). */
int filter_program_load(struct filter_program *out, const char *filter, const char *event);
void filter_program_close(struct filter_program *p);
/* True if such programs may be loaded here. */
bool filter_programs_allowed(void);

/* The number of samples dropped so far, by CPU below *nr. Owned by the caller; NULL: not known. */
uint64_t *filter_program_dropped(const struct filter_program *p, unsigned *nr);

#endif
