/*
 * A first pass in pieces finds what one from the start finds: over random recordings, with samples whose data are like records,
 * damaged stretches, and records that no piece understands by itself. So does one out of an index, which with any bit changed is
 * found to be damaged. scan_test [SEED [NUMBER]]: of so many (400) from SEED (0).
 */
#include "core/read/scan.h"
#include "core/read/scan_piece.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/new_file.h"
#include "core/model/machine.h"
#include "core/perfdata/data_index.h"
#include "tests/unit/check.h"

#define ROUNDS	400
#define TYPES	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_PERIOD)

static void put_header(struct buf *b, uint32_t type, size_t size)
{
	struct record_header h = { .type = type, .size = (uint16_t)size };

	buf_put(b, &h, sizeof(h));
}

static void put_word(struct buf *b, uint64_t v)
{
	buf_put(b, &v, sizeof(v));
}

/* A sample of event @id + 1; that of the second has raw data, which are often what records are made of. */
static void put_sample(struct buf *b, uint64_t *state, uint64_t time)
{
	unsigned id = (unsigned)random_below(state, 2);
	size_t raw = id ? 4 + 8 * random_below(state, 40) : 0;
	size_t start = b->len, size = 8 + 8 * 5 + (id ? 4 + raw : 0);

	size = round_up(size, 8);
	put_header(b, PERF_RECORD_SAMPLE, size);
	put_word(b, 0x400000 + random_below(state, 4096));
	put_word(b, 100ull << 32 | 100);
	put_word(b, time);
	put_word(b, id + 1);
	put_word(b, 1);
	if (id) {
		uint32_t n = (uint32_t)(size - 8 - 8 * 5 - 4);

		buf_put(b, &n, sizeof(n));
	}
	while (b->len < start + size)
		switch (random_below(state, 3)) {
		case 0:
			if (b->len + 8 <= start + size) {
				put_header(b, (uint32_t)random_below(state, 12), 8 * random_below(state, 12));
				break;
			}
			/* fall through */
		default:
			buf_putc(b, (char)random_below(state, 2));
		}
}

/* The trailer of records other than samples. */
static void put_trailer(struct buf *b, uint64_t time)
{
	put_word(b, 100ull << 32 | 100);
	put_word(b, time);
	put_word(b, 1);
}

static void put_comm(struct buf *b, uint64_t time)
{
	put_header(b, PERF_RECORD_COMM, 8 + 8 + 8 + 24);
	put_word(b, 100ull << 32 | 100);
	buf_put(b, "comm\0\0\0", 8);
	put_trailer(b, time);
}

static void put_lost(struct buf *b, uint64_t time)
{
	put_header(b, PERF_RECORD_LOST, 8 + 16 + 24);
	put_word(b, 1);
	put_word(b, 3);
	put_trailer(b, time);
}

static void put_switch(struct buf *b, uint64_t time)
{
	put_header(b, PERF_RECORD_SWITCH, 8 + 24);
	put_trailer(b, time);
}

/* Those of types that are @known have no bytes after them. */
static void put_records(struct buf *b, uint64_t *state, bool known)
{
	unsigned nr = 200 + (unsigned)random_below(state, 2000), odd = (unsigned)random_below(state, 4);

	for (unsigned i = 0; i < nr; i++) {
		uint64_t time = random_below(state, 50) ? 1000 + 10 * i + random_below(state, 100) : 0;

		switch (random_below(state, 40)) {
		case 0: put_comm(b, time); break;
		case 1: put_lost(b, time); break;
		case 2: put_header(b, RECORD_FINISHED_ROUND, 8); break;
		case 3:
			put_header(b, (known ? 30 : 200) + (uint32_t)random_below(state, 30), 16);
			put_word(b, random_u64(state));
			break;
		case 4:	/* a size that is no multiple of a word, and shifts all that follow */
			if (odd == 1) {
				put_header(b, PERF_RECORD_SAMPLE, 8 + 3);
				buf_put(b, "abc", 3);
			}
			break;
		case 5:	/* bytes follow that are in no record */
			if (odd == 2) {
				put_header(b, RECORD_AUXTRACE, 48);
				put_word(b, 64);
				for (unsigned k = 0; k < 4; k++)
					put_word(b, 0);
				for (unsigned k = 0; k < 8; k++)
					put_header(b, PERF_RECORD_SAMPLE, 8);
			}
			break;
		case 6: put_switch(b, MAX(time, 1)); break;
		default: put_sample(b, state, time);
		}
	}
}

