/*
 * Reads a recording from a pipe into buffers. When a buffer is full, reading goes on in a new one, so that the records that a
 * caller still uses stay where they are (pipe_reader.h). Also copies pipes to temporary files, and shows progress meanwhile.
 */
#include "core/perfdata/pipe_reader.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/new_file.h"
#include "core/base/log.h"
#include "core/base/vec.h"

#define PIECE_SIZE	(4u << 20)
#define READ_LEAST	(64u << 10)	/* room that is worth a read: the size of a pipe */
#define CHUNK		(256 * 1024)
#define LOOK_MS		200		/* time to wait for more before the progress is updated */

struct piece {
	uint8_t *data;		/* owned: mapped, so that the system gets the memory back when it is unmapped */
	size_t size, used;
	uint64_t offset;	/* stream offset of the first byte */
};

struct pipe_reader {
	int fd;
	VEC(struct piece) pieces;	/* the last is the one that is filled */
	size_t taken;			/* bytes of the last piece that were consumed */
};

struct pipe_reader *pipe_reader_new(int fd)
{
	struct pipe_reader *in = xcalloc(1, sizeof(*in));

	in->fd = fd;
	return in;
}

void pipe_reader_free(struct pipe_reader *in)
{
	if (!in)
		return;
	vec_for(piece, &in->pieces)
		munmap(piece->data, piece->size);
	vec_free(&in->pieces);
	free(in);
}

static struct piece *last_piece(const struct pipe_reader *in)
{
	return in->pieces.nr ? &in->pieces.v[in->pieces.nr - 1] : NULL;
}

/* Adds a piece of twice the size of the unconsumed rest of the last one, and moves that rest to it. */
static int add_piece(struct pipe_reader *in)
{
	struct piece *last = last_piece(in), new = {0};
	size_t rest = last ? last->used - in->taken : 0;

	new.size = MAX(PIECE_SIZE, 2 * rest);
	new.data = mmap(NULL, new.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (new.data == MAP_FAILED)
		return -ENOMEM;
	if (last) {
		memcpy(new.data, last->data + in->taken, rest);
		new.offset = last->offset + in->taken;
		last->used = in->taken;
	}
	new.used = rest;
	in->taken = 0;
	vec_push(&in->pieces, new);
	return 0;
}

/* Waits until @fd has more data or ends. Shows progress meanwhile, with @got, the number of bytes that were read before. */
static void await_input(int fd, uint64_t got)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	do
		progress("reading standard input", got, 0, PROGRESS_BYTES);
	while (!poll(&p, 1, LOOK_MS));
}

int64_t pipe_reader_read(struct pipe_reader *in)
{
	struct piece *last = last_piece(in);
	unsigned interrupted = 0;
	ssize_t n;
	int err;

	if (!last || last->size - last->used < READ_LEAST) {
		err = add_piece(in);
		if (err)
			return err;
		last = last_piece(in);
	}
	if (in->pieces.nr == 1 && !last->used) {
		await_input(in->fd, 0);
		progress_end();
	}
	do {
		n = read(in->fd, last->data + last->used, last->size - last->used);
	} while (interrupted_call(n, &interrupted));
	if (n < 0)
		return -errno;
	last->used += (size_t)n;
	return n;
}

bool pipe_reader_is_ready(const struct pipe_reader *in)
{
	struct pollfd p = { .fd = in->fd, .events = POLLIN };

	return poll(&p, 1, 0) > 0;
}

const uint8_t *pipe_reader_rest(const struct pipe_reader *in, size_t *size)
{
	const struct piece *last = last_piece(in);

	*size = last ? last->used - in->taken : 0;
	return last ? last->data + in->taken : NULL;
}

uint64_t pipe_reader_offset(const struct pipe_reader *in)
{
	const struct piece *last = last_piece(in);

	return last ? last->offset + in->taken : 0;
}

void pipe_reader_consume(struct pipe_reader *in, size_t n)
{
	in->taken += n;
}

void pipe_reader_release_before(struct pipe_reader *in, uint64_t offset)
{
	size_t nr = 0;

	while (nr + 1 < in->pieces.nr && in->pieces.v[nr + 1].offset <= offset)
		munmap(in->pieces.v[nr].data, in->pieces.v[nr].size), nr++;
	if (!nr)
		return;
	in->pieces.nr -= nr;
	memmove(in->pieces.v, in->pieces.v + nr, in->pieces.nr * sizeof(*in->pieces.v));
}

/* Appends the rest of @from, of which @got bytes were read before, to @to. Returns 0 or -errno. */
static int copy_rest(int to, int from, uint64_t got)
{
	char *chunk = xmalloc(CHUNK);
	unsigned interrupted = 0;
	ssize_t n;
	int err = 0;

	while (!err && (await_input(from, got), n = read(from, chunk, CHUNK)) != 0) {
		if (n > 0)
			err = write_all(to, chunk, (size_t)n);
		else if (!interrupted_call(n, &interrupted))
			err = -errno;
		got += n > 0 ? (uint64_t)n : 0;
	}
	progress_end();
	free(chunk);
	return err;
}

int pipe_reader_spool(struct pipe_reader *in)
{
	int tmp = temporary_file(), err = 0;
	uint64_t got = 0;

	if (tmp < 0)
		return -errno;
	vec_for(piece, &in->pieces) {
		if (!err)
			err = write_all(tmp, piece->data, piece->used);
		got += piece->used;
	}
	if (!err)
		err = copy_rest(tmp, in->fd, got);
	if (!err)
		return tmp;
	close(tmp);
	return err;
}

int spool(int fd)
{
	return pipe_reader_spool(&(struct pipe_reader){ .fd = fd });
}
