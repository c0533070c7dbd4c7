/*
 * pt_mutants [OPTION...] FILE.pt FILE.maps FILE.exp: damage a trace at one place, again and again, and see what is left.
 * Damage is a flipped bit, a zeroed byte, or a byte that is left out. At the end: the mutants that do not decode as if nothing
 * were, median and mean of the instructions in their holes, those with a hole that nothing tells of, wrong instructions.
 *   -n NUMBER  of mutants: 100
 *   -w         wide: 2 to 17 bytes are others, zeroed or left out
 *   -s SEED    of the random numbers
 *   -v         a line for each mutant, too
 *   -r         only print the traces of all mutants, for mkdata: mutant N is thread 1000 + N
 *   -p TEXT    look at what another decoder made of that: lines "TID IP", or with "error" and "tid TID"
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/util.h"
#include "tests/trace/image.h"
#include "tests/trace/pt_check.h"

struct maker {
	const uint8_t *trace;
	size_t size;
	uint8_t *mutant;	/* of that size */
	uint64_t random;
	bool wide;
};

static const char *const kinds[] = { "flipped bit", "zeroed byte", "dropped byte" };

static uint32_t below(struct maker *m, size_t n)
{
	m->random = m->random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((m->random >> 33) % n);
}

/* The first PSB+ stays: without it there is nothing to begin at. Returns the mutant's size. */
static size_t mutate(struct maker *m, unsigned kind, size_t *at)
{
	size_t n = m->wide ? 2 + below(m, 16) : 1;

	*at = 64 + below(m, m->size - 64);
	n = MIN(n, m->size - *at);
	memcpy(m->mutant, m->trace, m->size);
	if (kind == 0)
		for (size_t i = 0; i < n; i++)
			m->mutant[*at + i] ^= m->wide ? (uint8_t)below(m, 256) : (uint8_t)(1u << below(m, 8));
	else if (kind == 1)
		memset(m->mutant + *at, 0, n);
	else
		memmove(m->mutant + *at, m->mutant + *at + n, m->size - *at - n);
	return kind == 2 ? m->size - n : m->size;
}

static int by_size(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return x < y ? -1 : x > y;
}

struct truth { VEC(uint64_t) ips; };

static int read_truth(struct truth *t, const char *path)
{
	FILE *f = fopen(path, "r");
	unsigned long ip;

	if (!f) {
		perror(path);
		return -1;
	}
	while (fscanf(f, "%lx", &ip) == 1)
		vec_push(&t->ips, ip);
	fclose(f);
	return 0;
}

struct sums {
	VEC(size_t) holes;	/* of mutants that are not decoded as if nothing were */
	size_t silent, before, behind, unnoticed, wrong;
};

static void look(struct sums *sums, const struct pt_decoded *d, const struct truth *truth, unsigned number, size_t at, bool tell)
{
	unsigned kind = number % 3;
	struct pt_check c;

	pt_compare(&c, d, truth->ips.v, truth->ips.nr);
	if (tell)
		printf("%u %s at %#zx: %zu hole, %zu before, %zu behind, %zu silent%s\n", number, kinds[kind], at, c.hole,
		       c.wrong_before, c.wrong_behind, c.wrong_silent, c.silent ? " (silent)" : "");
	if (c.hole || d->cuts.nr)
		vec_push(&sums->holes, c.hole);
	sums->silent += c.silent;
	sums->before += c.wrong_before;
	sums->behind += c.wrong_behind;
	sums->unnoticed += c.wrong_silent;
	sums->wrong += c.wrong_before + c.wrong_behind + c.wrong_silent > 0;
}

