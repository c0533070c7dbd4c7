/*
 * Keeps the names of JIT code: the files /tmp/perf-PID.map of recorded processes that have executable memory without a file. Such a
 * file is opened when it is first seen, in case it is removed, and read when its process or a file of the recording ends. The path
 * is the process's own, with its root directory and PID namespace, as in a container. A JVM is asked to write it (java_attach.h).
 * Layer: live
 */
#ifndef CORE_RECORD_LIVE_JIT_MAPS_H
#define CORE_RECORD_LIVE_JIT_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct features;
struct findings;
struct jit_maps;
struct pid_bits;

/*
 * Owned by the caller: jit_maps_free(). The functions below are safe from any thread. A separate thread asks JVMs while they run,
 * as they may end before the recording does. @ask_all: also JVMs without samples so far, as a command's samples may wait in a
 * ring until it has ended.
 */
struct jit_maps *jit_maps_new(bool ask_all);
/* NULL: nothing. */
void jit_maps_free(struct jit_maps *j);
/* Look at the record at @record, of @size bytes with its header: a map of code without a file, or the end of a process. */
void jit_maps_see(struct jit_maps *j, const void *record, size_t size);
/* The same of all records in @n bytes. */
void jit_maps_see_all(struct jit_maps *j, const void *records, size_t n);
/* Look for files that were not there before; costs nothing if the last time was just now. */
void jit_maps_poll(struct jit_maps *j);
/* The set of processes with samples, which the caller fills; borrowed. JVMs without samples are not asked. */
struct pid_bits *jit_maps_sampled(struct jit_maps *j);
/* At the end of the recording: ask all JVMs that still run, which takes a second each at most. */
void jit_maps_ask(struct jit_maps *j);
/* Reads the files of processes that have not ended, and fills the section JIT_MAPS. */
void jit_maps_section(struct jit_maps *j, struct features *f);
/* The bytes of the section, so far. */
uint64_t jit_maps_bytes(struct jit_maps *j);
/* A file of the recording begins: forget the names of processes that have ended. */
void jit_maps_forget(struct jit_maps *j);
/* Adds findings about files that existed, but were not kept. */
void jit_maps_findings(struct jit_maps *j, struct findings *out);

#endif
