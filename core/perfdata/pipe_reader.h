/*
 * Reads a pipe into buffers, so that core/read/live.c can use the records of a stream as they arrive. For commands that need the
 * whole recording first, it copies the pipe to a file.
 */
#ifndef CORE_PERFDATA_PIPE_READER_H
#define CORE_PERFDATA_PIPE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes keep their address until they are released. A record that would cross the end of a buffer is first moved to the next. */
struct pipe_reader;

/* @fd is borrowed. */
struct pipe_reader *pipe_reader_new(int fd);
void pipe_reader_free(struct pipe_reader *in);

/* Waits for more data and reads them. Returns the number of bytes, 0 at the end, or -errno. */
int64_t pipe_reader_read(struct pipe_reader *in);
/* True if a read would not block: there are more data, or the end. */
bool pipe_reader_is_ready(const struct pipe_reader *in);

/* The data that were read, but not consumed yet. */
const uint8_t *pipe_reader_rest(const struct pipe_reader *in, size_t *size);
/* The stream offset of the first byte of the rest. */
uint64_t pipe_reader_offset(const struct pipe_reader *in);
/* Consumes @n bytes of the rest; they keep their address. */
void pipe_reader_consume(struct pipe_reader *in, size_t n);
/* Releases consumed data before stream offset @offset, except memory that is shared with later bytes. */
void pipe_reader_release_before(struct pipe_reader *in, uint64_t offset);

/*
 * Copies the whole stream, from its first byte to its end, to an unlinked file in $TMPDIR or /tmp. Nothing may have been released
 * before. Returns the file's descriptor, owned by the caller, or -errno.
 */
int pipe_reader_spool(struct pipe_reader *in);
/* The same for the pipe @fd, of which nothing was read. */
int spool(int fd);

#endif
