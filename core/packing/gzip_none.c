/* Stands in for gzip.c if zlib is missing. Layer: packing */
#include <errno.h>

#include "core/packing/unpack.h"

int unpack_gzip(const uint8_t *packed, size_t n, size_t max, struct buf *out)
{
	(void)packed, (void)n, (void)max, (void)out;
	return -ENOTSUP;
}
