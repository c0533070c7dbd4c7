/*
 * AUX areas, with a device that is played: whatever it writes between two looks, and whichever kind of head it leaves,
 * a snapshot is the newest bytes since the last one, and full trace is every byte once.
 */
#include "auxtrace/area.h"

#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/util.h"

#define RING	8192u
#define ROUNDS	2000u

enum head { HEAD_OFFSET, HEAD_AT_END, HEAD_RUNS_ON };

static const char *const head_names[] = { "offset", "offset or end", "runs on" };

/* A device and the area that it fills. */
struct device {
	struct aux_area area;
	uint8_t *memory;	/* ours to write */
	uint64_t pos;		/* of the next byte; the area's first is 0 */
	enum head head;
};

static int failures;

__attribute__((format(printf, 2, 3)))
static void check(bool ok, const char *fmt, ...)
{
	va_list args;

	if (ok || failures++ > 20)
		return;
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
}

static uint64_t page_bytes(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

static void open_device(struct device *d, uint64_t size, bool snapshot, enum head head)
{
	uint64_t at = page_bytes() + RING, all = at + size;
	int fd = memfd_create("area", MFD_CLOEXEC);
	uint8_t *map;

	*d = (struct device){ .head = head, .area.fd = fd };
	map = fd < 0 || ftruncate(fd, (off_t)all) ? MAP_FAILED : mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED) {
		perror("memory");
		exit(1);
	}
	d->area.page = (struct perf_event_mmap_page *)map;
	d->memory = map + at;
	check(!aux_area_map(&d->area, RING, size, snapshot), "the area is not mapped");
	check(d->area.page->aux_offset == at && d->area.page->aux_size == size, "the kernel is told of another area");
}

static void close_device(struct device *d)
{
	aux_area_unmap(&d->area);
	munmap(d->area.page, d->memory - (uint8_t *)d->area.page + d->area.size);
	close(d->area.fd);
}

/* The byte at a position: never zero, and another one in the next 250 laps. */
static uint8_t byte_at(const struct device *d, uint64_t pos)
{
	uint64_t lap = pos / d->area.size, at = pos % d->area.size;

	return (uint8_t)(1 + (lap + at * 7 + at / 5) % 251);
}

static void put_bytes(struct device *d, uint64_t n)
{
	/* Bytes that would be overwritten at once are not written: laps are many. */
	uint64_t from = n > d->area.size ? d->pos + n - d->area.size : d->pos;

	for (d->pos += n; from != d->pos; from++)
		d->memory[from % d->area.size] = byte_at(d, from);
}

static void leave_head(struct device *d)
{
	uint64_t at = d->pos % d->area.size;

	if (d->head == HEAD_RUNS_ON)
		at = d->pos;
	else if (d->head == HEAD_AT_END && !at && d->pos)
		at = d->area.size;
	d->area.page->aux_head = at;
}

/* The span is the @n bytes before the device's position. */
static void check_span(const struct device *d, struct area_span s, uint64_t n, const char *what)
{
	struct iovec parts[2];
	uint64_t pos = d->pos - n;
	int nr = aux_area_pieces(&d->area, s, parts);

	check(s.to - s.from == n, "%s, %s: %llu bytes at %llu, not %llu", what, head_names[d->head],
	      (unsigned long long)(s.to - s.from), (unsigned long long)d->pos, (unsigned long long)n);
	check(nr == (n ? nr : 0) && nr <= 2, "%s: %d pieces", what, nr);
	for (int i = 0; i < nr; i++) {
		const uint8_t *p = parts[i].iov_base;

		check(parts[i].iov_len, "%s: an empty piece", what);
		check(p >= d->area.data && p + parts[i].iov_len <= d->area.data + d->area.size, "%s: outside", what);
		for (size_t k = 0; k < parts[i].iov_len && pos != d->pos; k++, pos++) {
			if (p[k] == byte_at(d, pos))
				continue;
			check(false, "%s, %s: stale at %llu of %llu", what, head_names[d->head],
			      (unsigned long long)pos, (unsigned long long)d->pos);
			return;
		}
	}
}

static void snapshot(struct device *d, uint64_t written, uint64_t max, const char *what)
{
	uint64_t n = MIN(written, d->area.size);
	struct area_span s;

	put_bytes(d, written);
	leave_head(d);
	s = aux_area_snapshot(&d->area, max);
	check_span(d, s, max ? MIN(n, max) : n, what);
	check(d->area.page->aux_tail == 0, "%s: the tail was written", what);
	aux_area_advance(&d->area, s);
}

