/*
 * aux_check [OPTION]... FILE...: is the trace in FILE, or in the files of one recording in their order, what the test PMU
 * (pmu/) wrote, no byte missing, repeated or mixed?
 *
 *	--counts FILE	lines of the PMU's file `streams`, of this recording: each must be there with all of its bytes
 *	--area N	snapshots must hold all that an area of N bytes did, or what was new since the last one
 *	--steps FILE	with --area: lines of `streams` at each snapshot; each is exactly the newest bytes since the last one
 *	--cut		the recorder was killed: what is there is right, as far as it goes
 *	--payload [CPU=]FILE	what was written in place of words
 *	--duplicates	allow AUX records that say the same twice
 *	--grown		areas grew: the streams of a CPU, of which each has an area of its own, follow each other
 *
 * Prints a line for each area, or each snapshot:
 *	cpu C tid T stream S bytes N skipped N records N truncated N flags X pieces N cpus N
 *	cpu C tid T stream S snapshot N from BYTE to BYTE
 *	stream S samples N bytes N
 * What is wrong goes to stderr; exit status 1 then.
 *
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/vm/aux_file.h"
#include "tests/vm/aux_words.h"

#define MAX_STREAMS 4096

struct bytes {
	uint8_t *data;
	size_t size;
};

/* The PMU's own counts. */
struct count {
	unsigned long long bytes, skipped, records, truncated;
	int cpu, told, seen;
};

/* Bytes that a stream had at its snapshots, those that were not new left out. */
struct steps {
	unsigned long long *to;
	size_t nr;
};

struct check {
	struct count counts[MAX_STREAMS];
	int have_counts;
	struct steps steps[MAX_STREAMS];
	int have_steps, cut;
	uint64_t area;
	struct bytes payloads[257];	/* by CPU; the last one: of all */
	int have_payload;
	int allow_duplicates, grown;
	const struct buffer *buffer;	/* being checked */
	int complaints;
};

__attribute__((format(printf, 2, 3)))
static void complain(struct check *c, const char *fmt, ...)
{
	va_list args;

	if (c->complaints++ >= 20)
		return;
	va_start(args, fmt);
	if (c->buffer)
		fprintf(stderr, "cpu %d tid %d: ", c->buffer->cpu, c->buffer->tid);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
	va_end(args);
}

/*
 * Check a run of words that begins with word @seq. A last word that is cut may only be the next one: its bytes are
 * compared as far as they are the sequence number. Returns how many CPUs wrote; *stream: whose it is.
 */
static int check_words(struct check *c, const uint8_t *p, size_t size, uint32_t seq, unsigned *stream)
{
	uint8_t cpus[4096] = { 0 };
	int nr_cpus = 0;

	for (size_t i = 0; i + 8 <= size; i += 8, seq++) {
		uint64_t w = u64_at(p + i);

		if (!is_word(w)) {
			complain(c, "byte %zu of the stream: not a word: %016" PRIx64 " instead of number %u", i, w, seq);
			return nr_cpus;
		}
		if (!i)
			*stream = word_stream(w);
		if (word_stream(w) != *stream)
			complain(c, "byte %zu: mixed: a word of stream %u in stream %u", i, word_stream(w), *stream);
		if ((uint32_t)w != seq) {
			complain(c, "byte %zu: %s: word %u instead of %u", i, (uint32_t)w > seq ? "missing" : "repeated",
				 (uint32_t)w, seq);
			seq = (uint32_t)w;
		}
		if (c->buffer->cpu >= 0 && word_cpu(w) != (unsigned)c->buffer->cpu)
			complain(c, "byte %zu: mixed: a word of CPU %u", i, word_cpu(w));
		nr_cpus += !cpus[word_cpu(w)];
		cpus[word_cpu(w)] = 1;
	}
	for (size_t i = 0; i < (size & 7) && i < 4; i++)
		if (p[(size & ~(size_t)7) + i] != (uint8_t)(seq >> 8 * i))
			complain(c, "the last word is not number %u", seq);
	return nr_cpus;
}

