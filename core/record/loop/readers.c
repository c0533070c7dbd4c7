/*
 * Runs the threads that read ring buffers. A reader thread sleeps until data arrive, empties its ring buffers, and writes data
 * that it kept back after at most a second. The main thread starts, pauses and ends the others.
 */
#include "core/record/loop/readers.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/perfdata/data_writer.h"
#include "core/record/open/event_set.h"
#include "core/record/loop/thread_layout.h"

#define EPOLL_BATCH	64
#define FLUSH_NS	1000000000u	/* data are written after this time at the latest: the loss of a killed recorder */

/* ---- one reader ---- */

int reader_watch(struct reader *r, int fd, uint32_t what, uint64_t from)
{
	struct epoll_event e = { .events = what, .data.u64 = from };

	return epoll_ctl(r->epoll, EPOLL_CTL_ADD, fd, &e) ? error("cannot wait for events: %s", strerror(errno)) : 0;
}

static void empty_all(struct reader *r, enum drain_how how)
{
	for (struct drain *d = r->drains; d; d = d->next) {
		int64_t n = d->drain(d, r->writer, how);

		if (n < 0 && !r->write_error)
			r->write_error = (int)n;
	}
}

static int ms_until(uint64_t then_ns)
{
	uint64_t now = now_ns();

	return then_ns > now ? (int)((then_ns - now + 999999) / 1000000) : 0;
}

/* Returns the time until the drains must be called; *look is set if that is not because of a flush. */
static int wait_ms(const struct reader *r, bool *look)
{
	int ms = ms_until(r->next_flush_ns);

	*look = false;
	for (const struct drain *d = r->drains; d; d = d->next) {
		if (!d->look_ms || d->look_ms >= ms)
			continue;
		ms = d->look_ms;
		*look = true;
	}
	return ms;
}

static bool anything_waits(const struct reader *r)
{
	for (const struct drain *d = r->drains; d; d = d->next)
		if (d->waits)
			return true;
	return false;
}

/*
 * Empties the ring buffers if @data came or the flush is due. A write also writes the data that were kept back before, so the next
 * flush is due FLUSH_NS after it. Returns true if it wrote.
 */
static bool empty_if_due(struct reader *r, bool data)
{
	uint64_t now = now_ns(), before = data_writer_size(r->writer);
	bool flush = now >= r->next_flush_ns, wrote;

	r->wakeups += data;
	if (r->write_error || (!data && !flush))
		return false;
	empty_all(r, flush ? DRAIN_WRITE : DRAIN_SOME);
	wrote = data_writer_size(r->writer) != before;
	if (flush || (wrote && !anything_waits(r)))
		r->next_flush_ns = now + FLUSH_NS;
	return wrote;
}

static bool clear_nudge(const struct reader *r)
{
	eventfd_t nr;

	return !eventfd_read(r->nudge, &nr);
}

bool reader_turn(struct reader *r, wake_handler handle, void *ctx)
{
	struct epoll_event events[EPOLL_BATCH];
	bool look, data, wrote;
	int nr = epoll_wait(r->epoll, events, EPOLL_BATCH, wait_ms(r, &look));

	data = nr < 0 || (look && !nr);		/* after a failed wait there may be data */
	r->unsure = nr < 0;
	for (int i = 0; i < nr; i++)
		data |= events[i].data.u64 == FROM_NUDGE ? clear_nudge(r) : handle(ctx, &events[i]);
	pthread_mutex_lock(&r->lock);
	wrote = empty_if_due(r, data);
	pthread_mutex_unlock(&r->lock);
	return wrote;
}

/* ---- threads ---- */

struct thread_turn {
	struct reader *reader;
	const struct event_set *set;
	bool quit;
};

/* EPOLLHUP: a watched thread has ended. Its event is removed, because epoll would report it again and again. */
static bool handle(void *ctx, const struct epoll_event *e)
{
	struct thread_turn *t = ctx;

	if (e->data.u64 == FROM_QUIT) {
		t->quit = true;
		return false;
	}
	if (e->events & (EPOLLHUP | EPOLLERR))
		epoll_ctl(t->reader->epoll, EPOLL_CTL_DEL, t->set->opened.v[e->data.u64].fd, NULL);
	return true;
}

static bool failed(struct reader *r)
{
	bool result;

	pthread_mutex_lock(&r->lock);
	result = r->write_error;
	pthread_mutex_unlock(&r->lock);
	return result;
}

static void run_on_own_cpus(const struct reader *r)
{
	int err = r->affinity ? affinity_set(r->affinity) : 0;

	if (err)
		warning("cannot run a thread on its CPUs of --threads: %s", strerror(-err));
}

static void *run(void *arg)
{
	struct reader *r = arg;
	struct thread_turn t = { .reader = r, .set = r->readers->set };

	run_on_own_cpus(r);
	while (!t.quit) {
		bool wrote = reader_turn(r, handle, &t);

		/* Full ring buffers would wake this thread again and again; the main thread ends the recording. */
		if (failed(r))
			t.quit = true;
		if (t.quit || (wrote && r->readers->report_writes))
			eventfd_write(r->readers->events_fd, 1);
	}
	return NULL;
}

