/* Reads files of sysfs that have a single line. As in perf, the environment variable SYSFS_PATH may replace "/sys". */
#ifndef CORE_BASE_SYSFS_H
#define CORE_BASE_SYSFS_H

/* "/sys", or SYSFS_PATH of the environment; borrowed. */
const char *sysfs_root(void);
/* The one line of the file @path (printf format) below sysfs, owned by the caller; NULL with errno set. */
char *sysfs_line(const char *path, ...) __attribute__((format(printf, 1, 2)));

#endif
