/*
 * Defines the interface through which the unwinder reads a process: its maps, its code and its unwind tables. tables.h implements
 * it for the processes of a recording, and live_memory.h for running processes.
 * Layer: unwind
 */
#ifndef CORE_UNWIND_MEMORY_OPS_H
#define CORE_UNWIND_MEMORY_OPS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/model/map.h"
#include "core/unwind/file_tables.h"

struct arch;
struct jvm_frame;

struct memory_ops {
	/* The machine's arch; NULL: unknown, so nothing can be unwound. Borrowed, static. */
	const struct arch *(*arch)(const struct memory_ops *m);
	/* The map at @ip of @space, borrowed, and in *span the addresses with the same answer; NULL: there is no map. */
	const struct map *(*map)(const struct memory_ops *m, uint32_t space, uint64_t ip, struct ip_span *span);
	/* Copies up to @n bytes of the file that is mapped at @ip; returns how many. */
	size_t (*code)(const struct memory_ops *m, uint32_t space, uint64_t ip, void *out, size_t n);
	/* The tables of the mapped file: read-only, borrowed as long as @m; NULL: it is no file. */
	const struct file_tables *(*tables)(const struct memory_ops *m, const struct map *map);
	/* Finds the frame of code that is in no file, if it is a JVM's. The function pointer is NULL if there are none. */
	void (*jvm)(const struct memory_ops *m, uint32_t space, uint64_t pc, bool interrupted, struct jvm_frame *out);
	/* The address of the method in an interpreter's frame: see jvm_code_method(). */
	uint64_t (*jvm_method)(const struct memory_ops *m, uint32_t code, uint64_t method, uint64_t at);
	/* True if the result of jvm() for code number @code is still valid. */
	bool (*jvm_holds)(const struct memory_ops *m, uint32_t code);
	/* True if both addresses may be in one function, according to symbols. */
	bool (*same_function)(const struct memory_ops *m, uint32_t space, uint64_t a, uint64_t b);
};

#endif
