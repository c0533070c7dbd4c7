/*
 * Opening in three steps: all file descriptors, then one ring for each CPU (or thread), then the others' output
 * is led into it. Apart, because a ring that cannot be had as large makes all rings smaller.
 * Layer: open
 */
#include "core/record/open/event_set.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/record/events/tracefs.h"
#include "core/perfdata/read_format.h"
#include "core/perfdata/wait_sums.h"
#include "core/record/bpf/bpf_gate.h"
#include "core/record/open/close_async.h"
#include "core/record/open/event_open.h"
#include "core/record/events/permissions.h"

/* Results of opening an event. */
#define LEFT_OUT	1		/* it was refused, and reported */
#define GROUP_REFUSED	2		/* a weak group cannot have it as a member */

/* One opening of a set. */
struct opener {
	struct event_set *set;
	struct fallback fallback;
	const struct event_request *request;	/* NULL: the side band */
	VEC(int) leaders;			/* by place: the file descriptor of the group's leader, -1: none */
	bool from_wildcard;		/* an event that is refused is left out */
	uint32_t stack_most;		/* see sampling_opts */
	bool sheds;
	size_t nr_requests;
	bool optional;		/* one that this machine lacks is left out */
};

/* ---- file descriptors ---- */

static int try_at(const struct event_attr *attr, struct target_place p, int leader)
{
	return p.cgroup ? event_open_cgroup(attr, p.pid, p.cpu, leader) : event_open(attr, p.pid, p.cpu, leader);
}

/* A uprobe's program is given as a pointer (Linux 4.17), which is nothing to keep. */
static int open_at(const struct opener *o, const struct event_attr *attr, struct target_place p, int leader)
{
	struct event_attr a = *attr;
	int fd;

	if (o->request && o->request->path)
		a.config1 = (uintptr_t)o->request->path;
	fd = try_at(&a, p, leader);
	/* Many CPUs times many threads. */
	if (fd == -EMFILE && raise_file_limit())
		fd = try_at(&a, p, leader);
	return fd;
}

/* The thread has ended since it was listed, or the CPU has gone offline. */
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

/* Hardware differs: with several requested events the available ones are used. */
static bool machine_lacks(const struct event_attr *attr, int err)
{
	return (attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE || attr->type == PERF_TYPE_RAW) &&
	       (err == ENOENT || err == EOPNOTSUPP || err == ENODEV || err == ENXIO);
}

