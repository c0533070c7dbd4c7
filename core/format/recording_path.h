/*
 * A recording by its name: a file, or a directory that holds "data" (header and what was there before) and a
 * "data.N" of records for each thread that recorded (perf's DIR_FORMAT, version 1), and "kcore_dir".
 * Layer: format
 */
#ifndef CORE_FORMAT_RECORDING_PATH_H
#define CORE_FORMAT_RECORDING_PATH_H

#include <stdbool.h>

#include "core/base/vec.h"

#define DIR_VERSION	1	/* of FEATURE_DIR_FORMAT; 0: there is only "data" */

/* Is it a directory that holds a recording? */
bool recording_is_dir(const char *path);
/* Does a file, or "data" of a directory, begin as a recording does? False where it cannot be read. */
bool recording_begins(const char *path);
/* "DIR/data", and "DIR/data.N" for part @number. Owned by the caller. */
char *recording_data_path(const char *dir);
char *recording_part_path(const char *dir, unsigned number);
/* "DIR/kcore_dir", where --kcore keeps the kernel's memory. Owned by the caller. */
char *recording_kcore_path(const char *dir);
/* The numbers of the parts that are there, ascending. Returns 0 or -errno. */
struct part_numbers { VEC(unsigned) list; };
int recording_parts(const char *dir, struct part_numbers *out);
/* Remove a recording; of a directory only what is a recording's. Returns 0 or -errno. */
int recording_remove(const char *path);
/* What is there moves to PATH.old, in the place of what is there; an empty file is not worth that. Warns. */
void recording_keep_old(const char *path);

#endif