static const struct bytes *payload_of(const struct check *c, int cpu)
{
	return cpu >= 0 && cpu < 256 && c->payloads[cpu].data ? &c->payloads[cpu] : &c->payloads[256];
}

static int check_payload(struct check *c, const uint8_t *p, size_t size)
{
	const struct bytes *want = payload_of(c, c->buffer->cpu);

	if (size != want->size)
		complain(c, "%zu bytes of a payload of %zu", size, want->size);
	for (size_t i = 0; i < size && i < want->size; i++) {
		if (p[i] != want->data[i]) {
			complain(c, "differs from the payload at byte %zu", i);
			break;
		}
	}
	return 1;
}

/* Full trace. */

static int by_offset(const void *a, const void *b)
{
	const struct announcement *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Sorts what was announced and takes out what was twice; returns where it ends. */
static uint64_t sort_announced(struct check *c, struct buffer *b)
{
	struct announcement *a = b->announced;
	size_t n = 0;

	qsort(a, b->nr_announced, sizeof(*a), by_offset);
	for (size_t i = 0; i < b->nr_announced; i++) {
		if (n && a[i].size && !memcmp(&a[n - 1], &a[i], sizeof(*a))) {
			if (!c->allow_duplicates)
				complain(c, "AUX record %" PRIu64 "+%" PRIu64 " is there twice", a[i].offset, a[i].size);
			continue;
		}
		if (n && a[i].offset < a[n - 1].offset + a[n - 1].size)
			complain(c, "AUX records overlap at %" PRIu64, a[i].offset);
		a[n++] = a[i];
	}
	b->nr_announced = n;
	return n ? a[n - 1].offset + a[n - 1].size : 0;
}

/* All pieces, without padding, as one. Each must end where the next begins, the last where announcements end. */
static struct bytes join_pieces(struct check *c, const struct buffer *b, uint64_t end)
{
	struct bytes all = { 0 };
	uint64_t total = 0;

	for (size_t i = 0; i < b->nr_pieces; i++)
		total += b->pieces[i].size;
	all.data = malloc(total + 1);
	if (!all.data)
		exit(1);
	for (size_t i = 0; i < b->nr_pieces; i++) {
		const struct piece *p = &b->pieces[i];
		uint64_t to = i + 1 < b->nr_pieces ? b->pieces[i + 1].offset : end, size = to - p->offset;

		if (size > p->size || p->size - size >= 8) {
			complain(c, "piece %" PRIu64 "+%" PRIu64 " is followed by what begins at %" PRIu64,
				 p->offset, p->size, to);
			size = p->size;
		}
		memcpy(all.data + all.size, p->data, size);
		all.size += size;
	}
	return all;
}

/* Keep what was announced; what is between is bytes left out, which are zeros. Returns how many. */
static uint64_t take_announced(struct check *c, const struct buffer *b, struct bytes *all)
{
	uint64_t first = b->pieces[0].offset, skipped = 0;
	size_t n = 0, at = 0;

	for (size_t i = 0; i < b->nr_announced; i++) {
		const struct announcement *a = &b->announced[i];

		for (; at < all->size && at + first < a->offset; at++, skipped++) {
			if (all->data[at]) {
				complain(c, "no AUX record says that there is trace at %" PRIu64, at + first);
				at = a->offset - first;
				break;
			}
		}
		if (at > all->size || a->size > all->size - at) {
			complain(c, "AUX record %" PRIu64 "+%" PRIu64 " has no trace", a->offset, a->size);
			break;
		}
		memmove(all->data + n, all->data + at, a->size);
		n += a->size;
		at += a->size;
	}
	all->size = n;
	return skipped;
}

static void compare_counts(struct check *c, unsigned stream, const struct count *got)
{
	struct count *want = &c->counts[stream];

	if (!c->have_counts)
		return;
	if (!want->told)
		complain(c, "stream %u is not of this recording", stream);
	if (want->seen++)
		complain(c, "stream %u is there twice", stream);
	if (want->bytes != got->bytes || want->skipped < got->skipped)
		complain(c, "stream %u: %llu bytes (and %llu skipped) were written, %llu (%llu) recorded", stream,
			 want->bytes, want->skipped, got->bytes, got->skipped);
	if (want->records != got->records || want->truncated != got->truncated)
		complain(c, "stream %u: of %llu AUX records (%llu truncated) %llu (%llu) recorded", stream,
			 want->records, want->truncated, got->records, got->truncated);
}

/* Checks a killed recorder's trace: words from the first one on; the records of the last ones may be missing. */
static void check_cut(struct check *c, const struct buffer *b)
{
	const struct piece *last = b->nr_pieces ? &b->pieces[b->nr_pieces - 1] : NULL;
	struct bytes all = join_pieces(c, b, last ? last->offset + last->size : 0);
	unsigned stream = 0;

	/* The last piece's end may be padding. */
	if (all.size >= 16)
		check_words(c, all.data, (all.size - 7) & ~(size_t)7, 0, &stream);
	if (c->have_counts && all.size > c->counts[stream].bytes + 7)
		complain(c, "%zu bytes of %llu", all.size, c->counts[stream].bytes);
	printf("cpu %d tid %d stream %u bytes %zu pieces %zu cut\n", b->cpu, b->tid, stream, all.size, b->nr_pieces);
	free(all.data);
}

/* The streams of the CPU, one after the other, and no more. */
static void check_grown(struct check *c, const struct buffer *b, const struct bytes *all, const struct count *got)
{
	struct count want = { 0 };

	for (unsigned i = 0; i < MAX_STREAMS; i++) {
		struct count *n = &c->counts[i];

		if (!n->told || n->cpu != b->cpu)
			continue;
		n->seen = 1;
		for (uint64_t at = 0; at < n->bytes && want.bytes + at < all->size; at++) {
			if (is_byte(i, b->cpu, at, all->data[want.bytes + at]))
				continue;
			complain(c, "byte %" PRIu64 " of stream %u is another one", at, i);
			break;
		}
		want.bytes += n->bytes;
		want.records += n->records;
		want.truncated += n->truncated;
	}
	if (want.bytes != got->bytes || want.records != got->records || want.truncated != got->truncated)
		complain(c, "%llu bytes in %llu records (%llu truncated) were written, %llu in %llu (%llu) recorded", want.bytes,
			 want.records, want.truncated, got->bytes, got->records, got->truncated);
}

static void check_full(struct check *c, struct buffer *b)
{
	uint64_t end = sort_announced(c, b), flags = 0;
	struct count got = { .records = b->nr_announced };
	unsigned stream = 0;
	struct bytes all;
	int cpus;

	for (size_t i = 0; i < b->nr_announced; i++) {
		flags |= b->announced[i].flags;
		got.truncated += b->announced[i].flags & AUX_TRUNCATED;
	}
	all = join_pieces(c, b, end);
	if (b->nr_pieces)
		got.skipped = take_announced(c, b, &all);
	got.bytes = all.size;
	if (end && !b->nr_pieces)
		complain(c, "%zu AUX records, but no trace", b->nr_announced);
	if (c->grown) {
		check_grown(c, b, &all, &got);
		cpus = 1;
	} else {
		cpus = c->have_payload ? check_payload(c, all.data, all.size) : check_words(c, all.data, all.size, 0, &stream);
	}
	if (all.size >= 8 && !c->have_payload && !c->grown)
		compare_counts(c, stream, &got);
	printf("cpu %d tid %d stream %u bytes %llu skipped %llu records %llu truncated %llu flags 0x%" PRIx64
	       " pieces %zu cpus %d\n", b->cpu, b->tid, stream, got.bytes, got.skipped, got.records, got.truncated,
	       flags, b->nr_pieces, cpus);
	free(all.data);
}

/* Snapshots. */

/* One saved area: one run of words, the newest there were. *prev_to: where the last snapshot ended. */
static unsigned check_snapshot(struct check *c, const struct piece *p, size_t nr, uint64_t *prev_to)
{
	int at = first_word(p->data, p->size);
	unsigned stream = 0;
	uint64_t from, to;
	uint32_t seq;

	if (at < 0) {
		complain(c, "snapshot %zu: no words at its beginning, of %" PRIu64 " bytes", nr, p->size);
		return 0;
	}
	seq = (uint32_t)u64_at(p->data + at);
	from = (uint64_t)seq * 8 - (unsigned)at;
	to = from + p->size;
	/* The last word may be cut, and be followed by padding: up to seven bytes tell nothing. */
	check_words(c, p->data + at, (p->size - (unsigned)at - 7) & ~(size_t)7, seq, &stream);
	if (to + 8 < *prev_to)
		complain(c, "snapshot %zu: older than the one before", nr);
	if (c->area && from > *prev_to && to - from + 8 < (to < c->area ? to : c->area))
		complain(c, "snapshot %zu: the area held %" PRIu64 " bytes, %" PRIu64 " were saved", nr,
			 to < c->area ? to : c->area, to - from);
	if (c->area && to - from > c->area)
		complain(c, "snapshot %zu: %" PRIu64 " bytes of a smaller area", nr, to - from);
	printf("cpu %d tid %d stream %u snapshot %zu from %" PRIu64 " to %" PRIu64 "\n", c->buffer->cpu, c->buffer->tid,
	       stream, nr, from, to);
	*prev_to = to;
	return stream;
}

/* Snapshot @nr is [from, to) of the stream, filled up to a multiple of 8. */
static void check_step(struct check *c, const struct piece *p, size_t nr, unsigned stream, uint64_t from, uint64_t to)
{
	if (p->size != (to - from + 7) / 8 * 8) {
		complain(c, "snapshot %zu: %" PRIu64 " bytes, not those from %" PRIu64 " to %" PRIu64, nr, p->size, from, to);
		return;
	}
	for (uint64_t at = from; at < to; at++) {
		if (is_byte(stream, c->buffer->cpu, at, p->data[at - from]))
			continue;
		complain(c, "snapshot %zu: byte %" PRIu64 " of %" PRIu64 " to %" PRIu64 " is another one", nr, at, from, to);
		return;
	}
	printf("cpu %d tid %d stream %u snapshot %zu from %" PRIu64 " to %" PRIu64 "\n", c->buffer->cpu, c->buffer->tid,
	       stream, nr, from, to);
}

/* The first word identifies the stream. */
static void check_steps(struct check *c, const struct buffer *b)
{
	int at = b->nr_pieces ? first_word(b->pieces[0].data, b->pieces[0].size) : -1;
	unsigned stream;
	uint64_t last = 0;

	if (at < 0) {
		complain(c, "no words in the first of %zu snapshots", b->nr_pieces);
		return;
	}
	stream = word_stream(u64_at(b->pieces[0].data + at));
	c->counts[stream].seen = 1;
	if (b->nr_pieces != c->steps[stream].nr)
		complain(c, "stream %u: %zu snapshots, not %zu", stream, b->nr_pieces, c->steps[stream].nr);
	for (size_t i = 0; i < b->nr_pieces && i < c->steps[stream].nr; i++) {
		uint64_t to = c->steps[stream].to[i];

		check_step(c, &b->pieces[i], i, stream, to - last > c->area ? to - c->area : last, to);
		last = to;
	}
}

static void check_snapshots(struct check *c, const struct buffer *b)
{
	uint64_t to = 0;

	for (size_t i = 0; i < b->nr_pieces; i++) {
		unsigned stream;

		if (!b->pieces[i].size)
			continue;
		stream = check_snapshot(c, &b->pieces[i], i, &to);
		if (!c->have_counts)
			continue;
		if (!c->counts[stream].told)
			complain(c, "stream %u is not of this recording", stream);
		c->counts[stream].seen = 1;
		if (to > c->counts[stream].bytes + 8)
			complain(c, "snapshot %zu ends at %" PRIu64 " of %llu bytes", i, to, c->counts[stream].bytes);
	}
}

/* Samples. */

struct sampled {
	uint64_t to;		/* where the newest ended */
	unsigned long long nr, bytes;
};

/* One run of words, the newest there were; zeros before it if the area was not full. */
static void check_sample(struct check *c, const struct aux_sample *s, struct sampled *of_stream)
{
	size_t zeros = 0;
	unsigned stream = 0;
	uint64_t end;
	int at;

	while (zeros < s->size && !s->data[zeros])
		zeros++;
	/* The first words' sequence numbers begin with zeros themselves; what matters is a whole word. */
	at = first_word(s->data + zeros, s->size - zeros);
	if (at < 0) {
		if (s->size - zeros >= 24)
			complain(c, "a sample without words, of %" PRIu64 " bytes", s->size);
		return;
	}
	zeros += (unsigned)at;
	end = (uint64_t)(uint32_t)u64_at(s->data + zeros) * 8 + s->size - zeros;
	check_words(c, s->data + zeros, s->size - zeros, (uint32_t)u64_at(s->data + zeros), &stream);
	if (end < of_stream[stream].to)
		complain(c, "stream %u: a sample with older trace than the one before", stream);
	if (c->have_counts && (!c->counts[stream].told || end > c->counts[stream].bytes))
		complain(c, "a sample of stream %u ends at %" PRIu64, stream, end);
	of_stream[stream].to = end;
	of_stream[stream].nr++;
	of_stream[stream].bytes += s->size - zeros;
	c->counts[stream].seen = 1;
}

static void check_samples(struct check *c, const struct aux_file *f)
{
	static struct sampled of_stream[MAX_STREAMS];
	static const struct buffer anyone = { .cpu = -1, .tid = -1 };

	c->buffer = &anyone;
	for (size_t i = 0; i < f->nr_samples; i++)
		check_sample(c, &f->samples[i], of_stream);
	for (unsigned i = 0; i < MAX_STREAMS; i++)
		if (of_stream[i].nr)
			printf("stream %u samples %llu bytes %llu\n", i, of_stream[i].nr, of_stream[i].bytes);
}

/* The command. */

static struct bytes read_all(const char *path)
{
	struct bytes b = { 0 };
	FILE *f = fopen(path, "rb");
	long size;

	if (!f || fseek(f, 0, SEEK_END) || (size = ftell(f)) < 0 || fseek(f, 0, SEEK_SET)) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		exit(1);
	}
	b.size = (size_t)size;
	b.data = malloc(b.size + 1);
	if (!b.data || fread(b.data, 1, b.size, f) != b.size) {
		fprintf(stderr, "%s: cannot read it\n", path);
		exit(1);
	}
	b.data[b.size] = '\0';
	fclose(f);
	return b;
}

