/*
 * Reads the table of Java's code (HotSpot) in a recording: pieces of compiled code that samples are in, each with the time at
 * which it was first seen, its name, and the methods inlined in it. The recorder reads them from the JVM's memory while it runs,
 * so names fit the samples even if the JVM replaces the code later. The code of each process is a dso of its own, mapped into the
 * process as the code of a jitdump is.
 * An interpreted method has an address in no process, as a Python function has (python.h): JAVA_BASE + 2 * the number of its
 * name, from 1 on, + 1. In a recorded chain it follows the interpreter's own frame, with PYTHON_IN_LOOP added. The table, packed
 * in the section JAVA, little-endian:
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
#define JAVA_NAME		"[java-%u]"	/* the dso's name, with the process's number */
#define JAVA_METHODS		"[java]"	/* the name of the dso of interpreted methods */

#include <stddef.h>

struct feature_packed;
struct machine;

/* Reads the recording's table, once, before any maps. A damaged table is read up to the damage. */
void machine_set_java(struct machine *m, const struct feature_packed *java);
/* The same for an unpacked table of @n bytes. */
void machine_read_java(struct machine *m, const void *bytes, size_t n);

#endif
