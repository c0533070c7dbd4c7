/*
 * Reads the records with the events, features and build ids of a recording that comes through a pipe. In a file, the header and
 * the feature sections hold these data.
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
 * Reads a record for which stream_is_header() is true. The bytes of a feature are still in the file's byte order, and all other
 * fields are native. @trailing: the @size bytes that follow the record (tracing data). Returns 0, or -EINVAL if it is damaged.
 */
int stream_header(struct data_file *file, struct machine *machine, const struct record *rec,
		  const uint8_t *trailing, size_t size);

#endif
