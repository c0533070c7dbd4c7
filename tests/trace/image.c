/* See image.h. */
#include "tests/trace/image.h"

#include <stdio.h>
#include <string.h>

#include "core/base/vec.h"

struct range {
	uint64_t from, to;
	uint8_t *bytes;		/* owned */
	size_t nr;		/* of bytes, at most to - from */
};

struct image {
	VEC(struct range) ranges;
};

uint8_t *load_file(const char *path, size_t *size)
{
	FILE *f = fopen(path, "r");
	uint8_t *data;
	long n;

	if (!f || fseek(f, 0, SEEK_END) || (n = ftell(f)) < 0) {
		perror(path);
		if (f)
			fclose(f);
		return NULL;
	}
	rewind(f);
	data = xmalloc(n + 1);
	*size = fread(data, 1, n, f);
	fclose(f);
	return data;
}

static int add(struct image *image, uint64_t from, uint64_t to, uint64_t offset, const char *path)
{
	size_t size;
	uint8_t *file = load_file(path, &size);

	if (!file)
		return -1;
	if (offset > size)
		offset = size;
	size = MIN(size - offset, to - from);
	memmove(file, file + offset, size);
	vec_push(&image->ranges, (struct range){ from, to, file, size });
	return 0;
}

struct image *image_load(const char *maps)
{
	struct image *image = xcalloc(1, sizeof(*image));
	FILE *f = fopen(maps, "r");
	unsigned long from, to, offset;
	char line[4096], path[4096];

	if (!f)
		perror(maps);
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %4095s", &from, &to, &offset, path) != 4 || path[0] != '/')
			continue;
		if (add(image, from, to, offset, path)) {
			fclose(f);
			f = NULL;
		}
	}
	if (!f) {
		image_free(image);
		return NULL;
	}
	fclose(f);
	return image;
}

void image_free(struct image *image)
{
	if (!image)
		return;
	vec_for(r, &image->ranges)
		free(r->bytes);
	vec_free(&image->ranges);
	free(image);
}

size_t image_read(void *ctx, uint32_t space, uint64_t ip, void *buf, size_t n)
{
	struct image *image = ctx;

	(void)space;
	vec_for(r, &image->ranges) {
		if (ip < r->from || ip >= r->to || ip - r->from >= r->nr)
			continue;
		n = MIN(n, r->nr - (ip - r->from));
		memcpy(buf, r->bytes + (ip - r->from), n);
		return n;
	}
	return 0;
}
