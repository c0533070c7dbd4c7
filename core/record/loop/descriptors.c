/*
 * Looks up the names of file descriptors that recorded threads passed to system calls (--off-cpu-args).
 * core/record/host/descriptor_name.c reads a name from /proc.
 */
#include "core/record/loop/descriptors.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/arch.h"
#include "core/base/buf.h"
#include "core/base/hash.h"
#include "core/base/util.h"
#include "core/base/vec.h"
#include "core/perfdata/event_table.h"
#include "core/perfdata/feature.h"
#include "core/perfdata/record.h"
#include "core/tracepoint/tracing_data.h"
#include "core/record/host/descriptor_name.h"
#include "core/native.h"
#include "core/record/open/event_set.h"
#include "core/record/open/ring.h"

#define NAMES_MAX	(16u << 10)	/* names beyond this number, or beyond NAMES_BYTES in all, are only counted */
#define NAMES_BYTES	(4u << 20)
#define DESCRIPTORS_MAX	(64u << 10)
#define LOOKS_MAX	512u		/* descriptors that one call of descriptors_poll() looks up at most; each takes some 2 us */
#define NO_NAME		SIZE_MAX

struct descriptor {
	uint32_t pid, fd;
	uint64_t called;		/* the last call that is known, ns of the recording's clock */
	size_t name;			/* index of its last name in .names; NO_NAME: none */
	uint64_t link;			/* hash of the link that descriptor_link() found at that time */
	bool stays;			/* the name stays valid as long as the link does not change */
	bool due;			/* it must be looked up, and its index is in .due of struct descriptors */
};

struct descriptors {
	const struct event_set *set;	/* borrowed */
	struct tracing_data tracing;
	const struct event *event;
	const struct trace_field *call, *args;
	uint64_t *polled_to;		/* by ring: data below were seen; owned */
	struct buf records, link, name;
	pthread_mutex_t lock;		/* protects the members below */
	VEC(struct descriptor) list;
	struct index by_number;
	VEC(uint32_t) due;		/* indices in .list of the descriptors that must be looked up */
	VEC(struct feature_descriptor) names;	/* .name owned */
	uint64_t nr_bytes, left_out;
};

/* ---- the event ---- */

static bool find_event(struct descriptors *d)
{
	vec_for(ev, &d->set->table.events) {
		const struct event_attr *a = &(*ev)->attr;
		const struct trace_event *t = a->type == PERF_TYPE_TRACEPOINT ? tracing_data_event(&d->tracing, a->config) : NULL;

		if (!t || !str_eq(t->system, "raw_syscalls") || !str_eq(t->name, "sys_enter"))
			continue;
		d->event = *ev;
		d->call = trace_event_field(t, "id");
		d->args = trace_event_field(t, "args");
	}
	return d->event && d->call && d->args && d->args->is_array && d->args->element_size == sizeof(uint64_t) &&
	       d->event->layout.tid_at >= 0 && d->event->layout.time_at >= 0;
}

struct descriptors *descriptors_new(const struct event_set *set, const struct buf *tracing)
{
	struct descriptors *d = xcalloc(1, sizeof(*d));

	d->set = set;
	d->polled_to = xcalloc(MAX(set->rings.nr, 1), sizeof(*d->polled_to));
	pthread_mutex_init(&d->lock, NULL);
	if (tracing->len)
		tracing_data_read(&d->tracing, tracing->data, tracing->len);
	if (find_event(d))
		return d;
	descriptors_free(d);
	return NULL;
}

void descriptors_free(struct descriptors *d)
{
	if (!d)
		return;
	tracing_data_release(&d->tracing);
	free(d->polled_to);
	buf_release(&d->records);
	buf_release(&d->link);
	buf_release(&d->name);
	pthread_mutex_destroy(&d->lock);
	vec_free(&d->list);
	index_release(&d->by_number);
	vec_free(&d->due);
	vec_for(name, &d->names)
		free(name->name);
	vec_free(&d->names);
	free(d);
}

/* ---- calls ---- */

static struct descriptor *find(struct descriptors *d, uint32_t pid, uint32_t fd)
{
	uint64_t hash = hash_pair(fd, pid);

	index_for(pos, &d->by_number, hash)
		if (d->list.v[pos].pid == pid && d->list.v[pos].fd == fd)
			return &d->list.v[pos];
	if (d->list.nr == DESCRIPTORS_MAX) {
		d->left_out++;
		return NULL;
	}
	index_add(&d->by_number, hash, (uint32_t)d->list.nr);
	vec_push(&d->list, (struct descriptor){ .pid = pid, .fd = fd, .name = NO_NAME });
	return &d->list.v[d->list.nr - 1];
}

static void see_call(struct descriptors *d, uint32_t pid, uint32_t fd, uint64_t time)
{
	struct descriptor *found = find(d, pid, fd);

	if (!found)
		return;
	found->called = MAX(found->called, time);
	if (found->due)
		return;
	found->due = true;
	vec_push(&d->due, (uint32_t)(found - d->list.v));
}

