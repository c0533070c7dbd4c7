/*
 * Reads the records that describe a stream: events, features and build ids, which a file has in its header.
 * Layer: read
 */
#ifndef CORE_READ_STREAM_H
#define CORE_READ_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct data_file;
struct machine;
struct record;

/* True if the record describes the recording. */
bool stream_is_header(uint32_t type);
/*
 * Reads such a record. A feature's bytes are still in the file's byte order, all else is native. @trailing: the @size bytes that
 * follow the record (tracing data). Returns 0, or -EINVAL if it is damaged.
 */
int stream_header(struct data_file *file, struct machine *machine, const struct record *rec,
		  const uint8_t *trailing, size_t size);

#endif
