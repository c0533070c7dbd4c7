/*
 * Reads the names of Java methods (HotSpot) from a table in the recording. core/unwind/jvm_table.c makes this table from the
 * JVM's memory while prec record runs.
 */
#ifndef CORE_MODEL_JAVA_H
#define CORE_MODEL_JAVA_H

/*
 * The table lists compiled code, with the time at which it was first seen, its name, and the methods inlined in it. The names fit
 * the samples even if the JVM replaces the code later, because the recorder reads them while the program runs. The table is packed
 * in the section JAVA, in little-endian byte order:
 *
 *	u32 version, u32 nr; nr names, each with its NUL;
 *	u32 nr; nr pieces of code, sorted by time: u64 time, u64 address, u32 pid, u32 size, u32 name, u32 nr; nr places, by offset:
 *		u32 offset in the code, u32 size, u32 nr, u32 names[nr] (methods inlined at this place, the innermost first)
 */
#define JAVA_TABLE_VERSION	1u
#define JAVA_CODE_SIZE		32u	/* bytes of a piece of code in the table, without its places */
#define JAVA_PLACE_SIZE		12u	/* bytes of a place in the table, without the numbers of its names */
#define JAVA_NAME_LEAST		3u	/* length of the shortest name; bounds the memory that the names of a table need */

/*
 * The compiled code of each process becomes a dso, which is mapped into the process like a jitdump (jitdump_open.c).
 *
 * An interpreted method has an artificial address that is mapped in no process, like a Python function (python.h). The address is
 * JAVA_BASE + 2n + 1, where n is the number of the method's name in the table, counted from 1. In a recorded call chain the address
 * comes right after the interpreter's frame, and has PYTHON_IN_LOOP added to it, which marks the frame before it as the
 * interpreter's.
 */
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
