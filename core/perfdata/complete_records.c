/*
 * Finds the end of the last complete record in a file, after a write of several buffers (struct iovec) was cut short.
 * data_writer.c then cuts off the file there.
 */
#include "core/perfdata/complete_records.h"

#include <string.h>

#include "core/base/util.h"
#include "core/perfdata/record.h"

/* Copies @n bytes from offset @at of all parts together. Bytes after the end are copied as zeros. */
static void copy_out(const struct iovec *parts, int nr_parts, uint64_t at, void *out, size_t n)
{
	memset(out, 0, n);
	for (int i = 0; i < nr_parts && n; i++) {
		size_t some = at < parts[i].iov_len ? MIN(n, parts[i].iov_len - (size_t)at) : 0;

		memcpy(out, (const char *)parts[i].iov_base + (some ? at : 0), some);
		out = (char *)out + some;
		n -= some;
		at = some ? 0 : at - parts[i].iov_len;
	}
}

struct complete_records complete_records(const struct iovec *parts, int nr_parts, uint64_t size)
{
	struct { struct record_header h; uint64_t payload; } r;
	struct complete_records complete = {0};

	while (size - complete.bytes >= sizeof(r.h)) {
		uint64_t left = size - complete.bytes;

		copy_out(parts, nr_parts, complete.bytes, &r, sizeof(r));
		if (r.h.type != RECORD_AUXTRACE)
			r.payload = 0;
		if (r.h.size < sizeof(r.h) || r.h.size > left || r.payload > left - r.h.size)
			break;
		complete.bytes += r.h.size + r.payload;
		complete.records++;
		complete.samples += r.h.type == PERF_RECORD_SAMPLE;
	}
	return complete;
}