/* Returns -1, or LEFT_OUT if it was one of many, or one of several and this machine has none such. */
static int refused(const struct opener *o, const char *name, const struct event_attr *attr, struct target_place p, int err)
{
	bool left_out = o->optional && machine_lacks(attr, err);
	struct permission_facts facts;
	struct buf why = {0};

	if (o->from_wildcard && (err == EPERM || err == EINVAL || err == EOPNOTSUPP)) {
		/* Such as irq_vectors:irq_work_exit, which taking a sample would hit again. */
		warning("event '%s' is left out: the kernel does not let it be recorded (%s)", name, strerror(err));
		return LEFT_OUT;
	}
	permission_facts_read(&facts);
	facts.foreign = !p.cgroup && p.pid > 0 && permission_is_foreign(p.pid);
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
 * Opens at the first place, changing @attr until it works; appends the dropped features to @said. Returns the file descriptor
 * or -errno; @attr is then the last one refused.
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

/* The id of an opened event becomes one of @ev's. */
static uint64_t add_id(struct event_set *s, struct event *ev, struct target_place p, int fd)
{
	uint64_t id;

	/* Fails for nothing that perf_event_open(2) gave, since Linux 3.12. */
	if (ioctl(fd, PERF_EVENT_IOC_ID, &id))
		die("event '%s' has no id: %s", ev->name, strerror(errno));
	event_table_add_id(&s->table, ev, id);
	event_id_info(&s->table, id)->cpu = p.cpu;
	event_id_info(&s->table, id)->tid = p.cgroup ? -1 : p.pid;
	return id;
}

/*
 * An open event's copy size is fixed, and an event that is opened later is not inherited by existing threads: so all sizes
 * are opened at once. Sizes that cannot be opened are left out.
 */
static void open_larger(const struct opener *o, const struct event *ev, struct opened *e)
{
	struct event_attr a = ev->attr;
	int fd;

	if (!o->request || !(a.sample_type & PERF_SAMPLE_STACK_USER))
		return;
	a.disabled = 1;
	a.enable_on_exec = 0;
	while (a.sample_stack_user < o->stack_most) {
		a.sample_stack_user = MIN(2 * a.sample_stack_user, o->stack_most);
		fd = open_at(o, &a, e->place, -1);
		if (fd < 0)
			return;
		vec_push(&e->stack_variants, ((struct opened_stack_variant){ fd, a.sample_stack_user }));
	}
}

/* Members of a group sample with their leader: theirs is not switched. */
static void open_lesser(const struct opener *o, const struct event *ev, struct opened *e)
{
	struct event_attr a = ev->attr;
	const uint32_t sizes[NR_SHED] = { [SHED_TO_SMALLER] = lesser_stack(a.sample_stack_user), [SHED_ALL] = SHED_STACK };

	for (size_t i = 0; i < NR_SHED; i++) {
		e->shed_fds[i] = -1;
		if (!o->sheds || !o->request || o->request->group || !(a.sample_type & PERF_SAMPLE_STACK_USER) ||
		    !sizes[i] || ev->attr.sample_stack_user <= sizes[i])
			continue;
		a.disabled = 1;
		a.enable_on_exec = 0;
		a.exclude_callchain_user = 0;
		a.sample_stack_user = sizes[i];
		e->shed_fds[i] = MAX(open_at(o, &a, e->place, -1), -1);
	}
}

static void add_opened(const struct opener *o, struct event *ev, struct target_place p, int fd)
{
	struct event_set *s = o->set;
	struct opened e = {
		.fd = fd, .place = p, .event = ev->number, .request = o->request,
		.on = ev->attr.enable_on_exec || !ev->attr.disabled,
	};

	e.id = add_id(s, ev, p, fd);
	open_larger(o, ev, &e);
	open_lesser(o, ev, &e);
	vec_for(variant, &e.stack_variants)
		add_id(s, ev, p, variant->fd);
	for (size_t i = 0; i < NR_SHED; i++)
		if (e.shed_fds[i] >= 0)
			add_id(s, ev, p, e.shed_fds[i]);
	vec_push(&s->opened, e);
}

/* The name shows a replaced event or excluded levels. Owned by the caller. */
static char *name_of(const struct event_attr *a, const struct event_attr *asked, const char *name)
{
	bool less = a->exclude_kernel && !asked->exclude_kernel;

	if (a->type != asked->type)
		return xstrdup(a->exclude_kernel ? "cpu-clock:u" : "cpu-clock");
	return xasprintf("%s%s", name, !less ? "" : strchr(name, ':') ? "u" : ":u");
}

static struct event *add_event(struct event_set *s, const struct event_attr *attr, const struct event_attr *asked,
			       const char *name)
{
	struct event *ev = event_table_add(&s->table, attr);

	ev->name = name_of(attr, asked, name);
	return ev;
}

/* The event, or its PMU, is for some CPUs only. */
static bool place_is_wanted(const struct opener *o, struct target_place p)
{
	const struct event_request *r = o->request;

	return !r || !(r->terms.given & TERM_CPUS) || p.cpu < 0 || cpus_has(&r->terms.cpus, p.cpu);
}

/* An event of a cgroup is opened where those of all tasks are. */
static struct target_place place_for(const struct opener *o, struct target_place p)
{
	if (!o->request || !o->request->cgroup)
		return p;
	return (struct target_place){ .pid = o->request->cgroup_fd, .cpu = p.cpu, .cgroup = true };
}

/*
 * A member of a group follows the leader that is at its place; without one there it is left out. Returns 0,
 * LEFT_OUT, GROUP_REFUSED, or -1 (printed).
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
		/* An event that was opened elsewhere is not taken back. */
		o->optional &= !ev;
		if (fd < 0)
			return refused(o, name, &attr, p, -fd);
		if (!member && o->request)
			o->leaders.v[i] = fd;
		if (!ev)
			ev = add_event(o->set, &attr, &asked, name);
		add_opened(o, ev, p, fd);
	}
	return ev ? 0 : refused(o, name, &attr, places[nr - 1], gone);
}

/* perf_event_parse_addr_filter() in kernel/events/core.c of Linux 6.18. */
static int refuse_addr_filter(const struct event_request *r, struct target_place p, int err)
{
	bool of_file = strchr(r->filter, '@');

	return error("the kernel refuses the address filter '%s' of event '%s': %s", r->filter, r->name,
		     of_file && p.pid < 0 ? "what is in a file can only be traced of processes: not with -a or -C" :
		     strerror(err));
}

