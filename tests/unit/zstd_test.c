/* The compressed stream, cut anywhere, gives the bytes back; damaged or random bytes give an error, not a crash. */
#include "core/compression/zstd.h"

#include "core/base/buf.h"
#include "tests/unit/check.h"

#define SIZE	(3 << 20)
#define PIECE	50000

/* Feed @in in pieces of random sizes; false where it was refused. */
static bool unpack(const struct buf *in, struct buf *out, uint64_t *state)
{
	struct zstd_reader *z = zstd_reader_new();
	bool ok = true;

	for (size_t at = 0; ok && at < in->len;) {
		size_t most = 1 + random_below(state, PIECE), n = MIN(most, in->len - at), left = n;
		const uint8_t *p = (const uint8_t *)in->data + at;

		while (ok && left)
			ok = !zstd_read(z, &p, &left, out);
		at += n;
	}
	zstd_reader_free(z);
	return ok;
}

int main(void)
{
	struct zstd_writer *w = zstd_writer_new(1);
	struct buf plain = {0}, packed = {0}, out = {0};
	uint64_t state = 5;

	CHECK(w != NULL);
	while (plain.len < SIZE) {		/* words that repeat, and a stretch that compresses very well */
		uint64_t v = random_below(&state, 1000);

		buf_put(&plain, &v, sizeof(v));
		if (plain.len == SIZE / 2)
			buf_fill(&plain, 'x', SIZE / 2);
	}
	for (size_t at = 0, n; at < plain.len; at += n) {
		n = 1 + random_below(&state, 4 * PIECE);
		n = MIN(n, plain.len - at);
		CHECK(!zstd_write(w, plain.data + at, n, &packed));
		if (at == 0) {			/* flushed: what went in can be read at once */
			CHECK(unpack(&packed, &out, &state) && out.len == n && !memcmp(out.data, plain.data, n));
			out.len = 0;
		}
	}
	CHECK(packed.len < plain.len / 2);
	CHECK(unpack(&packed, &out, &state));
	CHECK(out.len == plain.len && !memcmp(out.data, plain.data, plain.len), "%zu of %zu", out.len, plain.len);
	for (int i = 0; i < 200; i++) {
		size_t at = random_below(&state, packed.len);
		char was = packed.data[at];

		packed.data[at] ^= (char)(1 + random_below(&state, 255));
		out.len = 0;
		unpack(&packed, &out, &state);
		packed.data[at] = was;
	}
	packed.len = 1000;
	random_bytes(&state, (uint8_t *)packed.data, packed.len);
	packed.data[0] = 'x';
	out.len = 0;
	CHECK(!unpack(&packed, &out, &state) && !out.len);
	zstd_writer_free(w);
	zstd_reader_free(NULL);
	zstd_writer_free(NULL);
	buf_release(&plain);
	buf_release(&packed);
	buf_release(&out);
	return checks_done();
}
