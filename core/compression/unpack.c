/*
 * Recognizes the format of packed data by the first bytes, and unpacks zstd data with zstd.h. For the other formats, it calls
 * gzip.c and xz.c.
 */
#include "core/compression/unpack.h"

#include <errno.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/compression/zstd.h"

static int unpack_zstd(const uint8_t *packed, size_t n, size_t max, struct buf *out)
{
	struct zstd_reader *z = zstd_reader_new();
	size_t before = out->len;
	int err = z ? 0 : -ENOTSUP;

	while (n && !err) {
		err = zstd_read(z, &packed, &n, out);
		if (!err && out->len - before > max)
			err = -EFBIG;
	}
	zstd_reader_free(z);
	return err;
}

static const struct form {
	const char *magic;
	size_t size;
	int (*unpack)(const uint8_t *packed, size_t n, size_t max, struct buf *out);
} forms[] = {
	{ "\x1f\x8b", 2, unpack_gzip },			/* RFC 1952 */
	{ "\xfd" "7zXZ\0", UNPACK_MAGIC_MAX, unpack_xz },	/* The .xz File Format, 2.1.1.1 */
	{ "\x28\xb5\x2f\xfd", 4, unpack_zstd },		/* RFC 8878, 3.1.1 */
};

static const struct form *form_of(const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		if (n >= forms[i].size && !memcmp(bytes, forms[i].magic, forms[i].size))
			return &forms[i];
	return NULL;
}

bool unpack_is_packed(const uint8_t *bytes, size_t n)
{
	return form_of(bytes, n);
}

int unpack(const uint8_t *packed, size_t n, size_t max, struct buf *out)
{
	const struct form *form = form_of(packed, n);

	return form ? form->unpack(packed, n, max, out) : -ENOTSUP;
}