/* At the ends of the area, one byte before and after, from every such place to every other. */
static void test_boundaries(enum head head)
{
	uint64_t size = page_bytes();
	const uint64_t steps[] = { 1, 7, 8, size / 2, size - 1, size, size + 1, 2 * size - 1, 2 * size, 3 * size, 0 };

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		for (size_t j = 0; j < ARRAY_SIZE(steps); j++) {
			struct device d;

			open_device(&d, size, true, head);
			snapshot(&d, steps[i], 0, "first");
			snapshot(&d, steps[j], 0, "second");
			snapshot(&d, 0, 0, "nothing new");
			snapshot(&d, steps[i], 0, "fourth");
			close_device(&d);
		}
	}
}

static uint64_t any_step(uint64_t size)
{
	static unsigned seed = 1;
	uint64_t r = (uint64_t)rand_r(&seed);

	switch (r % 5) {
	case 0:	return r / 5 % 16;
	case 1:	return size - 8 + r / 5 % 16;
	case 2:	return r / 5 % (3 * size);
	case 3:	return (r / 5 % 200) * size;	/* fewer laps than make the bytes come again */
	}
	return r / 5 % size;
}

static void test_random(enum head head, uint64_t size)
{
	unsigned rounds = (unsigned)(ROUNDS * page_bytes() / size);
	struct device d;

	open_device(&d, size, true, head);
	for (unsigned i = 0; i < rounds && !failures; i++) {
		uint64_t max = i % 3 ? 0 : any_step(size) | 1;

		snapshot(&d, any_step(size), max, "random");
	}
	close_device(&d);
}

/* CoreSight's head of a recording that lost trace with perf: full, and it says so. */
static void test_lapped(void)
{
	struct device d;

	open_device(&d, 65536, true, HEAD_RUNS_ON);
	snapshot(&d, 0x1b9400, 0, "lapped");
	snapshot(&d, 0x100, 0, "and a little");
	close_device(&d);
}

/* After 2^64 bytes the count wraps around. */
static void test_overflow(void)
{
	uint64_t size = 4 * page_bytes();
	struct device d;

	open_device(&d, size, true, HEAD_RUNS_ON);
	d.pos = d.area.done = -3 * size;
	d.area.free_running = true;
	for (int i = 0; i < 40; i++)
		snapshot(&d, size / 3, 0, "around the overflow");
	close_device(&d);
}

static void test_full(uint64_t from)
{
	uint64_t size = page_bytes();
	struct device d;

	open_device(&d, size, false, HEAD_RUNS_ON);
	d.pos = d.area.done = from;
	for (unsigned i = 0; i < ROUNDS && !failures; i++) {
		uint64_t n = any_step(size) % size;
		struct area_span s;

		put_bytes(&d, n);
		d.area.page->aux_head = d.pos;
		s = aux_area_read(&d.area);
		check_span(&d, s, n, "full");
		check(d.area.page->aux_tail == (i ? d.pos - n : 0), "full: room is given before it was read");
		aux_area_done(&d.area, s);
		check(d.area.page->aux_tail == d.pos, "full: room is not given");
	}
	close_device(&d);
}

/* Records of @unit bytes, each its number, none across the end of the area: what is left there is not zero. */
static void put_units(struct device *d, unsigned unit, uint64_t *next, uint64_t n)
{
	for (; n--; ++*next, d->pos += unit) {
		uint64_t at = d->pos % d->area.size, left = d->area.size - at;

		if (left < unit) {
			memset(d->memory + at, 0xff, left);
			d->pos += left;
		}
		memset(d->memory + d->pos % d->area.size, 0, unit);
		memcpy(d->memory + d->pos % d->area.size, next, sizeof(*next));
	}
	d->area.page->aux_head = d->pos;
}

/* The pieces are whole records, one after the other up to @end. Returns how many. */
static uint64_t check_units(const struct device *d, struct area_span s, unsigned unit, uint64_t end)
{
	struct iovec parts[2];
	int nr = aux_area_pieces(&d->area, s, parts);
	uint64_t n = 0, number;

	for (int i = 0; i < nr; i++) {
		check(parts[i].iov_len && parts[i].iov_len % unit == 0, "unit %u: a part of a record", unit);
		n += parts[i].iov_len / unit;
	}
	number = end - n;
	for (int i = 0; i < nr; i++)
		for (size_t at = 0; at < parts[i].iov_len; at += unit, number++)
			check(!memcmp((uint8_t *)parts[i].iov_base + at, &number, sizeof(number)),
			      "unit %u: record %llu is not there", unit, (unsigned long long)number);
	return n;
}

