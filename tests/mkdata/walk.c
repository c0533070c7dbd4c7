/*
 * walk FILE: counts the records of each type in a perf.data of this machine's byte order, or in a stream, whatever its end:
 * follows headers as far as records are whole. Contents of COMPRESSED records count too. Shares no code with prec, so that a
 * test can compare. Prints "type NUMBER COUNT" for each type, "lost N" and "lost_samples N" (sums of LOST and LOST_SAMPLES
 * records), "half BYTES" (of an unpacked record, at the end), "header BYTES" (data.size of the header), "walked BYTES" (of
 * whole records), "cut BYTES" (after them, if the header has no size).
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define NR_TYPES	256
#define TYPE_LOST	2
#define TYPE_LOST_SAMPLES 13
#define TYPE_TRACING	66
#define TYPE_AUXTRACE	71
#define TYPE_COMPRESSED	81
#define DATA_AT		40		/* of the header: offset and size of the data */

struct header { uint32_t type; uint16_t misc, size; };

struct bytes { uint8_t *p; size_t len; };

struct walk {
	uint64_t nr[NR_TYPES], lost, lost_samples;
	ZSTD_DCtx *zstd;
	struct bytes unpacked;		/* not walked yet: a record may go on in the next piece */
};

static uint64_t u64_at(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static void unpack(struct walk *w, const uint8_t *p, size_t n)
{
	ZSTD_inBuffer in = { p, n, 0 };
	size_t left = 1;

	while (in.pos < in.size || left) {
		size_t room = ZSTD_DStreamOutSize();
		ZSTD_outBuffer out;

		w->unpacked.p = realloc(w->unpacked.p, w->unpacked.len + room);
		out = (ZSTD_outBuffer){ w->unpacked.p + w->unpacked.len, room, 0 };
		if (ZSTD_isError(ZSTD_decompressStream(w->zstd, &out, &in))) {
			printf("damaged\n");
			exit(1);
		}
		w->unpacked.len += out.pos;
		left = out.pos == room;
	}
}

/* Data after a record that its size does not include. */
static size_t payload(const struct header *h, const uint8_t *p)
{
	uint32_t size;

	if (h->type == TYPE_AUXTRACE)
		return u64_at(p + sizeof(*h));
	if (h->type != TYPE_TRACING)
		return 0;
	memcpy(&size, p + sizeof(*h), sizeof(size));
	return size;
}

/* Returns how many bytes whole records take. */
static size_t walk(struct walk *w, const uint8_t *p, size_t n)
{
	struct header h;
	size_t at, used;

	for (at = 0; n - at >= sizeof(h); at += h.size + payload(&h, p + at)) {
		memcpy(&h, p + at, sizeof(h));
		if (h.size < sizeof(h) || h.size > n - at || payload(&h, p + at) > n - at - h.size)
			break;
		if (h.type < NR_TYPES)
			w->nr[h.type]++;
		if (h.type == TYPE_LOST)
			w->lost += u64_at(p + at + 16);
		if (h.type == TYPE_LOST_SAMPLES)
			w->lost_samples += u64_at(p + at + 8);
		if (h.type != TYPE_COMPRESSED)
			continue;
		unpack(w, p + at + sizeof(h), h.size - sizeof(h));
		used = walk(w, w->unpacked.p, w->unpacked.len);
		w->unpacked.len -= used;
		memmove(w->unpacked.p, w->unpacked.p + used, w->unpacked.len);
	}
	return at;
}

static struct bytes read_all(const char *path)
{
	struct bytes b = {0};
	FILE *f = fopen(path, "rb");
	size_t n = 1;

	while (f && n) {
		b.p = realloc(b.p, b.len + (1 << 20));
		n = fread(b.p + b.len, 1, 1 << 20, f);
		b.len += n;
	}
	if (f)
		fclose(f);
	return b;
}

int main(int argc, char **argv)
{
	struct walk w = { .zstd = ZSTD_createDCtx() };
	struct bytes file = read_all(argc > 1 ? argv[1] : "perf.data");
	uint64_t from = file.len >= 16 ? u64_at(file.p + 8) : 0, size = 0, to = file.len, walked;

	if (from > 16 && file.len >= from) {
		from = u64_at(file.p + DATA_AT);
		size = u64_at(file.p + DATA_AT + 8);
	}
	if (size && from + size <= to)
		to = from + size;
	if (file.len < 16 || memcmp(file.p, "PERFILE2", 8) || from > to) {
		printf("no file\n");
		return 1;
	}
	walked = walk(&w, file.p + from, to - from);
	for (unsigned i = 0; i < NR_TYPES; i++)
		if (w.nr[i])
			printf("type %u %llu\n", i, (unsigned long long)w.nr[i]);
	printf("half %zu\n", w.unpacked.len);
	printf("lost %llu\nlost_samples %llu\n", (unsigned long long)w.lost, (unsigned long long)w.lost_samples);
	printf("header %llu\nwalked %llu\ncut %llu\n", (unsigned long long)size, (unsigned long long)walked,
	       (unsigned long long)(size ? 0 : file.len - from - walked));
	ZSTD_freeDCtx(w.zstd);
	free(w.unpacked.p);
	free(file.p);
	return 0;
}
