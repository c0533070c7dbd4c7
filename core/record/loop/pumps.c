/*
 * Runs a thread that copies the contents of ring buffers to the backlogs, larger buffers in ordinary memory (backlog.h). If
 * shedding.c finds that a backlog fills up, the thread makes the kernel copy less of each stack.
 */
#include "core/record/loop/pumps.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/base/vec.h"
#include "core/record/open/backlog.h"
#include "core/record/open/event_set.h"
#include "core/record/loop/readers.h"
#include "core/record/loop/shedding.h"
#include "core/record/loop/urgency.h"

#define ALL_BYTES	(256ull << 20)	/* maximum of all backlogs: a second or more of the stacks of eight busy CPUs */
#define FREE_SHARE	8		/* all backlogs use at most one part in this many of the free memory */
#define BATCH		64
#define AGAIN_MS	5		/* look again after this time, if a backlog had no room for all data */
#define SHED_MS		50		/* look again after this time, if stacks are shed */
#define ROOM_SHARE	16		/* with less room than one part in this many, a ring buffer was full, or almost */
#define NUDGE_SHARE	8		/* the reader is woken for data of more than one part in this many of a ring buffer */
#define LATE_NS		10000000u	/* a thread that has waited so long for a CPU may wait longer the next time */

struct pumps {
	struct event_set *set;
	struct shedding *shedding;	/* owned; by ring */
	const struct reader *reader;
	int epoll, quit, ended;
	bool urgent, started, reads_quickly;
	_Atomic bool has_priority;
	_Atomic uint64_t waited_ns;		/* the longest time that the thread waited for a CPU */
	pthread_t thread;
};

struct left {				/* the state after a turn of the thread's loop */
	bool has_backlog;		/* some data are left in a ring buffer, because its backlog had no room for them */
	bool shed;			/* stacks of some ring buffer are shed */
	bool late;			/* the thread has used up much of its time at the real-time priority */
	bool waited;			/* it had to wait for a CPU before this turn */
	bool pressed;			/* it has run for so long that it has no priority any more */
};

/* ---- the thread ---- */

/* True if the reader may still empty the ring buffer itself, which saves a copy. */
static bool reader_is_in_time(const struct pumps *p, const struct ring *r)
{
	return p->reads_quickly && atomic_load(&p->has_priority) && !ring_has_backlog(r) && ring_fill(r) < r->size / 2;
}

/* True if the ring buffer was filled so much when it was read that the next read may be too late. */
static bool was_late(const struct pumps *p, const struct ring *r, uint64_t filled)
{
	return filled > (p->reads_quickly && atomic_load(&p->has_priority) ? r->size / 4 * 3 : r->size / 4);
}

/* True if stacks must be shed early; after a wait for a CPU only as long as smaller copies cut few chains (.lesser_cuts). */
static bool is_late(const struct pumps *p, const struct left *left, const struct ring *r, uint64_t filled)
{
	return left->late || was_late(p, r, filled) || (left->waited && !atomic_load(&p->set->lesser_cuts));
}

/*
 * If the backlog fills up, makes the kernel copy a smaller part of each stack, or no stack at all, because a sample without its
 * stack is better than no sample. If stacks are unwound only after the recording (shed_stacks.h), each is copied whole or not at
 * all. Returns whether stacks of the ring are shed.
 */
static bool shed(const struct pumps *p, uint32_t ring, const struct ring *r, const struct left *left)
{
	struct shedding *s = &p->shedding[ring];
	uint64_t filled = ring_was_filled(r);
	const struct shedding_input look = {
		.fill = ring_fill(r), .size = r->backlog->size, .at = r->backlog->head,
		.full = left->pressed || filled > r->size - r->size / ROOM_SHARE,
		.late = is_late(p, left, r, filled), .now_ns = now_ns(),
	};
	enum stack_shed wanted = shedding_wanted(s, &look);

	if (wanted != s->shed && event_set_shed_stacks(p->set, ring, wanted))
		s->shed = wanted;
	return s->shed != SHED_NOTHING;
}

/* Copies a ring buffer if that is due. Returns whether the reader must be woken. */
static bool pump(const struct pumps *p, uint32_t ring, struct left *left)
{
	const struct ring *r = &p->set->rings.v[ring];
	bool wake = reader_is_in_time(p, r) ? ring_fill(r) > r->size / NUDGE_SHARE : ring_pump(r);

	left->has_backlog |= ring_has_backlog(r);
	left->shed |= shed(p, ring, r, left);
	return wake;
}

/* Copies all ring buffers. The kernel does not wake the thread again for a ring buffer that was not emptied. */
static bool pump_all(const struct pumps *p, struct left *left)
{
	bool wake = false;

	for (uint32_t i = 0; i < p->set->rings.nr; i++)
		wake |= pumps_have(p, i) && pump(p, i, left);
	return wake;
}

/* Stops watching an event whose thread has ended, because epoll would report it again and again. */
static void forget(const struct pumps *p, const struct opened *e)
{
	epoll_ctl(p->epoll, EPOLL_CTL_DEL, e->fd, NULL);
	eventfd_write(p->ended, 1);
}

