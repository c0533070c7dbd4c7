/*
 * Reads the build id of an ELF file or of the running kernel from its GNU note. build_id_cache.c keeps copies of binaries by
 * build id.
 */
#include "core/binary/build_id.h"

#include <elf.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/base/sysfs.h"

#define NOTE_NAME "GNU"

bool build_id_equal(const struct build_id *a, const struct build_id *b)
{
	return a->size == b->size && !memcmp(a->data, b->data, a->size);
}

const char *build_id_text(const struct build_id *id, char text[BUILD_ID_TEXT])
{
	char *p = text;

	for (unsigned i = 0; i < MIN(id->size, BUILD_ID_MAX); i++) {
		*p++ = "0123456789abcdef"[id->data[i] >> 4];
		*p++ = "0123456789abcdef"[id->data[i] & 15];
	}
	*p = '\0';
	return text;
}

/* Sets @out to the id in @bytes. A build id longer than BUILD_ID_MAX is cut, as the kernel and perf do. */
static int set(struct build_id *out, const void *bytes, size_t n)
{
	*out = (struct build_id){ .size = (uint8_t)MIN(n, BUILD_ID_MAX) };
	memcpy(out->data, bytes, out->size);
	return out->size ? 0 : -ENOENT;
}

int build_id_of_file(struct build_id *out, const char *path)
{
	int fd = open_regular(path), err = -ENOENT;
	const void *bytes;
	ssize_t n;
	Elf *elf;

	if (fd < 0)
		return fd;
	elf_version(EV_CURRENT);
	/* Read the file instead of mapping it: if it is being rebuilt, a mapping may raise SIGBUS, which would end the recorder. */
	elf = elf_begin(fd, ELF_C_READ, NULL);
	n = elf ? dwelf_elf_gnu_build_id(elf, &bytes) : 0;
	if (n > 0)
		err = set(out, bytes, (size_t)n);
	elf_end(elf);
	close(fd);
	return err;
}

int build_id_of_notes(struct build_id *out, const void *notes, size_t size)
{
	const char *p = notes;
	Elf64_Nhdr note;

	while (size >= sizeof(note)) {
		uint64_t name, whole;

		memcpy(&note, p, sizeof(note));
		name = round_up(note.n_namesz, 4);
		whole = sizeof(note) + name + round_up(note.n_descsz, 4);
		if (sizeof(note) + name + note.n_descsz > size)
			return -ENOENT;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(NOTE_NAME) &&
		    !memcmp(p + sizeof(note), NOTE_NAME, sizeof(NOTE_NAME)))
			return set(out, p + sizeof(note) + name, note.n_descsz);
		if (whole > size)
			return -ENOENT;
		p += whole;
		size -= whole;
	}
	return -ENOENT;
}

int build_id_of_kernel(struct build_id *out)
{
	char *path = xasprintf("%s/kernel/notes", sysfs_root());
	struct buf notes = {0};
	int err = read_file(path, &notes);

	if (!err)
		err = build_id_of_notes(out, notes.data, notes.len);
	buf_release(&notes);
	free(path);
	return err;
}
