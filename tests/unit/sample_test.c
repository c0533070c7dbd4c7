/*
 * Samples: whatever random bytes are accepted, the sizes measured, written and read agree, and the bytes come
 * back; fixed places are where the codec reads them; the other byte order reads the same.
 */
#include "core/perfdata/sample.h"

#include "core/perfdata/attr.h"
#include "tests/lib/swap.h"
#include "tests/unit/check.h"

#define ROUNDS		60000
#define BODY_MAX	600
#define ALL_BITS	((1ull << 25) - 1)

static struct event_attr random_attr(uint64_t *state)
{
	return (struct event_attr){
		.sample_type = random_u64(state) & random_u64(state) & ALL_BITS,
		.read_format = random_below(state, 32),
		.branch_sample_type = random_u64(state) & (1 << 17 | 1 << 19),
		.sample_regs_user = random_below(state, 256),
		.sample_regs_intr = random_u64(state) & random_u64(state) & random_u64(state),
		.sample_id_all = random_below(state, 2),
	};
}

/* Two fields of a sample with one member: what was written is the last one. */
static bool shares_a_member(uint64_t type)
{
	const uint64_t ids = PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER, weights = PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT;

	return (type & ids) == ids || (type & weights) == weights;
}

static bool size_equals_written_equals_read(uint64_t *state, uint64_t round)
{
	struct event_attr attr = random_attr(state);
	size_t n = random_below(state, BODY_MAX);
	uint8_t *body = xmalloc(n + 1), *again = xmalloc(n + 1);	/* the heap, so that a sanitizer sees the edge */
	struct wire r = wire_reader(body, n), size = { .mode = WIRE_SIZE }, w;
	struct sample_layout l;
	struct sample s = {0};
	bool accepted;

	sample_layout_of(&l, &attr);
	random_bytes(state, body, n);
	accepted = !sample_pass(&r, &l, &s);
	if (accepted) {
		sample_pass(&size, &l, &s);
		w = wire_writer(again, n);
		CHECK(!sample_pass(&w, &l, &s), "round %" PRIu64, round);
		CHECK(size.size == r.size && w.size == r.size, "round %" PRIu64, round);
		CHECK(shares_a_member(l.type) || !memcmp(body, again, r.size), "round %" PRIu64, round);
	}
	free(body);
	free(again);
	return accepted;
}

static bool all_equal(const struct sample *a, const struct sample *b)
{
	return a->id == b->id && a->ip == b->ip && a->time == b->time && a->addr == b->addr &&
	       a->stream_id == b->stream_id && a->period == b->period && a->weight == b->weight &&
	       a->data_src == b->data_src && a->transaction == b->transaction && a->phys_addr == b->phys_addr &&
	       a->cgroup == b->cgroup && a->data_page_size == b->data_page_size && a->code_page_size == b->code_page_size &&
	       a->pid == b->pid && a->tid == b->tid && a->cpu == b->cpu && a->read_nr == b->read_nr &&
	       a->raw_size == b->raw_size && a->stack_size == b->stack_size && a->aux_size == b->aux_size;
}

/* A record of another byte order, made by the assembler's code, reads as the native one, which it becomes. */
static bool foreign_reads_as_native(uint64_t *state, uint64_t round)
{
	struct event_attr attr = random_attr(state);
	size_t n = 8 + random_below(state, BODY_MAX);
	uint8_t *native = xcalloc(1, n + 8), *foreign = xcalloc(1, n + 8);
	uint16_t size = (uint16_t)n;
	struct wire r = wire_reader(native + 8, n - 8), f;
	struct sample_layout l;
	struct sample s = {0}, t = {0};
	bool accepted;

	sample_layout_of(&l, &attr);
	random_bytes(state, native + 8, n - 8);
	native[0] = PERF_RECORD_SAMPLE;
	memcpy(native + 6, &size, 2);
	accepted = !sample_pass(&r, &l, &s) && !shares_a_member(l.type);
	if (accepted) {
		memcpy(foreign, native, n);
		foreign_record(foreign, &attr);
		f = wire_reader(foreign + 8, n - 8);
		f.swap = true;
		CHECK(!sample_pass(&f, &l, &t), "round %" PRIu64, round);
		CHECK(all_equal(&s, &t), "round %" PRIu64 " type %" PRIx64, round, l.type);
		CHECK(!memcmp(native + 8, foreign + 8, r.size), "round %" PRIu64 " type %" PRIx64, round, l.type);
	}
	free(native);
	free(foreign);
	return accepted;
}

