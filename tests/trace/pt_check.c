/* See pt_check.h. */
#include "tests/trace/pt_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "auxtrace/intel_pt/flow.h"
#include "core/arch.h"

/* ---- decoding ---- */

static void on_block(void *ctx, const struct pt_state *s, const struct block *b, unsigned from, unsigned to)
{
	struct pt_decoded *d = ctx;
	uint64_t ip = block_insn_ip(b, from);

	(void)s;
	for (; from < to; ip += b->sizes[from++])
		vec_push(&d->ips, ip);
}

static void on_sample(void *ctx, const struct pt_state *s, const struct block *b, unsigned nr)
{
	struct pt_decoded *d = ctx;

	(void)s;
	vec_push(&d->ips, block_insn_ip(b, nr));
}

static void on_gap(void *ctx, const struct pt_state *s, const struct pt_gap *g)
{
	struct pt_decoded *d = ctx;

	(void)s;
	vec_push(&d->cuts, d->ips.nr);
	vec_push(&d->unsure, g->unsure);
}

static bool on_mapped(void *ctx, const struct pt_state *s, uint64_t ip)
{
	const struct pt_decoded *d = ctx;
	uint8_t byte;

	return ip >> 63 || d->read(d->read_ctx, s->space, ip, &byte, 1);
}

void pt_decode(struct pt_decoded *out, const uint8_t *data, size_t size, const struct pt_made *made, enum pt_way way,
	       read_code_fn read, void *ctx)
{
	struct pt_sink sink = { .gap = on_gap, .mapped = on_mapped };
	struct pt_flow_config config = {
		.sink = &sink, .ctx = out, .absent = made ? made->absent : 0, .no_ret_comp = made && made->no_ret_comp,
		.time = { .tsc_ctc_num = 168, .tsc_ctc_den = 2, .mtc_shift = 3, .max_nonturbo_ratio = 20 },
	};
	struct pt_flow *f;

	out->ips.nr = out->cuts.nr = out->unsure.nr = 0;
	out->read = read;
	out->read_ctx = ctx;
	if (way == PT_SAMPLES || way == PT_LATE) {
		sink.sample = on_sample;
		config.period = 1;
	} else {
		sink.block = on_block;
	}
	config.cache = block_cache_new(&arch_x86_64, read, ctx);
	f = pt_flow_new(&config);
	for (size_t from = 0, to; from < size; from = to) {
		to = way == PT_PIECES ? pt_find_psb(data, size, from + PT_PSB_SIZE) : size;
		pt_flow_reset(f);
		if (way == PT_LATE)
			pt_flow_sample_later(f);
		pt_flow_decode(f, data, size, from, to, 0);
		if (way == PT_LATE)
			pt_flow_sample_now(f, 1);
	}
	pt_flow_free(f);
	block_cache_free(config.cache);
}

void pt_decoded_release(struct pt_decoded *d)
{
	vec_free(&d->ips);
	vec_free(&d->cuts);
	vec_free(&d->unsure);
}

/* ---- comparing ---- */

int pt_truth_read(struct pt_truth *t, const char *path)
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

static bool is_cut(const struct pt_decoded *d, size_t at)
{
	vec_for(cut, &d->cuts)
		if (*cut == at)
			return true;
	return false;
}

static size_t same(const uint64_t *a, const uint64_t *b, size_t nr)
{
	size_t i = 0;

	while (i < nr && a[i] == b[i])
		i++;
	return i;
}

/* How many before @at the gaps there say may be wrong. */
static size_t unsure_at(const struct pt_decoded *d, size_t at)
{
	size_t most = 0;

	for (size_t i = 0; i < d->unsure.nr; i++)
		if (d->cuts.v[i] == at)
			most = MAX(most, d->unsure.v[i]);
	return most;
}

/* The most instructions of @ips[0..nr) that ran one after the other somewhere in @truth[*at..end); *at moves after them. */
static size_t find(const uint64_t *ips, size_t nr, const uint64_t *truth, size_t *at, size_t end)
{
	size_t best = 0, where = *at;

	for (size_t i = *at; i < end && best < nr; i++) {
		size_t n = same(ips, truth + i, MIN(nr, end - i));

		if (n > best) {
			best = n;
			where = i + n;
		}
	}
	*at = where;
	return best;
}

#define NOT_BY_CHANCE	16	/* instructions one after the other */
#define MOST_WRONG	256	/* of them before they are right again */

/* The parts to compare: both from the first different instruction on. */
struct comparing {
	const struct pt_decoded *d;
	const uint64_t *truth;
	size_t nr;			/* of the truth, without what is the same at the end */
	size_t at, known;		/* in the truth: what may come next; all before that was decoded */
};

