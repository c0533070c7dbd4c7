/*
 * Loads the BPF program of python.bpf.c, which reads Python frames inside the kernel. Also receives the records that this
 * program writes. Builds without clang or libbpf, or for other processors than x86-64, use python_program_none.c.
 */
#ifndef CORE_RECORD_BPF_PYTHON_PROGRAM_H
#define CORE_RECORD_BPF_PYTHON_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct python_process;
struct python_program;

/* Loads the program (python_program_free()). Returns NULL if this fails, with the reason in *why, owned by the caller. */
struct python_program *python_program_load(char **why);
void python_program_free(struct python_program *p);
/* Returns the program's file descriptor, for PERF_EVENT_IOC_SET_BPF; @at_switch: of its variant for sched:sched_switch. */
int python_program_fd(const struct python_program *p, bool at_switch);
/* Makes the program read the frames of process @pid from now on. */
void python_program_add(struct python_program *p, uint32_t pid, const struct python_process *process);
void python_program_remove(struct python_program *p, uint32_t pid);
/* Passes the records that the program has sent to @take, each with its size in bytes. python_records.h defines them. */
void python_program_read(struct python_program *p, void (*take)(void *ctx, const void *data, size_t size), void *ctx);

#endif
