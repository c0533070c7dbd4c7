/* Reading tar archives. Layer: packing */
#include "core/packing/tar.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/file.h"

#define BLOCK		512u
#define NAME_MAX_SIZE	65536u		/* bytes of an entry that only holds a name */
#define COPY_SIZE	65536u

struct header {				/* POSIX.1-2008, pax: "ustar Interchange Format" */
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type, link[100], magic[6], version[2];
	char user[32], group[32], major[8], minor[8], prefix[155], unused[12];
};
_Static_assert(sizeof(struct header) == BLOCK, "a block");

/* All @n bytes. Returns 1, 0 at the end of the file, -EINVAL if it is cut, or -errno. */
static int read_all(int fd, void *p, size_t n)
{
	size_t done = 0;
	unsigned interrupted = 0;

	while (done < n) {
		ssize_t got = read(fd, (char *)p + done, n - done);

		if (interrupted_call(got, &interrupted))
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			return done ? -EINVAL : 0;
		done += (size_t)got;
	}
	return 1;
}

/* Octal digits, or with the first bit set a binary number (GNU). Returns 0 or -EINVAL. */
static int number(const char *text, size_t n, uint64_t *out)
{
	*out = 0;
	if (text[0] & 0x80) {
		for (size_t i = 1; i < n; i++) {
			if (*out >> 55)
				return -EINVAL;
			*out = *out << 8 | (uint8_t)text[i];
		}
		return 0;
	}
	for (; n && *text == ' '; text++)
		n--;
	for (; n && *text >= '0' && *text <= '7'; text++, n--)
		*out = *out << 3 | (uint64_t)(*text - '0');
	return n && *text && *text != ' ' ? -EINVAL : 0;
}

static bool is_right(const struct header *h)
{
	const uint8_t *bytes = (const uint8_t *)h;
	size_t at = offsetof(struct header, checksum);
	uint64_t claimed, sum = 0;

	for (size_t i = 0; i < BLOCK; i++)
		sum += i >= at && i < at + sizeof(h->checksum) ? ' ' : bytes[i];
	return !number(h->checksum, sizeof(h->checksum), &claimed) && claimed == sum;
}

static int skip(struct tar *t, uint64_t n)
{
	char scratch[4096];
	int got = 1;

	for (; n && got > 0; n -= MIN(n, sizeof(scratch)))
		got = read_all(t->fd, scratch, MIN(n, sizeof(scratch)));
	return n ? (got < 0 ? got : -EINVAL) : got < 0 ? got : 0;
}

static int finish(struct tar *t)
{
	int err = skip(t, t->left + t->padding);

	t->left = t->padding = 0;
	return err;
}

/* "27 path=usr/bin/prog\n": the record's length, its key and value. */
static void set_path(struct tar *t, const char *text, size_t n)
{
	while (n) {
		char *end;
		uint64_t length = strtoull(text, &end, 10);
		size_t head = (size_t)(end - text) + 1;

		if (!length || length > n || head >= length || *end != ' ')
			return;
		if (length > head + 6 && !strncmp(end + 1, "path=", 5)) {
			t->link.len = 0;
			buf_put(&t->link, end + 6, length - head - 6);
		}
		text += length;
		n -= length;
	}
}

/* An entry with the name of the next one. */
static int read_long_name(struct tar *t, char type)
{
	struct buf text = {0};
	int got;

	if (t->left > NAME_MAX_SIZE)
		return -EINVAL;
	got = read_all(t->fd, buf_room(&text, t->left + 1), t->left);
	if (got > 0) {
		text.len = t->left;
		t->left = 0;
		buf_str(&text);
		if (type == 'L') {
			t->link.len = 0;
			buf_put(&t->link, text.data, strlen(text.data));
		} else {
			set_path(t, text.data, text.len);
		}
	}
	buf_release(&text);
	return got < 0 ? got : finish(t);
}

static void set_name(struct tar *t, const struct header *h)
{
	t->name.len = 0;
	if (t->link.len) {
		buf_put(&t->name, t->link.data, t->link.len);
	} else {
		if (!memcmp(h->magic, "ustar\0", 6) && h->prefix[0]) {
			buf_put(&t->name, h->prefix, strnlen(h->prefix, sizeof(h->prefix)));
			buf_putc(&t->name, '/');
		}
		buf_put(&t->name, h->name, strnlen(h->name, sizeof(h->name)));
	}
	t->link.len = 0;
}

/* One entry. Returns 1 if it is a regular file. */
static int read_entry(struct tar *t, const struct header *h)
{
	if (!is_right(h) || number(h->size, sizeof(h->size), &t->left))
		return -EINVAL;
	t->padding = (unsigned)(-t->left % BLOCK);
	if (h->type == 'L' || h->type == 'x')
		return read_long_name(t, h->type);
	if (h->type == 'g' || h->type == 'K')
		return finish(t);
	set_name(t, h);
	if (h->type == '0' || h->type == '\0' || h->type == '7')
		return 1;
	/* Links and directories have no bytes, whatever they say. */
	if (h->type >= '1' && h->type <= '6')
		t->left = t->padding = 0;
	return finish(t);
}

int tar_next(struct tar *t, const char **name, uint64_t *size)
{
	static const struct header end;
	struct header h;
	int found = finish(t);

	while (!found) {
		found = read_all(t->fd, &h, sizeof(h));
		if (found <= 0 || !memcmp(&h, &end, sizeof(h)))
			return MIN(found, 0);
		found = read_entry(t, &h);
	}
	if (found < 0)
		return found;
	*name = buf_str(&t->name);
	*size = t->left;
	return 1;
}

int tar_copy(struct tar *t, int to)
{
	char *chunk = xmalloc(COPY_SIZE);
	int err = 0;

	while (t->left && !err) {
		size_t n = MIN(t->left, COPY_SIZE);
		int got = read_all(t->fd, chunk, n);

		err = got > 0 ? write_all(to, chunk, n) : got ? got : -EINVAL;
		t->left -= n;
	}
	free(chunk);
	return err;
}

void tar_release(struct tar *t)
{
	buf_release(&t->name);
	buf_release(&t->link);
}