static int refuse_filter(const struct event_request *r, struct target_place p, int err)
{
	char *why;

	if (!r->tracepoint)
		return refuse_addr_filter(r, p, err);
	why = tracefs_filter_error(r->tracepoint, r->filter);

	error("the kernel refuses the filter '%s' of event '%s': %s", r->filter, r->name, *why ? why : strerror(err));
	free(why);
	return -1;
}

/* The same ioctl(2) of the event with each other size of copies. Returns 0, or -1 with errno set. */
static int for_each_other(const struct opened *e, unsigned long request, uintptr_t arg)
{
	int err = 0;

	for (size_t i = 0; i < e->stack_variants.nr && !err; i++)
		err = ioctl(e->stack_variants.v[i].fd, request, arg) < 0 ? -1 : 0;
	for (size_t i = 0; i < NR_SHED && !err; i++)
		err = e->shed_fds[i] >= 0 && ioctl(e->shed_fds[i], request, arg) < 0 ? -1 : 0;
	return err;
}

static int for_each_fd(const struct opened *e, unsigned long request, uintptr_t arg)
{
	return ioctl(e->fd, request, arg) < 0 ? -1 : for_each_other(e, request, arg);
}

/* Why a program that was loaded is not taken (perf_event_set_bpf_prog() in kernel/events/core.c). */
static int refuse_program(const struct event_request *r, int err)
{
	return error("the kernel does not let samples of event '%s' be filtered: %s", r->name,
		     err == EINVAL || err == EOPNOTSUPP ? "it is of a kind that takes no such programs" : strerror(err));
}

static int attach(const struct event_set *s, const struct event_request *r, uint32_t event, int program)
{
	int err = 0;

	for (size_t i = s->opened.nr; !err && i && s->opened.v[i - 1].event == event; i--)
		err = for_each_fd(&s->opened.v[i - 1], PERF_EVENT_IOC_SET_BPF, (uintptr_t)program);
	return err ? refuse_program(r, errno) : 0;
}

static int set_sample_filter(struct event_set *s, const struct event_request *r, uint32_t event)
{
	struct set_filter f = { .event = event };
	int err = filter_program_load(&f.program, r->filter, r->name);

	if (err)
		return err;
	vec_push(&s->filters, f);
	return attach(s, r, event, f.program.program);
}

/*
 * A tracepoint has one list of programs for all of its events, and an event takes its program from there when it ends: an
 * inherited one too, whose task ends early. So the program is attached by an event that counts nothing and is not inherited.
 */
static int attach_to_tracepoint(struct set_program *p, const struct event_request *r)
{
	const struct event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .size = ATTR_SIZE_VER0, .config = r->attr.config, .disabled = 1,
	};
	int fd = event_open(&attr, 0, -1, -1);

	if (fd < 0)
		return refuse_program(r, -fd);
	vec_push(&p->more_fds, fd);
	return ioctl(fd, PERF_EVENT_IOC_SET_BPF, p->fd) < 0 ? refuse_program(r, errno) : 0;
}

/* Its events are on a CPU each (bpf_gate.h), or of a thread each. */
static int attach_to_probe(const struct event_set *s, struct set_program *p, const struct event_request *r)
{
	int map = bpf_gate_map(p->fd), err = map < 0 ? -1 : 0;

	if (err)
		return refuse_program(r, -map);
	vec_push(&p->more_fds, map);
	for (size_t i = s->opened.nr; !err && i && s->opened.v[i - 1].event == p->event; i--) {
		const struct opened *e = &s->opened.v[i - 1];
		int gate = e->place.cpu < 0 ? p->fd : bpf_gate_load(map, e->place.cpu);

		if (gate < 0)
			return refuse_program(r, -gate);
		if (gate != p->fd)
			vec_push(&p->more_fds, gate);
		err = for_each_fd(e, PERF_EVENT_IOC_SET_BPF, (uintptr_t)gate);
	}
	return err ? refuse_program(r, errno) : 0;
}

/* The user's program decides on the samples of the event that was opened last. */
static int set_program(struct event_set *s, const struct event_request *r)
{
	struct set_program *p;

	if (!r->bpf)
		return 0;
	vec_push(&s->programs, (struct set_program){ .event = (uint32_t)s->table.events.nr - 1 });
	p = &s->programs.v[s->programs.nr - 1];
	p->fd = user_objects_program(&s->objects, r);
	if (p->fd < 0)
		return -1;
	if (event_is_tracepoint(&r->attr))
		return attach_to_tracepoint(p, r);
	return r->path ? attach_to_probe(s, p, r) : attach(s, r, p->event, p->fd);
}

