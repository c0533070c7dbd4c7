/*
 * A build id is up to 20 bytes that identify one build of a binary. These functions read it from the GNU note of an ELF file,
 * from notes in memory, or from the running kernel.
 */
#ifndef CORE_BINARY_BUILD_ID_H
#define CORE_BINARY_BUILD_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BUILD_ID_MAX	20
#define BUILD_ID_TEXT	(2 * BUILD_ID_MAX + 1)

struct build_id {
	uint8_t size;		/* 0: unknown */
	uint8_t data[BUILD_ID_MAX];
};

bool build_id_equal(const struct build_id *a, const struct build_id *b);
/* Writes @id into @text as hexadecimal digits. Returns @text. */
const char *build_id_text(const struct build_id *id, char text[BUILD_ID_TEXT]);
/* Reads the build id of the ELF file at @path. Returns 0 or -errno; -ENOENT: the file has none. */
int build_id_of_file(struct build_id *out, const char *path);
/* Finds the build id in notes in memory (/sys/kernel/notes, /sys/module/NAME/notes, a PT_NOTE segment). Returns 0 or -ENOENT. */
int build_id_of_notes(struct build_id *out, const void *notes, size_t size);
/* Reads the build id of the running kernel from /sys/kernel/notes. Returns 0 or -errno. */
int build_id_of_kernel(struct build_id *out);

#endif
