/*
 * Unpacks ELF files that are compressed as a whole, such as the kernel modules of most distributions. In other ELF files only
 * some sections are compressed: libelf unpacks these, after elf_packed.c has checked their size.
 */
#include <errno.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/binary/elf_internal.h"
#include "core/compression/unpack.h"

#define PACKED_MAX	ELF_UNPACKED_MAX
#define CHUNK		(1u << 16)

static int read_packed(int fd, struct buf *out)
{
	int64_t got = 1;

	while (got > 0 && out->len <= PACKED_MAX) {
		got = read_at(fd, buf_room(out, CHUNK), CHUNK, out->len);
		out->len += got > 0 ? (size_t)got : 0;
	}
	return got < 0 ? (int)got : got ? -EFBIG : 0;
}

void elf_unpack(struct elf_file *e)
{
	uint8_t magic[UNPACK_MAGIC_MAX];
	struct buf packed = {0}, bytes = {0};
	int err;

	if (read_at(e->fd, magic, sizeof(magic), 0) != sizeof(magic) || !unpack_is_packed(magic, sizeof(magic)))
		return;
	elf_end(e->elf);
	e->elf = NULL;
	err = read_packed(e->fd, &packed);
	if (!err)
		err = unpack((const uint8_t *)packed.data, packed.len, ELF_UNPACKED_MAX, &bytes);
	if (err)
		debug(1, "a packed ELF file cannot be unpacked: %s", err == -EFBIG ? "it is too large" : strerror(-err));
	buf_release(&packed);
	e->unpacked = bytes.data;
	/* Data before the damage may be complete enough. */
	if (bytes.len && err != -EFBIG)
		e->elf = elf_memory(e->unpacked, bytes.len);
}
