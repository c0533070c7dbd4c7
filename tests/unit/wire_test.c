/* The cursor: each field in three modes, the end of the buffer, strings, alignment, byte order. */
#include "core/base/wire.h"

#include "tests/unit/check.h"

struct fields { uint64_t a; uint32_t b; uint16_t c; uint8_t d[2]; const char *s; struct words v; };

static void pass(struct wire *w, struct fields *f)
{
	wire_u64(w, &f->a);
	wire_u32(w, &f->b);
	wire_u16(w, &f->c);
	wire_copy(w, f->d, sizeof(f->d));
	wire_string(w, &f->s);
	wire_words(w, &f->v, 2);
}

static const uint64_t two[2] = { 0x1122334455667788, 9 };

static void three_modes_agree(void)
{
	struct fields in = { 1, 2, 3, { 4, 5 }, "seven c", { 2, (const uint8_t *)two } }, out;
	struct wire size = { .mode = WIRE_SIZE }, w, r;
	uint8_t buf[64];

	memset(buf, 0xee, sizeof(buf));
	pass(&size, &in);
	CHECK(size.size == 16 + 8 + 16);
	w = wire_writer(buf, size.size);
	pass(&w, &in);
	CHECK(!w.bad && w.size == size.size);
	CHECK(buf[size.size] == 0xee);
	r = wire_reader(buf, size.size);
	pass(&r, &out);
	CHECK(!r.bad && !wire_left(&r) && out.a == 1 && out.b == 2 && out.c == 3 && out.d[1] == 5);
	CHECK_TEXT(out.s, "seven c");
	CHECK(words_at(&out.v, 0) == two[0] && words_at(&out.v, 1) == 9);
}

static void end_is_remembered(void)
{
	uint8_t buf[12] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
	struct wire r = wire_reader(buf, sizeof(buf));
	uint64_t v;
	uint32_t u;
	const void *p;

	wire_u64(&r, &v);
	CHECK(v == 0x0807060504030201 && wire_left(&r) == 4);
	wire_u64(&r, &v);
	CHECK(r.bad && !v && !wire_left(&r));
	wire_u32(&r, &u);
	CHECK(!u, "after the end everything reads as 0");
	wire_bytes(&r, &p, 1);
	CHECK(!p);
}

static void huge_counts_do_not_wrap(void)
{
	uint8_t buf[32] = {0};
	struct wire r = wire_reader(buf, sizeof(buf));
	struct words v;
	const void *p;

	wire_words(&r, &v, UINT64_MAX / 8 + 2);	/* times 8 that would be 8 */
	CHECK(r.bad && !v.nr);
	r = wire_reader(buf, sizeof(buf));
	wire_bytes(&r, &p, UINT64_MAX);
	CHECK(r.bad && !p);
}

static void strings_need_their_end(void)
{
	uint8_t buf[16] = "abcdefghijklmno";
	struct wire r = wire_reader(buf, sizeof(buf));
	const char *s;

	wire_string(&r, &s);
	CHECK(!r.bad && strlen(s) == 15 && !wire_left(&r));
	r = wire_reader(buf, 15);
	wire_string(&r, &s);
	CHECK(r.bad);
	CHECK_TEXT(s, "");
	r = wire_reader(buf, 0);
	wire_string(&r, &s);
	CHECK(r.bad && !*s);
	buf[3] = '\0';
	r = wire_reader(buf, 5);		/* the padding may be missing at the end */
	wire_string(&r, &s);
	CHECK(!r.bad && !wire_left(&r));
}

static void swapping_leaves_native_bytes(void)
{
	uint8_t buf[24] = { 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 3, 9, 9, 1, 0, 0, 0, 0, 0, 0, 0 };
	struct wire r = wire_reader(buf, sizeof(buf));
	uint64_t a;
	uint32_t b;
	uint16_t c;
	uint8_t d;
	struct words v;

	r.swap = true;
	wire_u64(&r, &a);
	wire_u32(&r, &b);
	wire_u16(&r, &c);
	wire_u8(&r, &d);
	wire_u8(&r, &d);
	wire_words(&r, &v, 1);
	CHECK(a == 1 && b == 2 && c == 3 && d == 9 && words_at(&v, 0) == 1ull << 56);
	CHECK(buf[0] == 1 && buf[8] == 2 && buf[12] == 3 && buf[14] == 9 && buf[23] == 1 && !buf[16]);
}

static void align_counts_from_the_start(void)
{
	uint8_t buf[32];
	struct wire w = wire_writer(buf, sizeof(buf));
	uint8_t one = 1;

	memset(buf, 0xff, sizeof(buf));
	wire_u8(&w, &one);
	wire_align(&w, 8);
	CHECK(w.size == 8 && buf[1] == 0 && buf[7] == 0 && buf[8] == 0xff);
	wire_align(&w, 8);
	CHECK(w.size == 8);
}

int main(void)
{
	three_modes_agree();
	end_is_remembered();
	huge_counts_do_not_wrap();
	strings_need_their_end();
	swapping_leaves_native_bytes();
	align_counts_from_the_start();
	return checks_done();
}
