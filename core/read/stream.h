/*
 * Reads what a pipe has in place of the header of a perf.data file: records that describe the events, features and build ids of
 * the recording (HEADER_ATTR, HEADER_FEATURE, HEADER_BUILD_ID and similar).
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
