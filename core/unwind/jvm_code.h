/*
 * Unwinds frames of code that HotSpot (Java) has compiled or generated, by reading the memory of the process during recording.
 * lookup.c calls it, and jvm_table.h collects the names of the code for the recording.
 */
#ifndef CORE_UNWIND_JVM_CODE_H
#define CORE_UNWIND_JVM_CODE_H

#include <stdbool.h>
#include <stdint.h>

struct jvm_table;

enum jvm_frame_kind {
	JVM_NONE,		/* not known as code of a JVM, or code with frame pointers */
	JVM_FRAME,		/* the return address is .depth bytes above the stack pointer */
	JVM_INTERPRETER,	/* has frame pointers; the caller's stack pointer is in the word below the saved frame pointer */
	JVM_DEOPTIMIZED,	/* a handler; the return address that it replaced is .depth bytes above the stack pointer */
	JVM_UNKNOWN,		/* the frame is being built or removed */
};

struct jvm_frame {
	enum jvm_frame_kind kind;
	uint32_t depth;		/* bytes from the stack pointer to the return address */
	bool has_fp;		/* the caller's frame pointer is in the word below the return address */
	bool hides_inlined;	/* methods are inlined in this one, and it is unknown which of them are at the address */
	uint32_t code;		/* number of the block of code, from 1 on; 0: none */
};

/* An address of code in process .pid. .file is libjvm.so; .bias is an address in the process - the address in that file. */
struct jvm_place {
	uint32_t pid;
	const char *file;
	uint64_t bias;
	uint64_t pc, time;	/* .time: of the sample */
	bool interrupted;	/* before the instruction at .pc; else a call ends just before .pc */
};

/*
 * State for one worker, with the JVMs and the code that it has found. Adds the code, and the methods that are inlined in it, to
 * @table, which is borrowed.
 */
struct jvm_code;
struct jvm_code *jvm_code_new(struct jvm_table *table);
void jvm_code_free(struct jvm_code *j);
/* Finds where in a frame the return address is. */
void jvm_code_find(struct jvm_code *j, const struct jvm_place *p, struct jvm_frame *out);
/*
 * The address of the method that a frame of the interpreter runs, as for recorded chains (core/model/java.h); 0: unknown. @code:
 * the interpreter's number; @method and @at, the place in it, are from the frame.
 */
uint64_t jvm_code_method(struct jvm_code *j, uint32_t code, uint64_t method, uint64_t at);
/*
 * Call it before each batch of samples is unwound. The JVM frees code and puts other code at its address, so all code is checked
 * once more when it is needed, if 10 ms have passed since it was.
 */
void jvm_code_begin(struct jvm_code *j);
/* True if code number @code is still valid for a sample of @time. False: all numbers are invalid, find the code again. */
bool jvm_code_holds(struct jvm_code *j, uint32_t code, uint64_t time);

#endif
