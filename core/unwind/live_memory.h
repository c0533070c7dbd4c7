/*
 * Finds the maps, code and unwind tables of a running process, so that prec record can unwind its stacks. live_memory.h
 * implements memory_ops.h for this. tables.h implements it for finished recordings.
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
	const struct live_space *space;	/* the current process's maps; space->number is its space; borrowed */
	uint32_t pid;			/* the current process; 0: none, so its memory cannot be read */
	uint64_t time;			/* time of the sample; 0: not known */
	struct jvm_code *jvms;		/* owned */
	uint32_t jvm_space;		/* number of the space in which .jvm was looked for */
	const struct map *jvm;		/* the map of libjvm.so there; NULL: there is none */
};

/* Makes the tables of files on this machine: unwind_tables_free(). They are bounded, and all workers share them. Borrows @l. */
struct unwind_tables *live_tables_new(struct live_maps *l);
/* Initializes @w for one worker. Borrows @tables and @java. Adds the code of JVMs to @java; NULL: it is not stored. */
void live_memory_init(struct live_memory *w, struct unwind_tables *tables, struct jvm_table *java);
/* Call it before each batch of samples is unwound. From then on, code made at run time is read as it is now. */
void live_memory_begin(struct live_memory *w);
void live_memory_release(struct live_memory *w);

#endif
