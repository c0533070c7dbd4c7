/*
 * What damage at one place costs: decodes a snapshot folder's trace, then as many mutants of it as asked for, each with one byte
 * changed, cleared, left out or added, or a packet put where none was.
 *
 *	cs_damage [-s SEED] [-n MUTANTS] [-m NUMBER] FOLDER
 *
 * prints, for each mutant that lost or made up instructions, how many of either, how many gaps were told and what was done
 * where; and at the end the sums: "mutants N silent N unproven N wrong N sure N median N mean N". Sure: wrong instructions beside
 * gaps that do not say that they are unsure. Of a mutant of which nothing is told it is to be proven that it is the trace of
 * another execution (cs_proof.h). -m: only writes mutant NUMBER of the trace to standard output.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "auxtrace/block.h"
#include "auxtrace/cs_etm/config.h"
#include "auxtrace/cs_etm/flow.h"
#include "auxtrace/cs_etm/formatter.h"
#include "core/arch.h"
#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/base/util.h"
#include "core/base/vec.h"
#include "tests/trace/cs_input.h"
#include "tests/trace/cs_proof.h"
#include "tests/trace/pt_check.h"

#define MOST_STEPS	4000	/* instructions lost and made up: the limit of the comparison */


struct cost { uint64_t lost, wrong; bool told; };

static uint64_t seed = 1;

static uint64_t random_below(uint64_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (seed >> 11) % below;
}

/* ---- decoding ---- */

static void on_block(void *ctx, struct cs_point *at, const struct block *b, unsigned nr)
{
	struct pt_decoded *p = ctx;

	(void)at;
	for (unsigned i = 0; i < nr; i++)
		vec_push(&p->ips, block_insn_ip(b, i));
}

static void on_gap(void *ctx, struct cs_point *at, enum cs_gap why)
{
	struct pt_decoded *p = ctx;

	(void)why;
	vec_push(&p->cuts, p->ips.nr);
	vec_push(&p->unsure, at->unsure);
}

static void decode(struct pt_decoded *out, struct cs_input *in, const uint8_t *data, size_t size)
{
	static const struct cs_sink sink = { .block = on_block, .gap = on_gap };
	const struct cs_config *c = &in->sources.v[0];
	struct block_cache *cache = block_cache_new(&arch_arm64, cs_input_code, in);
	struct cs_streams streams = {0};
	struct cs_flow *f;

	*out = (struct pt_decoded){0};
	cs_streams_raw(&streams, c->id, data, size, 0);
	f = cs_flow_new(c, cache, &sink, out);
	vec_for(s, &streams.list)
		cs_flow_run(f, s, 0, s->len);
	cs_flow_free(f);
	cs_streams_release(&streams);
	block_cache_free(cache);
}

/* ---- comparing ---- */

/* The fewest instructions that are lost and made up on the way from @a to @b, greedily (Myers 1986). */
static struct cost compare(const uint64_t *a, size_t na, const uint64_t *b, size_t nb)
{
	ptrdiff_t n = (ptrdiff_t)na, m = (ptrdiff_t)nb, *far = xcalloc(2 * MOST_STEPS + 3, sizeof(*far));
	struct cost cost = { na, nb, false };

	for (ptrdiff_t d = 0; d <= MOST_STEPS; d++) {
		for (ptrdiff_t k = -d; k <= d; k += 2) {
			ptrdiff_t *at = far + MOST_STEPS + 1 + k, x;

			x = k == -d || (k != d && at[-1] < at[1]) ? at[1] : at[-1] + 1;
			while (x < n && x - k < m && x - k >= 0 && a[x] == b[x - k])
				x++;
			*at = x;
			if (x >= n && x - k >= m) {
				cost = (struct cost){ (uint64_t)(d + n - m) / 2, (uint64_t)(d - n + m) / 2, false };
				free(far);
				return cost;
			}
		}
	}
	free(far);
	return cost;
}

static struct cost cost_of(const struct pt_decoded *whole, const struct pt_decoded *got)
{
	size_t from = 0, na = whole->ips.nr, nb = got->ips.nr;
	struct cost cost;

	while (from < na && from < nb && whole->ips.v[from] == got->ips.v[from])
		from++;
	while (na > from && nb > from && whole->ips.v[na - 1] == got->ips.v[nb - 1])
		na--, nb--;
	cost = compare(whole->ips.v + from, na - from, got->ips.v + from, nb - from);
	cost.told = got->cuts.nr > 0;
	return cost;
}

/* ---- damaging ---- */

/* Packets, and what begins like one. */
static const struct { const char *name, *bytes; uint8_t size; } packets[] = {
	{ "an A-sync", "\0\0\0\0\0\0\0\0\0\0\0\200", 12 }, { "trace info", "\1\1\0", 3 }, { "an overflow", "\0\5", 2 },
	{ "a discard", "\0\3", 2 }, { "trace on", "\4", 1 }, { "atoms", "\xf7", 1 }, { "atoms", "\xf6", 1 }, { "atoms", "\xdc", 1 },
	{ "an exception", "\6\x1d\x95\x10", 4 }, { "an event", "\x71", 1 }, { "an address", "\x95\x10", 2 },
	{ "an address", "\x9a\x10\x10\x40\0", 5 }, { "a match", "\x90", 1 }, { "a context", "\x81\x30", 2 },
	{ "a commit", "\x2d\3", 2 }, { "a cancel", "\x2e\1", 2 }, { "a reserved header", "\x08", 1 }, { "a timestamp", "\2\5", 2 },
};

