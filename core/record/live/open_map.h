/*
 * Opens the files that processes have mapped.
 * Layer: live
 */
#ifndef CORE_RECORD_LIVE_OPEN_MAP_H
#define CORE_RECORD_LIVE_OPEN_MAP_H

#include <stdint.h>

struct mmap2_record;

/*
 * The regular file of the map itself, whatever has its name by now, for reading. Returns a descriptor, owned by the caller, or
 * -errno: the map is gone or was split, or this user may not open it (CAP_SYS_ADMIN, CAP_CHECKPOINT_RESTORE).
 */
int open_map(const struct mmap2_record *r);
/* The same of the regular file that has this name for the process. */
int open_seen(uint32_t pid, const char *name);

#endif
