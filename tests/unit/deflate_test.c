/* The compressed output is readable by gzip. */
#include "core/compression/deflate.h"

#include <stdio.h>

#include "tests/unit/check.h"

/* @efforts: each step takes another one. */
static void gzip_reads(const char *path, size_t n, size_t step, bool efforts)
{
	struct buf in = {0}, out = {0}, command = {0};
	struct deflate *d = deflate_begin(DEFLATE_GZIP, &out);
	char *back = xcalloc(1, n + 1);
	FILE *f = fopen(path, "w");

	for (size_t i = 0; i < n; i++)
		buf_putc(&in, (char)(i * 2654435761u >> 13));
	for (size_t at = 0; at < n; at += step) {
		if (efforts)
			deflate_effort(d, at / step % (DEFLATE_RUNS + 1));
		deflate_put(d, in.data + at, MIN(step, n - at));
	}
	deflate_end(d);
	CHECK(f && fwrite(out.data, 1, out.len, f) == out.len && !fclose(f));
	buf_printf(&command, "gzip -dc < %s", path);
	f = popen(buf_str(&command), "r");
	CHECK(f && fread(back, 1, n + 1, f) == n && !pclose(f));
	CHECK(!n || !memcmp(back, in.data, n));
	free(back);
	buf_release(&in);
	buf_release(&out);
	buf_release(&command);
}

static void all_sizes(const char *path)
{
	static const size_t sizes[] = { 0, 1, 1000, 65534, 65535, 65536, 300000 };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		gzip_reads(path, sizes[i], 65536, false);
		gzip_reads(path, sizes[i], 77, false);
		gzip_reads(path, sizes[i], 30000, true);
	}
}

int main(void)
{
	all_sizes("out.gz");
	return nr_failed != 0;
}
