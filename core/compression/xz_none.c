/* Replaces xz.c in a build without liblzma: unpack_xz() always fails with -ENOTSUP. */
#include <errno.h>

#include "core/compression/unpack.h"

int unpack_xz(const uint8_t *packed, size_t n, size_t max, struct buf *out)
{
	(void)packed, (void)n, (void)max, (void)out;
	return -ENOTSUP;
}
