/*
 * Copies the files /tmp/perf-PID.map, in which JIT compilers write the names of their code, into the recording. java_attach.h
 * makes a JVM write such a file. stats.c and map_watch.c pass it MMAP records, by which it notices JIT code.
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
 * Makes a keeper of map files, owned by the caller: jit_maps_free(). It keeps the file of each recorded process that has executable
 * memory without a file. The path /tmp/perf-PID.map is resolved in the process's own root directory and PID namespace, which differ
 * in a container. prec opens the map file when it first sees it, because the file may be removed later, and reads it when the
 * process ends or a file of the recording is finished.
 *
 * The functions below are safe from any thread. A separate thread asks JVMs to write their map files while they run, because they
 * may end before the recording does. With @ask_all, JVMs without samples so far are asked, too, because the samples of a command
 * may stay in a ring buffer until it has ended.
 */
struct jit_maps *jit_maps_new(bool ask_all);
/* Frees it. Does nothing if @j is NULL. */
void jit_maps_free(struct jit_maps *j);
/* Handles a record of @size bytes with its header: maps of code, also without a file, and ends of processes. */
void jit_maps_see(struct jit_maps *j, const void *record, size_t size);
/* Like jit_maps_see(), for all records in @n bytes. */
void jit_maps_see_all(struct jit_maps *j, const void *records, size_t n);
/* Looks for map files that did not exist before. Does nothing if the last call was a moment ago. */
void jit_maps_poll(struct jit_maps *j);
/* Returns the set of processes with samples, which the caller fills. Borrowed. JVMs without samples are not asked. */
struct pid_bits *jit_maps_sampled(struct jit_maps *j);
/*
 * Asks all JVMs that still run to write their map files, at the end of the recording. This takes at most a second for each JVM, and
 * five seconds in all.
 */
void jit_maps_ask(struct jit_maps *j);
/* Reads the files of processes that have not ended, and fills the section JIT_MAPS. */
void jit_maps_section(struct jit_maps *j, struct features *f);
/* The bytes of the section's contents so far. */
uint64_t jit_maps_bytes(struct jit_maps *j);
/* Forgets the names of processes that have ended, when a new file of the recording begins. */
void jit_maps_forget(struct jit_maps *j);
/*
 * Adds findings about map files that existed but were not copied, about JVMs that did not write one, and about Node.js processes
 * whose JavaScript has no names. @of_pid: samples by pid modulo PID_BITS; NULL: not known. @all: all samples.
 */
void jit_maps_findings(struct jit_maps *j, const uint32_t *of_pid, uint64_t all, struct findings *out);

#endif
