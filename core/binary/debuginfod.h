/*
 * Fetches files by build id from debuginfod(8) servers. libdebuginfod is loaded when it is first needed. No server is asked
 * unless the user wants it, and none for the kernel or its modules, whose files have some hundred MB.
 *
 * A server that does not answer is not asked again.
 * Layer: binary
 */
#ifndef CORE_BINARY_DEBUGINFOD_H
#define CORE_BINARY_DEBUGINFOD_H

#include <stdbool.h>

struct build_id;
struct debuginfod;
struct findings;

enum debuginfod_file { DEBUGINFOD_DEBUG, DEBUGINFOD_IMAGE };

/* Owned by the caller. The servers are those of the environment, DEBUGINFOD_URLS. */
struct debuginfod *debuginfod_new(void);
void debuginfod_free(struct debuginfod *d);
/*
 * The path of the file in libdebuginfod's cache, owned by the caller; NULL: it has none. @name: for messages. Safe
 * from any thread; others wait.
 */
char *debuginfod_find(struct debuginfod *d, enum debuginfod_file what, const struct build_id *id, const char *name);
/* Add what kept it from answering. */
void debuginfod_findings(struct debuginfod *d, struct findings *out);

#endif
