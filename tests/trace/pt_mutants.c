/*
 * pt_mutants [OPTION...] FILE.pt FILE.maps FILE.exp: damage a trace at one place, again and again, and see what is left.
 * Damage is a flipped bit, a zeroed byte, or a byte that is left out. At the end: the mutants that do not decode as if nothing
 * were, median and mean of the instructions in their holes, those with a hole that nothing tells of, wrong instructions. Of those
 * of which nothing tells it is proven that they are traces of another execution (pt_proof.h), or they are counted as unproven.
 * FILE.opt, beside FILE.pt: how that was made.
 *   -n NUMBER  of mutants: 100
 *   -w         wide: 2 to 17 bytes are others, zeroed or left out
 *   -a BYTES   so many bytes of the address of a PSB+ are others, and nothing else
 *   -s SEED    of the random numbers
 *   -m NUMBER  only this one of them
 *   -l FILE    add the sizes of the holes to this file, a line each
 *   -v         a line for each mutant, too: with where its gaps are, in instructions, and how many before each may be wrong
 *   -r         only print the traces of all mutants, for mkdata: mutant N is thread 1000 + N
 *   -p TEXT    look at what another decoder made of that: lines "TID IP", or with "error" and "tid TID"
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "auxtrace/intel_pt/packet.h"
#include "core/base/file.h"
#include "core/base/util.h"
#include "tests/trace/image.h"
#include "tests/trace/pt_check.h"
#include "tests/trace/pt_encode.h"
#include "tests/trace/pt_proof.h"

#define ADDRESS_BYTES	6	/* of a whole address in a packet */

struct maker {
	const uint8_t *trace;
	size_t size;
	uint8_t *mutant;	/* of that size */
	uint64_t random;
	bool wide;
	unsigned address;	/* bytes of the address of a PSB+; 0: anything */
};

static const char *const kinds[] = { "flipped bit", "zeroed byte", "dropped byte" };

static uint32_t below(struct maker *m, size_t n)
{
	m->random = m->random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((m->random >> 33) % n);
}

/* The offset of the address, of 6 bytes, of the first PSB+ after @from, 0: there is none. */
static size_t psb_address(const struct maker *m, size_t from)
{
	size_t at = pt_find_psb(m->trace, m->size, from);
	struct pt_packet p = {0};

	for (; at < m->size && p.type != PT_PSBEND; at += p.size) {
		if (pt_packet_read(&p, m->trace + at, m->size - at, 0) < 0)
			break;
		if (p.type == PT_FUP && p.size == ADDRESS_BYTES + 1)
			return at + 1;
	}
	return 0;
}

/* Damages the address of a PSB+, if there is a second one. */
static size_t mutate_address(struct maker *m, size_t *at)
{
	unsigned first = below(m, ADDRESS_BYTES);

	*at = psb_address(m, 64 + below(m, m->size - 64));
	*at = *at ? *at : psb_address(m, 64);
	memcpy(m->mutant, m->trace, m->size);
	for (unsigned i = 0; *at && i < m->address; i++)
		m->mutant[*at + (first + i) % ADDRESS_BYTES] ^= (uint8_t)(1 + below(m, 255));
	return m->size;
}

