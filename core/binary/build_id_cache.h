/*
 * Adds, lists and removes copies in ~/.debug, perf's cache of recorded binaries by build id. core/record/live/binary_saver.c
 * adds copies. core/model/candidate.c finds them when symbols are loaded.
 *
 * So perf and prec find the symbols of a program even after it was rebuilt. The files of the cache are:
 *
 *	.build-id/xx/yyyy	a link to ../../NAME/BUILDID; xxyyyy is the build id
 *	NAME/BUILDID/elf	the copy of the binary; NAME is the binary's path when it was copied
 *	NAME/BUILDID/kallsyms	for NAME [kernel.kallsyms], instead of elf: a copy of /proc/kallsyms
 *	NAME/BUILDID/vdso	for NAME [vdso], instead of elf: a copy of the kernel's vdso
 *	NAME/BUILDID/kept	says that prec record made the copy and may remove it; perf has no such file
 *	.lines/BUILDID		source lines and inlined functions found before (core/model/line_cache.h); perf has no such file
 *
 * Source: perf-buildid-cache(1).
 */
#ifndef CORE_BINARY_BUILD_ID_CACHE_H
#define CORE_BINARY_BUILD_ID_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/binary/build_id.h"

/* .fd: the directory ~/.debug. Nothing is written or removed through a symbolic link, or in a directory of another user. */
struct build_id_cache { int fd; };

/* Opens the cache. @make: create it if it is missing. Returns 0 or -errno; -EPERM: another user owns it, or may write there. */
int build_id_cache_open(struct build_id_cache *c, bool make);
void build_id_cache_close(struct build_id_cache *c);

/*
 * Copies the file open at @fd, whose path was @name; its build id must be @id. @kept: mark it as a copy that record may remove;
 * without @kept, the mark of an existing copy is removed. Returns 1 if it was added, 0 if it was there, or -errno; -EINVAL: it
 * has another build id.
 */
int build_id_cache_add(const struct build_id_cache *c, const char *name, const struct build_id *id, int fd, bool kept);
/* True if the cache has kernel data @leaf (kallsyms, vdso) of @id and @name, written at @since (seconds since 1970) or later. */
bool build_id_cache_has_leaf(const struct build_id_cache *c, const char *name, const char *leaf, const struct build_id *id,
			     int64_t since);
/* Writes kernel data @leaf for build id @id and name @name: @size bytes of @data. Returns 0 or -errno. */
int build_id_cache_put_leaf(const struct build_id_cache *c, const char *name, const char *leaf, const struct build_id *id,
			    const void *data, size_t size);
/* The directory .lines, created if @make. Returns a descriptor, owned by the caller, or -errno. */
int build_id_cache_lines(const struct build_id_cache *c, bool make);
/* Writes @leaf in the cache's directory @dir, and replaces an older one when it is complete. Returns 0 or -errno. */
int build_id_cache_write(int dir, const char *leaf, const void *data, size_t size);
/* Removes the copy with build id @id. Returns 0 or -errno; -ENOENT: there is none. */
int build_id_cache_remove(const struct build_id_cache *c, const struct build_id *id);

struct cached_file {
	struct build_id id;
	const char *name;	/* borrowed */
	uint64_t size;		/* bytes of the file elf; 0: there is none */
	bool kept;		/* prec record made the copy and may remove it */
	uint64_t used_ns;	/* if .kept, the time of its last recording: ns since 1970 */
};

/* Calls @each for all copies, in order of build ids. Returns 0 or -errno. */
typedef void build_id_cache_each_fn(void *ctx, const struct cached_file *f);
int build_id_cache_each(const struct build_id_cache *c, build_id_cache_each_fn *each, void *ctx);
/* Removes copies that record made, the least recently recorded first, until all together take at most @max bytes. */
void build_id_cache_shrink(const struct build_id_cache *c, uint64_t max);

#endif
