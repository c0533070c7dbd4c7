/*
 * Caches the source lines and inlined functions of addresses for later runs of prec, in ~/.debug/.lines/BUILDID. Reading debug
 * information would take most of the time of a small report. srcline.c uses the cache.
 */
#ifndef CORE_MODEL_LINE_CACHE_H
#define CORE_MODEL_LINE_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/model/frames.h"

struct dso;
struct dwarf_file;

struct line_cache;

/*
 * Reads the cached answers for @dso; NULL: there are none, or they are stale, or the file is damaged. line_cache_free().
 *
 * The cache is used only if no other user can write to ~/.debug (core/binary/build_id_cache.h), and if inode, size and time of
 * change are still the same for three files: the file with the debug information, dwz's alternate file, and prec itself.
 */
struct line_cache *line_cache_read(const struct dso *dso);
/* Returns true if @addr is cached, and sets *out. The caller frees out->v; its texts live as long as @c. @c may be NULL. */
bool line_cache_find(const struct line_cache *c, uint64_t addr, struct frames *out);
/*
 * Writes the cache of @dso: the @nr frames @f, sorted by address, which were found in @debug, and those of the cache @old (NULL:
 * none) for other addresses. Then removes the least recently used caches until all together take at most 256 MiB. Errors are
 * ignored, as prec also works without a cache.
 *
 * Call it only for results that are not from split DWARF (.dwo files), because these files may come and go. Small files are not
 * cached either, because they can be read as fast as the cache.
 */
void line_cache_write(const struct dso *dso, const struct dwarf_file *debug, const struct line_cache *old,
		      const struct known_frames *f, size_t nr);
void line_cache_free(struct line_cache *c);

/* Removes the caches of all dsos. Returns 0 or -errno. */
int line_caches_remove(void);

#endif
