/*
 * The whole records at the front of bytes that a write took only some of.
 * Layer: format
 */
#ifndef CORE_FORMAT_WHOLE_H
#define CORE_FORMAT_WHOLE_H

#include <stdint.h>
#include <sys/uio.h>

struct whole { uint64_t bytes, records, samples; };

/* Of the first @size bytes of @parts, in which records, of this byte order, follow one another; an AUXTRACE's bytes are its. */
struct whole whole_records(const struct iovec *parts, int nr_parts, uint64_t size);

#endif
