/*
 * Defines the interface through which the unwinder reads a process: its maps, its code and its unwind tables. tables.h implements
 * it for the processes of a recording, and live_memory.h for running processes.
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
	/* The map at @ip of @space, borrowed; NULL: there is none. *span: the addresses for which the result is the same. */
	const struct map *(*map)(const struct memory_ops *m, uint32_t space, uint64_t ip, struct ip_span *span);
	/* Copies up to @n bytes of the code at @ip. Returns the number of bytes. */
	size_t (*code)(const struct memory_ops *m, uint32_t space, uint64_t ip, void *out, size_t n);
	/* The unwind tables of the mapped file, read-only, borrowed as long as @m; NULL: the map is of no file. */
	const struct file_tables *(*tables)(const struct memory_ops *m, const struct map *map);
	/* Finds the frame at @pc, which is in no file, if the code is of a JVM. This pointer is NULL if JVMs are not read. */
	void (*jvm)(const struct memory_ops *m, uint32_t space, uint64_t pc, bool interrupted, struct jvm_frame *out);
	/* The address that stands for the method in a frame of a JVM's interpreter: see jvm_code_method(). */
	uint64_t (*jvm_method)(const struct memory_ops *m, uint32_t code, uint64_t method, uint64_t at);
	/* True if the result of jvm() for code number @code is still valid. */
	bool (*jvm_holds)(const struct memory_ops *m, uint32_t code);
	/* True if both addresses may be in one function. */
	bool (*same_function)(const struct memory_ops *m, uint32_t space, uint64_t a, uint64_t b);
};

#endif
