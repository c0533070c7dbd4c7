/*
 * Frames of code that HotSpot (Java) made, out of the memory of the process: where the return address is. The JVM exports the
 * places of its own structures for debuggers (gHotSpotVMStructs; OpenJDK, src/hotspot/share/runtime/vmStructs.hpp).
 * Layer: unwind
 */
#ifndef CORE_UNWIND_JVM_CODE_H
#define CORE_UNWIND_JVM_CODE_H

#include <stdbool.h>
#include <stdint.h>

enum jvm_frame_kind {
	JVM_NONE,		/* no code of a JVM that is known, or code that keeps frame pointers */
	JVM_FRAME,
	JVM_INTERPRETER,	/* frame pointers lead on; the caller's stack pointer is a word below */
	JVM_UNKNOWN,		/* the frame is being made or left */
};

struct jvm_frame {
	enum jvm_frame_kind kind;
	uint32_t depth;		/* bytes from the stack pointer to the return address */
	bool has_fp;		/* the caller's frame pointer is in the word before that */
};

/* The JVMs of processes; belongs to one worker. */
struct jvm_code;
struct jvm_code *jvm_code_new(void);
void jvm_code_free(struct jvm_code *j);
/* @file: libjvm.so, to whose addresses process @pid adds @bias. @interrupted: at @pc; else it called just before. */
void jvm_code_find(struct jvm_code *j, uint32_t pid, const char *file, uint64_t bias, uint64_t pc, bool interrupted,
		   struct jvm_frame *out);

#endif
