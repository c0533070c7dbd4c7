/*
 * Records: for random bytes of each type, sizes measured, written and read agree and the bytes come back; the other
 * byte order reads the same; strings end before the trailer; what is printed for known records.
 */
#include "core/perfdata/record.h"

#include <errno.h>

#include "core/base/buf.h"
#include "core/perfdata/attr.h"
#include "tests/lib/swap.h"
#include "tests/unit/check.h"

#define ROUNDS		40000
#define RECORD_ROOM	400

static struct event_attr random_attr(uint64_t *state)
{
	return (struct event_attr){
		.sample_type = random_u64(state) & random_u64(state) & 0x103cf,
		.read_format = random_below(state, 32),
		.sample_id_all = random_below(state, 4) != 0,
	};
}

static uint32_t random_type(uint64_t *state)
{
	uint32_t type;

	do
		type = (uint32_t)random_below(state, RECORD_MAX);
	while (!record_name(type));
	return type;
}

static size_t random_record(uint64_t *state, uint8_t *p)
{
	struct record_header h = {
		.type = random_type(state), .misc = (uint16_t)(random_u64(state) & random_u64(state)),
		.size = (uint16_t)(8 + 8 * random_below(state, RECORD_ROOM / 8)),
	};

	random_bytes(state, p, h.size);
	memcpy(p, &h, sizeof(h));
	return h.size;
}

/* Types whose padding, reserved bytes or unknown rest are not kept; their known fields are. */
static bool keeps_every_byte(const struct record *r)
{
	switch (r->header.type) {
	case PERF_RECORD_SAMPLE:
	case PERF_RECORD_READ:
	case RECORD_AUXTRACE_INFO:
		return false;		/* a rest that is no whole word */
	case RECORD_AUXTRACE_ERROR:
		return false;		/* the message gets its NUL */
	}
	return true;
}

/* MMAP2 of kernels before 3.16, which had no prot: what random bytes nearly always look like. */
static bool without_prot(const uint8_t *p)
{
	uint32_t prot;

	memcpy(&prot, p + 64, sizeof(prot));
	return p[0] == PERF_RECORD_MMAP2 && prot & ~0x0300003fu;
}

/* Shorter and older forms are read, but written whole. */
static bool written_as_read(const struct record *r)
{
	switch (r->header.type) {
	case RECORD_AUXTRACE_ERROR:
		return r->header.size >= 128;
	case RECORD_TIME_CONV:
		return r->header.size >= 56;
	case RECORD_COMPRESSED2:
		return r->header.size % 8 == 0;
	}
	return true;
}

static bool size_equals_written_equals_read(uint64_t *state, uint64_t round)
{
	struct event_attr attr = random_attr(state);
	uint8_t *p = xcalloc(1, RECORD_ROOM + 8), *again = xmalloc(RECORD_ROOM + 8);
	struct sample_layout l;
	struct record r, back;
	struct wire size = { .mode = WIRE_SIZE }, w;
	size_t n = random_record(state, p);
	bool accepted;

	sample_layout_of(&l, &attr);
	accepted = !record_read(&r, p, &l);
	if (accepted && written_as_read(&r) && !without_prot(p)) {
		int err = record_pass(&size, &l, &r);

		w = wire_writer(again, n);
		CHECK(!err && size.size == n, "round %" PRIu64 " %s: %zu of %zu", round, record_name(r.header.type), size.size, n);
		CHECK(!record_pass(&w, &l, &r) && w.size == n, "round %" PRIu64, round);
		CHECK(!record_read(&back, again, &l), "round %" PRIu64, round);
		memset(p, 0, RECORD_ROOM);
		w = wire_writer(p, n);
		CHECK(!record_pass(&w, &l, &back), "round %" PRIu64, round);
		CHECK(!keeps_every_byte(&r) || !memcmp(p, again, n), "round %" PRIu64 " %s", round, record_name(r.header.type));
	}
	free(p);
	free(again);
	return accepted;
}