/* The raw data found without reading the rest equal the read ones; returns true if it was such a sample. */
static bool raw_data_is_found(uint64_t *state, uint64_t round)
{
	const uint64_t bits = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW;
	struct event_attr attr = { .sample_type = random_u64(state) & (round % 8 ? bits : ALL_BITS) };
	size_t n = random_below(state, 100);
	uint8_t *body = xmalloc(n + 1);
	struct wire r = wire_reader(body, n);
	struct sample_layout l;
	struct sample s = {0};
	const uint8_t *raw;
	uint32_t nr;
	bool found, accepted;

	sample_layout_of(&l, &attr);
	for (size_t i = 0; i < n; i++)	/* small counts, which fit, and some that do not */
		body[i] = i % 4 ? !random_below(state, 100) : (uint8_t)random_below(state, 10);
	found = sample_find_raw(&l, body, n, &raw, &nr);
	accepted = !sample_pass(&r, &l, &s);
	CHECK(accepted || !found, "round %" PRIu64 " type %" PRIx64, round, l.type);
	CHECK(found || !accepted || l.type & ~bits, "round %" PRIu64 " type %" PRIx64, round, l.type);
	CHECK(!found || (nr == s.raw_size && (!nr || raw == s.raw)), "round %" PRIu64 " type %" PRIx64, round, l.type);
	free(body);
	return found && s.raw_size && s.chain.nr;
}

static void fixed_places_are_true(uint64_t *state)
{
	for (int i = 0; i < 2000; i++) {
		struct event_attr attr = { .sample_type = random_u64(state) & 0x103cf };	/* what comes before READ */
		uint64_t body[16];
		struct wire r = wire_reader(body, sizeof(body));
		struct sample_layout l;
		struct sample s = {0};

		for (size_t k = 0; k < ARRAY_SIZE(body); k++)
			body[k] = random_u64(state);
		sample_layout_of(&l, &attr);
		if (sample_pass(&r, &l, &s))
			continue;
		CHECK(l.ip_at < 0 ? !(l.type & PERF_SAMPLE_IP) : body[l.ip_at / 8] == s.ip);
		CHECK(l.time_at < 0 ? !(l.type & PERF_SAMPLE_TIME) : body[l.time_at / 8] == s.time);
		CHECK(l.period_at < 0 ? !(l.type & PERF_SAMPLE_PERIOD) : body[l.period_at / 8] == s.period);
		CHECK(l.tid_at < 0 ? !(l.type & PERF_SAMPLE_TID) : (uint32_t)body[l.tid_at / 8] == s.pid);
		CHECK(l.cpu_at < 0 ? !(l.type & PERF_SAMPLE_CPU) : (uint32_t)body[l.cpu_at / 8] == s.cpu);
		if (l.type & PERF_SAMPLE_IDENTIFIER)
			CHECK(l.id_at == 0);
		else
			CHECK(l.id_at < 0 ? !(l.type & PERF_SAMPLE_ID) : body[l.id_at / 8] == s.id);
	}
}

/* perf_event_open(2): the trailer has TID, TIME, ID, STREAM_ID, CPU, IDENTIFIER, and only those. */
static void trailer_is_as_long_as_told(void)
{
	for (uint64_t type = 0; type <= ALL_BITS; type = type * 2 + 1) {
		struct event_attr attr = { .sample_type = type, .sample_id_all = 1 };
		struct wire size = { .mode = WIRE_SIZE };
		struct sample_layout l;
		struct sample_id id = {0};

		sample_layout_of(&l, &attr);
		sample_id_pass(&size, &l, &id);
		CHECK(size.size == l.id_size, "type %" PRIx64, type);
		if (type == ALL_BITS)
			break;
	}
}

/* A known sample of perf_event_open(2)'s order, byte by byte. */
static void known_sample(void)
{
	static const uint64_t body[] = {
		7,			/* IDENTIFIER */
		0x400123,		/* IP */
		(uint64_t)101 << 32 | 100,	/* TID */
		5000,			/* TIME */
		3,			/* CPU */
		10,			/* PERIOD */
		2, 0x11, 0x22,		/* CALLCHAIN */
		8 | (uint64_t)0xabcdef << 32, 0x1234,	/* RAW: u32 size, 8 bytes, padding that is the kernel's */
	};
	struct event_attr attr = { .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
		PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW };
	struct wire r = wire_reader(body, sizeof(body));
	struct sample_layout l;
	struct sample s = {0};

	sample_layout_of(&l, &attr);
	CHECK(!sample_pass(&r, &l, &s));
	CHECK(s.id == 7 && s.ip == 0x400123 && s.pid == 100 && s.tid == 101 && s.time == 5000 && s.cpu == 3 && s.period == 10);
	CHECK(s.chain.nr == 2 && words_at(&s.chain, 1) == 0x22);
	CHECK(s.raw_size == 8 && !memcmp(s.raw, (const uint8_t *)body + 76, 8));
}

int main(void)
{
	uint64_t state = 1, accepted = 0, foreign = 0, raw = 0;

	for (uint64_t i = 0; i < ROUNDS; i++)
		accepted += size_equals_written_equals_read(&state, i);
	for (uint64_t i = 0; i < ROUNDS / 3; i++)
		foreign += foreign_reads_as_native(&state, i);
	CHECK(accepted > ROUNDS / 10 && foreign > ROUNDS / 30, "too few accepted: %" PRIu64 " and %" PRIu64, accepted, foreign);
	for (uint64_t i = 0; i < ROUNDS; i++)
		raw += raw_data_is_found(&state, i);
	CHECK(raw > ROUNDS / 1000, "too few with chains and raw data: %" PRIu64, raw);
	fixed_places_are_true(&state);
	trailer_is_as_long_as_told();
	known_sample();
	return checks_done();
}
