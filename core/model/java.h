/*
 * Code of HotSpot (Java) in a recording: pieces of code that samples are in, each with the time from which on it was seen, its name
 * and the methods that are inlined at its addresses. The recorder reads them from the memory of the JVM, so that they are those of
 * the sample, whatever the JVM does later. Each process's are a dso of their own, and become maps of the process as those of a
 * jitdump do. A method that is interpreted has an address as a function of Python has (python.h), in no process: JAVA_BASE, twice
 * the number of its name, from 1 on, and 1. In a recorded chain it stands behind the interpreter's own frame, with PYTHON_IN_LOOP
 * added. The table, packed in the section JAVA, little-endian:
 *
 *	u32 version, u32 nr; nr names, each with its NUL;
 *	u32 nr; nr pieces by time: u64 time, u64 address, u32 pid, u32 size, u32 name, u32 nr; nr places by offset:
 *		u32 offset in the code, u32 size, u32 nr, u32 names[nr]: of the methods inlined there, the innermost first
 *
 * Layer: model
 */
#ifndef CORE_MODEL_JAVA_H
#define CORE_MODEL_JAVA_H

#define JAVA_TABLE_VERSION	1u
#define JAVA_CODE_SIZE		32u	/* bytes, without its places */
#define JAVA_PLACE_SIZE		12u	/* without its names */
#define JAVA_NAME_LEAST		3u	/* bytes of the shortest name, so that a table is no larger in memory than it may be */
#define JAVA_NAME		"[java-%u]"	/* of its dso, with the process's number */
#define JAVA_METHODS		"[java]"	/* of that of interpreted methods */

#include <stddef.h>

struct feature_packed;
struct machine;

/* Reads the recording's table, once, before maps are. A damaged one is read up to there. */
void machine_set_java(struct machine *m, const struct feature_packed *java);
/* The same of an unpacked one, of @n bytes. */
void machine_read_java(struct machine *m, const void *bytes, size_t n);

#endif