static void *run(void *arg)
{
	struct pumps *p = arg;
	struct urgency urgency = {0};
	struct left left = {0};
	struct cpu_waits waits;
	bool quit = false;

	cpu_waits_begin(&waits);
	if (p->urgent)
		urgency_raise(&urgency);
	atomic_store(&p->has_priority, urgency_is_realtime());
	while (!quit) {
		struct epoll_event events[BATCH];
		int timeout = left.has_backlog ? AGAIN_MS : left.shed ? SHED_MS : -1, nr;
		bool again = timeout >= 0, wake = false;
		nr = epoll_wait(p->epoll, events, BATCH, timeout);
		urgency_keep(&urgency);
		left = (struct left){ .late = urgency.pressed, .waited = cpu_waits_read(&waits) > LATE_NS,
				      .pressed = urgency.may && !urgency.has };
		atomic_store(&p->waited_ns, waits.longest_ns);
		for (int i = 0; i < nr; i++) {
			const struct opened *e;

			quit |= events[i].data.u64 == FROM_QUIT;
			if (events[i].data.u64 == FROM_QUIT)
				continue;
			e = &p->set->opened.v[events[i].data.u64];
			wake |= pump(p, e->ring, &left);
			if (events[i].events & (EPOLLHUP | EPOLLERR))
				forget(p, e);
		}
		if (again)
			wake |= pump_all(p, &left);
		if (wake || left.has_backlog)
			reader_nudge(p->reader);
	}
	cpu_waits_end(&waits);
	return NULL;
}

/* ---- set up ---- */

/* Returns the size of the backlog for each of @nr ring buffers: a power of two, or 0. */
static uint64_t size_of_each(size_t nr)
{
	uint64_t free_bytes = (uint64_t)MAX(sysconf(_SC_AVPHYS_PAGES), 0) * (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t most = MIN(ALL_BYTES, free_bytes / FREE_SHARE) / nr;

	return most ? 1ull << (63 - __builtin_clzll(most)) : 0;
}

/*
 * Gives a backlog to all ring buffers; to none if there are overwrite ring buffers. Those of MMAP and similar records need none:
 * they hold few data, and map_watch.h waits for them. Returns true if all others have one.
 */
static bool give_backlogs(struct event_set *set, bool reads_quickly)
{
	const struct ring_layouts layouts = { &set->table, set->recorded.v, .cuts_stacks = reads_quickly };
	/*
	 * Without a real-time priority, the thread gets only its share of the CPUs. Page faults would use the share up, and among
	 * 64 busy threads it would then wait for a CPU longer than a ring buffer lasts.
	 */
	uint64_t ready = geteuid() ? set->ring_bytes : 0;
	size_t nr = 0;
	uint64_t size;

	vec_for(r, &set->rings) {
		if (r->overwrite)
			return false;
		nr += !r->side_band;
	}
	size = nr ? size_of_each(nr) : 0;
	/* A backlog that is smaller than the ring is not worth a copy. */
	if (!nr || size < set->ring_bytes)
		return false;
	vec_for(r, &set->rings) {
		if (r->side_band)
			continue;
		r->backlog = backlog_new(layouts, size, ready, r->tail);
		if (!r->backlog)
			return false;
	}
	return true;
}

static bool open_waits(struct pumps *p)
{
	struct epoll_event quit = { .events = EPOLLIN, .data.u64 = FROM_QUIT };

	p->epoll = epoll_create1(EPOLL_CLOEXEC);
	p->quit = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	p->ended = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return p->epoll >= 0 && p->quit >= 0 && p->ended >= 0 && !epoll_ctl(p->epoll, EPOLL_CTL_ADD, p->quit, &quit);
}

struct pumps *pumps_new(struct event_set *set, const struct reader *reader, bool reads_quickly)
{
	struct pumps *p = xcalloc(1, sizeof(*p));

	*p = (struct pumps){ .set = set, .reader = reader, .reads_quickly = reads_quickly, .epoll = -1, .quit = -1,
			     .ended = -1 };
	p->shedding = xcalloc(set->rings.nr + 1, sizeof(*p->shedding));
	if (give_backlogs(set, reads_quickly) && open_waits(p))
		return p;
	vec_for(r, &set->rings) {
		backlog_free(r->backlog);
		r->backlog = NULL;
	}
	pumps_free(p);
	return NULL;
}

bool pumps_have(const struct pumps *p, uint32_t ring)
{
	return p && p->set->rings.v[ring].backlog;
}

uint64_t pumps_waited_ns(const struct pumps *p, bool *has_priority)
{
	*has_priority = atomic_load(&p->has_priority);
	return atomic_load(&p->waited_ns);
}

int pumps_ended(const struct pumps *p)
{
	return p->ended;
}

int pumps_watch(struct pumps *p, uint64_t number)
{
	struct epoll_event e = { .events = EPOLLIN, .data.u64 = number };

	return epoll_ctl(p->epoll, EPOLL_CTL_ADD, p->set->opened.v[number].fd, &e) ?
	       error("cannot wait for events: %s", strerror(errno)) : 0;
}

int pumps_start(struct pumps *p, bool urgent)
{
	int err;

	if (!p)
		return 0;
	p->urgent = urgent;
	if (urgent)
		urgency_raise_reader();
	err = pthread_create(&p->thread, NULL, run, p);
	if (err)
		return error("cannot start a thread: %s", strerror(err));
	pthread_setname_np(p->thread, "prec-rings");
	p->started = true;
	return 0;
}

void pumps_stop(struct pumps *p)
{
	if (!p || !p->started)
		return;
	eventfd_write(p->quit, 1);
	pthread_join(p->thread, NULL);
	p->started = false;
}

void pumps_free(struct pumps *p)
{
	if (!p)
		return;
	pumps_stop(p);
	if (p->epoll >= 0)
		close(p->epoll);
	if (p->quit >= 0)
		close(p->quit);
	if (p->ended >= 0)
		close(p->ended);
	free(p->shedding);
	free(p);
}
