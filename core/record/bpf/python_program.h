/*
 * Loads the program of python.bpf.c, and receives what it sends. If clang or libbpf was missing when prec was built,
 * python_program_none.c stands in for it.
 * Layer: bpf
 */
#ifndef CORE_RECORD_BPF_PYTHON_PROGRAM_H
#define CORE_RECORD_BPF_PYTHON_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

struct python_process;
struct python_program;

/* Loads it. Owned by the caller: python_program_free(). NULL: *why says why not, to be freed. */
struct python_program *python_program_load(char **why);
void python_program_free(struct python_program *p);
/* Its descriptor, for PERF_EVENT_IOC_SET_BPF. */
int python_program_fd(const struct python_program *p);
/* The descriptor of its variant for sched:sched_switch. */
int python_program_at_switch(const struct python_program *p);
/* Makes it read frames of @pid from now on. */
void python_program_add(struct python_program *p, uint32_t pid, const struct python_process *process);
void python_program_remove(struct python_program *p, uint32_t pid);
/* Passes the records that it has sent to @take(ctx, a record of python_records.h, its bytes). */
void python_program_read(struct python_program *p, void (*take)(void *ctx, const void *data, size_t size), void *ctx);

#endif
