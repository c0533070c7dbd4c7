/*
 * Packed ELF files: kernel modules are installed so by most distributions. libdw unpacks what it was built for - gzip, bzip2,
 * xz - and what it was not for, zstd, is unpacked here.
 * Layer: format
 */
#include <elfutils/libdwelf.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/format/elf_internal.h"
#include "core/format/zstd.h"

#define MAGIC_MAX	6
#define PACKED_MAX	(256u << 20)	/* of a file, and of what is in it: modules are far from it */

static bool is_zstd(const uint8_t *magic)
{
	return !memcmp(magic, "\x28\xb5\x2f\xfd", 4);
}

static bool is_packed(const uint8_t *magic)
{
	return is_zstd(magic) || !memcmp(magic, "\x1f\x8b", 2) || !memcmp(magic, "\xfd" "7zXZ", 6) || !memcmp(magic, "BZh", 3);
}

/* All that is in @fd, as far as it is whole. */
static void unpack_zstd(int fd, struct buf *out)
{
	struct zstd_reader *z = zstd_reader_new();
	struct buf packed = {0};
	int64_t got = 1;

	while (z && got > 0 && packed.len < PACKED_MAX) {
		got = read_at(fd, buf_room(&packed, 1 << 16), 1 << 16, packed.len);
		packed.len += got > 0 ? (size_t)got : 0;
	}
	if (z && packed.len) {
		const uint8_t *data = (const uint8_t *)packed.data;
		size_t left = packed.len;

		while (left && out->len < PACKED_MAX && !zstd_read(z, &data, &left, out))
			;
	}
	zstd_reader_free(z);
	buf_release(&packed);
}

void elf_unpack(struct elf_file *e)
{
	uint8_t magic[MAGIC_MAX];
	struct buf bytes = {0};

	if (read_at(e->fd, magic, sizeof(magic), 0) != sizeof(magic) || !is_packed(magic))
		return;
	elf_end(e->elf);
	e->elf = NULL;
	if (!is_zstd(magic)) {
		e->elf = dwelf_elf_begin(e->fd);
		return;
	}
	unpack_zstd(e->fd, &bytes);
	e->unpacked = bytes.data;
	if (bytes.len)
		e->elf = elf_memory(e->unpacked, bytes.len);
}
