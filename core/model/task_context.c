/*
 * Finds the thread and the address space of a sample. Each worker thread caches its last result for a tid, with the range of time
 * in which the result is valid. So consecutive samples of one thread only check the cache.
 */
#include <stdio.h>

#include "core/model/machine.h"
#include "core/model/machine_state.h"

#define CACHE_BITS 9

struct last_context {
	struct task_context context;
	uint32_t pid, tid;
};

struct context_cache {
	const struct machine *machine;
	struct last_context answers[1 << CACHE_BITS];	/* by hash of the tid; .context.from == .context.to: no answer */
};

struct context_cache *context_cache_new(const struct machine *m)
{
	struct context_cache *c = xcalloc(1, sizeof(*c));

	c->machine = m;
	return c;
}

void context_cache_free(struct context_cache *c)
{
	free(c);
}

/* ---- what only samples know ---- */

static struct thread *late_find(const struct late *l, uint64_t hash, uint32_t pid, uint32_t tid)
{
	index_for(pos, &l->by_id, hash)
		if (l->threads.v[pos]->pid == pid && l->threads.v[pos]->tid == tid)
			return l->threads.v[pos];
	return NULL;
}

static const struct thread *late_thread(struct machine *m, uint32_t pid, uint32_t tid)
{
	struct late *l = &m->late;
	uint64_t h = hash_pair(pid, tid);
	struct thread *thread;

	pthread_mutex_lock(&l->lock);
	thread = late_find(l, h, pid, tid);
	if (!thread) {
		thread = xmalloc(sizeof(*thread));
		*thread = (struct thread){
			.pid = pid, .tid = tid, .number = (uint32_t)(m->threads.lives.nr + l->threads.nr),
			.to = UINT64_MAX,
		};
		index_add(&l->by_id, h, (uint32_t)l->threads.nr);
		vec_push(&l->threads, thread);
	}
	pthread_mutex_unlock(&l->lock);
	return thread;
}

static uint32_t late_comm(struct machine *m, uint32_t tid, const char **name)
{
	struct late *l = &m->late;
	char text[16];
	uint32_t number;

	snprintf(text, sizeof(text), ":%d", (int)tid);
	pthread_mutex_lock(&l->lock);
	*name = intern(l->strings, text);
	number = (uint32_t)m->comms.list.nr + comms_number(&l->comms, *name);
	pthread_mutex_unlock(&l->lock);
	return number;
}

/* ---- the question ---- */

/* The space of @image at @time; the image has spaces, in order of time, and no base. */
static uint32_t space_at(const struct spaces *s, uint32_t image, uint64_t time, uint64_t *from, uint64_t *to)
{
	uint32_t first = s->images.v[image].first_space, end = first + s->images.v[image].nr_spaces;
	uint32_t next = bisect(i, first + 1, end, s->from.v[i] <= time);

	*from = MAX(*from, s->from.v[next - 1]);
	if (next < end)
		*to = MIN(*to, s->from.v[next]);
	return next - 1;
}

static void look_up(struct machine *m, uint32_t pid, uint32_t tid, uint64_t time, struct task_context *out)
{
	uint32_t guest = guest_image(m, pid);
	struct moment now;

	threads_at(&m->threads, pid, tid, time, &now);
	out->user_space = now.space;
	out->kernel_space = space_at(&m->spaces, KERNEL_IMAGE, time, &now.from, &now.to);
	out->guest_kernel_space = out->guest_user_space = m->opts.guest.code ? now.space : SPACE_NONE;
	if (guest != IMAGE_NONE && !m->opts.guest.code)
		out->guest_kernel_space = space_at(&m->spaces, guest, time, &now.from, &now.to);
	out->cgroup_ns = now.cgroup_ns;
	out->from = now.from;
	out->to = now.to;
	out->thread = now.life == LIFE_NONE ? late_thread(m, pid, tid) : &m->threads.lives.v[now.life].thread;
	out->comm_number = now.comm;
	if (now.comm == COMM_NONE)
		out->comm_number = late_comm(m, tid, &out->comm);
	else
		out->comm = m->comms.list.v[now.comm];
}

const struct task_context *machine_context(struct context_cache *c, uint32_t pid, uint32_t tid, uint64_t time)
{
	struct last_context *a = &c->answers[hash_u64(tid) >> (64 - CACHE_BITS)];

	if (a->tid == tid && a->pid == pid && a->context.from <= time && time < a->context.to)
		return &a->context;
	/* Threads known only from samples are added under a lock; all else is read-only. */
	look_up((struct machine *)(uintptr_t)c->machine, pid, tid, time, &a->context);
	a->pid = pid;
	a->tid = tid;
	return &a->context;
}

/* ---- by number ---- */

uint32_t machine_nr_threads(const struct machine *m)
{
	struct late *l = (struct late *)(uintptr_t)&m->late;
	size_t nr;

	pthread_mutex_lock(&l->lock);
	nr = m->threads.lives.nr + l->threads.nr;
	pthread_mutex_unlock(&l->lock);
	return (uint32_t)nr;
}

const struct thread *machine_thread(const struct machine *m, uint32_t number)
{
	struct late *l = (struct late *)(uintptr_t)&m->late;
	const struct thread *thread;

	if (number < m->threads.lives.nr)
		return &m->threads.lives.v[number].thread;
	pthread_mutex_lock(&l->lock);
	thread = l->threads.v[number - m->threads.lives.nr];
	pthread_mutex_unlock(&l->lock);
	return thread;
}

uint64_t machine_next_name(const struct machine *m, const struct thread *thread, uint64_t time)
{
	return thread->number < m->threads.lives.nr ? threads_next_naming(&m->threads, thread->number, time) : UINT64_MAX;
}

uint32_t machine_nr_comms(const struct machine *m)
{
	struct late *l = (struct late *)(uintptr_t)&m->late;
	size_t nr;

	pthread_mutex_lock(&l->lock);
	nr = m->comms.list.nr + l->comms.list.nr;
	pthread_mutex_unlock(&l->lock);
	return (uint32_t)nr;
}

const char *machine_comm(const struct machine *m, uint32_t comm_number)
{
	struct late *l = (struct late *)(uintptr_t)&m->late;
	const char *name;

	if (comm_number < m->comms.list.nr)
		return m->comms.list.v[comm_number];
	pthread_mutex_lock(&l->lock);
	name = l->comms.list.v[comm_number - m->comms.list.nr];
	pthread_mutex_unlock(&l->lock);
	return name;
}
