/*
 * Runs a thread that copies MMAP and similar records from the ring buffers that hold only such records. It passes the copies to
 * binary_saver.h, jit_maps.h and python.h while the recorded processes still exist.
 */
#include "core/record/loop/map_watch.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/base/util.h"
#include "core/record/open/event_set.h"
#include "core/record/live/jit_maps.h"
#include "core/record/live/binary_saver.h"
#include "core/record/loop/readers.h"
#include "core/record/live/python.h"

#define PAUSE_MS	1
#define BATCH		64

struct map_watch {
	const struct event_set *set;
	struct readers *readers;
	struct binary_saver *binary_saver;
	struct jit_maps *jit_maps;
	struct python *python;
	int epoll, quit;
	uint64_t *polled_to;		/* by ring: data below were inspected; owned */
	struct buf records;
	pthread_t thread;
};

static bool wait_for(const struct map_watch *w, size_t opened)
{
	struct epoll_event e = { .events = EPOLLIN, .data.u64 = opened };

	return !epoll_ctl(w->epoll, EPOLL_CTL_ADD, w->set->opened.v[opened].fd, &e);
}

static const struct ring *ring_of(const struct map_watch *w, size_t opened)
{
	return &w->set->rings.v[w->set->opened.v[opened].ring];
}

static void poll_ring(struct map_watch *w, uint32_t ring)
{
	const struct ring *r = &w->set->rings.v[ring];

	w->records.len = 0;
	ring_peek(r, &w->polled_to[ring], &w->records);
	if (w->binary_saver)
		binary_saver_see_all(w->binary_saver, w->records.data, w->records.len);
	if (w->jit_maps)
		jit_maps_see_all(w->jit_maps, w->records.data, w->records.len);
	if (w->python)
		python_see_all(w->python, w->records.data, w->records.len);
	/* The reader of this ring buffer waits only for other ring buffers. */
	if (ring_fill(r) > r->size / 2)
		reader_nudge(reader_of_ring(w->readers, ring));
}

/* Waits for the next event that writes to the same ring buffer, because the thread of this event has ended. */
static void go_on_with_next(const struct map_watch *w, size_t opened)
{
	epoll_ctl(w->epoll, EPOLL_CTL_DEL, w->set->opened.v[opened].fd, NULL);
	for (size_t i = opened + 1; i < w->set->opened.nr; i++)
		if (w->set->opened.v[i].ring == w->set->opened.v[opened].ring && wait_for(w, i))
			return;
}

/*
 * When a program starts, the kernel writes some ten such records within a millisecond or two, most of them about known files. So
 * the thread sleeps for PAUSE_MS after it has read records: it wakes once for several records, and at most a thousand times a
 * second.
 */
static void *run(void *arg)
{
	struct map_watch *w = arg;
	struct epoll_event events[BATCH];
	bool quit = false;

	while (!quit) {
		int nr = epoll_wait(w->epoll, events, BATCH, -1);

		for (int i = 0; i < nr; i++) {
			size_t opened = (size_t)events[i].data.u64;

			if (opened == SIZE_MAX) {
				quit = true;
				continue;
			}
			poll_ring(w, w->set->opened.v[opened].ring);
			if (events[i].events & (EPOLLHUP | EPOLLERR))
				go_on_with_next(w, opened);
		}
		if (!quit)
			poll(&(struct pollfd){ .fd = w->quit, .events = POLLIN }, 1, PAUSE_MS);
	}
	return NULL;
}

/* Waits for each ring buffer that has only MMAP and similar records, through its first event. */
static bool wait_for_rings(struct map_watch *w)
{
	bool *seen = xcalloc(MAX(w->set->rings.nr, 1), sizeof(*seen)), all = true;

	for (size_t i = 0; i < w->set->opened.nr && all; i++) {
		uint32_t ring = w->set->opened.v[i].ring;

		if (!ring_of(w, i)->side_band || seen[ring])
			continue;
		seen[ring] = true;
		all = wait_for(w, i);
	}
	free(seen);
	return all;
}

static bool wait_for_all(struct map_watch *w)
{
	struct epoll_event quit = { .events = EPOLLIN, .data.u64 = SIZE_MAX };

	return w->epoll >= 0 && w->quit >= 0 && wait_for_rings(w) && !epoll_ctl(w->epoll, EPOLL_CTL_ADD, w->quit, &quit);
}

static void release(struct map_watch *w)
{
	if (w->epoll >= 0)
		close(w->epoll);
	if (w->quit >= 0)
		close(w->quit);
	buf_release(&w->records);
	free(w->polled_to);
	free(w);
}

struct map_watch *map_watch_begin(const struct event_set *set, struct readers *readers, struct binary_saver *saver,
				  struct jit_maps *jit_maps, struct python *python)
{
	struct map_watch *w;
	int err;

	if (!set->side_band_apart)
		return NULL;
	w = xcalloc(1, sizeof(*w));
	*w = (struct map_watch){ .set = set, .readers = readers, .binary_saver = saver, .jit_maps = jit_maps, .python = python,
				 .epoll = epoll_create1(EPOLL_CLOEXEC), .quit = eventfd(0, EFD_CLOEXEC) };
	w->polled_to = xcalloc(MAX(set->rings.nr, 1), sizeof(*w->polled_to));
	err = wait_for_all(w) ? pthread_create(&w->thread, NULL, run, w) : errno;
	if (!err)
		return w;
	debug(1, "maps are not looked at as they come: %s", strerror(err));
	release(w);
	return NULL;
}

void map_watch_end(struct map_watch *w)
{
	if (!w)
		return;
	eventfd_write(w->quit, 1);
	pthread_join(w->thread, NULL);
	release(w);
}
