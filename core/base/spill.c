/*
 * Moves the bytes that callers append to an unlinked temporary file, in steps of SPILL_STEP bytes (4 MiB), so that large data do
 * not fill the memory. spill_all() maps the file for reading.
 */
#include "core/base/spill.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/new_file.h"
#include "core/base/log.h"

#define ADVICE "(TMPDIR names another directory)"

void spill_write(struct spill *s)
{
	int err;

	if (!s->in_file)
		s->fd = temporary_file();
	if (s->fd < 0)
		die("cannot create a temporary file: %s " ADVICE, strerror(errno));
	s->in_file += s->tail.len;
	err = write_buf(s->fd, &s->tail);
	if (err)
		die("cannot write a temporary file: %s " ADVICE, strerror(-err));
}

const uint8_t *spill_all(struct spill *s, uint64_t *size)
{
	void *map;

	*size = s->in_file ? s->in_file + s->tail.len : s->tail.len;
	if (!s->in_file || s->map)
		return s->map ? s->map : (const uint8_t *)s->tail.data;
	if (s->tail.len)
		spill_write(s);
	buf_release(&s->tail);
	map = mmap(NULL, s->in_file, PROT_READ, MAP_PRIVATE, s->fd, 0);
	if (map == MAP_FAILED)
		die("cannot map a temporary file: %s", strerror(errno));
	return s->map = map;
}

void spill_passed(const struct spill *s, const uint8_t **from, const uint8_t *at)
{
	if (!s->map || at - *from < SPILL_PASSED)
		return;
	pages_release(*from, (uint64_t)(at - *from));
	*from = at;
}

void spill_release(struct spill *s)
{
	if (s->map)
		munmap((void *)(uintptr_t)s->map, s->in_file);
	if (s->in_file)
		close(s->fd);
	buf_release(&s->tail);
	*s = (struct spill){0};
}
