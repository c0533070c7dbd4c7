/*
 * Opens the files that recorded processes have mapped, for binary_saver.c and python_process.c. It finds a file even if the file
 * was renamed since, or if the process has another root directory.
 */
#ifndef CORE_RECORD_LIVE_OPEN_MAP_H
#define CORE_RECORD_LIVE_OPEN_MAP_H

#include <stdint.h>

struct mmap2_record;

/*
 * Opens the mapped regular file itself for reading, even if another file has its name by now. Returns a descriptor, owned by the
 * caller, or -errno: the map is gone or was split, or this user may not open it (CAP_SYS_ADMIN, CAP_CHECKPOINT_RESTORE).
 */
int open_map(const struct mmap2_record *r);
/* Opens the regular file that has this name in the process's root directory. */
int open_seen(uint32_t pid, const char *name);

#endif
