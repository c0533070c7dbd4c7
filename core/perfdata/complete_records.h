/*
 * Counts the complete records among the bytes that a write, which was cut short, has stored in the file. data_writer.c keeps
 * these records, and removes the incomplete one after them.
 */
#ifndef CORE_PERFDATA_COMPLETE_RECORDS_H
#define CORE_PERFDATA_COMPLETE_RECORDS_H

#include <stdint.h>
#include <sys/uio.h>

struct complete_records { uint64_t bytes, records, samples; };

/* Counts complete records in the first @size bytes of @parts, which are in native order. An AUXTRACE record includes its data. */
struct complete_records complete_records(const struct iovec *parts, int nr_parts, uint64_t size);

#endif
