/*
 * rings RINGS THREADS RATE SECONDS FILE: what the recorder's readers do where no kernel is in the way. A loop plays it: it fills
 * RINGS rings in memory with RATE samples of 48 bytes a second altogether, drops what finds no room, tells of it as the kernel
 * does, and wakes the reader of a ring that is half full. THREADS readers empty them into FILE (FILE.N); with 0 a loop that only
 * writes what is there: the floor. Prints the rate that was reached (million samples a second), the share that was lost (%), the
 * CPU time of the readers for a sample (ns) and how often they woke up.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/cpus.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/perfdata/data_writer.h"
#include "core/perfdata/record.h"
#include "core/record/open/event_set.h"
#include "core/record/loop/readers.h"
#include "core/record/loop/thread_layout.h"

#define TYPES	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)
#define RING	(512u << 10)	/* what record takes by itself */
#define SAMPLE_WORDS	6
#define LOST_WORDS	6
#define TICK_NS	50000		/* the kernel's side looks so often how many samples are due */

/* The kernel's side of a ring. */
struct filler { uint64_t head, told, lost, nr_lost, nr; };

struct machine_side {
	struct event_set set;
	struct filler *fillers;
	uint64_t rate, until_ns;
	uint64_t cpu_ns;		/* of its thread */
	const struct reader *first;	/* is nudged at the end; NULL: none */
	int woken;			/* an eventfd: the floor's */
	_Atomic bool ended;
};

static void put_words(struct ring *r, struct filler *f, const uint64_t *words, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++, f->head += sizeof(*words))
		memcpy(r->data + (f->head & (r->size - 1)), &words[i], sizeof(*words));
}

static uint64_t header(uint32_t type, uint16_t misc, size_t size)
{
	struct record_header h = { .type = type, .misc = misc, .size = (uint16_t)size };
	uint64_t word;

	memcpy(&word, &h, sizeof(word));
	return word;
}

/* With what was lost before it. */
static void put_sample(struct ring *r, struct filler *f, uint64_t time)
{
	uint64_t task = 100ull << 32 | 100, cpu = (uint64_t)r->cpu;
	const uint64_t sample[SAMPLE_WORDS] = {
		header(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(sample)), 0x400000 + (time * 7919 & 0xffff),
		task, time, cpu, 250000,
	};
	const uint64_t lost[LOST_WORDS] = { header(PERF_RECORD_LOST, 0, sizeof(lost)), 1, f->lost, task, time, cpu };
	uint64_t tail = atomic_load_explicit((_Atomic __u64 *)&r->page->data_tail, memory_order_acquire);

	if (r->size - (f->head - tail) < sizeof(sample) + (f->lost ? sizeof(lost) : 0)) {
		f->lost++;
		f->nr_lost++;
		return;
	}
	if (f->lost)
		put_words(r, f, lost, LOST_WORDS);
	f->lost = 0;
	put_words(r, f, sample, SAMPLE_WORDS);
}

static void fill(struct machine_side *k, size_t i, uint64_t due, uint64_t time)
{
	struct ring *r = &k->set.rings.v[i];
	struct filler *f = &k->fillers[i];

	for (; f->nr < due; f->nr++)
		put_sample(r, f, time++);
	atomic_store_explicit((_Atomic __u64 *)&r->page->data_head, f->head, memory_order_release);
	if (f->head - f->told <= r->size / 2)
		return;
	f->told += r->size / 2;
	eventfd_write(r->fd, 1);
	if (k->woken >= 0)
		eventfd_write(k->woken, 1);
}

static void *play_kernel(void *arg)
{
	struct machine_side *k = arg;
	uint64_t start = now_ns(), now;

	while ((now = now_ns()) < k->until_ns) {
		uint64_t due = (uint64_t)((double)k->rate * (double)(now - start) / 1e9 / (double)k->set.rings.nr);

		for (size_t i = 0; i < k->set.rings.nr; i++)
			fill(k, i, due, now);
		if (now_ns() - now < TICK_NS)
			nanosleep(&(struct timespec){ .tv_nsec = TICK_NS }, NULL);
	}
	k->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	k->ended = true;
	if (k->first)
		reader_nudge(k->first);
	if (k->woken >= 0)
		eventfd_write(k->woken, 1);
	return NULL;
}

/* ---- set up ---- */

static void add_ring(struct event_set *set, int cpu)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *map = mmap(NULL, page + RING, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	if (map == MAP_FAILED || fd < 0)
		die("no memory for a ring");
	vec_push(&set->rings, ((struct ring){
		.page = (struct perf_event_mmap_page *)map, .data = map + page, .size = RING, .cpu = cpu, .fd = fd,
	}));
	vec_push(&set->opened, ((struct opened){ .fd = fd, .ring = (uint32_t)cpu }));
}

static void set_up(struct machine_side *k, unsigned nr)
{
	struct event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = ATTR_SIZE_VER7, .sample_type = TYPES, .sample_period = 250000,
		.sample_id_all = 1,
	};
	struct event_attr side_band = attr;

	side_band.config = PERF_COUNT_SW_DUMMY;
	event_table_add_id(&k->set.table, event_table_add(&k->set.table, &attr), 1);
	event_table_add(&k->set.table, &side_band);
	event_table_finish(&k->set.table);
	k->set.ring_bytes = RING;
	raise_file_limit();
	k->fillers = xcalloc(nr, sizeof(*k->fillers));
	for (unsigned i = 0; i < nr; i++)
		add_ring(&k->set, (int)i);
}