/* Let only hits of the event that was opened last through that fulfil the request's filter. */
static int set_filter(struct event_set *s, const struct event_request *r)
{
	const struct opened *all = s->opened.v;
	uint32_t event = (uint32_t)s->table.events.nr - 1;

	if (!r->filter)
		return 0;
	if (event_filters_samples(r))
		return set_sample_filter(s, r, event);
	for (size_t i = s->opened.nr; i && all[i - 1].event == event; i--)
		if (for_each_fd(&all[i - 1], PERF_EVENT_IOC_SET_FILTER, (uintptr_t)r->filter))
			return refuse_filter(r, all[i - 1].place, errno);
	return 0;
}

/* Returns 0, LEFT_OUT, GROUP_REFUSED or -1. */
static int open_event(struct opener *o, const struct event_attr *attr, const char *name,
		      const struct target_place *places, size_t nr, bool member)
{
	struct buf said = {0};
	int err = open_places(o, *attr, name, places, nr, member, &said);

	if (!err && said.len)
		info("event '%s': %s", name, buf_str(&said));
	buf_release(&said);
	return err;
}

/* ---- rings ---- */

static bool is_backward(const struct event_set *s, const struct opened *e)
{
	return s->table.events.v[e->event]->attr.write_backward;
}

/* Maps and tasks are; context switches, of which there are many, go with the samples. */
static bool is_apart(const struct event_set *s, const struct opened *e)
{
	return s->side_band_apart && !e->request && s->table.events.v[e->event]->attr.mmap;
}

/*
 * Events write to the ring of their CPU; those without one to that of their thread. Overwrite rings are apart, and so is the side
 * band if that is wished.
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

/* Number the rings: the first event opened for each leads it. Fills leaders, by ring. */
struct leaders {
	VEC(uint32_t) list;		/* places in opened */
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
		uint32_t pos;

		for (size_t k = index_first(&l->by_place, h); (pos = index_at(&l->by_place, k, h)) != INDEX_END; k++)
			if (pos != INDEX_OTHER && same_ring(s, &s->opened.v[l->list.v[pos]], e))
				break;
		if (pos == INDEX_END) {
			pos = (uint32_t)l->list.nr;
			index_add(&l->by_place, h, pos);
			vec_push(&l->list, i);
		}
		e->ring = pos;
	}
}

static void unmap_rings(struct event_set *s)
{
	vec_for(r, &s->rings)
		ring_unmap(r);
	s->rings.nr = 0;
}

/* The side band must not lose records: beside overwrite rings, and beside small ones, its rings have a useful size. */
#define SIDE_BAND_BYTES (256ull << 10)
/* Beside others that are emptied: of a CPU, and of a thread, of which there may be many. The longest record has a path: 4 KiB. */
#define APART_BYTES (128ull << 10)
#define APART_BYTES_OF_THREAD (16ull << 10)

/* Unless memory is short. */
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

