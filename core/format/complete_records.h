/*
 * The complete records at the front of bytes that a write took only some of.
 * Layer: format
 */
#ifndef CORE_FORMAT_COMPLETE_RECORDS_H
#define CORE_FORMAT_COMPLETE_RECORDS_H

#include <stdint.h>
#include <sys/uio.h>

struct complete_records { uint64_t bytes, records, samples; };

/* Of the first @size bytes of @parts, in which records, of this byte order, follow one another; an AUXTRACE's bytes are its. */
struct complete_records complete_records(const struct iovec *parts, int nr_parts, uint64_t size);

#endif
