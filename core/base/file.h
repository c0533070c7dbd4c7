/*
 * Reads whole files, writes whole buffers, and safely opens files whose paths other users control. Also decides which owners of
 * files are trusted, raises the limit of open files, and advises the kernel about the pages of mapped files.
 */
#ifndef CORE_BASE_FILE_H
#define CORE_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct buf;

/* True if a call that failed with EINTR should be repeated, not forever. *interrupted, 0 at first, counts the repetitions. */
bool interrupted_call(int64_t result, unsigned *interrupted);
/* Writes all @n bytes despite EINTR and short writes. Returns 0 or -errno. */
int write_all(int fd, const void *p, size_t n);
/* Writes all of @b and empties it. Returns 0 or -errno. */
int write_buf(int fd, struct buf *b);
/* Reads up to @n bytes at @offset, fewer only at the end of the file; returns the bytes read or -errno. */
int64_t read_at(int fd, void *p, size_t n, uint64_t offset);
/* Append the file's contents to @b; also for procfs and sysfs, whose st_size is meaningless. Returns 0 or -errno. */
int read_file(const char *path, struct buf *b);
/* As read_file(), for a path that others may control. -EINVAL: it is no regular file; -EFBIG: it has more than @max bytes. */
int read_regular(const char *path, struct buf *b, uint64_t max);
/* As read_regular(), but the owner of the file must be trusted, or be @also; else -EPERM. */
int read_trusted(const char *path, struct buf *b, uint64_t max, uid_t also);
/* As read_file(), but stops when CLOCK_MONOTONIC has passed @until_ns. *cut: the file has more data than were read. */
int read_file_until(const char *path, struct buf *b, uint64_t until_ns, bool *cut);
/* Appends up to 64 KiB of a file, by one read(2), and a NUL to @b: all of a one-line file of procfs. Returns 0 or -errno. */
int read_at_once(const char *path, struct buf *b);
/* Returns the text of a file as a NUL-terminated string without its last newline, owned by the caller; NULL with errno set. */
char *read_line_of(const char *path);
/* Reads the number in a file such as /proc/sys/kernel/perf_event_paranoid. Returns 0 or -errno. */
int read_int_of(const char *path, long long *out);
/* True if files of @uid may be trusted and replaced: @uid is this user, root, or the user who became root by sudo. */
bool is_trusted_owner(uid_t uid);
/*
 * Flag for open(2). 0: follow a link at @path: its owner is trusted or owns the directory, or others cannot write there, or it is
 * in /proc or /sys. O_NOFOLLOW: any other link, or none, so that a link that is put there later is not followed.
 */
int link_flags(const char *path);
/* For paths that others chose: a FIFO would block. Close-on-exec. Returns an owned descriptor or -errno; -EINVAL: not regular. */
int open_regular(const char *path);
/* As open_regular(), below @root (-1: own root), which links cannot leave (openat2(2), Linux 5.6). -ELOOP: last part is a link. */
int open_regular_below(int root, const char *path);
/* As open_regular(), but -EPERM unless the file's owner is trusted or is @also, and the owner of a link at @path is trusted. */
int open_trusted(const char *path, uid_t also);
/* Finds a program in PATH, as execvp(3) does. Returns its path, owned by the caller; NULL: there is none. */
char *program_in_path(const char *name);
/* Returns the owner of process @pid; this user if it has ended. */
uid_t owner_of_process(uint32_t pid);
/* Raises the limit of open files to the hard limit. False: it was there already, or cannot be raised. */
bool raise_file_limit(void);
/* Returns how many more files this process may open up to the hard limit; the whole limit if there is no /proc. */
unsigned files_left(void);
/*
 * Handles SIGBUS in all threads (sigbus.c): if a page of a mapped file cannot be read, runs the hook of log_at_crash(), prints
 * file, offset and reason, and exits with status 1. Any other SIGBUS kills the program.
 */
void sigbus_means_file_error(void);
/* Releases the pages of these bytes of a mapped file from memory. They can be read again. Not for mappings that were written to. */
void pages_release(const uint8_t *data, uint64_t size);
/* Advises the kernel how these bytes of a mapped file will be read: some of the pages, here and there (@are), or all in order. */
void pages_are_scattered(const uint8_t *data, uint64_t size, bool are);
/* Advises the kernel that these bytes of a mapped file are read next. Does nothing for fewer than 16 KiB. */
void pages_will_be_read(const uint8_t *data, uint64_t size);

#endif
