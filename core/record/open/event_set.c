/*
 * Opens the events of a recording group by group, enables and disables them, and changes the size of their stack copies. opener.c
 * opens the file descriptors, and set_rings.c maps the ring buffers.
 */
#include "core/record/open/event_set.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/base/log.h"
#include "core/perfdata/wait_sums.h"
#include "core/record/open/backlog.h"
#include "core/record/open/event_set_impl.h"

/* Makes the event that was added last the leader or a member of a group. Members follow their leader in the table. */
static void join_group(struct event_table *t, uint32_t leader, const char *name)
{
	struct event *first = t->events.v[leader], *ev = t->events.v[t->events.nr - 1];

	ev->leader = leader;
	if (ev == first) {
		first->group_name = name ? xstrdup(name) : NULL;
		return;
	}
	first->nr_members++;
}

/* These events count as soon as they are opened: only the command's own events begin with its exec. */
static int open_on_all_cpus(struct opener *o, struct event_attr *attr, const char *name, const struct places *places)
{
	if (attr->enable_on_exec)
		attr->disabled = attr->enable_on_exec = 0;
	attr->inherit = 0;
	return opener_open_event(o, attr, name, places->on_all_cpus.v, places->on_all_cpus.nr, false);
}

static int open_request(struct opener *o, const struct event_request *r, const struct event_request *leader,
			const struct places *places, const struct sampling_opts *opts)
{
	struct event_attr attr = sampling_attr(r, leader, opts);
	int err;

	o->request = r;
	o->fallback.precise_max = r->precise_max;
	o->fallback.may_be_user = !r->excludes && !opts->all_kernel;
	o->from_wildcard = r->from_wildcard && o->set->table.events.nr;
	o->optional = o->nr_requests > 1;
	if (r->on_all_cpus)
		err = open_on_all_cpus(o, &attr, r->name, places);
	else
		err = opener_open_event(o, &attr, r->name, places->sampling.v, places->sampling.nr, r != leader);
	err = err ? err : event_set_filter(o->set, r);
	return err ? err : event_set_attach(o->set, r);
}

/* True if there is a probe in the group that begins with @r. */
static bool has_probe(const struct event_requests *events, const struct event_request *r)
{
	const struct event_request *first = r;

	do {
		if (r->path)
			return true;
	} while (++r < events->list.v + events->list.nr && r->group && r->group == first->group);
	return false;
}

/*
 * When a process forks, the kernel opens inherited events again for the child. For a probe, it then reads the name of the program
 * or function at the pointer in attr, but in the memory of the process that forks, which fails with EFAULT (perf_uprobe_init() in
 * kernel/events/core.c, Linux 4.17 to 6.18). So a probe is not inherited, and neither are the events of its group.
 */
static struct sampling_opts not_inherited(const struct sampling_opts *opts, const char *name)
{
	struct sampling_opts o = *opts;

	if (o.inherit)
		info("event '%s': threads and processes that are made while it is recorded are not seen (-a sees all)", name);
	o.inherit = false;
	return o;
}

/*
 * Opens the requests from @first on that are one group, or a single request without a group. If a weak group cannot have a
 * member, this member leads a new group with the requests after it. Returns the number of opened requests, or -1.
 */
static int open_group(struct opener *o, const struct event_requests *events, size_t first,
		      const struct places *places, const struct sampling_opts *opts)
{
	const struct event_request *leader = &events->list.v[first], *r = leader;
	uint32_t number = (uint32_t)o->set->table.events.nr;
	struct sampling_opts here = has_probe(events, leader) && !leader->on_all_cpus ?
		not_inherited(opts, leader->name) : *opts;

	o->leaders.nr = 0;
	for (size_t i = 0; i < MAX(places->sampling.nr, places->on_all_cpus.nr); i++)
		vec_push(&o->leaders, -1);
	do {
		int err = open_request(o, r, leader, places, &here);

		if (err == GROUP_REFUSED) {
			info("event '%s' cannot be in the group of '%s': it counts apart", r->name, leader->name);
			break;
		}
		if (err < 0)
			return -1;
		if (err == LEFT_OUT && r == leader)
			return 1;
		if (err == LEFT_OUT)
			continue;
		join_group(&o->set->table, number, leader->group_name);
	} while (++r < events->list.v + events->list.nr && r->group && r->group == leader->group);
	return (int)(r - leader);
}

/* Adds the event for the sums of short waits. It is only in the file: the kernel does not know it. */
static void add_wait_sums(struct event_set *s, const struct sampling_opts *opts)
{
	const struct event_attr attr = wait_sums_attr(opts);
	struct event *ev = event_set_add(s, &attr, &attr, OFF_CPU_NAME);

	event_table_add_id(&s->table, ev, WAIT_SUMS_ID);
}