/* @max: of a snapshot; that many bytes may have the rest of an area in them, and begin within a record. */
static void test_units(unsigned unit, bool snapshots, uint64_t max)
{
	uint64_t size = page_bytes(), written = 0;
	struct device d;

	open_device(&d, size, snapshots, HEAD_RUNS_ON);
	d.area.record_bytes = unit;
	for (unsigned i = 0; i < ROUNDS && !failures; i++) {
		uint64_t records = any_step(size) % (snapshots ? 3 * size : size / 2) / unit, n, most = size / unit;
		struct area_span s;

		put_units(&d, unit, &written, records);
		s = snapshots ? aux_area_snapshot(&d.area, max) : aux_area_read(&d.area);
		n = check_units(&d, s, unit, written);
		if (max)
			most = max / unit;
		check(n <= records && (n == records || n + 2 >= most), "unit %u: %llu records of %llu", unit, (unsigned long long)n,
		      (unsigned long long)records);
		if (snapshots)
			aux_area_advance(&d.area, s);
		else
			aux_area_done(&d.area, s);
	}
	close_device(&d);
}

/* The area grows between two reads, and again, until there is no memory for it: positions go on. */
static void test_resize(void)
{
	uint64_t page = page_bytes(), at = page + RING;
	struct device d;

	open_device(&d, page, false, HEAD_RUNS_ON);
	for (uint64_t size = page; size <= 8 * page; size *= 2) {
		uint8_t *all;

		check(d.area.size == size, "%llu bytes", (unsigned long long)d.area.size);
		for (unsigned i = 0; i < 50; i++) {
			struct area_span s;
			uint64_t n = any_step(size) % size;

			put_bytes(&d, n);
			leave_head(&d);
			s = aux_area_read(&d.area);
			check_span(&d, s, n, "grown");
			aux_area_done(&d.area, s);
		}
		all = ftruncate(d.area.fd, (off_t)(at + 2 * size)) ? MAP_FAILED :
		      mmap(NULL, at + 2 * size, PROT_READ | PROT_WRITE, MAP_SHARED, d.area.fd, 0);
		if (all == MAP_FAILED) {
			perror("memory");
			exit(1);
		}
		munmap(d.area.page, at + size);
		d.area.page = (struct perf_event_mmap_page *)all;
		d.memory = all + at;
		d.area.was_full = true;
		check(!aux_area_resize(&d.area, RING, 2 * size) && !d.area.was_full, "it does not grow");
		check(d.area.page->aux_tail == d.pos && d.area.page->aux_size == 2 * size, "the kernel is given another area");
	}
	check(!aux_area_resize(&d.area, RING, 1ull << 62) && d.area.size == 16 * page && d.area.data, "the old size is not there");
	close_device(&d);
}

/* A device of 1 byte a nanosecond: the size that would have held what it makes while nobody looks. */
static void test_wanted(void)
{
	struct aux_area a = { .size = 65536 }, idle = { .size = 65536 };

	aux_area_measure(&a, 20000, false, 1000000);
	check(aux_area_wanted(&a) == 65536, "nothing is known of its rate: %llu", (unsigned long long)aux_area_wanted(&a));
	aux_area_measure(&a, 20000, false, 1020000);
	aux_area_measure(&a, 30000, false, 1050000);
	check(aux_area_wanted(&a) == 65536, "it never was full: %llu", (unsigned long long)aux_area_wanted(&a));
	aux_area_measure(&a, 65535, true, 1050000 + 400000);
	check(aux_area_wanted(&a) == 524288, "400,000 bytes: %llu", (unsigned long long)aux_area_wanted(&a));
	/* It has filled the area some time after a long rest. */
	aux_area_measure(&idle, 20000, false, 1000);
	aux_area_measure(&idle, 20000, false, 21000);
	aux_area_measure(&idle, 0, false, 50000);
	aux_area_measure(&idle, 65535, true, 900000000);
	check(aux_area_wanted(&idle) == 131072, "it was idle: %llu", (unsigned long long)aux_area_wanted(&idle));
}

int main(void)
{
	test_wanted();
	for (enum head head = HEAD_OFFSET; head <= HEAD_RUNS_ON; head++) {
		test_boundaries(head);
		test_random(head, page_bytes());
		test_random(head, 32 * page_bytes());
	}
	test_lapped();
	test_overflow();
	test_full(0);
	test_resize();
	test_full(-5 * page_bytes() - 3);
	test_units(24, false, 0);
	test_units(40, false, 0);
	test_units(24, true, 0);
	test_units(24, true, 1000);
	return failures != 0;
}
