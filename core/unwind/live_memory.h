/*
 * Lets the unwinder read a process while it is recorded (memory_ops.h), with its maps as they were when a sample was taken.
 * Layer: unwind
 */
#ifndef CORE_UNWIND_LIVE_MEMORY_H
#define CORE_UNWIND_LIVE_MEMORY_H

#include "core/unwind/memory_ops.h"

struct jvm_code;
struct jvm_table;
struct live_maps;
struct live_space;
struct unwind_tables;

struct live_memory {
	struct memory_ops memory;	/* first, so that a pointer to it can be cast to the struct */
	struct unwind_tables *tables;
	const struct arch *arch;
	const struct live_space *space;	/* borrowed: the current process's maps; its number is that of the space */
	uint32_t pid;			/* of the process; 0: none */
	uint64_t time;			/* of the sample; 0: not known */
	struct jvm_code *jvms;		/* owned */
	uint32_t jvm_space;		/* number of the space for which .jvm was found */
	const struct map *jvm;		/* map of libjvm.so; NULL: it has none */
};

/* Makes the tables of files on this machine, shared by all views and bounded: unwind_tables_free(). @l is borrowed. */
struct unwind_tables *live_tables_new(struct live_maps *l);
/* For one worker. Borrows @tables, and @java, to which it adds the code of JVMs (NULL: not stored). */
void live_memory_init(struct live_memory *w, struct unwind_tables *tables, struct jvm_table *java);
/* Call it before the samples taken so far are unwound: code made at run time is taken as it is now. */
void live_memory_begin(struct live_memory *w);
void live_memory_release(struct live_memory *w);

#endif
