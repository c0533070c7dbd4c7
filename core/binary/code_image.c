/*
 * Copies machine code by its address, for disassembly and trace decoding. The code is in a mapping of the file or in allocated
 * memory. A file that cannot be mapped, such as /proc/kcore, is read at each access.
 */
#include "core/binary/code_image.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"

int code_image_open(struct code_image *image, const char *path)
{
	int fd = open_regular(path);
	struct stat st;
	void *p;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) || !st.st_size) {
		close(fd);
		return -ENODATA;
	}
	/* /proc/kcore is as large as the addresses of the kernel, which may be more than a size can say. */
	*image = (struct code_image){ .size = st.st_size > 0 ? (uint64_t)st.st_size : INT64_MAX, .fd = fd };
	p = mmap(NULL, image->size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return 0;
	image->data = p;
	image->mapped = true;
	close(fd);
	return 0;
}

void code_image_init(struct code_image *image, void *data, size_t size)
{
	*image = (struct code_image){ .data = data, .size = size };
}

void code_image_release(struct code_image *image)
{
	if (image->mapped)
		munmap(image->data, image->size);
	else if (image->data)
		free(image->data);
	else if (image->size)
		close(image->fd);
	vec_free(&image->spans);
	*image = (struct code_image){0};
}

void code_image_add(struct code_image *image, uint64_t start, uint64_t size, uint64_t offset)
{
	if (size && start + size > start)
		vec_push(&image->spans, (struct code_span){ start, start + size, offset });
}

ORDER(compare_span, struct code_span, compare_numbers(a->start, b->start) ?: compare_numbers(a->offset, b->offset))

void code_image_finish(struct code_image *image)
{
	vec_sort(&image->spans, compare_span);
}

size_t code_image_read(const struct code_image *image, uint64_t offset, void *out, size_t n)
{
	int64_t got;

	if (offset >= image->size)
		return 0;
	n = MIN(n, image->size - offset);
	if (image->data) {
		memcpy(out, image->data + offset, n);
		return n;
	}
	got = read_at(image->fd, out, n, offset);
	return got < 0 ? 0 : (size_t)got;
}

size_t code_image_at(const struct code_image *image, uint64_t addr, void *out, size_t n)
{
	size_t nr = bisect(i, 0, image->spans.nr, image->spans.v[i].start <= addr);
	const struct code_span *span = nr ? &image->spans.v[nr - 1] : NULL;

	if (!span || addr >= span->end)
		return 0;
	return code_image_read(image, span->offset + (addr - span->start), out, MIN(n, span->end - addr));
}

ORDER(compare_note, struct code_note, compare_numbers(a->at, b->at))

void code_notes_join(struct dso_code *c)
{
	size_t nr = 0;

	if (!c->notes.nr)
		return;
	vec_sort(&c->notes, compare_note);
	for (size_t i = 1; i < c->notes.nr; i++) {
		struct code_note *last = &c->notes.v[nr], *next = &c->notes.v[i];

		if (next->at <= last->at + last->size)
			last->size = MAX(last->size, next->at - last->at + next->size);
		else
			c->notes.v[++nr] = *next;
	}
	c->notes.nr = c->nr_joined = nr + 1;
}

void dso_code_free(struct dso_code *c)
{
	struct dso_code *next;

	for (; c; c = next) {
		next = c->next;
		code_image_release(&c->own);
		vec_free(&c->notes);
		free(c);
	}
}