static int open_all(struct opener *o, const struct event_requests *events, const struct places *places,
		    const struct sampling_opts *opts)
{
	struct event_attr attr;

	for (size_t i = 0; i < events->list.nr;) {
		int nr = open_group(o, events, i, places, opts);

		if (nr < 0)
			return -1;
		i += (size_t)nr;
	}
	if (events->list.nr && !o->set->table.events.nr)
		return error("cannot open any of the events");
	if (!places->side_band.nr)
		return 0;
	if (opts->wait_sums)
		add_wait_sums(o->set, opts);
	o->request = NULL;
	o->from_wildcard = o->optional = false;
	o->fallback.precise_max = o->fallback.may_be_user = false;
	if (opts->switches && opts->side_band_apart) {
		attr = switches_attr(opts, places->on_exec);
		if (opener_open_event(o, &attr, "dummy:u", places->side_band.v, places->side_band.nr, false))
			return -1;
	}
	attr = side_band_attr(opts, places->on_exec);
	return opener_open_event(o, &attr, "dummy:u", places->side_band.v, places->side_band.nr, false);
}

int event_set_open(struct event_set *out, const struct event_requests *events, const struct places *places,
		   const struct sampling_opts *o, uint64_t ring_bytes)
{
	struct opener opener = { .set = out, .opts = o, .nr_requests = events->list.nr };
	int err;

	*out = (struct event_set){ .side_band_apart = o->side_band_apart, .lock = PTHREAD_MUTEX_INITIALIZER };
	err = user_objects_load(&out->objects, events);
	if (!err)
		err = open_all(&opener, events, places, o);
	if (!err) {
		event_table_finish(&out->table);
		vec_for(ev, &out->table.events)
			vec_push(&out->recorded, (*ev)->layout);
		err = event_set_map_rings(out, ring_bytes);
	}
	if (!err)
		err = event_set_connect_programs(out);
	vec_free(&opener.leaders);
	if (err)
		event_set_close_async(out);
	return err;
}

void event_set_close(struct event_set *s)
{
	vec_for(f, &s->filters)
		filter_program_close(&f->program);
	vec_free(&s->filters);
	vec_for(p, &s->programs) {
		vec_for(fd, &p->more_fds)
			close(*fd);
		vec_free(&p->more_fds);
	}
	vec_free(&s->programs);
	user_objects_close(&s->objects);
	event_set_unmap_rings(s);
	vec_free(&s->rings);
	vec_for(e, &s->opened) {
		close(e->fd);
		vec_for(variant, &e->stack_variants)
			close(variant->fd);
		for (size_t i = 0; i < NR_SHED; i++)
			if (e->shed_fds[i] >= 0)
				close(e->shed_fds[i]);
		vec_free(&e->stack_variants);
	}
	vec_free(&s->opened);
	vec_free(&s->recorded);
	event_table_release(&s->table);
}

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Closes all other descriptors. Otherwise a reader of prec's output would wait for the child to end. */
static void close_others(const int *sorted, size_t nr)
{
	unsigned from = 0;

	for (size_t i = 0; i < nr; i++) {
		if ((unsigned)sorted[i] > from)
			close_range(from, (unsigned)sorted[i] - 1, 0);
		from = (unsigned)sorted[i] + 1;
	}
	close_range(from, ~0u, 0);
}

/* Runs in the child. @gate never gets data: read() returns when the parent closes the other end, or ends. */
static void hold(int *fds, size_t nr, int gate)
{
	char c;

	fds[nr] = gate;
	qsort(fds, nr + 1, sizeof(*fds), by_number);
	close_others(fds, nr + 1);
	while (read(gate, &c, 1) < 0 && errno == EINTR)
		;
	_exit(0);
}

/*
 * Makes a child process that inherits the descriptors, and returns another descriptor for which the child waits. The caller closes
 * its own @nr descriptors, which is quick, and then the returned one, so that the child's close is the last. Returns -1 if no child
 * can be made.
 *
 * The last close of a tracepoint waits until all CPUs have seen that the tracepoint is gone (perf_trace_event_unreg() in
 * kernel/trace/trace_event_perf.c). This takes some 10 ms for each tracepoint, one after the other under a lock, so closing the
 * events of "-e sys:*" takes seconds.
 */