/* How many of @ips[from..to) are wrong before some that ran come, *right of them. @opened: it begins after a gap. */
static size_t next_right(struct comparing *c, size_t from, size_t to, bool opened, size_t *right)
{
	const uint64_t *ips = c->d->ips.v;

	for (size_t wrong = 0; wrong < MIN(to - from, MOST_WRONG); wrong++) {
		size_t behind = c->at, left = to - from - wrong, n = find(ips + from + wrong, left, c->truth, &behind, c->nr);

		if (n < NOT_BY_CHANCE && (n < left || !opened || wrong))
			continue;
		c->at = behind;
		*right = n;
		return wrong;
	}
	*right = 0;
	return to - from;
}

/* Compare what is between two gaps, @ips[from..to), of which the last @unsure may be wrong. Returns how many are, of the others. */
static size_t compare_segment(struct pt_check *out, struct comparing *c, size_t from, size_t to, bool opened, size_t unsure)
{
	size_t sure = to - MIN(unsure, to), wrong = 0, at = c->at, n, right;

	for (; from < to; from += n + right) {
		n = next_right(c, from, to, opened, &right);
		wrong += MIN(from + n, MAX(sure, from)) - from;
		if (!right)
			continue;
		out->hole -= c->at - MIN(c->at, MAX(c->at - right, c->known));
		c->known = MAX(c->known, c->at);
		at = from + n + right <= sure ? c->at : from + n < sure ? c->at - (from + n + right - sure) : at;
	}
	c->at = at;	/* what is unsure may come again */
	return wrong;
}

void pt_compare(struct pt_check *out, const struct pt_decoded *d, const uint64_t *truth, size_t nr)
{
	const uint64_t *ips = d->ips.v;
	size_t least = MIN(nr, d->ips.nr), nr_cuts = d->cuts.nr, first = nr_cuts ? d->cuts.v[0] : least, last, end;
	struct comparing c = { .d = d, .truth = truth };

	*out = (struct pt_check){ .before = same(ips, truth, MIN(least, first)) };
	c.known = out->before;
	c.at = nr_cuts ? MIN(c.known, first - MIN(first, unsure_at(d, first))) : c.known;
	last = d->ips.nr - (nr_cuts ? d->cuts.v[nr_cuts - 1] : c.known);
	while (out->behind < MIN(nr - c.at, last) && ips[d->ips.nr - 1 - out->behind] == truth[nr - 1 - out->behind])
		out->behind++;
	end = d->ips.nr - out->behind;
	c.nr = nr - out->behind;
	out->hole = nr - MIN(nr, c.known + out->behind);
	out->silent = (out->hole || end > c.known) && !nr_cuts;
	for (size_t from = out->before, to; from < end; from = to) {
		bool opened = is_cut(d, from);
		size_t wrong;

		for (to = from + 1; to < end && !is_cut(d, to); to++)
			;
		wrong = compare_segment(out, &c, from, to, opened, unsure_at(d, to));
		*(opened ? &out->wrong_behind : is_cut(d, to) ? &out->wrong_before : &out->wrong_silent) += wrong;
	}
}

/* ---- recordings ---- */

static void put_number(uint64_t v, unsigned bytes)
{
	for (; bytes; bytes--, v >>= 8)
		printf("%02x", (unsigned)(v & 0xff));
}

void pt_text_begin(const char *path, uint64_t base, uint64_t size, uint64_t config)
{
	static const uint64_t info[] = { 8, 1, 1, 0, 1, 0x400, 0x800, 0, 0, 0, 0x200, 0x3c000, 168, 2, 2, 20, 0, 0 };

	printf("feature arch=x86_64 auxtrace\n");
	printf("attr intel_pt type=8 config=%#" PRIx64 " sample=IP,TID,TIME,CPU,IDENTIFIER read=ID period=1 exclude_kernel "
	       "exclude_hv sample_id_all ids=1\n", config);
	printf("raw type=70 ");
	put_number(1, 8);
	for (size_t i = 0; i < ARRAY_SIZE(info); i++)
		put_number(info[i], 8);
	printf("\ncomm 100/100 \"program\" exec t=1 event=intel_pt id=1\n");
	printf("mmap2 100/100 %#" PRIx64 "+%#" PRIx64 "@0 r-xp \"%s\" t=2 event=intel_pt id=1\n", base, size, path);
}

void pt_text_trace(const uint8_t *data, size_t size, unsigned tid)
{
	size_t padding = round_up(size, 8) - size;

	printf("comm 100/%u \"program\" t=3 event=intel_pt id=1\n", tid);
	printf("itrace_start 100/%u t=4 cpu=0 event=intel_pt id=1\n", tid);
	printf("aux 100/%u off=0 size=%zu t=900000000 cpu=0 event=intel_pt id=1\n", tid, size);
	printf("raw type=71 ");
	put_number(size + padding, 8);
	put_number(0, 8);
	put_number(0x1000000, 8);
	put_number(tid - 1000, 4);	/* perf's queue */
	put_number(tid, 4);
	put_number(UINT32_MAX, 4);
	put_number(0, 4);
	printf("\nbytes ");
	for (size_t i = 0; i < size + padding; i++)
		printf("%02x", i < size ? data[i] : 0);
	printf("\n");
}
