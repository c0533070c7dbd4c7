/*
 * Unwinds code that HotSpot (Java) has made, by reading the memory of the process during recording. It finds the return address
 * of a frame, and the methods that are inlined at an address.
 * Layer: unwind
 */
#ifndef CORE_UNWIND_JVM_CODE_H
#define CORE_UNWIND_JVM_CODE_H

#include <stdbool.h>
#include <stdint.h>

struct jvm_table;

enum jvm_frame_kind {
	JVM_NONE,		/* not known as code of a JVM, or code with frame pointers */
	JVM_FRAME,
	JVM_INTERPRETER,	/* code with frame pointers, but the caller's stack pointer is stored a word below */
	JVM_DEOPTIMIZED,	/* a handler, whose address replaces the return address .depth bytes above the stack pointer */
	JVM_UNKNOWN,		/* the frame is being built or removed */
};

struct jvm_frame {
	enum jvm_frame_kind kind;
	uint32_t depth;		/* bytes from the stack pointer to the return address */
	bool has_fp;		/* the caller's frame pointer is in the word before the return address */
	bool hides_inlined;	/* methods are inlined in this one, and it is unknown which of them are here */
	uint32_t code;		/* number of the code, from 1 on; 0: none */
};

/* An address of code. @file: libjvm.so, which process @pid has at its own addresses + @bias. */
struct jvm_place {
	uint32_t pid;
	const char *file;
	uint64_t bias;
	uint64_t pc, time;	/* .time: of the sample */
	bool interrupted;	/* before the instruction at .pc; else a call ends just before .pc */
};

/* Finds the JVMs of processes; for one worker. Adds the code that it finds to @table, which is borrowed. */
struct jvm_code;
struct jvm_code *jvm_code_new(struct jvm_table *table);
void jvm_code_free(struct jvm_code *j);
void jvm_code_find(struct jvm_code *j, const struct jvm_place *p, struct jvm_frame *out);
/*
 * The address of the method that a frame of the interpreter runs, as for recorded chains (core/model/java.h); 0: unknown. @code:
 * the interpreter's number; @method and @at, the place in it, are from the frame.
 */
uint64_t jvm_code_method(struct jvm_code *j, uint32_t code, uint64_t method, uint64_t at);
/*
 * Call it before the samples taken so far are unwound. As the JVM frees code and puts other code in its place, code is read again
 * once after each call.
 */
void jvm_code_begin(struct jvm_code *j);
/* True if code number @code is still valid for a sample of @time. False: all numbers are invalid, find the code again. */
bool jvm_code_holds(struct jvm_code *j, uint32_t code, uint64_t time);

#endif
