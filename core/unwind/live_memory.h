/*
 * An unwinder's view of a process while it is recorded: with its maps as they were when a sample was taken.
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
	struct memory_ops memory;	/* first, so that a pointer to it is a pointer to the whole */
	struct unwind_tables *tables;
	const struct arch *arch;
	const struct live_space *space;	/* borrowed: whose stacks are unwound now; its number is the space's */
	uint32_t pid;			/* of the process; 0: none */
	uint64_t time;			/* of the sample; 0: not known */
	struct jvm_code *jvms;		/* owned */
	uint32_t jvm_space;		/* of this space the map of libjvm.so is: */
	const struct map *jvm;		/* NULL: it has none */
};

/* The tables of the files of processes on this machine, which all views share, bounded: unwind_tables_free(). @l is borrowed. */
struct unwind_tables *live_tables_new(struct live_maps *l);
/* One belongs to one worker; @tables are borrowed, and @java, which gets the code of JVMs (NULL: it is not kept). */
void live_memory_init(struct live_memory *w, struct unwind_tables *tables, struct jvm_table *java);
/* The samples that are unwound from now on were taken before: code that is made at run time is as it is now. */
void live_memory_begin(struct live_memory *w);
void live_memory_release(struct live_memory *w);

#endif