/* EPERM is the limit of locked memory: perf_event_mlock_kb for each CPU, and RLIMIT_MEMLOCK. */
static int map_rings(struct event_set *s, struct leaders *l, uint64_t asked)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	int err;

	s->ring_bytes = asked;
	for (;;) {
		err = map_all(s, l, asked);
		if ((err != -EPERM && err != -ENOMEM) || (s->ring_bytes <= page && !s->side_band_apart))
			break;
		unmap_rings(s);
		if (!s->side_band_apart) {
			s->ring_bytes /= 2;
			continue;
		}
		/* Samples come first. */
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

static bool is_bpf_output(const struct event_attr *a)
{
	return a->type == PERF_TYPE_SOFTWARE && a->config == PERF_COUNT_SW_BPF_OUTPUT;
}

/* Output of the user's programs goes to the event for it on each CPU. */
static int connect_programs(struct event_set *s)
{
	vec_for(e, &s->opened)
		if (is_bpf_output(&s->table.events.v[e->event]->attr) && e->place.cpu >= 0 &&
		    user_objects_write_to(&s->objects, (unsigned)e->place.cpu, e->fd))
			return -1;
	return 0;
}

/* Events that have one already refuse it, as do tracepoints and probes, which take others. */
unsigned event_set_run_program(const struct event_set *s, int program)
{
	unsigned nr = 0;

	vec_for(e, &s->opened) {
		const struct event_attr *a = &s->table.events.v[e->event]->attr;

		if (e->request && a->sample_type & PERF_SAMPLE_TIME && a->type != PERF_TYPE_TRACEPOINT && !e->request->path &&
		    !is_bpf_output(a))
			nr += !for_each_fd(e, PERF_EVENT_IOC_SET_BPF, (uintptr_t)program);
	}
	return nr;
}

static int redirect_outputs(struct event_set *s)
{
	vec_for(e, &s->opened) {
		int leader = s->rings.v[e->ring].fd;

		int err = e->fd != leader ? ioctl(e->fd, PERF_EVENT_IOC_SET_OUTPUT, leader) : 0;

		if (err < 0 || for_each_other(e, PERF_EVENT_IOC_SET_OUTPUT, (uintptr_t)leader))
			return error("cannot share a ring buffer between events: %s", strerror(errno));
	}
	return 0;
}

/* ---- the set ---- */

/* Members follow their leader in the table. */
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

/* The exec of a command begins only what is its own. */
static int open_everywhere(struct opener *o, struct event_attr *attr, const char *name, const struct places *places)
{
	if (attr->enable_on_exec)
		attr->disabled = attr->enable_on_exec = 0;
	attr->inherit = 0;
	return open_event(o, attr, name, places->on_all_cpus.v, places->on_all_cpus.nr, false);
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
		err = open_everywhere(o, &attr, r->name, places);
	else
		err = open_event(o, &attr, r->name, places->sampling.v, places->sampling.nr, r != leader);
	err = err ? err : set_filter(o->set, r);
	return err ? err : set_program(o->set, r);
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
 * fork(2) opens a child's events again, with the program's name at the attr's pointer: in the memory of the process that
 * forks, not in ours. There it fails with EFAULT (perf_uprobe_init() in kernel/events/core.c, Linux 4.17 to 6.18). So it must
 * not be inherited, and neither may the members of a group that it leads.
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
 * Opens the requests from @first that are one group, or one that stands alone. A member that a weak group cannot have leads
 * one of its own with the rest. Returns their number, or -1.
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

/* An event that is in the file, and nowhere else. */
static void add_wait_sums(struct event_set *s, const struct sampling_opts *opts)
{
	const struct event_attr attr = wait_sums_attr(opts);
	struct event *ev = add_event(s, &attr, &attr, OFF_CPU_NAME);

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
		if (open_event(o, &attr, "dummy:u", places->side_band.v, places->side_band.nr, false))
			return -1;
	}
	attr = side_band_attr(opts, places->on_exec);
	return open_event(o, &attr, "dummy:u", places->side_band.v, places->side_band.nr, false);
}

int event_set_open(struct event_set *out, const struct event_requests *events, const struct places *places,
		   const struct sampling_opts *o, uint64_t ring_bytes)
{
	struct opener opener = { .set = out, .nr_requests = events->list.nr, .stack_most = o->stack_most,
				 .sheds = o->sheds };
	struct leaders leaders = {0};
	int err;

	*out = (struct event_set){ .side_band_apart = o->side_band_apart, .lock = PTHREAD_MUTEX_INITIALIZER };
	err = user_objects_load(&out->objects, events);
	if (!err)
		err = open_all(&opener, events, places, o);
	if (!err) {
		event_table_finish(&out->table);
		assign_rings(out, &leaders);
		err = map_rings(out, &leaders, ring_bytes);
	}
	if (!err)
		err = redirect_outputs(out);
	if (!err)
		err = connect_programs(out);
	vec_free(&opener.leaders);
	release_leaders(&leaders);
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
	unmap_rings(s);
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
	event_table_release(&s->table);
}

void event_set_close_async(struct event_set *s)
{
	VEC(int) slow = {0};
	int gate = -1;

	vec_for(e, &s->opened)
		if (event_is_tracepoint(&s->table.events.v[e->event]->attr))
			vec_push(&slow, e->fd);
	if (slow.nr)
		gate = close_async(slow.v, slow.nr);
	vec_free(&slow);
	event_set_close(s);
	if (gate >= 0)
		close(gate);
}

struct event *event_set_side_band(const struct event_set *s)
{
	return s->table.events.v[s->table.events.nr - 1];
}

/* The one that samples, if any does. */
static int fd_in_use(const struct opened *e)
{
	if (e->shed_fds[e->shed] >= 0)
		return e->shed_fds[e->shed];
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

void event_set_enable(struct event_set *s)
{
	event_set_switch(s, NULL, true);
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

/* The old one stops first, so that no hit counts twice. */
static void use_size(struct opened *e, uint32_t used, enum stack_shed shed)
{
	int old = fd_in_use(e);

	e->used = used;
	e->shed = shed;
	if (!e->on || fd_in_use(e) == old)
		return;
	ioctl(old, PERF_EVENT_IOC_DISABLE, 0);
	ioctl(fd_in_use(e), PERF_EVENT_IOC_ENABLE, 0);
}

uint32_t event_set_grow_stacks(struct event_set *s, const uint32_t *ring)
{
	uint32_t most = 0;

	pthread_mutex_lock(&s->lock);
	vec_for(e, &s->opened) {
		if (e->used == e->stack_variants.nr || (ring && e->ring != *ring))
			continue;
		use_size(e, e->used + 1, e->shed);
		most = MAX(most, e->stack_variants.v[e->used - 1].bytes);
	}
	pthread_mutex_unlock(&s->lock);
	return most;
}

bool event_set_shed_stacks(struct event_set *s, uint32_t ring, enum stack_shed shed)
{
	if (pthread_mutex_trylock(&s->lock))
		return false;
	vec_for(e, &s->opened)
		if (e->ring == ring)
			use_size(e, e->used, shed);
	pthread_mutex_unlock(&s->lock);
	return true;
}

/* Finds the value of the event @id among the @nr words that were read, of a group after their number; @nr: it is not there. */
static size_t find_count(uint64_t id, const struct read_layout *read, const uint64_t *words, size_t nr)
{
	for (size_t at = read->values; at + read->step <= nr; at += read->step)
		if (!read->group || words[at + read->id] == id)
			return at;
	return nr;
}

/* Add what @fd has counted and lost. @words: room for @max. */
static void add_counts(const struct event_set *s, struct opened *e, int fd, uint64_t *words, size_t max)
{
	struct read_layout l = read_layout_of(s->table.events.v[e->event]->attr.read_format);
	ssize_t n = read(fd, words, max * sizeof(*words));
	size_t nr = n > 0 ? (size_t)n / sizeof(*words) : 0, at, skip = MIN(nr, (size_t)l.group);
	const uint64_t *members = words + skip;

	nr -= skip;
	at = find_count(e->id, &l, members, nr);
	if (at == nr)
		return;
	e->count += members[at];
	if (l.enabled != READ_NONE && l.running != READ_NONE) {
		e->enabled += members[l.enabled];
		e->running += members[l.running];
	}
	if (l.lost != READ_NONE)
		e->lost += members[at + l.lost];
}

void event_set_count_lost(struct event_set *s)
{
	size_t max = 3 + 3 * s->table.events.nr;
	uint64_t *words = xcalloc(max, sizeof(*words));

	vec_for(e, &s->opened) {
		uint64_t count = e->count, lost = e->lost, enabled = e->enabled, running = e->running;

		e->count = e->lost = e->enabled = e->running = 0;
		add_counts(s, e, e->fd, words, max);
		for (uint32_t i = 0; i < e->used; i++)
			add_counts(s, e, e->stack_variants.v[i].fd, words, max);
		for (size_t i = 0; i < NR_SHED; i++)
			if (e->shed_fds[i] >= 0)
				add_counts(s, e, e->shed_fds[i], words, max);
		/* A counter that can no longer be read keeps its value. */
		e->count = MAX(e->count, count);
		e->lost = MAX(e->lost, lost);
		e->enabled = MAX(e->enabled, enabled);
		e->running = MAX(e->running, running);
	}
	free(words);
}

static struct opened *first_at(struct event_set *s, uint32_t event, int cpu)
{
	struct opened *first = NULL;

	vec_for(e, &s->opened) {
		if (e->event != event)
			continue;
		if (e->place.cpu == cpu)
			return e;
		first = first ? first : e;
	}
	return first;
}

void event_set_count_dropped(struct event_set *s)
{
	vec_for(e, &s->opened)
		e->dropped = 0;
	vec_for(f, &s->filters) {
		unsigned nr;
		uint64_t *counts = filter_program_dropped(&f->program, &nr);

		for (unsigned cpu = 0; counts && cpu < nr; cpu++) {
			struct opened *e = counts[cpu] ? first_at(s, f->event, (int)cpu) : NULL;

			if (e)
				e->dropped += counts[cpu];
		}
		free(counts);
	}
}
