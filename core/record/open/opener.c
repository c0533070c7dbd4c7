/*
 * Opens the file descriptors of an event for each (pid, cpu) pair. If the kernel refuses the event, tries again with a changed
 * perf_event_attr (event_open.h). event_set.c calls it for each event.
 */
#include "core/record/open/event_set_impl.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/record/events/permissions.h"

static int try_at(const struct event_attr *attr, struct target_place p, int leader)
{
	return p.cgroup ? event_open_cgroup(attr, p.pid, p.cpu, leader) : event_open(attr, p.pid, p.cpu, leader);
}

/* The name of a probe's program or function is passed by a pointer in config1 (Linux 4.17), which is not kept in @attr. */
static int open_at(const struct opener *o, const struct event_attr *attr, struct target_place p, int leader)
{
	struct event_attr a = *attr;
	int fd;

	if (o->request && o->request->path)
		a.config1 = (uintptr_t)o->request->path;
	fd = try_at(&a, p, leader);
	/* There may be many: one for each CPU and thread. */
	if (fd == -EMFILE && raise_file_limit())
		fd = try_at(&a, p, leader);
	return fd;
}

/* True if @err means that the thread has ended since it was listed, or that the CPU has gone offline. */
static bool place_is_gone(struct target_place p, int err)
{
	struct cpus online;
	bool gone;

	if (err == ESRCH)
		return p.pid > 0;
	if (err != ENODEV || p.cpu < 0 || cpus_online(&online))
		return false;
	gone = !cpus_has(&online, p.cpu);
	cpus_release(&online);
	return gone;
}

/* True if @err means that this machine has no such hardware event. If several events are requested, the others are recorded. */
static bool machine_lacks(const struct event_attr *attr, int err)
{
	return (attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE || attr->type == PERF_TYPE_RAW) &&
	       (err == ENOENT || err == EOPNOTSUPP || err == ENODEV || err == ENXIO);
}

/* Reports a refused event. Returns -1, or LEFT_OUT if a wildcard matched it, or this machine lacks one of several. */
static int refused(const struct opener *o, const char *name, const struct event_attr *attr, struct target_place p, int err)
{
	bool left_out = o->optional && machine_lacks(attr, err);
	struct permission_facts facts;
	struct buf why = {0};

	if (o->from_wildcard && (err == EPERM || err == EINVAL || err == EOPNOTSUPP)) {
		/* For example irq_vectors:irq_work_exit: taking a sample of it would hit it again. */
		warning("event '%s' is left out: the kernel does not let it be recorded (%s)", name, strerror(err));
		return LEFT_OUT;
	}
	permission_facts_read(&facts);
	facts.foreign = !p.cgroup && p.pid > 0 && owner_of_process((uint32_t)p.pid) != geteuid();
	if (err == EINVAL && o->request && o->request->path)
		buf_puts(&why, "no probe can be there: no instruction begins there, or it is code that must not be probed");
	else
		permission_explain(&why, &facts, attr, p.cgroup ? -1 : p.pid, p.cpu, err);
	if (left_out)
		warning("event '%s' is left out: %s", name, buf_str(&why));
	else
		error("cannot open event '%s': %s", name, buf_str(&why));
	buf_release(&why);
	return left_out ? LEFT_OUT : -1;
}

/*
 * Opens the event at the first place, and changes @attr until the kernel accepts it. Appends the dropped features to @said. Returns
 * the file descriptor, or -errno with the attr that was refused last in @attr.
 */
static int open_first(struct opener *o, struct event_attr *attr, struct target_place p, int leader, const char *name,
		      struct buf *said)
{
	struct fallback f = o->fallback;
	int fd;