int readers_start(struct readers *all)
{
	run_on_own_cpus(&all->list[0]);
	for (size_t i = 1; i < all->nr; i++) {
		struct reader *r = &all->list[i];
		int err = pthread_create(&r->thread, NULL, run, r);

		if (err)
			return error("cannot start a thread: %s", strerror(err));
		r->started = true;
	}
	return 0;
}

void readers_stop(struct readers *all)
{
	if (all->nr)
		eventfd_write(all->quit, 1);
	for (size_t i = 1; i < all->nr; i++) {
		if (all->list[i].started)
			pthread_join(all->list[i].thread, NULL);
		all->list[i].started = false;
	}
}

/* ---- all together ---- */

void readers_count_unwritten(struct readers *all)
{
	for (size_t i = 0; i < all->nr; i++)
		ring_drain_count_unwritten(all->list[i].rings);
}

void readers_until(struct readers *all, uint64_t time)
{
	for (size_t i = 0; i < all->nr; i++)
		ring_drain_until(all->list[i].rings, time);
}

unsigned readers_snapshot(const struct readers *all)
{
	unsigned did = 0;

	for (size_t i = 0; i < all->nr; i++)
		did |= ring_drain_snapshot(all->list[i].rings);
	return did;
}

void readers_hold(struct readers *all)
{
	for (size_t i = 1; i < all->nr; i++)
		pthread_mutex_lock(&all->list[i].lock);
}

void readers_go_on(struct readers *all)
{
	for (size_t i = 1; i < all->nr; i++)
		pthread_mutex_unlock(&all->list[i].lock);
}

int readers_drain(struct readers *all, enum drain_how how)
{
	int err = 0;

	for (size_t i = 0; i < all->nr; i++) {
		if (!all->list[i].write_error)
			empty_all(&all->list[i], how);
		err = err ? err : all->list[i].write_error;
	}
	return err;
}

void readers_collect(struct readers *all)
{
	for (size_t i = 1; i < all->nr; i++) {
		stats_collect(&all->list[0].stats, &all->list[i].stats);
		all->list[0].wakeups += all->list[i].wakeups;
		all->list[i].wakeups = 0;
	}
}

/* ---- set up and release ---- */

/* Returns the index of the share that has @cpu, which is also the index of its reader. Returns 0 if no share has it. */
static size_t share_of(const struct thread_layout *l, int cpu)
{
	for (size_t i = 0; i < l->shares.nr; i++)
		if (cpus_has(&l->shares.v[i].cpus, cpu))
			return i;
	return 0;
}

static void init_reader(struct readers *all, size_t number, const struct thread_layout *l, const struct ring_drain_opts *o,
			enum mapped_ids ids)
{
	struct reader *r = &all->list[number];
	struct ring_numbers numbers = {0};

	*r = (struct reader){ .readers = all, .epoll = epoll_create1(EPOLL_CLOEXEC), .next_flush_ns = now_ns() + FLUSH_NS };
	pthread_mutex_init(&r->lock, NULL);
	r->nudge = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	for (uint32_t i = 0; i < all->set->rings.nr; i++)
		if (share_of(l, all->set->rings.v[i].cpu) == number)
			vec_push(&numbers.list, i);
	if (l->shares.nr)
		r->affinity = &l->shares.v[number].affinity;
	stats_init(&r->stats, &all->set->table, ids);
	r->rings = r->drains = ring_drain_new(all->set, &numbers, &r->stats, o);
}

int readers_init(struct readers *all, struct event_set *set, const struct thread_layout *layout, const struct ring_drain_opts *o,
	      enum mapped_ids ids)
{
	*all = (struct readers){ .set = set, .layout = layout, .nr = MAX(layout->shares.nr, 1) };
	all->list = xcalloc(all->nr, sizeof(*all->list));
	all->events_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	all->quit = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	for (size_t i = 0; i < all->nr; i++)
		init_reader(all, i, layout, o, ids);
	for (size_t i = 0; i < all->nr; i++)
		if (all->list[i].epoll < 0 || all->list[i].nudge < 0 || all->events_fd < 0 || all->quit < 0)
			return error("cannot wait for events: %s", strerror(errno));
	for (size_t i = 0; i < all->nr; i++)
		if (reader_watch(&all->list[i], all->list[i].nudge, EPOLLIN, FROM_NUDGE))
			return -1;
	for (size_t i = 1; i < all->nr; i++)
		if (reader_watch(&all->list[i], all->quit, EPOLLIN, FROM_QUIT))
			return -1;
	return all->nr > 1 ? reader_watch(&all->list[0], all->events_fd, EPOLLIN, FROM_NEWS) : 0;
}

struct reader *reader_of_ring(struct readers *all, uint32_t ring)
{
	return &all->list[share_of(all->layout, all->set->rings.v[ring].cpu)];
}

void reader_nudge(const struct reader *r)
{
	eventfd_write(r->nudge, 1);
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

void readers_release(struct readers *all)
{
	readers_stop(all);
	for (size_t i = 0; i < all->nr; i++) {
		struct reader *r = &all->list[i];

		ring_drain_free(r->rings);
		stats_release(&r->stats);
		pthread_mutex_destroy(&r->lock);
		close_fd(r->epoll);
		close_fd(r->nudge);
	}
	if (all->nr) {
		close(all->events_fd);
		close(all->quit);
	}
	free(all->list);
	*all = (struct readers){0};
}
