/* COMPRESSED records fit their 16-bit sizes, unpack to what was packed, and none of them unpacks to nothing. */
#include "core/perfdata/compressor.h"

#include "core/base/buf.h"
#include "core/perfdata/feature.h"
#include "core/perfdata/record.h"
#include "core/compression/zstd.h"
#include "tests/unit/check.h"

#define SIZE (1 << 20)

static void unpack(const struct buf *packed, struct buf *out, uint32_t room)
{
	struct zstd_reader *z = zstd_reader_new();

	for (size_t at = 0; at < packed->len;) {
		struct record_header h;
		const uint8_t *p;
		size_t left, before = out->len;

		memcpy(&h, packed->data + at, sizeof(h));
		CHECK(h.type == RECORD_COMPRESSED && h.size > sizeof(h) && h.size <= packed->len - at);
		p = (const uint8_t *)packed->data + at + sizeof(h);
		left = h.size - sizeof(h);
		while (left)
			CHECK(!zstd_read(z, &p, &left, out));
		CHECK(out->len > before && out->len - before <= room);
		at += h.size;
	}
	zstd_reader_free(z);
}

static void round_trip(int level, uint64_t values)
{
	struct compressor *p = compressor_new(level);
	struct buf plain = {0}, packed = {0}, out = {0};
	struct features f = {0};
	uint64_t state = 7;

	while (plain.len < SIZE) {
		uint64_t v = random_below(&state, values);

		buf_put(&plain, &v, sizeof(v));
	}
	for (size_t at = 0, n; at < plain.len; at += n) {
		struct iovec parts[2];

		n = MIN(plain.len - at, (size_t)random_below(&state, 300000));
		parts[0] = (struct iovec){ .iov_base = plain.data + at, .iov_len = n / 3 };
		parts[1] = (struct iovec){ .iov_base = plain.data + at + n / 3, .iov_len = n - n / 3 };
		CHECK(!compressor_put(p, parts, 2, &packed));
	}
	compressor_features(p, &f);
	unpack(&packed, &out, f.comp_mmap_len);
	CHECK(out.len == plain.len && !memcmp(out.data, plain.data, out.len));
	compressor_free(p);
	buf_release(&plain);
	buf_release(&packed);
	buf_release(&out);
}

int main(void)
{
	round_trip(1, 1000);
	round_trip(1, UINT64_MAX);	/* grows when it is packed */
	round_trip(19, 10);
	return checks_done();
}
