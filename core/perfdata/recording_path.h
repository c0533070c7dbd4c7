/*
 * Makes the paths of a recording, which is a file or a directory, and checks, renames or removes an old recording at the same
 * path. The recorder (output.c) and data_file.c use it.
 */
#ifndef CORE_PERFDATA_RECORDING_PATH_H
#define CORE_PERFDATA_RECORDING_PATH_H

#include <stdbool.h>

#include "core/base/vec.h"

#define DIR_VERSION	1	/* value of FEATURE_DIR_FORMAT if there are "data.N"; 0: there is only "data" */

/* True if the file, or "data" of the directory, begins with perf.data's magic. False if it cannot be read. */
bool recording_begins(const char *path);
/*
 * A directory has the layout of perf's DIR_FORMAT, version 1: the file "data" has the header and the synthesized records, and
 * "data.N" has the records of reader thread N.
 *
 * "DIR/data", and "DIR/data.N" for @number N. Owned by the caller.
 */
char *recording_data_path(const char *dir);
char *recording_part_path(const char *dir, unsigned number);
/* "DIR/kcore_dir", where --kcore copies the kernel's code. Owned by the caller. */
char *recording_kcore_path(const char *dir);
/* The numbers N of the "data.N" in @dir, ascending. Returns 0 or -errno. */
struct part_numbers { VEC(unsigned) list; };
int recording_parts(const char *dir, struct part_numbers *out);
/* Remove a recording; from a directory only the files that belong to one. Returns 0 or -errno. */
int recording_remove(const char *path);
/*
 * Checks if a recording may be written to @path, which must not be a file of another user, a directory that is no recording, or a
 * FIFO, because the header is written last. Returns 0, or -1 after printing the reason.
 */
int recording_check_place(const char *path);
/* Checks if recording_keep_old() would succeed. Returns 0, or -1 after printing files of another user that are in the way. */
int recording_check_old(const char *path);
/*
 * Renames @path to PATH.old, which is replaced; does nothing if @path is an empty file. Prints a warning on failure. Returns 0,
 * or -1 (printed) if one of the two belongs to another user.
 */
int recording_keep_old(const char *path);

#endif
