/*
 * Maps the perf ring buffers of a recording, as a step of event_set_open(): chooses a ring buffer for each event, maps the ring
 * buffers, and redirects the events' output to them. If locked memory is short, it maps smaller ring buffers.
 */
#include "core/record/open/event_set_impl.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/base/log.h"

static bool is_backward(const struct event_set *s, const struct opened *e)
{
	return s->table.events.v[e->event]->attr.write_backward;
}

/*
 * True if the event writes to separate ring buffers. MMAP, COMM and the like do. Context switches, of which there are many, go to
 * the ring buffers with the samples.
 */
static bool is_apart(const struct event_set *s, const struct opened *e)
{
	return s->side_band_apart && !e->request && s->table.events.v[e->event]->attr.mmap;
}

/*
 * True if two events share a ring buffer. Events write to the ring buffer of their CPU; events without a CPU write to that of
 * their thread. Overwrite ring buffers are separate, and so is the side band (MMAP, COMM and similar records) if this is wanted.
 */
static bool same_ring(const struct event_set *s, const struct opened *x, const struct opened *y)
{
	struct target_place a = x->place, b = y->place;

	if (is_backward(s, x) != is_backward(s, y) || is_apart(s, x) != is_apart(s, y))
		return false;
	return a.cpu >= 0 ? a.cpu == b.cpu : b.cpu < 0 && a.pid == b.pid;
}

static uint64_t ring_key(struct target_place p)
{
	return p.cpu >= 0 ? hash_pair(0, (uint64_t)p.cpu) : hash_pair(1, (uint64_t)p.pid);
}

/* The leader of a ring buffer is the event for which it is mapped: the first opened of the events that share it. */
struct leaders {
	VEC(uint32_t) list;		/* by number of the ring buffer: index of its leader in event_set.opened */
	struct index by_place;
};

static void release_leaders(struct leaders *l)
{
	vec_free(&l->list);
	index_release(&l->by_place);
	*l = (struct leaders){0};
}

static void assign_rings(struct event_set *s, struct leaders *l)
{
	release_leaders(l);
	for (uint32_t i = 0; i < s->opened.nr; i++) {
		struct opened *e = &s->opened.v[i];
		uint64_t h = ring_key(e->place);
		uint32_t pos = INDEX_END;

		index_for(at, &l->by_place, h)
			if (pos == INDEX_END && same_ring(s, &s->opened.v[l->list.v[at]], e))
				pos = at;
		if (pos == INDEX_END) {
			pos = (uint32_t)l->list.nr;
			index_add(&l->by_place, h, pos);
			vec_push(&l->list, i);
		}
		e->ring = pos;
	}
}

void event_set_unmap_rings(struct event_set *s)
{
	vec_for(r, &s->rings)
		ring_unmap(r);
	s->rings.nr = 0;
}

/* The side band must not lose records: its rings have a useful size even if the others are overwrite rings, or small. */
#define SIDE_BAND_BYTES (256ull << 10)
/*
 * Sizes of ring buffers with side band only, if the others are emptied, too: for a CPU, and for a thread, as there may be many
 * threads. The longest record has a path of 4 KiB.
 */
#define APART_BYTES (128ull << 10)
#define APART_BYTES_OF_THREAD (16ull << 10)

/*
 * Returns the data size of the ring buffer that @e leads. Next to overwrite ring buffers, the side band gets its least size only if
 * locked memory is not short.
 */
static uint64_t bytes_of_ring(const struct event_set *s, const struct opened *e, uint64_t asked)
{
	bool beside = s->table.events.v[0]->attr.write_backward && !is_backward(s, e);

	if (beside && s->ring_bytes == asked)
		return MAX(asked, SIDE_BAND_BYTES);
	return !is_apart(s, e) ? s->ring_bytes : e->place.cpu >= 0 ? APART_BYTES : APART_BYTES_OF_THREAD;
}

static int map_all(struct event_set *s, const struct leaders *l, uint64_t asked)
{
	vec_for(i, &l->list) {
		const struct opened *e = &s->opened.v[*i];
		struct ring r;
		int err = ring_map(&r, e->fd, bytes_of_ring(s, e, asked), is_backward(s, e));

		if (err)
			return err;
		r.cpu = e->place.cpu;
		r.side_band = is_apart(s, e);
		vec_push(&s->rings, r);
	}
	return 0;
}

/* mmap(2) fails with EPERM at the limit of locked memory: perf_event_mlock_kb for each CPU, and RLIMIT_MEMLOCK. */
static int map_rings(struct event_set *s, struct leaders *l, uint64_t asked)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	int err;

	s->ring_bytes = asked;
	for (;;) {
		err = map_all(s, l, asked);
		if ((err != -EPERM && err != -ENOMEM) || (s->ring_bytes <= page && !s->side_band_apart))
			break;
		event_set_unmap_rings(s);
		if (!s->side_band_apart) {
			s->ring_bytes /= 2;
			continue;
		}
		/* Gives up the separate side band before it makes the ring buffers of samples smaller. */
		debug(1, "no rings for the side band alone: kernel.perf_event_mlock_kb and 'ulimit -l' allow no more");
		s->side_band_apart = false;
		assign_rings(s, l);
	}
	if (err == -EPERM)
		return error("cannot map %zu ring buffers: kernel.perf_event_mlock_kb and 'ulimit -l' allow too little "
			     "locked memory; watch fewer threads or CPUs", l->list.nr);
	if (err)
		return error("cannot map the ring buffers: %s", strerror(-err));
	if (s->ring_bytes < asked)
		warning("rings of %llu KiB, not %llu: kernel.perf_event_mlock_kb and 'ulimit -l' allow no more",
			(unsigned long long)s->ring_bytes / 1024, (unsigned long long)asked / 1024);
	return 0;
}

static int redirect_outputs(struct event_set *s)
{
	vec_for(e, &s->opened) {
		int leader = s->rings.v[e->ring].fd;

		int err = e->fd != leader ? ioctl(e->fd, PERF_EVENT_IOC_SET_OUTPUT, leader) : 0;

		if (err < 0 || opened_ioctl_others(e, PERF_EVENT_IOC_SET_OUTPUT, (uintptr_t)leader))
			return error("cannot share a ring buffer between events: %s", strerror(errno));
	}
	return 0;
}

int event_set_map_rings(struct event_set *s, uint64_t asked)
{
	struct leaders leaders = {0};
	int err;

	assign_rings(s, &leaders);
	err = map_rings(s, &leaders, asked);
	release_leaders(&leaders);
	return err ? err : redirect_outputs(s);
}