static void read_counts(struct check *c, const char *path)
{
	struct bytes text = read_all(path);

	for (char *line = strtok((char *)text.data, "\n"); line; line = strtok(NULL, "\n")) {
		struct count n = { .told = 1 };
		unsigned stream;

		if (sscanf(line, "stream %u cpu %d bytes %llu skipped %llu records %llu truncated %llu", &stream,
			   &n.cpu, &n.bytes, &n.skipped, &n.records, &n.truncated) != 6 || stream >= MAX_STREAMS) {
			fprintf(stderr, "%s: not a count: %s\n", path, line);
			exit(1);
		}
		c->counts[stream] = n;
	}
	c->have_counts = 1;
	free(text.data);
}

static void read_steps(struct check *c, const char *path)
{
	struct bytes text = read_all(path);

	for (char *line = strtok((char *)text.data, "\n"); line; line = strtok(NULL, "\n")) {
		unsigned long long bytes;
		struct steps *s;
		unsigned stream;

		if (sscanf(line, "stream %u cpu %*d bytes %llu", &stream, &bytes) != 2 || stream >= MAX_STREAMS) {
			fprintf(stderr, "%s: not a count: %s\n", path, line);
			exit(1);
		}
		s = &c->steps[stream];
		if (bytes <= (s->nr ? s->to[s->nr - 1] : 0))
			continue;
		s->to = realloc(s->to, (s->nr + 1) * sizeof(*s->to));
		if (!s->to)
			exit(1);
		s->to[s->nr++] = bytes;
	}
	c->have_steps = 1;
	free(text.data);
}

