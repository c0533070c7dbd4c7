/*
 * Creates the files that prec writes, safely even in a directory into which other users may put links, FIFOs and files. outfile.h
 * writes large output to such a file.
 */
#ifndef CORE_BASE_NEW_FILE_H
#define CORE_BASE_NEW_FILE_H

#include <stdbool.h>
#include <sys/types.h>

struct new_file {
	int fd;			/* owned; open for writing; -1: it has been closed */
	const char *path;	/* borrowed */
	char *name;		/* owned; its temporary name; NULL: it has been renamed, or is written in place */
};

/* True if @path is written in place. False also if nothing is there. */
bool is_written_in_place(const char *path);
/* Checks if @path may be replaced or written. Returns 0, or -1 after printing why not. */
int new_file_check(const char *path);
/*
 * Creates the file next to its path, under a name that cannot be guessed. new_file_place() renames this file to the path, and
 * rename(2) follows no link. @mode is subject to the umask. @path is borrowed until the release. Prints errors; returns 0, or -1
 * with nothing to release.
 *
 *	if (new_file_open(&f, path, 0666))	checks what is at path, makes PATH.new-RANDOM
 *		return -1;
 *	err = write_all(f.fd, text, size);
 *	if (!err)
 *		err = new_file_place(&f);	closes and renames it
 *	new_file_release(&f);			removes it if it was not renamed
 *
 * Two kinds of files are written in place: a device or FIFO of a trusted owner (core/base/file.h), and the file that is standard
 * output or error (/dev/stdout). If an untrusted user owns any other file or symbolic link at the path, new_file_open() fails.
 */
int new_file_open(struct new_file *f, const char *path, mode_t mode);
/*
 * Closes the file and renames it to its path, unless another user's file is there by now. If it replaces a file, it is synced to
 * disk first. Returns 0 or -errno: -EPERM for another user's file.
 */
int new_file_place(struct new_file *f);
/* Close the file, and remove it if it has not been renamed. */
void new_file_release(struct new_file *f);

/* Renames @from to @to as new_file_place() does. Returns 0 or -errno. */
int rename_over(const char *from, const char *to);
/* Makes a directory next to @path, with a temporary name. Returns the name, owned by the caller; NULL: printed. */
char *new_dir_next_to(const char *path);
/* Creates @name, which must not exist, below the directory @dir (or AT_FDCWD). Returns a descriptor or -errno. */
int new_file_at(int dir, const char *name, mode_t mode);
/* Opens and truncates a trusted owner's regular file, in a directory where none can be created. Returns a descriptor or -errno. */
int open_emptied(const char *path);
/* Creates an unlinked file in the directory of @path, close-on-exec. Returns a descriptor, owned by the caller, or -errno. */
int unnamed_file_next_to(const char *path);
/* Creates an unlinked file in $TMPDIR or /tmp, close-on-exec. Returns a descriptor, owned by the caller, or -1 with errno set. */
int temporary_file(void);

#endif