/* The first PSB+ stays: without it there is nothing to begin at. Returns the mutant's size. */
static size_t mutate(struct maker *m, unsigned kind, size_t *at)
{
	size_t n = m->wide ? 2 + below(m, 16) : 1;

	if (m->address)
		return mutate_address(m, at);
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

struct sums {
	VEC(size_t) holes;	/* of mutants that are not decoded as if nothing were */
	size_t silent, unproven, before, behind, unnoticed, wrong;
};

/* The input for judging a mutant. */
struct judge {
	const struct pt_truth *truth;
	struct image *image;
	uint64_t types;			/* enum pt_type that the trace may have, as bits */
	struct pt_made made;
	bool tell;
	unsigned only;			/* this mutant; UINT_MAX: all */
};

/*
 * No gap shows that @d, of the mutant's @size bytes, is not what ran. Returns why a decoder could have known: NULL if none
 * could.
 */
static const char *prove(const struct judge *j, const struct pt_decoded *d, const uint8_t *data, size_t size, size_t *at)
{
	struct pt_proof p = { .image = j->image, .data = data, .size = size, .ips = d->ips.v, .nr = d->ips.nr, .types = j->types,
			      .no_ret_comp = j->made.no_ret_comp };

	return pt_prove(&p, at);
}

/* @mutant, of @size bytes: NULL where another one decoded it. */
static void look(struct sums *sums, const struct pt_decoded *d, const struct judge *j, const uint8_t *mutant, size_t size,
		 unsigned number, size_t damage)
{
	const char *why = NULL;
	struct pt_check c;
	size_t at = 0;

	pt_compare(&c, d, j->truth->ips.v, j->truth->ips.nr);
	if (c.silent && mutant)
		why = prove(j, d, mutant, size, &at);
	if (j->tell)
		printf("%u %s at %#zx: %zu hole, %zu before, %zu behind, %zu silent%s", number, kinds[number % 3], damage, c.hole,
		       c.wrong_before, c.wrong_behind, c.wrong_silent, c.silent ? " (silent)" : "");
	if (j->tell && why)
		printf(", no proof at %#zx: %s", at, why);
	for (size_t i = 0; j->tell && i < d->cuts.nr; i++)
		printf("%s %zu-%" PRIu64, i ? "," : "; gaps at", d->cuts.v[i], i < d->unsure.nr ? d->unsure.v[i] : 0);
	if (j->tell)
		putchar('\n');
	sums->unproven += why != NULL;
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
	printf("%u mutants, %zu with a hole: median %zu, mean %zu; %zu silent, %zu of them unproven; wrong in %zu: %zu before "
	       "gaps, %zu behind, %zu silent\n", nr, s->holes.nr, s->holes.nr ? s->holes.v[s->holes.nr / 2] : 0,
	       all / MAX(s->holes.nr, 1), s->silent, s->unproven, s->wrong, s->before, s->behind, s->unnoticed);
}

/* Returns 0, or -1 with a message. */
static int list_holes(const struct sums *s, const char *path)
{
	FILE *f = fopen(path, "a");

	if (!f) {
		perror(path);
		return -1;
	}
	vec_for(hole, &s->holes)
		fprintf(f, "%zu\n", *hole);
	return fclose(f) ? -1 : 0;
}

static void decode_all(struct sums *sums, struct maker *m, const struct judge *j, unsigned nr)
{
	struct pt_decoded d = {0};
	size_t at, size;

	for (unsigned i = 0; i < nr; i++) {
		size = mutate(m, i % 3, &at);
		if (j->only != UINT_MAX && j->only != i)
			continue;
		pt_decode(&d, m->mutant, size, &j->made, PT_WHOLE, image_read, j->image);
		look(sums, &d, j, m->mutant, size, i, at);
	}
	pt_decoded_release(&d);
}

/* Reads another decoder's results. */
static void read_all(struct sums *sums, struct maker *m, FILE *text, const struct judge *j, unsigned nr)
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
		look(sums, &all[i], j, NULL, 0, i, at);
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

/* Which packets the trace FILE.pt may have is by its options, in FILE.opt. Returns 0 or -1. */
static int read_options(struct judge *j, const char *path)
{
	const uint64_t always = 1u << PT_PAD | 1u << PT_TNT | 1u << PT_TIP | 1u << PT_TIP_PGE | 1u << PT_TIP_PGD | 1u << PT_FUP |
				1u << PT_MODE_EXEC | 1u << PT_TSC | 1u << PT_CBR | 1u << PT_PSB | 1u << PT_PSBEND |
				1ull << PT_TRIG | 1ull << PT_PIP | 1ull << PT_VMCS | 1ull << PT_MNT;
	const uint64_t absent_by_default = 1ull << PT_CYC | 1ull << PT_MTC | 1ull << PT_TMA | 1ull << PT_PTW | 1ull << PT_MWAIT |
					   1ull << PT_PWRE | 1ull << PT_PWRX | 1ull << PT_EXSTOP | 1ull << PT_CFE | 1ull << PT_EVD |
					   1ull << PT_STOP;
	const char *suffix = strrchr(path, '.');
	char *name = xasprintf("%.*s.opt", suffix ? (int)(suffix - path) : 0, path);
	struct pt_encode_options o = {0};
	struct buf text = {0};
	int err = read_file(name, &text) || pt_encode_parse(&o, buf_str(&text));

	if (err)
		fprintf(stderr, "%s: not the options of a trace\n", name);
	j->types = always | (o.no_mtc ? 0 : 1u << PT_MTC | 1u << PT_TMA) | (o.cyc ? 1u << PT_CYC : 0);
	j->made = (struct pt_made){ .absent = absent_by_default & ~j->types, .no_ret_comp = o.no_ret_comp };
	buf_release(&text);
	free(name);
	return err ? -1 : 0;
}

int main(int argc, char **argv)
{
	struct maker m = { .random = 1 };
	struct pt_truth truth = {0};
	struct sums sums = {0};
	struct judge j = { .truth = &truth, .only = UINT_MAX };
	const char *list = NULL;
	bool recording = false;
	unsigned nr = 100;
	FILE *text = NULL;
	int c, err = 0;

	while ((c = getopt(argc, argv, "a:l:n:m:s:vrwp:")) != -1) {
		switch (c) {
		case 'a': m.address = (unsigned)strtoul(optarg, NULL, 0); break;
		case 'l': list = optarg; break;
		case 'n': nr = (unsigned)strtoul(optarg, NULL, 0); break;
		case 'm': j.only = (unsigned)strtoul(optarg, NULL, 0); break;
		case 's': m.random = strtoull(optarg, NULL, 0); break;
		case 'v': j.tell = true; break;
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
	j.image = image_load(argv[optind + 1]);
	if (!m.trace || !j.image || m.size < 128 || pt_truth_read(&truth, argv[optind + 2]) || read_options(&j, argv[optind]))
		return 2;
	m.mutant = xmalloc(m.size);
	if (recording) {
		print_recording(&m, nr);
	} else {
		if (text)
			read_all(&sums, &m, text, &j, nr);
		else
			decode_all(&sums, &m, &j, nr);
		tell(&sums, nr);
		err = list ? list_holes(&sums, list) : 0;
	}
	vec_free(&sums.holes);
	vec_free(&truth.ips);
	image_free(j.image);
	free(m.mutant);
	free((uint8_t *)(uintptr_t)m.trace);
	return err ? 2 : 0;
}