static void insert(struct buf *out, const uint8_t *data, size_t size, size_t at, const void *bytes, size_t n)
{
	buf_put(out, (const char *)data, at);
	buf_put(out, bytes, n);
	buf_put(out, (const char *)data + at, size - at);
}

/* Returns what was done. */
static const char *mutate(struct buf *out, const uint8_t *data, size_t size, size_t *at)
{
	uint64_t packet = random_below(ARRAY_SIZE(packets));
	uint8_t random = (uint8_t)random_below(256), bit = (uint8_t)(1u << random_below(8));

	*at = random_below(size);
	out->len = 0;
	switch (random_below(6)) {
	case 0:
		buf_put(out, (const char *)data, size);
		out->data[*at] = (char)(out->data[*at] ^ bit);
		return "a bit changed";
	case 1:
		buf_put(out, (const char *)data, size);
		out->data[*at] = 0;
		return "a byte cleared";
	case 2:
		buf_put(out, (const char *)data, size);
		out->data[*at] = (char)random;
		return "a byte changed";
	case 3:
		buf_put(out, (const char *)data, *at);
		buf_put(out, (const char *)data + *at + 1, size - *at - 1);
		return "a byte left out";
	case 4:
		insert(out, data, size, *at, &random, 1);
		return "a byte added";
	default:
		insert(out, data, size, *at, packets[packet].bytes, packets[packet].size);
		return packets[packet].name;
	}
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/*
 * No gap is reported in @mutant, though @got is not what ran. Returns why a decoder could have known, at byte *at; NULL: it
 * could not.
 */
static const char *prove(struct cs_input *in, const struct buf *mutant, const struct pt_decoded *got, size_t *at)
{
	struct cs_proof p = { .config = &in->sources.v[0], .read = cs_input_code, .ctx = in, .data = (const uint8_t *)mutant->data,
			      .size = mutant->len, .ips = got->ips.v, .nr = got->ips.nr };

	return cs_prove(&p, at);
}

static int damage(struct cs_input *in, const struct cs_buffer *b, uint64_t nr)
{
	uint64_t silent = 0, unproven = 0, wrong = 0, sure = 0, all = 0;
	VEC(uint64_t) holes = {0};
	struct buf bytes = {0};
	struct pt_decoded whole;

	decode(&whole, in, b->data, b->size);
	if (whole.cuts.nr)
		return error("the trace has gaps as it is: csgen -o steady makes one without");
	for (uint64_t i = 0; i < nr; i++) {
		size_t at;
		const char *what = mutate(&bytes, b->data, b->size, &at);
		struct pt_decoded got;
		struct cost cost;

		decode(&got, in, (const uint8_t *)bytes.data, bytes.len);
		cost = cost_of(&whole, &got);
		if (cost.lost || cost.wrong) {
			size_t contradiction;
			const char *why = cost.told ? NULL : prove(in, &bytes, &got, &contradiction);
			struct pt_check c;

			pt_compare(&c, &got, whole.ips.v, whole.ips.nr);
			sure += c.wrong_before + c.wrong_behind;

			printf("%llu: %llu lost, %llu wrong, %s: %s at %zu", (unsigned long long)i,
			       (unsigned long long)cost.lost, (unsigned long long)cost.wrong,
			       cost.told ? "told" : "silent", what, at);
			if (c.wrong_before + c.wrong_behind)
				printf(", %zu of them before a gap and %zu after the last sure", c.wrong_before, c.wrong_behind);
			if (why)
				printf(", no proof at %zu: %s", contradiction, why);
			printf("\n");
			silent += !cost.told;
			unproven += why != NULL;
		}
		wrong += cost.wrong;
		all += cost.lost;
		vec_push(&holes, cost.lost);
		pt_decoded_release(&got);
	}
	qsort(holes.v, holes.nr, sizeof(*holes.v), by_size);
	printf("mutants %llu silent %llu unproven %llu wrong %llu sure %llu median %llu mean %llu\n", (unsigned long long)nr,
	       (unsigned long long)silent, (unsigned long long)unproven, (unsigned long long)wrong, (unsigned long long)sure,
	       (unsigned long long)(nr ? holes.v[nr / 2] : 0), (unsigned long long)(nr ? all / nr : 0));
	pt_decoded_release(&whole);
	vec_free(&holes);
	buf_release(&bytes);
	return 0;
}

static void write_mutant(const struct cs_buffer *b, uint64_t number)
{
	struct buf bytes = {0};
	size_t at;

	for (uint64_t i = 0; i <= number; i++)
		mutate(&bytes, b->data, b->size, &at);
	fwrite(bytes.data, 1, bytes.len, stdout);
	buf_release(&bytes);
}

int main(int argc, char **argv)
{
	uint64_t nr = 100, only = UINT64_MAX;
	struct cs_input in = {0};
	int o, ret = 0;

	while ((o = getopt(argc, argv, "s:n:m:")) > 0) {
		if (o == 's')
			seed = strtoull(optarg, NULL, 0) * 0x9e3779b97f4a7c15ull | 1;
		else if (o == 'n')
			nr = strtoull(optarg, NULL, 0);
		else if (o == 'm')
			only = strtoull(optarg, NULL, 0);
		else
			return 2;
	}
	if (argc - optind != 1 || cs_input_open(&in, argv[optind]) || !in.sources.nr || !in.buffers.nr || !in.buffers.v[0].raw) {
		cs_input_release(&in);
		return 2;
	}
	if (only != UINT64_MAX)
		write_mutant(&in.buffers.v[0], only);
	else
		ret = damage(&in, &in.buffers.v[0], nr);
	cs_input_release(&in);
	return ret ? 1 : 0;
}