/* Anything at all, in a few places. */
static void damage(struct buf *b, uint64_t *state)
{
	for (uint64_t nr = random_below(state, 4); nr; nr--) {
		size_t at = random_below(state, b->len), n = MIN(b->len - at, 1 + random_below(state, 64));

		for (size_t i = 0; i < n; i++)
			b->data[at + i] = (char)random_below(state, 4);
	}
	if (!random_below(state, 3))
		b->len -= random_below(state, 60);
}

static void add_events(struct data_file *f)
{
	for (uint64_t id = 1; id <= 2; id++) {
		struct event_attr attr = {
			.type = PERF_TYPE_SOFTWARE, .size = 112, .sample_type = TYPES | (id == 2 ? PERF_SAMPLE_RAW : 0),
			.sample_id_all = 1,
		};

		event_table_add_id(&f->events, event_table_add(&f->events, &attr), id);
	}
	event_table_finish(&f->events);
}

static void scan(struct scan *out, struct data_file *f, struct machine **m, unsigned jobs, uint64_t piece)
{
	*m = machine_new(&(struct machine_opts){0});
	CHECK(!scan_file(out, f, *m, &(struct scan_opts){ jobs, piece }));
}

/* All records in order, by where they stand in the file. */
static void list_records(const struct scan *s, struct buf *out)
{
	for (size_t i = 0; i < s->chunks.chunks.nr; i++) {
		struct chunk *c = &s->chunks.chunks.v[i];
		uint32_t nr = 0;

		for (struct chunk_cursor each = {0}; chunk_next(c, &each); nr++)
			buf_printf(out, "%" PRIu64 " %u %u\n", c->offset + each.at, each.header.type, each.header.size);
		CHECK(nr == c->nr, "%u records of %u", nr, c->nr);
	}
	vec_for(b, &s->side_band)
		buf_printf(out, "side band %" PRIu64 " at %" PRIu64 "\n", b->time, chunk_file_offset(&s->chunks, b->position));
}

static void list_counts(const struct session_counts *c, struct buf *out)
{
	for (unsigned i = 0; i < RECORD_MAX; i++)
		buf_printf(out, "%" PRIu64 " ", c->by_type[i]);
	vec_for(n, &c->samples_by_event)
		buf_printf(out, "%" PRIu64 " ", *n);
	buf_printf(out, "\nunknown %" PRIu64 ", no event %" PRIu64 ", lost %" PRIu64, c->unknown, c->no_event, c->lost);
	buf_printf(out, ", %" PRIu64 " bytes, %" PRIu64 " to %" PRIu64 "\n", c->bytes, c->first_time, c->last_time);
	buf_printf(out, "damaged %" PRIu64 " from %" PRIu64 ", cut %d at %" PRIu64 "\n", c->damaged.nr, c->damaged.offset, c->cut,
		   c->cut_at);
}

static void list_scan(const struct scan *s, struct buf *out)
{
	list_records(s, out);
	list_counts(&s->counts, out);
	buf_printf(out, "last time %" PRIu64 "\n", s->time);
}

/* Pieces that found their first record by themselves; what was none; recordings that have an index. */
struct begun { unsigned nr, wrong, indexed; };

static bool is_record(const struct scan *s, uint64_t offset)
{
	vec_for(c, &s->chunks.chunks)
		for (struct chunk_cursor each = {0}; offset >= c->offset && offset - c->offset < c->size && chunk_next(c, &each);)
			if (c->offset + each.at == offset)
				return true;
	return false;
}

static void count_pieces(const struct data_file *f, uint64_t piece, const struct scan *whole, struct begun *out)
{
	const struct data_part *part = &f->parts.v[0];

	for (uint64_t at = piece; at < part->size; at += piece) {
		struct scan_piece p = { .from = at, .to = MIN(at + piece, part->size) };

		scan_piece_find(&p, f, part);
		out->nr += p.begin > at && p.begin < p.to;
		out->wrong += p.begin < p.to && !is_record(whole, part->offset + p.begin);
	}
}

static void check_pieces(struct data_file *f, uint64_t piece, unsigned seed, struct buf *want, struct begun *out)
{
	struct buf got = {0};
	struct machine *m;
	struct scan s;

	scan(&s, f, &m, 3, piece);
	list_scan(&s, &got);
	CHECK(str_eq(buf_str(&got), buf_str(want)), "seed %u, pieces of %" PRIu64 " bytes", seed, piece);
	count_pieces(f, piece, &s, out);
	scan_release(&s);
	machine_free(m);
	buf_release(&got);
}

