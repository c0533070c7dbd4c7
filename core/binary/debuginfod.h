/*
 * Downloads debug information and binaries by build id from debuginfod(8) servers, if the user requests it. core/model/load.c and
 * candidate.c call it when no file on this machine has them.
 */
#ifndef CORE_BINARY_DEBUGINFOD_H
#define CORE_BINARY_DEBUGINFOD_H

#include <stdbool.h>

struct build_id;
struct debuginfod;
struct findings;

enum debuginfod_file { DEBUGINFOD_DEBUG, DEBUGINFOD_IMAGE };

/* Makes a client, owned by the caller, for the servers of DEBUGINFOD_URLS. The first download loads libdebuginfod. */
struct debuginfod *debuginfod_new(void);
void debuginfod_free(struct debuginfod *d);
/*
 * Downloads a file, and returns its path in libdebuginfod's cache, owned by the caller; NULL: no server has it. @name is the name
 * of the file in messages. Safe from any thread; there is only one download at a time. Do not call it for the kernel or its
 * modules, whose files have some hundred MB.
 *
 * After an error of the servers, or 15 seconds without data (DEBUGINFOD_TIMEOUT changes this), no more files are requested.
 */
char *debuginfod_find(struct debuginfod *d, enum debuginfod_file what, const struct build_id *id, const char *name);
/* Adds findings about servers that did not answer. */
void debuginfod_findings(struct debuginfod *d, struct findings *out);

#endif