/* Types whose bodies the assembler turns wholly; the rest travel as bytes or are covered by their own tests. */
static bool assembler_knows(const struct record *r)
{
	return (r->header.type < RECORD_HEADER_ATTR && r->header.type != PERF_RECORD_SAMPLE) ||
	       r->header.type == RECORD_AUXTRACE || r->header.type == RECORD_ID_INDEX;
}

static bool foreign_reads_as_native(uint64_t *state, uint64_t round)
{
	struct event_attr attr = random_attr(state);
	uint8_t *native = xcalloc(1, RECORD_ROOM + 8), *foreign = xcalloc(1, RECORD_ROOM + 8);
	struct buf want = {0}, got = {0};
	struct sample_layout l;
	struct record r, f = {0};
	struct wire w;
	size_t n = random_record(state, native);
	bool accepted;

	sample_layout_of(&l, &attr);
	/* The assembler turns round what the mark of a build id says, also where it is false. */
	accepted = !record_read(&r, native, &l) && assembler_knows(&r) && !without_prot(native) &&
		   !memcmp(native, &r.header, sizeof(r.header));
	if (accepted) {
		memcpy(foreign, native, n);
		foreign_record(foreign, &attr);
		w = wire_reader(foreign, n);
		w.swap = true;
		CHECK(!record_pass(&w, &l, &f), "round %" PRIu64 " %s", round, record_name(r.header.type));
		record_print(&r, &want);
		record_print(&f, &got);
		CHECK_TEXT(buf_str(&got), buf_str(&want));
		CHECK(r.id.time == f.id.time && r.id.id == f.id.id && r.id.cpu == f.id.cpu && r.id.pid == f.id.pid);
	}
	free(native);
	free(foreign);
	buf_release(&want);
	buf_release(&got);
	return accepted;
}

static const struct sample_layout layout = {
	.build_ids = true,
	.type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME, .id_size = 16, .id_at = -1, .tid_at = 0, .time_at = 8,
};

static void expect_print(struct record *rec, const char *want)
{
	struct buf bytes = {0}, text = {0};
	struct record back;

	CHECK(!record_append(&bytes, &layout, rec), "%s", want);
	CHECK(bytes.len % 8 == 0 && bytes.len == rec->header.size, "%s", want);
	CHECK(!record_read(&back, bytes.data, &layout), "%s", want);
	record_print(&back, &text);
	CHECK_TEXT(buf_str(&text), want);
	buf_release(&bytes);
	buf_release(&text);
}

/* The lines that perf prints for such records. */
static void known_records_print(void)
{
	struct record comm = { .header = { .type = PERF_RECORD_COMM, .misc = PERF_RECORD_MISC_COMM_EXEC },
			       .comm = { 123, 124, "ls" } };
	struct record fork = { .header.type = PERF_RECORD_FORK, .task = { 5, 4, 6, 4, 0 } };
	struct record lost = { .header.type = PERF_RECORD_LOST, .lost = { 1, 12 } };
	struct record mmap = { .header = { .type = PERF_RECORD_MMAP2, .misc = PERF_RECORD_MISC_USER },
			       .mmap = { .pid = 1234, .tid = 1234, .addr = 0x55aa0000, .len = 0x1000, .maj = 0xfe, .min = 1,
					 .ino = 123, .prot = 5, .flags = 2, .filename = "/usr/bin/true" } };
	struct record id = mmap, sw = { .header = { .type = PERF_RECORD_SWITCH_CPU_WIDE, .misc = PERF_RECORD_MISC_SWITCH_OUT },
					.sw = { 11, 12 } };

	expect_print(&comm, "PERF_RECORD_COMM exec: ls:123/124");
	expect_print(&fork, "PERF_RECORD_FORK(5:6):(4:4)");
	expect_print(&lost, "PERF_RECORD_LOST lost 12");
	expect_print(&mmap, "PERF_RECORD_MMAP2 1234/1234: [0x55aa0000(0x1000) @ 0 fe:01 123 0]: r-xp /usr/bin/true");
	id.header.misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
	id.mmap.build_id_size = 4;
	memcpy(id.mmap.build_id, "\x01\x23\xab\xff", 4);
	expect_print(&id, "PERF_RECORD_MMAP2 1234/1234: [0x55aa0000(0x1000) @ 0 <0123abff>]: r-xp /usr/bin/true");
	expect_print(&sw, "PERF_RECORD_SWITCH_CPU_WIDE OUT          next pid/tid:    11/12   ");
}

