/*
 * Defines the data that the BPF program python.bpf.c shares with the recorder: the records that it sends, and the description of
 * a process with CPython, which the recorder puts into a BPF map. Numbers are in host byte order.
 */
#ifndef CORE_RECORD_BPF_PYTHON_RECORDS_H
#define CORE_RECORD_BPF_PYTHON_RECORDS_H

#include <linux/types.h>

#define PYTHON_FRAMES_MAX	1024	/* frames of a sample; a power of two */
#define PYTHON_NAME_MAX		1024	/* bytes of a name, and of a file's name */
#define PYTHON_LINES_MAX	16384	/* bytes of a code object's line table */

/*
 * How to recognize the outermost frame of a call of the interpreter's loop. EACH: every frame is one. FLAG: the frame has a flag.
 * SHIM: an entry on the C stack, which is no frame, follows it.
 */
enum python_entries { PYTHON_ENTRY_EACH, PYTHON_ENTRY_FLAG, PYTHON_ENTRY_SHIM };

/* Offsets in structures of one version of CPython. */
struct python_offsets {
	__u32 version;			/* major << 8 | minor */
	__u16 heads, interp_next, threads;	/* _PyRuntime, PyInterpreterState */
	__u16 tstate_next, thread_id, tstate_frame, cframe, cframe_frame;	/* PyThreadState; .cframe 0: it has no cframe */
	__u16 back, code, instr, owner, entry, frame_size;	/* of a frame; .frame_size: bytes of it that are read */
	__u16 name, file, lines, first, bytes;	/* of a code object */
	__u16 ascii, compact;		/* of the characters in an ASCII string, and in other compact strings */
	__u16 entries;			/* enum python_entries */
};

struct python_process {
	__u64 runtime;			/* address of _PyRuntime */
	__u64 code_type;		/* address of PyCode_Type */
	__u64 start_code, end_code;	/* addresses of the program's code: a forked child has the same, another program has not */
	struct python_offsets offsets;
};

enum python_kind { PYTHON_SAMPLE = 1, PYTHON_CODE, PYTHON_SWITCH };

enum {
	PYTHON_CUT = 1,			/* there are more frames */
	PYTHON_BROKEN = 2,		/* the frames end at one that cannot be read or has no code object */
	PYTHON_AMBIGUOUS = 4,		/* several interpreters run in the thread, and which of them calls which is not known */
	PYTHON_SEVERAL = 8,		/* several interpreters run in the thread; a PYTHON_PLACE follows the frames of each call */
};

#define PYTHON_INTERPRETERS_MAX	4u	/* interpreters that run in a thread; a power of two */

/* Bits of python_frame.flags. PYTHON_ENTRY: the outermost frame of a call of the interpreter's loop. */
#define PYTHON_ENTRY	1u
#define PYTHON_PLACE	2u		/* no frame: .code is the address of the loop's call on the C stack, which grows down */

struct python_frame {
	__u64 code;			/* address of the code object */
	__u64 print;			/* a hash of the code object: a new hash at the same address means other code */
	__u32 at;			/* offset of the instruction in the code, bytes; 0xffffffff: before the first */
	__u32 flags;
};

struct python_sample {
	__u32 kind, nr;
	__u32 pid, tid;
	__u64 time;			/* the sample's time; PYTHON_SWITCH: CLOCK_MONOTONIC, a moment before the sample */
	__u32 flags, pad;
	struct python_frame frames[PYTHON_FRAMES_MAX];	/* .nr, the innermost first */
};

/* A string as it is in memory. */
struct python_text {
	__u16 size;			/* bytes; 0: it could not be read */
	__u16 kind;			/* bytes of a character */
	__u32 pad;
	__u8 text[PYTHON_NAME_MAX];
};

/* Describes a code object. Sent before the first sample that has a frame of it. */
struct python_code {
	__u32 kind, pid;
	__u64 code, print;
	__u32 first;			/* line number of the function's first line */
	__u32 size;			/* bytes of its instructions */
	__u32 lines_size;		/* bytes of .lines; 0: no table, a too large one, or one that could not be read */
	__u32 version;			/* python_offsets.version */
	struct python_text name, file;
	__u8 lines[PYTHON_LINES_MAX];	/* .lines_size */
};

#endif
