/*
 * Reads and writes of files that are complete or an error, and safe ways to open a file by a path that others control.
 * Layer: base
 */
#ifndef CORE_BASE_FILE_H
#define CORE_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct buf;

/*
 * True if the call, which returned @result, was only interrupted and is worth another try. *interrupted, 0 at first, bounds
 * the tries: a file system in user space may interrupt forever, and signals wait meanwhile.
 */
bool interrupted_call(int64_t result, unsigned *interrupted);
/* Writes all @n bytes despite EINTR and short writes. Returns 0 or -errno. */
int write_all(int fd, const void *p, size_t n);
/* All of @b, which is empty then. Returns 0 or -errno. */
int write_buf(int fd, struct buf *b);
/* Up to @n bytes at @offset until the end of file; returns the bytes read or -errno. */
int64_t read_at(int fd, void *p, size_t n, uint64_t offset);
/* Append the file's text to @b (of procfs and sysfs too, whose st_size says nothing). Returns 0 or -errno. */
int read_file(const char *path, struct buf *b);
/* As read_file(), for a path that others may control: a regular file of at most @max bytes (-EINVAL, -EFBIG). */
int read_regular(const char *path, struct buf *b, uint64_t max);
/* As read_regular(), but the owner of the file must be trusted, or be @also (-EPERM). */
int read_trusted(const char *path, struct buf *b, uint64_t max, uid_t also);
/* As read_file(), but stop when CLOCK_MONOTONIC has passed @until_ns and not all was read: then *cut. */
int read_file_until(const char *path, struct buf *b, uint64_t until_ns, bool *cut);
/*
 * The result of one read, up to 64 KiB, as a NUL-terminated string in @b: complete for one-line files of procfs. 0 or -errno.
 */
int read_at_once(const char *path, struct buf *b);
/* The text as of read_file(), as a NUL-terminated string without trailing newline, owned by the caller; NULL with errno set. */
char *read_line_of(const char *path);
/* The number in a file such as /proc/sys/kernel/perf_event_paranoid. Returns 0 or -errno. */
int read_int_of(const char *path, long long *out);
/* True if files of @uid may be trusted and replaced: of this user, of root, and of the user who became root by sudo. */
bool is_trusted_owner(uid_t uid);
/*
 * For open(2): O_NOFOLLOW, or 0 if @path is a link that is to be followed, of a trusted owner or where others cannot write.
 * A link that is put in its place meanwhile is not followed.
 */
int link_flags(const char *path);
/*
 * Open a regular file for reading, close-on-exec. For paths that others made up: a fifo would block, and to open a device
 * may already do something. Returns a descriptor, owned by the caller, or -errno: -EINVAL for what is no regular file.
 */
int open_regular(const char *path);
/*
 * The same below the directory @root, which no link in @path leads out of (openat2(2), Linux 5.6), or with @root -1 below
 * the process's own root. The last part of @path must be no link (-ELOOP).
 */
int open_regular_below(int root, const char *path);
/* The same as open_regular(), of a trusted owner or of @also: -EPERM for another's, and for a link of another. */
int open_trusted(const char *path, uid_t also);
/* The owner of process @pid; this user, if it has ended. */
uid_t owner_of_process(uint32_t pid);
/* As many open files as the hard limit allows; false: they were this many before. */
bool raise_file_limit(void);
/* How many more this process may open by the hard limit; with no /proc, as many as that. */
unsigned files_left(void);
/*
 * Give back the memory of @size bytes at @data that were read of a mapped file, and of the pages that they share with others. All
 * can be read again, which costs a look into the page cache. Not for what was written to private mappings.
 */
void pages_release(const uint8_t *data, uint64_t size);

#endif
