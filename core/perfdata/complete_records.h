/* Counts the complete records that reached the file in a write that stored only some of its bytes. Layer: perfdata */
#ifndef CORE_PERFDATA_COMPLETE_RECORDS_H
#define CORE_PERFDATA_COMPLETE_RECORDS_H

#include <stdint.h>
#include <sys/uio.h>

struct complete_records { uint64_t bytes, records, samples; };

/* Counts complete records in the first @size bytes of @parts, in native order. An AUXTRACE includes its data. */
struct complete_records complete_records(const struct iovec *parts, int nr_parts, uint64_t size);

#endif
