/* A view has the bytes of the mapped file, anywhere and in any order, and the mapped ones where it cannot read the file. */
#include "core/perfdata/data_view.h"

#include <sys/mman.h>
#include <unistd.h>

#include "core/base/new_file.h"
#include "core/perfdata/data_file.h"
#include "tests/unit/check.h"

#define SIZE	(3u << 20)	/* bytes: several times what a view reads at once */

static uint64_t state = 88172645463325252;

static struct data_file new_file(const uint8_t *bytes)
{
	struct data_file f = { .fd = temporary_file(), .size = SIZE };

	if (f.fd < 0 || write(f.fd, bytes, SIZE) != SIZE)
		exit(77);
	f.map = mmap(NULL, SIZE, PROT_READ, MAP_PRIVATE, f.fd, 0);
	if (f.map == MAP_FAILED)
		exit(77);
	return f;
}

static void check_at(struct data_view *v, uint64_t at, uint64_t least, const uint8_t *want)
{
	uint64_t left = v->size - at, nr;
	const uint8_t *got = data_view_at(v, at, least, &nr);

	CHECK(nr >= MIN(least, left) && nr <= left, "%" PRIu64 " of %" PRIu64 " at %" PRIu64, nr, left, at);
	CHECK(!memcmp(got, want + at, nr), "at %" PRIu64, at);
	CHECK(!memcmp(data_view_peek(v, at, MIN(8, left)), want + at, MIN(8, left)), "at %" PRIu64, at);
}

/* Stretches of the file, with steps as readers of records make them, and jumps. */
static void equals_the_file(const struct data_file *f, const uint8_t *bytes)
{
	struct data_view v = {0};

	for (unsigned round = 0; round < 200; round++) {
		uint64_t from = random_below(&state, SIZE), size = 1 + random_below(&state, SIZE - from), at = 0;

		data_view_set(&v, f, f->map + from, size);
		for (unsigned i = 0; i < 50 && at < size; i++) {
			check_at(&v, at, random_below(&state, 2) ? 65535 : random_below(&state, 2 << 20), bytes + from);
			at = random_below(&state, 8) ? at + random_below(&state, 100000) : random_below(&state, size);
		}
	}
	data_view_release(&v);
}

static void copies_equal(const struct data_file *f, const uint8_t *bytes)
{
	uint8_t *to = xmalloc(SIZE);

	CHECK(data_file_copy(f, f->map + 5, SIZE - 5, to) && !memcmp(to, bytes + 5, SIZE - 5), "all");
	CHECK(!data_file_copy(f, bytes, 10, to), "memory of no file");
	CHECK(!data_file_copy(f, f->map + 5, SIZE - 4, to), "beyond the end");
	free(to);
}

/* A file that was cut since, and memory that is in no file. */
static void falls_back(const struct data_file *f, const uint8_t *bytes)
{
	struct data_view v = {0};
	uint64_t nr;

	data_view_set(&v, f, bytes, SIZE);
	check_at(&v, 1000, 65535, bytes);
	CHECK(data_view_at(&v, 1000, 65535, &nr) == bytes + 1000 && nr == SIZE - 1000, "memory of no file");
	if (ftruncate(f->fd, 100))
		exit(77);
	data_view_set(&v, f, f->map, SIZE);
	CHECK(data_view_at(&v, 1000, 65535, &nr) == f->map + 1000 && nr == SIZE - 1000, "a file that was cut");
	data_view_release(&v);
}

int main(void)
{
	uint8_t *bytes = xmalloc(SIZE);
	struct data_file f;

	for (size_t i = 0; i < SIZE; i += sizeof(state)) {
		uint64_t word = random_u64(&state);

		memcpy(bytes + i, &word, sizeof(word));
	}
	f = new_file(bytes);
	equals_the_file(&f, bytes);
	copies_equal(&f, bytes);
	falls_back(&f, bytes);
	munmap((void *)(uintptr_t)f.map, SIZE);
	close(f.fd);
	free(bytes);
	return checks_done();
}
