/* Readers of rings, and their threads. Layer: record */
#include "core/record/readers.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/format/data_writer.h"
#include "core/open/event_set.h"
#include "core/record/thread_layout.h"

#define EPOLL_BATCH	64
#define FLUSH_NS	1000000000u	/* a recorder that is killed takes with it what is younger than that */

/* ---- one reader ---- */

int reader_watch(struct reader *r, int fd, uint32_t what, uint64_t from)
{
	struct epoll_event e = { .events = what, .data.u64 = from };

	return epoll_ctl(r->epoll, EPOLL_CTL_ADD, fd, &e) ? error("cannot wait for events: %s", strerror(errno)) : 0;
}

static void empty(struct reader *r, enum drain_how how)
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

static bool anything_waits(const struct reader *r)
{
	for (const struct drain *d = r->drains; d; d = d->next)
		if (d->waits)
			return true;
	return false;
}

/* What is written takes everything along that waited. Returns whether it wrote. */
static bool empty_in_turn(struct reader *r, bool data)
{
	uint64_t now = now_ns(), before = data_writer_size(r->writer);
	bool late = now >= r->next_flush_ns, wrote;

	r->wakeups += data;
	if (r->write_error || (!data && !late))
		return false;
	empty(r, late ? DRAIN_WRITE : DRAIN_SOME);
	wrote = data_writer_size(r->writer) != before;
	if (late || (wrote && !anything_waits(r)))
		r->next_flush_ns = now + FLUSH_NS;
	return wrote;
}

bool reader_turn(struct reader *r, wake_handler handle, void *ctx)
{
	struct epoll_event events[EPOLL_BATCH];
	int nr = epoll_wait(r->epoll, events, EPOLL_BATCH, ms_until(r->next_flush_ns));
	bool data = nr < 0, wrote;

	r->unsure = nr < 0;
	for (int i = 0; i < nr; i++)
		data |= handle(ctx, &events[i]);
	pthread_mutex_lock(&r->lock);
	wrote = empty_in_turn(r, data);
	pthread_mutex_unlock(&r->lock);
	return wrote;
}

/* ---- threads ---- */

struct thread_turn {
	struct reader *reader;
	const struct event_set *set;
	bool quit;
};

/* A thread that was watched has ended: nothing more comes from there, and epoll would say so for ever. */
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

static void tell(const struct readers *c)
{
	eventfd_write(c->news, 1);
}

static bool failed(struct reader *r)
{
	bool is;

	pthread_mutex_lock(&r->lock);
	is = r->write_error;
	pthread_mutex_unlock(&r->lock);
	return is;
}

static void take_place(const struct reader *r)
{
	int err = r->affinity ? affinity_set(r->affinity) : 0;

	if (err)
		warning("cannot run a thread on its CPUs of --threads: %s", strerror(-err));
}

static void *run(void *arg)
{
	struct reader *r = arg;
	struct thread_turn t = { .reader = r, .set = r->readers->set };

	take_place(r);
	while (!t.quit) {
		bool wrote = reader_turn(r, handle, &t);

		/* Full rings would wake it again and again; who takes the news ends it all. */
		if (failed(r))
			t.quit = true;
		if (t.quit || (wrote && r->readers->tell_writes))
			tell(r->readers);
	}
	return NULL;
}

int readers_start(struct readers *c)
{
	take_place(&c->list[0]);
	for (size_t i = 1; i < c->nr; i++) {
		struct reader *r = &c->list[i];
		int err = pthread_create(&r->thread, NULL, run, r);

		if (err)
			return error("cannot start a thread: %s", strerror(err));
		r->started = true;
	}
	return 0;
}

void readers_stop(struct readers *c)
{
	if (c->nr)
		eventfd_write(c->quit, 1);
	for (size_t i = 1; i < c->nr; i++) {
		if (c->list[i].started)
			pthread_join(c->list[i].thread, NULL);
		c->list[i].started = false;
	}
}

/* ---- all together ---- */

void readers_hold(struct readers *c)
{
	for (size_t i = 1; i < c->nr; i++)
		pthread_mutex_lock(&c->list[i].lock);
}

void readers_go_on(struct readers *c)
{
	for (size_t i = 1; i < c->nr; i++)
		pthread_mutex_unlock(&c->list[i].lock);
}

int readers_drain(struct readers *c, enum drain_how how)
{
	int err = 0;

	for (size_t i = 0; i < c->nr; i++) {
		if (!c->list[i].write_error)
			empty(&c->list[i], how);
		err = err ? err : c->list[i].write_error;
	}
	return err;
}

void readers_collect(struct readers *c)
{
	for (size_t i = 1; i < c->nr; i++) {
		stats_collect(&c->list[0].stats, &c->list[i].stats);
		c->list[0].wakeups += c->list[i].wakeups;
		c->list[i].wakeups = 0;
	}
}

/* ---- making one ---- */

static size_t share_of(const struct thread_layout *l, int cpu)
{
	for (size_t i = 0; i < l->shares.nr; i++)
		if (cpus_has(&l->shares.v[i].cpus, cpu))
			return i;
	return 0;
}

static void init_reader(struct readers *c, size_t number, const struct thread_layout *l, const struct ring_drain_opts *o,
			bool take_names)
{
	struct reader *r = &c->list[number];
	struct ring_numbers numbers = {0};

	*r = (struct reader){ .readers = c, .epoll = epoll_create1(EPOLL_CLOEXEC), .next_flush_ns = now_ns() + FLUSH_NS };
	pthread_mutex_init(&r->lock, NULL);
	for (uint32_t i = 0; i < c->set->rings.nr; i++)
		if (share_of(l, c->set->rings.v[i].cpu) == number)
			vec_push(&numbers.list, i);
	if (l->shares.nr)
		r->affinity = &l->shares.v[number].affinity;
	stats_init(&r->stats, &c->set->table, take_names);
	r->rings = r->drains = ring_drain_new(c->set, &numbers, &r->stats, o);
}

int readers_init(struct readers *c, struct event_set *set, const struct thread_layout *layout, const struct ring_drain_opts *o,
	      bool take_names)
{
	*c = (struct readers){ .set = set, .layout = layout, .nr = MAX(layout->shares.nr, 1) };
	c->list = xcalloc(c->nr, sizeof(*c->list));
	c->news = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	c->quit = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	for (size_t i = 0; i < c->nr; i++)
		init_reader(c, i, layout, o, take_names);
	for (size_t i = 0; i < c->nr; i++)
		if (c->list[i].epoll < 0 || c->news < 0 || c->quit < 0)
			return error("cannot wait for events: %s", strerror(errno));
	for (size_t i = 1; i < c->nr; i++)
		if (reader_watch(&c->list[i], c->quit, EPOLLIN, FROM_QUIT))
			return -1;
	return c->nr > 1 ? reader_watch(&c->list[0], c->news, EPOLLIN, FROM_NEWS) : 0;
}

struct reader *reader_of_ring(struct readers *c, uint32_t ring)
{
	return &c->list[share_of(c->layout, c->set->rings.v[ring].cpu)];
}

void readers_release(struct readers *c)
{
	readers_stop(c);
	for (size_t i = 0; i < c->nr; i++) {
		struct reader *r = &c->list[i];

		ring_drain_free(r->rings);
		stats_release(&r->stats);
		pthread_mutex_destroy(&r->lock);
		if (r->epoll >= 0)
			close(r->epoll);
	}
	if (c->nr) {
		close(c->news);
		close(c->quit);
	}
	free(c->list);
	*c = (struct readers){0};
}
