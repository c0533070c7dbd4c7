/*
 * Reads and writes whole files, and safely opens files whose paths other users control. If a file cannot be read or written
 * completely, a function returns an error.
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
 * True if the call that returned @result was interrupted and should be repeated. *interrupted, 0 at first, counts the
 * repetitions, which are bounded: a file system in user space may interrupt forever, and signals wait meanwhile.
 */
bool interrupted_call(int64_t result, unsigned *interrupted);
/* Writes all @n bytes despite EINTR and short writes. Returns 0 or -errno. */
int write_all(int fd, const void *p, size_t n);
/* Writes all of @b and empties it. Returns 0 or -errno. */
int write_buf(int fd, struct buf *b);
/* Reads up to @n bytes at @offset, fewer only at the end of the file; returns the bytes read or -errno. */
int64_t read_at(int fd, void *p, size_t n, uint64_t offset);
/* Append the file's contents to @b; also for procfs and sysfs, whose st_size is meaningless. Returns 0 or -errno. */
int read_file(const char *path, struct buf *b);
/* As read_file(), for a path that others may control: a regular file of at most @max bytes (-EINVAL, -EFBIG). */
int read_regular(const char *path, struct buf *b, uint64_t max);
/* As read_regular(), but the owner of the file must be trusted, or be @also (-EPERM). */
int read_trusted(const char *path, struct buf *b, uint64_t max, uid_t also);
/* As read_file(), but stop when CLOCK_MONOTONIC has passed @until_ns and not all was read: then *cut. */
int read_file_until(const char *path, struct buf *b, uint64_t until_ns, bool *cut);
/* Reads up to 64 KiB by one read(2), as a NUL-terminated string in @b: all of a one-line file of procfs. Returns 0 or -errno. */
int read_at_once(const char *path, struct buf *b);
/* Returns the text of a file as a NUL-terminated string without its last newline, owned by the caller; NULL with errno set. */
char *read_line_of(const char *path);
/* Reads the number in a file such as /proc/sys/kernel/perf_event_paranoid. Returns 0 or -errno. */
int read_int_of(const char *path, long long *out);
/* True if files of @uid may be trusted and replaced: @uid is this user, root, or the user who became root by sudo. */
bool is_trusted_owner(uid_t uid);
/*
 * Flags for open(2): O_NOFOLLOW; or 0 if @path is a link to follow, because its owner is trusted or others cannot write there.
 * O_NOFOLLOW also covers a link that is put there after the check.
 */
int link_flags(const char *path);
/*
 * Open a regular file for reading, close-on-exec. For paths that others chose: opening a FIFO would block, and opening a device
 * may have an effect. Returns a descriptor, owned by the caller, or -errno: -EINVAL for what is no regular file.
 */
int open_regular(const char *path);
/*
 * As open_regular(), for @path below the directory @root (-1: the process's own root). Links in @path cannot lead outside of it
 * (openat2(2), Linux 5.6), and the last part of @path must be no link (-ELOOP).
 */
int open_regular_below(int root, const char *path);
/* As open_regular(), if the owner of the file, and of a link to it, is trusted or is @also; else -EPERM. */
int open_trusted(const char *path, uid_t also);
/* Returns the owner of process @pid; this user if it has ended. */
uid_t owner_of_process(uint32_t pid);
/* Raises the limit of open files to the hard limit. False: it was there already. */
bool raise_file_limit(void);
/* Returns how many more files this process may open up to the hard limit; the whole limit if there is no /proc. */
unsigned files_left(void);
/*
 * Release the memory of the pages with the @size bytes at @data of a mapped file. They can be read again, from the page cache.
 * Not for private mappings that were written to.
 */
void pages_release(const uint8_t *data, uint64_t size);
/* From now on some of the pages of a mapped file are read, here and there (@are), or all one after the other. */
void pages_are_scattered(const uint8_t *data, uint64_t size, bool are);
/* These pages of it are read next, if there are several. */
void pages_will_be_read(const uint8_t *data, uint64_t size);

#endif