/* The pass gives back pages of what it read, so that has to be a file. */
static const uint8_t *map_bytes(const struct buf *b)
{
	int fd = temporary_file();
	void *map;

	CHECK(fd >= 0 && !write_all(fd, b->data, b->len));
	map = mmap(NULL, b->len, PROT_READ, MAP_PRIVATE, fd, 0);
	CHECK(map != MAP_FAILED);
	close(fd);
	return map;
}

/* As a recorder does, whose writes end anywhere. */
static void *make_index(const struct data_file *f, const struct buf *b, uint64_t *state, uint64_t *size)
{
	struct data_index_maker *m = data_index_begin(&f->events);
	void *bytes;

	for (size_t at = 0, n; at < b->len; at += n) {
		size_t half;

		n = MIN(1 + random_below(state, 4000), b->len - at);
		half = random_below(state, n + 1);
		data_index_add(m, (struct iovec[]){ { b->data + at, half }, { b->data + at + half, n - half } }, 2);
	}
	bytes = data_index_end(m, size);
	data_index_free(m);
	return bytes;
}

/* Changes a bit of the index, of whose hash the reader may be content with. */
static void change_bit(struct features *f, uint64_t *state, bool rehash)
{
	uint8_t *bytes = f->data_index;
	size_t first = rehash ? 16 : 0;
	uint64_t hash;

	bytes[first + random_below(state, f->data_index_size - first)] ^= (uint8_t)(1u << random_below(state, 8));
	hash = hash_bytes(bytes + 16, f->data_index_size - 16);
	if (rehash)
		memcpy(bytes + 8, &hash, sizeof(hash));
}

static void read_index(struct data_file *f, uint64_t *state, unsigned seed, struct buf *want)
{
	struct features *features = &f->features;
	void *good = xmalloc(features->data_index_size);
	struct buf got = {0};
	struct machine *m;
	struct scan s;

	memcpy(good, features->data_index, features->data_index_size);
	for (unsigned how = 0; how < 20; how++) {
		memcpy(features->data_index, good, features->data_index_size);
		if (how)
			change_bit(features, state, how > 3);
		scan(&s, f, &m, 1, SCAN_PIECE);
		got.len = 0;
		if (how <= 3 || f->findings.list.nr)
			list_scan(&s, &got);
		CHECK(!got.len || str_eq(buf_str(&got), buf_str(want)), "seed %u, index %u", seed, how);
		CHECK(how > 3 || f->findings.list.nr == (how > 0), "seed %u, index %u", seed, how);
		findings_release(&f->findings);
		scan_index_check(f);
		CHECK(f->findings.list.nr == (how > 0), "seed %u: the check of index %u", seed, how);
		findings_release(&f->findings);
		scan_release(&s);
		machine_free(m);
	}
	buf_release(&got);
	free(good);
}

/* Returns false if there is none. */
static bool check_index(struct data_file *f, const struct buf *b, uint64_t *state, unsigned seed, struct buf *want)
{
	f->data_size = b->len;
	f->features.data_index = make_index(f, b, state, &f->features.data_index_size);
	f->features.has[FEATURE_DATA_INDEX] = f->features.data_index;
	if (!f->features.data_index)
		return false;
	read_index(f, state, seed, want);
	free(f->features.data_index);
	f->features.has[FEATURE_DATA_INDEX] = false;
	return true;
}

static void round_of(unsigned seed, struct begun *begun)
{
	struct data_file f = { .path = (char *)(uintptr_t)"made up" };
	uint64_t state = 88172645463325252ull + seed;
	struct buf b = {0}, want = {0};
	struct machine *m;
	struct scan s;

	add_events(&f);
	for (unsigned i = seed % 40 ? 10 : 0; i <= 10; i++)
		put_records(&b, &state, seed % 4 < 2);
	if (seed % 2)
		damage(&b, &state);
	vec_push(&f.parts, (struct data_part){ .path = f.path, .data = map_bytes(&b), .size = b.len, .offset = 4096 });
	scan(&s, &f, &m, 1, SCAN_PIECE);
	list_scan(&s, &want);
	scan_release(&s);
	machine_free(m);
	check_pieces(&f, 512 + 8 * random_below(&state, 200), seed, &want, begun);
	check_pieces(&f, 4096 + random_below(&state, 5000), seed, &want, begun);
	begun->indexed += check_index(&f, &b, &state, seed, &want);
	munmap((void *)(uintptr_t)f.parts.v[0].data, b.len);
	vec_free(&f.parts);
	event_table_release(&f.events);
	buf_release(&b);
	buf_release(&want);
}