static void see_sample(struct descriptors *d, const uint8_t *body, size_t size)
{
	const struct sample_layout *l = &d->event->layout;
	struct trace_data data = { .long_size = sizeof(long) };
	const struct arch_call *call;
	const uint8_t *args;
	uint64_t time, fd;
	uint32_t pid, n;

	if (size < l->fixed_size || !sample_find_raw(l, body, size, &data.bytes, &data.size) || !data.size)
		return;
	call = arch_call_find(native.arch, trace_field_number(&data, d->call));
	args = trace_field_bytes(&data, d->args, &n);
	if (!call || call->kind != CALL_DESCRIPTOR || !args || n < (call->argument + 1u) * sizeof(fd))
		return;
	memcpy(&pid, body + l->tid_at, sizeof(pid));
	memcpy(&time, body + l->time_at, sizeof(time));
	memcpy(&fd, args + call->argument * sizeof(fd), sizeof(fd));
	if ((int32_t)fd >= 0)
		see_call(d, pid, (uint32_t)fd, time);
}

static bool is_call(const struct descriptors *d, const struct ring_span *s, uint64_t at, struct record_header h)
{
	uint64_t id;

	if (h.type != PERF_RECORD_SAMPLE || h.size < sizeof(h) + sizeof(id))
		return false;
	ring_copy(s, at + sizeof(h), &id, sizeof(id));
	return event_by_id(&d->set->table, id) == d->event;
}

/* With the lock held. */
static void see(struct descriptors *d, const struct ring_span *s)
{
	uint8_t body[UINT16_MAX];
	struct record_header h;

	for (uint64_t at = s->from; ring_record(s, at, &h); at += h.size) {
		if (!is_call(d, s, at, h))
			continue;
		ring_copy(s, at + sizeof(h), body, h.size - sizeof(h));
		see_sample(d, body, h.size - sizeof(h));
	}
}

void descriptors_add(struct descriptors *d, const struct ring_span *s)
{
	if (s->from == s->to)
		return;
	pthread_mutex_lock(&d->lock);
	see(d, s);
	pthread_mutex_unlock(&d->lock);
}

/* ---- looks ---- */

static void add_name(struct descriptors *d, struct descriptor *of, const char *name)
{
	size_t n = strlen(name);

	if (d->names.nr == NAMES_MAX || d->nr_bytes + n > NAMES_BYTES) {
		d->left_out++;
		of->name = NO_NAME;
		return;
	}
	d->nr_bytes += n;
	of->name = d->names.nr;
	vec_push(&d->names, (struct feature_descriptor){ .pid = of->pid, .fd = of->fd, .to = of->called, .name = xstrdup(name) });
}

/* Finds the name that belongs to the link. A socket is looked up once, or until it is connected. */
static void find_name(struct descriptors *d, struct descriptor *of)
{
	d->name.len = 0;
	of->stays = !str_starts(buf_str(&d->link), "socket:") || descriptor_socket(of->pid, of->fd, &d->name);
	if (!d->name.len)
		buf_put(&d->name, d->link.data, d->link.len);
}

/*
 * Looks up a descriptor. Its name applies to all earlier calls with this descriptor that have no name yet. A descriptor that is
 * closed before its lookup gets no name. If the process has ended before a lookup, the name that was found last is used, because
 * the process kept its descriptors to its end.
 */
static void read_link(struct descriptors *d, struct descriptor *of)
{
	uint64_t link;
	int err;

	d->link.len = 0;
	err = descriptor_link(of->pid, of->fd, &d->link);
	link = hash_bytes(buf_str(&d->link), d->link.len);
	/* There is no link; or there was no room for the name of this link before. */
	if (of->name == NO_NAME && (err || of->link == link))
		return;
	if (of->name != NO_NAME && (err == -ESRCH || (of->stays && of->link == link))) {
		d->names.v[of->name].to = of->called;
		return;
	}
	of->link = link;
	find_name(d, of);
	if (of->name != NO_NAME && str_eq(d->names.v[of->name].name, buf_str(&d->name)))
		d->names.v[of->name].to = of->called;
	else
		add_name(d, of, buf_str(&d->name));
}

void descriptors_poll(struct descriptors *d)
{
	size_t nr;

	pthread_mutex_lock(&d->lock);
	for (size_t i = 0; i < d->set->rings.nr; i++) {
		d->records.len = 0;
		ring_peek(&d->set->rings.v[i], &d->polled_to[i], &d->records);
		see(d, &(struct ring_span){ .data = (const uint8_t *)d->records.data, .mask = INT64_MAX, .to = d->records.len });
	}
	nr = MIN(d->due.nr, LOOKS_MAX);
	for (size_t i = 0; i < nr; i++) {
		struct descriptor *of = &d->list.v[d->due.v[i]];

		of->due = false;
		read_link(d, of);
	}
	d->due.nr -= nr;
	if (d->due.nr)
		memmove(d->due.v, d->due.v + nr, d->due.nr * sizeof(*d->due.v));
	pthread_mutex_unlock(&d->lock);
}

void descriptors_section(struct descriptors *d, struct features *f)
{
	pthread_mutex_lock(&d->lock);
	vec_for(name, &d->names) {
		struct feature_descriptor copy = *name;

		copy.name = xstrdup(name->name);
		vec_push(&f->descriptors, copy);
	}
	f->descriptors_left_out = d->left_out;
	f->has[FEATURE_DESCRIPTORS] = true;
	pthread_mutex_unlock(&d->lock);
}