/* A mark that was left in the header from what another recorder asked for: device numbers stay device numbers. */
static void false_build_ids(void)
{
	static const struct { uint32_t maj, min; bool asked; } rows[] = {
		{ 0xfe, 0, false }, { 0xfe, 0, true }, { 8, 1, false }, { 0, 0x21, true }, { 0x103, 5, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sample_layout l = { .build_ids = rows[i].asked };
		struct record mmap = { .header.type = PERF_RECORD_MMAP2, .mmap = { .maj = rows[i].maj, .min = rows[i].min,
				       .ino = 123, .prot = 5, .filename = "/usr/bin/true" } }, r;
		struct buf bytes = {0};
		uint16_t misc = PERF_RECORD_MISC_MMAP_BUILD_ID;

		CHECK(!record_append(&bytes, &l, &mmap));
		memcpy(bytes.data + 4, &misc, sizeof(misc));
		CHECK(!record_read(&r, bytes.data, &l), "row %zu", i);
		CHECK(r.mmap.maj == rows[i].maj && r.mmap.min == rows[i].min && r.mmap.ino == 123 && !r.mmap.build_id_size,
		      "row %zu", i);
		CHECK_TEXT(r.mmap.filename, "/usr/bin/true");
		buf_release(&bytes);
	}
}

/* A name that fills all up to the trailer has no end: the trailer's bytes are not its. */
static void strings_end_before_the_trailer(void)
{
	uint8_t p[40] = {0};
	struct record_header h = { .type = PERF_RECORD_COMM, .size = sizeof(p) };
	struct record r;

	memset(p + 16, 'x', 8);
	memcpy(p, &h, sizeof(h));
	CHECK(record_read(&r, p, &layout) == -EINVAL);
	p[23] = '\0';
	CHECK(!record_read(&r, p, &layout));
	CHECK_TEXT(r.comm.comm, "xxxxxxx");
}

static void damaged_headers(void)
{
	uint8_t p[8] = { PERF_RECORD_COMM, 0, 0, 0, 0, 0, 8, 0 };
	struct wire w = wire_reader(p, 4);
	struct record r = {0};

	CHECK(record_read(&r, p, &layout) == -EINVAL, "no room for the trailer");
	CHECK(record_pass(&w, NULL, &r) == -EINVAL, "half a header");
	p[6] = 7;
	CHECK(record_read(&r, p, NULL) == -EINVAL, "size below the header's own");
	p[0] = 200, p[6] = 8;
	CHECK(record_read(&r, p, NULL) == -ENOTSUP && r.header.type == 200 && r.header.size == 8);
}

/* Linux before 3.16 had no prot and flags in MMAP2. */
static void old_mmap2(void)
{
	struct record_header h = { .type = PERF_RECORD_MMAP2, .misc = PERF_RECORD_MISC_USER, .size = 88 };
	uint8_t p[88] = {0};
	struct record r;

	memcpy(p, &h, sizeof(h));
	memcpy(p + 64, "//anon", 7);
	CHECK(!record_read(&r, p, &layout));
	CHECK_TEXT(r.mmap.filename, "//anon");
	CHECK(r.mmap.prot == 5 && r.mmap.flags == 2);
}

int main(void)
{
	uint64_t state = 7, accepted = 0, foreign = 0;

	for (uint64_t i = 0; i < ROUNDS; i++)
		accepted += size_equals_written_equals_read(&state, i);
	for (uint64_t i = 0; i < ROUNDS; i++)
		foreign += foreign_reads_as_native(&state, i);
	CHECK(accepted > ROUNDS / 10 && foreign > ROUNDS / 20, "too few accepted: %" PRIu64 " and %" PRIu64, accepted, foreign);
	known_records_print();
	false_build_ids();
	strings_end_before_the_trailer();
	damaged_headers();
	old_mmap2();
	return checks_done();
}