/* Samples of events by turns are one run, which ends before another record; each is its event's. */
static void check_run(void)
{
	struct data_file f = {0};
	struct event_memo memo = {0};
	uint64_t state = 88172645463325252ull, by_event[2] = {0}, bytes, nr = 0;
	struct sample_run run;
	struct buf b = {0};

	add_events(&f);
	for (; nr < 100; nr++)
		put_sample(&b, &state, 2000 - nr);
	bytes = b.len;
	put_comm(&b, 3000);
	CHECK(sample_run_find(&run, by_event, &memo, &f.events, (const uint8_t *)b.data, b.len, UINT64_MAX));
	CHECK(run.nr == nr && run.bytes == bytes, "%" PRIu64 " samples, %" PRIu64 " bytes", run.nr, run.bytes);
	CHECK(by_event[0] > 20 && by_event[1] > 20 && by_event[0] + by_event[1] == nr);
	CHECK(run.first_time == 2001 - nr && run.last_time == 2000 && run.time == run.first_time && !run.unsure);
	CHECK(!sample_run_find(&run, by_event, &memo, &f.events, (const uint8_t *)b.data + bytes, b.len - bytes, UINT64_MAX));
	event_table_release(&f.events);
	buf_release(&b);
}

/* A sample of event @id of two that are of one size; those of the second have their id a word later where @apart. */
static void put_alike(struct buf *b, uint64_t id, bool apart, uint64_t time)
{
	put_header(b, PERF_RECORD_SAMPLE, 8 + 8 * 5);
	put_word(b, 0x400000);
	put_word(b, 100ull << 32 | 100);
	put_word(b, time);
	put_word(b, apart && id == 2 ? 77 : id);
	put_word(b, apart && id == 2 ? id : 9);
}

/* Long runs of samples that are like the one before are their event's, too, and their times are seen. */
static void check_alike(bool apart)
{
	const uint64_t unlike = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID;
	uint64_t state = 88172645463325252ull, by_event[2] = {0}, want[2] = {0}, id = 1;
	struct event_memo memo = {0};
	struct data_file f = {0};
	struct sample_run run;
	struct buf b = {0};

	for (uint64_t i = 1; i <= 2; i++) {
		struct event_attr attr = {
			.type = PERF_TYPE_SOFTWARE, .size = 112, .sample_type = apart && i == 2 ? unlike : TYPES,
		};

		event_table_add_id(&f.events, event_table_add(&f.events, &attr), i);
	}
	event_table_finish(&f.events);
	for (uint64_t i = 0; i < 1000; i++) {
		id = random_below(&state, 10) ? id : 3 - id;
		put_alike(&b, id, apart, i == 500 ? 7 : i == 600 ? 90000 : 1000 + i);
		want[id - 1]++;
	}
	CHECK(sample_run_find(&run, by_event, &memo, &f.events, (const uint8_t *)b.data, b.len, UINT64_MAX));
	CHECK(run.nr == 1000 && run.bytes == b.len && !run.unsure);
	CHECK(by_event[0] == want[0] && by_event[1] == want[1], "%" PRIu64 " of %" PRIu64, by_event[0], want[0]);
	CHECK(run.first_time == 7 && run.last_time == 90000 && run.time == 1999);
	/* One more byte of room is one more sample; one byte less of the last is none. */
	CHECK(sample_run_find(&run, by_event, &memo, &f.events, (const uint8_t *)b.data, b.len, 48 * 100 + 1) && run.nr == 101);
	CHECK(sample_run_find(&run, by_event, &memo, &f.events, (const uint8_t *)b.data, b.len - 1, UINT64_MAX) && run.nr == 999);
	put_alike(&b, id, apart, 0);
	CHECK(sample_run_find(&run, by_event, &memo, &f.events, (const uint8_t *)b.data, b.len, UINT64_MAX) && run.unsure);
	event_table_release(&f.events);
	buf_release(&b);
}

int main(int argc, char **argv)
{
	unsigned first = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 0) : 0;
	unsigned end = first + (argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : ROUNDS);
	struct begun begun = {0};

	check_run();
	check_alike(false);
	check_alike(true);
	for (unsigned seed = first; seed < end && !nr_failed; seed++)
		round_of(seed, &begun);
	CHECK(begun.nr > 2 * (end - first), "only %u pieces began in the middle", begun.nr);
	CHECK(begun.indexed > (end - first) / 20, "only %u recordings have an index", begun.indexed);
	CHECK(begun.wrong > (end - first) / 10, "only %u pieces were misled by data like records", begun.wrong);
	return checks_done();
}
