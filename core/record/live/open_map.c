/*
 * Opens the files that other processes have mapped: the mapped file itself through /proc/PID/map_files, or the file with a given
 * name through /proc/PID/root (proc_pid_map_files(5), proc_pid_root(5)).
 */
#include "core/record/live/open_map.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/base/file.h"
#include "core/base/util.h"
#include "core/record/live/kernel_records.h"

static int open_owned(char *path)
{
	int fd = open_regular(path);

	free(path);
	return fd;
}

int open_map(const struct mmap2_record *r)
{
	return open_owned(xasprintf("/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64, r->pid, r->addr, r->addr + r->len));
}

int open_seen(uint32_t pid, const char *name)
{
	return open_owned(xasprintf("/proc/%" PRIu32 "/root%s", pid, name));
}