	event_drop_features(attr, f.nr_dropped);
	fd = open_at(o, attr, p, leader);
	while (fd < 0) {
		struct event_attr lesser = *attr;
		const char *given_up = place_is_gone(p, -fd) ? NULL : event_fallback(&lesser, -fd, &f);

		if (!given_up)
			return fd;
		if (*given_up)
			buf_printf(said, "%s%s", said->len ? "; " : "", given_up);
		debug(1, "event '%s' was refused (%s): trying a lesser form", name, strerror(-fd));
		*attr = lesser;
		fd = open_at(o, attr, p, leader);
	}
	o->fallback.nr_dropped = f.nr_dropped;
	return fd;
}

/* Adds the id of the opened event @fd, whose samples have @stack_size bytes of stack, to @ev. Returns the id. */
static uint64_t add_id(struct event_set *s, struct event *ev, struct target_place p, int fd, uint32_t stack_size)
{
	struct event_id *info;
	uint64_t id;

	/* Since Linux 3.12 this works with any descriptor from perf_event_open(2). */
	if (ioctl(fd, PERF_EVENT_IOC_ID, &id))
		die("event '%s' has no id: %s", ev->name, strerror(errno));
	event_table_add_id(&s->table, ev, id);
	info = event_id_info(&s->table, id);
	info->cpu = p.cpu;
	info->tid = p.cgroup ? -1 : p.pid;
	info->stack_size = stack_size;
	return id;
}

/*
 * Opens the variants with larger stack copies, to which the recorder may switch. An open event's size is fixed, and existing
 * threads do not inherit an event that is opened later, so all sizes are opened at once. Sizes that cannot be opened are left out.
 * A breakpoint has one size, because each variant would take a debug register, of which x86 has four.
 */
static void open_with_larger_stack(const struct opener *o, const struct event *ev, struct opened *e)
{
	struct event_attr a = ev->attr;
	int fd;

	if (!o->request || !(a.sample_type & PERF_SAMPLE_STACK_USER) || a.type == PERF_TYPE_BREAKPOINT)
		return;
	a.disabled = 1;
	a.enable_on_exec = 0;
	while (a.sample_stack_user < o->opts->stack_most) {
		a.sample_stack_user = MIN(2 * a.sample_stack_user, o->opts->stack_most);
		fd = open_at(o, &a, e->place, -1);
		if (fd < 0)
			return;
		vec_push(&e->stack_variants, ((struct opened_stack_variant){ fd, a.sample_stack_user }));
	}
}

/* Returns the size of copies of stacks for @shed. 0: there is no variant for it. */
static uint32_t lesser_size(const struct opener *o, const struct event_attr *a, enum stack_shed shed)
{
	if (shed == SHED_TO_SMALLER)
		return o->opts->sheds_parts ? lesser_stack(a->sample_stack_user) : 0;
	return shed == SHED_ALL ? SHED_STACK : 0;
}

/*
 * Opens the variants with smaller and with no stack copies. Members of a group have none, because they sample with their leader.
 * Breakpoints have none either.
 */
static void open_lesser(const struct opener *o, const struct event *ev, struct opened *e)
{
	struct event_attr a = ev->attr;
	int fd;

	for (enum stack_shed i = 0; i < NR_SHED; i++) {
		uint32_t size = lesser_size(o, &ev->attr, i);

		e->shed_fds[i] = -1;
		if (!o->opts->sheds || !o->request || o->request->group || !(a.sample_type & PERF_SAMPLE_STACK_USER) ||
		    a.type == PERF_TYPE_BREAKPOINT || !size || ev->attr.sample_stack_user <= size)
			continue;
		a.disabled = 1;
		a.enable_on_exec = 0;
		a.exclude_callchain_user = 0;
		a.sample_stack_user = size;
		fd = open_at(o, &a, e->place, -1);
		e->shed_fds[i] = fd >= 0 ? fd : -1;
	}
}

