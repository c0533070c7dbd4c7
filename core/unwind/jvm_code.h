/*
 * Unwinds code that HotSpot (Java) made, by reading the memory of the process: finds the return address of a frame, and the
 * methods that are inlined there.
 * Layer: unwind
 */
#ifndef CORE_UNWIND_JVM_CODE_H
#define CORE_UNWIND_JVM_CODE_H

#include <stdbool.h>
#include <stdint.h>

struct jvm_table;

enum jvm_frame_kind {
	JVM_NONE,		/* no code of a JVM that is known, or code that keeps frame pointers */
	JVM_FRAME,
	JVM_INTERPRETER,	/* frame pointers lead on; the caller's stack pointer is a word below */
	JVM_DEOPTIMIZED,	/* of a handler, in place of the return address, which is .depth bytes above the stack pointer */
	JVM_UNKNOWN,		/* the frame is being made or left */
};

struct jvm_frame {
	enum jvm_frame_kind kind;
	uint32_t depth;		/* bytes from the stack pointer to the return address */
	bool has_fp;		/* the caller's frame pointer is in the word before that */
	bool hides_inlined;	/* others are inlined in this method, and which of them here is not known */
	uint32_t code;		/* number of the code, from 1 on; 0: it is in none */
};

/* A place of code: @file is libjvm.so, to whose addresses process @pid adds @bias. */
struct jvm_place {
	uint32_t pid;
	const char *file;
	uint64_t bias;
	uint64_t pc, time;	/* .time: of the sample */
	bool interrupted;	/* at .pc; else it called just before */
};

/* The JVMs of processes; belongs to one worker. The table, which is borrowed, gets the code that is found. */
struct jvm_code;
struct jvm_code *jvm_code_new(struct jvm_table *table);
void jvm_code_free(struct jvm_code *j);
void jvm_code_find(struct jvm_code *j, const struct jvm_place *p, struct jvm_frame *out);
/*
 * The address of the method that is interpreted in a frame, as a recorded chain has it (core/model/java.h); 0: not known. @code is
 * the interpreter's number; @method and @at, the place in it, are what the frame has.
 */
uint64_t jvm_code_method(struct jvm_code *j, uint32_t code, uint64_t method, uint64_t at);
/*
 * Samples that were taken before now are looked at next. Code is freed, and other code comes in its place: what is known of it
 * is read again once after each call of this.
 */
void jvm_code_begin(struct jvm_code *j);
/* True if what is known of code number @code holds for a sample of @time. False: all numbers are void, find it again. */
bool jvm_code_holds(struct jvm_code *j, uint32_t code, uint64_t time);

#endif
