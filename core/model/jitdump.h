/*
 * Reads the contents of a jitdump, the file in which a JIT compiler writes its compiled code. jitdump_open.c finds these files and
 * maps the code into the processes.
 * Source of the format: Linux, tools/perf/Documentation/jitdump-specification.txt.
 */
#ifndef CORE_MODEL_JITDUMP_H
#define CORE_MODEL_JITDUMP_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/vec.h"

struct dso;
struct strtab;
struct symbols;

#define JITDUMP_MAX	(1u << 30)	/* bytes of a dump that is read */

/* From .time on, the .size bytes at address .addr are the code at offset .at of the dump; .at 0: no code is there any more. */
struct jit_change { uint64_t time, addr, size, at; };
/*
 * The code that one record of the dump has, such as a function: .size bytes at offset .at of the dump. .at identifies it, so that
 * code that was at the same address before or after is another one. Records that move the code refer to it by .index. Its .eh_frame
 * has .frame_size bytes (0: none) at .frame_at in jitdump.frames.
 */
struct jit_code { uint64_t index, size, at, frame_at, frame_size; };
struct jit_line { uint64_t at; const char *file; uint32_t line; };	/* .file is interned */
/* In the .size bytes of code at .at, .nr functions are inlined: from index .first of jitdump.inlined on, the innermost first. */
struct jit_place { uint64_t at, first; uint32_t size, nr; };

struct jitdump {			/* = {0}; jitdump_free() */
	struct dso *dso;		/* borrowed */
	uint32_t process;		/* the number of the process in struct threads */
	uint32_t pid;			/* only in a table of Java code (java.h), whose process may have no number yet; else 0 */
	uint32_t machine;		/* EM_* */
	bool swap;			/* it has the other byte order */
	bool has_times;			/* its times are of the recording's clock */
	size_t applied;			/* number of .changes that were added to the maps */
	VEC(struct jit_change) changes;	/* in the order of the file, which is that of time */
	VEC(struct jit_code) codes;
	VEC(struct jit_line) lines;	/* by .at */
	VEC(struct jit_line) pending_lines;	/* lines of the next code, whose .at is an address, not an offset */
	VEC(struct jit_place) places;	/* by .at */
	VEC(const char *) inlined;	/* interned */
	uint64_t end;			/* only in a table of Java code: the offset after the last code so far */
	VEC(uint8_t) frames;		/* .eh_frame of all codes, one after the other */
	uint64_t frame_at, frame_size;	/* .frame_at and .frame_size of the next struct jit_code */
};

struct jit_source {			/* describes the bytes that jitdump_read() gets */
	struct strtab *strings;
	bool monotonic;			/* the recording's clock is CLOCK_MONOTONIC */
	uint64_t time;			/* when the dump was mapped, by the recording's clock */
	uint32_t pid;			/* the process that wrote the dump */
	bool any_pid;			/* the dump may have another pid, as the process may be in another PID namespace */
	uint64_t offset;		/* offset of the bytes in the dump; above 0: @j has what the header of the dump says */
};

/*
 * Reads the @n bytes at @bytes; symbols go to @dso. Stops at damage. Returns the number of bytes read, up to the end of the last
 * complete code record, as records before a code record may belong to it. 0: it is no jitdump, or another process's, or a part
 * without a complete code record.
 */
size_t jitdump_read(struct jitdump *j, struct dso *dso, const void *bytes, size_t n, const struct jit_source *source);
/* True if code replaced other code at an unknown time. */
bool jitdump_is_mixed(const struct jitdump *j);
/* The line of the address @at; NULL: none is known. */
const struct jit_line *jitdump_line(const struct jitdump *j, const struct symbols *symbols, uint64_t at);
/* The functions inlined at the address @at; NULL: none is known. */
const struct jit_place *jitdump_place(const struct jitdump *j, uint64_t at);
void jitdump_free(struct jitdump *j);

#endif