static void add_opened(const struct opener *o, struct event *ev, struct target_place p, int fd)
{
	struct event_set *s = o->set;
	struct opened e = {
		.fd = fd, .place = p, .event = ev->number, .request = o->request,
		.on = ev->attr.enable_on_exec || !ev->attr.disabled,
	};

	e.id = add_id(s, ev, p, fd, ev->attr.sample_stack_user);
	open_with_larger_stack(o, ev, &e);
	open_lesser(o, ev, &e);
	vec_for(variant, &e.stack_variants)
		add_id(s, ev, p, variant->fd, variant->bytes);
	for (size_t i = 0; i < NR_SHED; i++)
		if (e.shed_fds[i] >= 0)
			add_id(s, ev, p, e.shed_fds[i], lesser_size(o, &ev->attr, i));
	vec_push(&s->opened, e);
}

/* Returns the event's name, changed if another event is used in its place or if the kernel is excluded. Owned by the caller. */
static char *name_of(const struct event_attr *a, const struct event_attr *asked, const char *name)
{
	bool less = a->exclude_kernel && !asked->exclude_kernel;

	if (a->type != asked->type)
		return xstrdup(a->exclude_kernel ? "cpu-clock:u" : "cpu-clock");
	return xasprintf("%s%s", name, !less ? "" : strchr(name, ':') ? "u" : ":u");
}

struct event *event_set_add(struct event_set *s, const struct event_attr *attr, const struct event_attr *asked,
			       const char *name)
{
	struct event *ev = event_table_add(&s->table, attr);

	ev->name = name_of(attr, asked, name);
	return ev;
}

/* False if the event, or its PMU, is only for other CPUs. */
static bool place_is_wanted(const struct opener *o, struct target_place p)
{
	const struct event_request *r = o->request;

	return !r || !(r->terms.given & TERM_CPUS) || p.cpu < 0 || cpus_has(&r->terms.cpus, p.cpu);
}

/* Returns the place at which the event is opened: @p, or the event's cgroup on the CPU of @p. */
static struct target_place place_for(const struct opener *o, struct target_place p)
{
	if (!o->request || !o->request->cgroup)
		return p;
	return (struct target_place){ .pid = o->request->cgroup_fd, .cpu = p.cpu, .cgroup = true };
}

/*
 * Opens the event at all places. A member of a group is opened with the leader at the same place. If there is no leader, the place
 * is left out. Returns 0, LEFT_OUT, GROUP_REFUSED, or -1 (printed).
 */
static int open_places(struct opener *o, struct event_attr attr, const char *name, const struct target_place *places,
		       size_t nr, bool member, struct buf *said)
{
	const struct event_attr asked = attr;
	struct event *ev = NULL;
	int gone = ESRCH;

	for (size_t i = 0; i < nr; i++) {
		struct target_place p = place_for(o, places[i]);
		int leader = member ? o->leaders.v[i] : -1, fd;

		if (!place_is_wanted(o, p) || (member && leader < 0))
			continue;
		fd = ev ? open_at(o, &attr, p, leader) : open_first(o, &attr, p, leader, name, said);
		if (fd < 0 && place_is_gone(p, -fd)) {
			debug(1, "thread %d or CPU %d has gone: left out", (int)p.pid, p.cpu);
			gone = -fd;
			continue;
		}
		if (fd < 0 && member && !ev && o->request->weak)
			return GROUP_REFUSED;
		/* An event that is already open at another place is not left out any more. */
		o->optional &= !ev;
		if (fd < 0)
			return refused(o, name, &attr, p, -fd);
		if (!member && o->request)
			o->leaders.v[i] = fd;
		if (!ev)
			ev = event_set_add(o->set, &attr, &asked, name);
		add_opened(o, ev, p, fd);
	}
	return ev ? 0 : refused(o, name, &attr, places[nr - 1], gone);
}

int opener_open_event(struct opener *o, const struct event_attr *attr, const char *name,
		      const struct target_place *places, size_t nr, bool member)
{
	struct buf said = {0};
	int err = open_places(o, *attr, name, places, nr, member, &said);

	if (!err && said.len)
		info("event '%s': %s", name, buf_str(&said));
	buf_release(&said);
	return err;
}
