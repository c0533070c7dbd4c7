/*
 * Reads the memory maps of a process, with the ioctl PROCMAP_QUERY (Linux 6.11) or from /proc/PID/maps. synthesize.c makes MMAP2
 * records of them.
 */
#ifndef CORE_RECORD_HOST_PROC_MAPS_H
#define CORE_RECORD_HOST_PROC_MAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/buf.h"
#include "core/base/vec.h"

struct proc_map {
	uint64_t from, to, pgoff, ino;
	uint32_t maj, min;		/* major and minor number of the device; 0: no file */
	uint32_t prot, flags;		/* PROT_..., MAP_SHARED or MAP_PRIVATE */
	size_t path;			/* proc_map_path() */
};

/* The maps of a process. The struct is = {0} at first, and can be used for one process after the other. */
struct proc_maps {
	VEC(struct proc_map) list;	/* by address */
	struct buf text;		/* holds the paths */
	bool cut;			/* the timeout came before all maps were read */
	bool as_text;			/* read /proc/PID/maps: the kernel has no PROCMAP_QUERY, or the caller wants text */
	bool gate_sought;		/* .gate was looked for */
	VEC(struct proc_map) gate;	/* [vsyscall], which every 64-bit process has in /proc/PID/maps only; one or none */
};

/*
 * Reads the maps of @pid, or only executable maps if @all is false. Stops after @timeout_ms, but reads at least one map. Returns 0,
 * or -errno if the process has ended or may not be read. With PROCMAP_QUERY it asks for one map after the other, so that the kernel
 * skips maps that the caller does not need.
 */
int proc_maps_read(struct proc_maps *m, uint32_t pid, bool all, uint64_t timeout_ms);
void proc_maps_release(struct proc_maps *m);

/* Returns a path, a name such as "[vdso]", or "" for anonymous memory. Borrowed until the next proc_maps_read(). */
static inline const char *proc_map_path(const struct proc_maps *m, const struct proc_map *map)
{
	return m->text.data + map->path;
}

#endif
