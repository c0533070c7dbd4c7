/*
 * Runs a fuzz target without a fuzzer: x_fuzz FILE|DIRECTORY... gives it each file as it is, and then mutations of
 * it: bytes changed, words set to numbers that hurt, pieces cut, doubled or taken from another file. The random
 * numbers are the same in every run. FUZZ_RUNS in the environment: mutations in all; else 20000, or as many as 20 s of CPU
 * time are enough for.
 * Without any file it begins with 64 zero bytes. However a run ends, its input is then in ./crash.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAX_SIZE (256 << 10)	/* larger seeds are cut */
#define MAX_CPU_S 20

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seed {
	uint8_t *data;
	size_t size;
};

static struct seed *seeds;
static size_t nr_seeds;

static uint32_t random_below(uint64_t *state, size_t n)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return n ? (uint32_t)(*state >> 33) % n : 0;
}

static void add_seed(const uint8_t *data, size_t size)
{
	seeds = realloc(seeds, (nr_seeds + 1) * sizeof(*seeds));
	seeds[nr_seeds].data = malloc(size + 1);
	memcpy(seeds[nr_seeds].data, data, size);
	seeds[nr_seeds++].size = size;
}

static void add_file(const char *path)
{
	static uint8_t data[MAX_SIZE];
	FILE *f = fopen(path, "r");

	if (!f)
		return;
	add_seed(data, fread(data, 1, sizeof(data), f));
	fclose(f);
}

static void add_path(const char *path)
{
	struct dirent **names;
	int nr = scandir(path, &names, NULL, alphasort);

	if (nr < 0) {
		add_file(path);
		return;
	}
	for (int i = 0; i < nr; i++) {
		char name[4096];

		snprintf(name, sizeof(name), "%s/%s", path, names[i]->d_name);
		if (names[i]->d_name[0] != '.')
			add_path(name);
		free(names[i]);
	}
	free(names);
}

/* One change of @b, whose buffer has room for MAX_SIZE. */
static void mutate(struct seed *b, uint64_t *state)
{
	static const uint64_t hurting[] = { 0, 1, 7, 8, 0x7f, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0xffffffff,
					    INT64_MAX, UINT64_MAX, UINT64_MAX - 7 };
	size_t at = random_below(state, b->size), n = 1u << random_below(state, 4);
	const struct seed *other = &seeds[random_below(state, nr_seeds)];

	switch (random_below(state, 6)) {
	case 0:
		if (b->size)
			b->data[at] = random_below(state, 256);
		break;
	case 1:
		if (b->size)
			b->data[at] ^= 1 << random_below(state, 8);
		break;
	case 2:		/* a number, mostly where numbers are aligned */
		at -= random_below(state, 4) ? at % n : 0;
		if (at + n <= b->size)
			memcpy(b->data + at, &hurting[random_below(state, sizeof(hurting) / sizeof(*hurting))], n);
		break;
	case 3:		/* the end is missing */
		b->size = at;
		break;
	case 4:		/* a piece again, further on */
		n = random_below(state, b->size - at + 1);
		if (b->size + n <= MAX_SIZE) {
			memmove(b->data + at + n, b->data + at, b->size - at);
			b->size += n;
		}
		break;
	case 5:		/* a piece of another seed */
		n = random_below(state, other->size + 1);
		if (at + n <= b->size)
			memcpy(b->data + at, other->data + random_below(state, other->size - n + 1), n);
		break;
	}
}

/* The target gets a copy of exactly that size, so that reading past the end is seen. */
static void run(const struct seed *b, int crash_file)
{
	uint8_t *copy = malloc(b->size ? b->size : 1);

	memcpy(copy, b->data, b->size);
	if (ftruncate(crash_file, 0) || pwrite(crash_file, copy, b->size, 0) < 0)
		perror("crash");
	LLVMFuzzerTestOneInput(copy, b->size);
	free(copy);
}

int main(int argc, char **argv)
{
	const char *env = getenv("FUZZ_RUNS");
	unsigned long runs = env ? strtoul(env, NULL, 0) : 20000, i;
	struct seed work = { .data = malloc(MAX_SIZE) };
	static const uint8_t zeros[64];
	uint64_t state = 1;
	int crash_file = open("crash", O_RDWR | O_CREAT | O_TRUNC, 0644);

	for (i = 1; i < (unsigned long)argc; i++)
		add_path(argv[i]);
	if (!nr_seeds)
		add_seed(zeros, sizeof(zeros));
	for (i = 0; i < nr_seeds; i++)
		run(&seeds[i], crash_file);
	for (i = 0; i < runs && (env || clock() / CLOCKS_PER_SEC < MAX_CPU_S); i++) {
		const struct seed *s = &seeds[random_below(&state, nr_seeds)];

		memcpy(work.data, s->data, s->size);
		work.size = s->size;
		for (unsigned n = 1 + random_below(&state, 4); n; n--)
			mutate(&work, &state);
		run(&work, crash_file);
	}
	unlink("crash");
	printf("%zu seeds, %lu mutations\n", nr_seeds, i);
	for (i = 0; i < nr_seeds; i++)
		free(seeds[i].data);
	free(seeds);
	free(work.data);
	return 0;
}