static int close_later(const int *fds, size_t nr)
{
	int *to_close = xmalloc((nr + 1) * sizeof(*to_close)), gate[2] = { -1, -1 };
	pid_t pid = -1;

	memcpy(to_close, fds, nr * sizeof(*to_close));
	if (!pipe2(gate, O_CLOEXEC))
		pid = fork();
	if (!pid)
		hold(to_close, nr, gate[0]);
	free(to_close);
	if (gate[0] >= 0)
		close(gate[0]);
	if (pid > 0)
		return gate[1];
	if (gate[1] >= 0)
		close(gate[1]);
	return -1;
}

void event_set_close_async(struct event_set *s)
{
	VEC(int) slow = {0};
	int gate = -1;

	vec_for(e, &s->opened)
		if (event_is_tracepoint(&s->table.events.v[e->event]->attr))
			vec_push(&slow, e->fd);
	if (slow.nr)
		gate = close_later(slow.v, slow.nr);
	vec_free(&slow);
	event_set_close(s);
	if (gate >= 0)
		close(gate);
}

struct event *event_set_side_band(const struct event_set *s)
{
	return s->table.events.v[s->table.events.nr - 1];
}

/* Returns the descriptor of the variant of the event that is in use, or that of the event itself. */
static int fd_in_use(const struct opened *e)
{
	enum stack_shed shed = e->is_shallow ? MAX(e->shed, SHED_TO_SMALLER) : e->shed;

	if (e->shed_fds[shed] >= 0)
		return e->shed_fds[shed];
	return e->used ? e->stack_variants.v[e->used - 1].fd : e->fd;
}

int event_set_switch(struct event_set *s, const char *name, bool on)
{
	int err = name ? -ENOENT : 0;

	pthread_mutex_lock(&s->lock);
	vec_for(e, &s->opened) {
		if (event_set_is_side_band(s, e->event) || (name && !str_eq(s->table.events.v[e->event]->name, name)))
			continue;
		err = 0;
		if (ioctl(fd_in_use(e), on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0))
			warning("event '%s' cannot be switched %s: %s", s->table.events.v[e->event]->name, on ? "on" : "off",
				strerror(errno));
		else
			e->on = on;
	}
	pthread_mutex_unlock(&s->lock);
	return err;
}

void event_set_disable(struct event_set *s)
{
	pthread_mutex_lock(&s->lock);
	vec_for(e, &s->opened) {
		ioctl(e->fd, PERF_EVENT_IOC_DISABLE, 0);
		ioctl(fd_in_use(e), PERF_EVENT_IOC_DISABLE, 0);
		e->on = false;
	}
	pthread_mutex_unlock(&s->lock);
}

/* Switches from variant @old to the one that is to be used now. @old is disabled first, so that no hit counts twice. */
static void switch_variant(struct opened *e, int old)
{
	if (!e->on || fd_in_use(e) == old)
		return;
	ioctl(old, PERF_EVENT_IOC_DISABLE, 0);
	ioctl(fd_in_use(e), PERF_EVENT_IOC_ENABLE, 0);
}

uint32_t event_set_grow_stacks(struct event_set *s, const uint32_t *ring)
{
	uint32_t most = 0;
	int old;

	pthread_mutex_lock(&s->lock);
	vec_for(e, &s->opened) {
		if (e->used == e->stack_variants.nr || (ring && e->ring != *ring))
			continue;
		old = fd_in_use(e);
		e->used++;
		switch_variant(e, old);
		most = MAX(most, e->stack_variants.v[e->used - 1].bytes);
	}
	pthread_mutex_unlock(&s->lock);
	return most;
}

void event_set_fit_stacks(struct event_set *s, bool is_shallow)
{
	if (s->is_shallow == is_shallow)
		return;
	s->is_shallow = is_shallow;
	debug(1, "copies of stacks are %s", is_shallow ? "smaller now: chains need no more" : "larger again: a chain needs more");
	pthread_mutex_lock(&s->lock);
	vec_for(e, &s->opened) {
		int old = fd_in_use(e);

		e->is_shallow = is_shallow;
		switch_variant(e, old);
	}
	pthread_mutex_unlock(&s->lock);
}

bool event_set_shed_stacks(struct event_set *s, uint32_t ring, enum stack_shed shed)
{
	if (pthread_mutex_trylock(&s->lock))
		return false;
	/* Set before the switch: readers look for shed samples only if it is set. */
	if (s->rings.v[ring].backlog)
		atomic_store(&s->rings.v[ring].backlog->shed, true);
	vec_for(e, &s->opened) {
		int old = fd_in_use(e);

		if (e->ring != ring)
			continue;
		e->shed = shed;
		switch_variant(e, old);
	}
	pthread_mutex_unlock(&s->lock);
	return true;
}