/* Rings in turn, each thread on any CPU. */
static void share_out(struct thread_layout *l, unsigned threads, unsigned rings)
{
	for (unsigned i = 0; threads > 1 && i < threads; i++) {
		struct thread_share share = {0};

		for (unsigned k = i; k < rings; k += threads)
			vec_push(&share.cpus.list, (int)k);
		if (cpus_online(&share.affinity))
			die("cannot tell which CPUs are online");
		vec_push(&l->shares, share);
	}
}

/* ---- readers ---- */

static bool take_others(void *ctx, const struct epoll_event *e)
{
	(void)ctx;
	(void)e;
	return true;
}

/* A perf event's file reports new data once, as an edge-triggered eventfd does. */
static void watch_rings(struct readers *all)
{
	vec_for(e, &all->set->opened)
		if (reader_watch(reader_of_ring(all, e->ring), e->fd, EPOLLIN | EPOLLET, (uint64_t)(e - all->set->opened.v)))
			exit(1);
}

static void open_writers(struct readers *all, const char *path)
{
	for (size_t i = 0; i < all->nr; i++) {
		char *name = xasprintf("%s.%zu", path, i);

		remove(name);
		if (data_writer_open_part(&all->list[i].writer, name, 0))
			exit(1);
		free(name);
	}
}

/* Returns how often they woke up. */
static uint64_t read_rings(struct machine_side *k, unsigned threads, const char *path, pthread_t *kernel)
{
	const struct ring_drain_opts o = {0};
	struct thread_layout layout = {0};
	struct readers all;
	uint64_t wakeups;

	share_out(&layout, threads, (unsigned)k->set.rings.nr);
	if (readers_init(&all, &k->set, &layout, &o, false))
		exit(1);
	watch_rings(&all);
	open_writers(&all, path);
	k->first = &all.list[0];
	if (readers_start(&all) || pthread_create(kernel, NULL, play_kernel, k))
		exit(1);
	while (!k->ended)
		reader_turn(&all.list[0], take_others, NULL);
	readers_stop(&all);
	if (readers_drain(&all, DRAIN_LAST))
		die("cannot write '%s'", path);
	readers_collect(&all);
	wakeups = all.list[0].wakeups;
	for (size_t i = 0; i < all.nr; i++)
		if (data_writer_close(all.list[i].writer))
			exit(1);
	readers_release(&all);
	thread_layout_release(&layout);
	return wakeups;
}

static void write_ring(struct ring *r, int fd)
{
	struct ring_span s = ring_read(r);
	struct iovec parts[2];
	int nr = ring_pieces(&s, parts);

	if (nr && writev(fd, parts, nr) != (ssize_t)(s.to - s.from))
		die("cannot write");
	ring_done(r);
}

/* The floor: nothing is looked at. */
static uint64_t only_write(struct machine_side *k, const char *path, pthread_t *kernel)
{
	char *name = xasprintf("%s.0", path);
	int fd = open(name, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
	uint64_t wakeups = 0;
	eventfd_t nr;

	k->woken = eventfd(0, EFD_CLOEXEC);
	if (fd < 0 || pthread_create(kernel, NULL, play_kernel, k))
		die("cannot open '%s'", name);
	for (bool ended = false; !ended; wakeups++) {
		ended = k->ended || (!eventfd_read(k->woken, &nr) && k->ended);
		vec_for(r, &k->set.rings)
			write_ring(r, fd);
	}
	close(fd);
	free(name);
	return wakeups;
}

static void tell(const struct machine_side *k, uint64_t before_ns, uint64_t wakeups, double seconds)
{
	double cpu_ns = (double)(clock_ns(CLOCK_PROCESS_CPUTIME_ID) - k->cpu_ns - before_ns);
	uint64_t nr = 0, lost = 0;

	for (size_t i = 0; i < k->set.rings.nr; i++) {
		nr += k->fillers[i].nr;
		lost += k->fillers[i].nr_lost;
	}
	printf("%.2f %.3f %.1f %llu\n", (double)nr / seconds / 1e6, 100 * (double)lost / (double)MAX(nr, 1),
	       cpu_ns / (double)MAX(nr - lost, 1), (unsigned long long)wakeups);
}

int main(int argc, char **argv)
{
	struct machine_side k = { .woken = -1 };
	uint64_t before_ns, wakeups;
	pthread_t kernel;
	unsigned threads;
	double seconds;

	if (argc != 6)
		die("usage: rings RINGS THREADS RATE SECONDS FILE");
	set_up(&k, (unsigned)MAX(strtoul(argv[1], NULL, 0), 1));
	threads = (unsigned)strtoul(argv[2], NULL, 0);
	k.rate = strtoull(argv[3], NULL, 0);
	seconds = strtod(argv[4], NULL);
	before_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	k.until_ns = now_ns() + (uint64_t)(seconds * 1e9);
	wakeups = threads ? read_rings(&k, threads, argv[5], &kernel) : only_write(&k, argv[5], &kernel);
	pthread_join(kernel, NULL);
	tell(&k, before_ns, wakeups, seconds);
	return 0;
}