static void read_payload(struct check *c, const char *arg)
{
	const char *path = strchr(arg, '=');
	unsigned long cpu = path ? strtoul(arg, NULL, 10) : 256;
	struct bytes *to = &c->payloads[cpu < 256 ? cpu : 256];

	free(to->data);
	*to = read_all(path ? path + 1 : arg);
	c->have_payload = 1;
}

static char **parse(struct check *c, char **argv)
{
	for (argv++; *argv && !strncmp(*argv, "--", 2); argv++) {
		if (!strcmp(*argv, "--duplicates"))
			c->allow_duplicates = 1;
		else if (!strcmp(*argv, "--grown"))
			c->grown = 1;
		else if (!strcmp(*argv, "--cut"))
			c->cut = 1;
		else if (argv[1] && !strcmp(*argv, "--counts"))
			read_counts(c, *++argv);
		else if (argv[1] && !strcmp(*argv, "--steps"))
			read_steps(c, *++argv);
		else if (argv[1] && !strcmp(*argv, "--area"))
			c->area = strtoull(*++argv, NULL, 0);
		else if (argv[1] && !strcmp(*argv, "--payload"))
			read_payload(c, *++argv);
		else
			return NULL;
	}
	return *argv ? argv : NULL;
}

static int overwrites(const struct buffer *b)
{
	return b->nr_announced && b->announced[0].flags & AUX_OVERWRITE;
}

