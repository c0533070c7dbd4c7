/*
 * Keeps copies of the binaries that ran in the cache of build ids, so that their names outlive a rebuild: as a process maps one,
 * it is opened, and a thread of its own copies it while recording goes on. Left out are files of the distribution, which packages
 * and debuginfod servers have, files without a build id, and those that are in the cache.
 * Layer: live
 */
#ifndef CORE_RECORD_LIVE_KEEPER_H
#define CORE_RECORD_LIVE_KEEPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct build_id;
struct findings;
struct keeper;

#define KEEPER_MAX	(4ull << 30)	/* bytes that all copies together take, at the most */
#define KEEPER_FILE_MAX	(1ull << 30)	/* of one */

/* NULL: there is no cache that may be written to, which -v reports. Owned by the caller: keeper_free(). */
struct keeper *keeper_new(void);
/*
 * Look at the record at @record, of @size bytes with its header: of MMAP2 records of code, each file is looked at once.
 * Safe from any thread.
 */
void keeper_see(struct keeper *k, const void *record, size_t size);
/* The same of all records in @n bytes. */
void keeper_see_all(struct keeper *k, const void *records, size_t n);
/* The build id of the file of this name that was opened last, if its records had none. Safe from any thread. */
bool keeper_build_id(struct keeper *k, const char *name, struct build_id *out);
/* Wait until all has been copied. */
void keeper_finish(struct keeper *k);
/* Add what was gone before it could be opened, and is still not there, as far as is known. Safe from any thread. */
void keeper_findings(struct keeper *k, struct findings *out);
void keeper_free(struct keeper *k);

#endif
