/*
 * Copies the binaries that recorded processes execute into the build-id cache, so that their symbols outlive a rebuild. stats.c,
 * map_watch.c and recorder_files.c (core/record/loop) pass it the MMAP2 records.
 */
#ifndef CORE_RECORD_LIVE_BINARY_SAVER_H
#define CORE_RECORD_LIVE_BINARY_SAVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct build_id;
struct findings;
struct binary_saver;

#define KEEPER_MAX	(4ull << 30)	/* maximum bytes of all copies together */
#define KEEPER_FILE_MAX	(1ull << 30)	/* maximum bytes of one file */

/*
 * Makes a saver, owned by the caller: binary_saver_free(). If there is no writable cache, returns NULL and reports this with -v.
 * Four kinds of files are not copied: files of the distribution (packages and debuginfod servers have them), files without a build
 * id, files above KEEPER_FILE_MAX, and files that are already in the cache.
 */
struct binary_saver *binary_saver_new(void);
/*
 * Reads the record at @record, of @size bytes with its header. Opens the file that an MMAP2 record of code names, once per file,
 * and at once unless too many files are open, because the file may be removed or replaced. A separate thread copies it. Safe from
 * any thread.
 */
void binary_saver_see(struct binary_saver *s, const void *record, size_t size);
/* Like binary_saver_see(), for all records in @n bytes. */
void binary_saver_see_all(struct binary_saver *s, const void *records, size_t n);
/* Finds the build id of the file of this name that was opened last, if its records have none. Safe from any thread. */
bool binary_saver_build_id(struct binary_saver *s, const char *name, struct build_id *out);
/* Waits until all files have been copied. */
void binary_saver_finish(struct binary_saver *s);
/* Adds findings about files that were gone before they could be opened, and have not come back. Safe from any thread. */
void binary_saver_findings(struct binary_saver *s, struct findings *out);
void binary_saver_free(struct binary_saver *s);

#endif