static void check_buffer(struct check *c, struct buffer *b)
{
	c->buffer = b;
	if (c->have_steps)
		check_steps(c, b);
	else if (overwrites(b))
		check_snapshots(c, b);
	else if (c->cut)
		check_cut(c, b);
	else
		check_full(c, b);
}

static void check_file(struct check *c, struct aux_file *f)
{
	for (size_t i = 0; i < f->nr_buffers; i++)
		check_buffer(c, &f->buffers[i]);
	check_samples(c, f);
	c->buffer = NULL;
	/* Samples keep what was written before them alone: of a CPU without any there is nothing. */
	for (size_t i = 0; i < MAX_STREAMS; i++)
		if ((c->counts[i].bytes || c->steps[i].nr) && !c->counts[i].seen && !c->have_payload && !c->cut && !f->nr_samples)
			complain(c, "stream %zu, of %llu bytes, is missing", i, c->counts[i].bytes);
	if (!f->nr_buffers && !f->nr_samples)
		complain(c, "no trace");
	if (f->cut && !c->cut)
		complain(c, "a record is cut");
	if (c->complaints && f->lost)
		complain(c, "%" PRIu64 " records were lost", f->lost);
}

int main(int argc, char **argv)
{
	static struct check c;
	struct aux_file f = { 0 };
	int err = 0;

	argv = argc > 1 ? parse(&c, argv) : NULL;
	if (!argv) {
		fprintf(stderr, "usage: aux_check [--counts FILE] [--area N] [--steps FILE] [--cut] [--payload [CPU=]FILE] "
			"[--duplicates] [--grown] FILE...\n");
		return 129;
	}
	while (*argv && !err)
		err = aux_file_add(&f, *argv++);
	if (!err)
		check_file(&c, &f);
	for (size_t i = 0; i < 257; i++)
		free(c.payloads[i].data);
	for (size_t i = 0; i < MAX_STREAMS; i++)
		free(c.steps[i].to);
	aux_file_close(&f);
	return err || c.complaints ? 1 : 0;
}