static void tell(const struct sums *s, unsigned nr)
{
	size_t all = 0;

	if (s->holes.nr)
		qsort(s->holes.v, s->holes.nr, sizeof(*s->holes.v), by_size);
	vec_for(hole, &s->holes)
		all += *hole;
	printf("%u mutants, %zu with a hole: median %zu, mean %zu; %zu silent; wrong in %zu: %zu before gaps, %zu behind, %zu "
	       "silent\n", nr, s->holes.nr, s->holes.nr ? s->holes.v[s->holes.nr / 2] : 0, all / MAX(s->holes.nr, 1), s->silent,
	       s->wrong, s->before, s->behind, s->unnoticed);
}

static void decode_all(struct sums *sums, struct maker *m, struct image *image, const struct truth *truth, unsigned nr, bool tell)
{
	struct pt_decoded d = {0};
	size_t at, size;

	for (unsigned i = 0; i < nr; i++) {
		size = mutate(m, i % 3, &at);
		pt_decode(&d, m->mutant, size, PT_WHOLE, image_read, image);
		look(sums, &d, truth, i, at, tell);
	}
	pt_decoded_release(&d);
}

/* What another made of them. */
static void read_all(struct sums *sums, struct maker *m, FILE *text, const struct truth *truth, unsigned nr, bool tell)
{
	struct pt_decoded *all = xcalloc(nr, sizeof(*all));
	char line[512], *error;
	unsigned long tid, ip;
	size_t at;

	while (fgets(line, sizeof(line), text)) {
		error = strstr(line, "error");
		if (error && (error = strstr(error, " tid ")) && sscanf(error, " tid %lu", &tid) == 1 && tid - 1000 < nr)
			vec_push(&all[tid - 1000].cuts, all[tid - 1000].ips.nr);
		else if (!error && sscanf(line, "%lu %lx", &tid, &ip) == 2 && tid - 1000 < nr)
			vec_push(&all[tid - 1000].ips, ip);
	}
	fclose(text);
	for (unsigned i = 0; i < nr; i++) {
		mutate(m, i % 3, &at);
		look(sums, &all[i], truth, i, at, tell);
		pt_decoded_release(&all[i]);
	}
	free(all);
}

static void print_recording(struct maker *m, unsigned nr)
{
	size_t at, size;

	for (unsigned i = 0; i < nr; i++) {
		size = mutate(m, i % 3, &at);
		pt_text_trace(m->mutant, size, 1000 + i);
	}
}

int main(int argc, char **argv)
{
	struct maker m = { .random = 1 };
	struct truth truth = {0};
	struct sums sums = {0};
	bool verbose = false, recording = false;
	unsigned nr = 100;
	struct image *image;
	FILE *text = NULL;
	int c;

	while ((c = getopt(argc, argv, "n:s:vrwp:")) != -1) {
		switch (c) {
		case 'n': nr = (unsigned)strtoul(optarg, NULL, 0); break;
		case 's': m.random = strtoull(optarg, NULL, 0); break;
		case 'v': verbose = true; break;
		case 'w': m.wide = true; break;
		case 'r': recording = true; break;
		case 'p':
			text = fopen(optarg, "r");
			if (!text) {
				perror(optarg);
				return 2;
			}
			break;
		default: return 2;
		}
	}
	if (argc - optind != 3) {
		fprintf(stderr, "usage: pt_mutants [OPTION...] FILE.pt FILE.maps FILE.exp\n");
		return 2;
	}
	m.trace = load_file(argv[optind], &m.size);
	image = image_load(argv[optind + 1]);
	if (!m.trace || !image || m.size < 128 || read_truth(&truth, argv[optind + 2]))
		return 2;
	m.mutant = xmalloc(m.size);
	if (recording) {
		print_recording(&m, nr);
	} else {
		if (text)
			read_all(&sums, &m, text, &truth, nr, verbose);
		else
			decode_all(&sums, &m, image, &truth, nr, verbose);
		tell(&sums, nr);
	}
	vec_free(&sums.holes);
	vec_free(&truth.ips);
	image_free(image);
	free(m.mutant);
	free((uint8_t *)(uintptr_t)m.trace);
	return 0;
}
