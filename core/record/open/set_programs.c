/*
 * Attaches event filters and the user's BPF programs to opened events, as a step of event_set_open(), and connects the programs
 * to the bpf-output events that carry their output. Also attaches prec's own programs, which read Python frames.
 */
#include "core/record/open/event_set_impl.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

#include "core/base/log.h"
#include "core/record/bpf/bpf_gate.h"
#include "core/record/events/tracefs.h"

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

int opened_ioctl_others(const struct opened *e, unsigned long request, uintptr_t arg)
{
	int err = 0;

	for (size_t i = 0; i < e->stack_variants.nr && !err; i++)
		err = ioctl(e->stack_variants.v[i].fd, request, arg) < 0 ? -1 : 0;
	for (size_t i = 0; i < NR_SHED && !err; i++)
		err = e->shed_fds[i] >= 0 && ioctl(e->shed_fds[i], request, arg) < 0 ? -1 : 0;
	return err;
}

int opened_ioctl(const struct opened *e, unsigned long request, uintptr_t arg)
{
	return ioctl(e->fd, request, arg) < 0 ? -1 : opened_ioctl_others(e, request, arg);
}

/* Reports why the kernel does not attach a program that it has loaded (perf_event_set_bpf_prog() in kernel/events/core.c). */
static int refuse_program(const struct event_request *r, int err)
{
	return error("the kernel does not let samples of event '%s' be filtered: %s", r->name,
		     err == EINVAL || err == EOPNOTSUPP ? "it is of a kind that takes no such programs" : strerror(err));
}

static int attach(const struct event_set *s, const struct event_request *r, uint32_t event, int program)
{
	int err = 0;

	for (size_t i = s->opened.nr; !err && i && s->opened.v[i - 1].event == event; i--)
		err = opened_ioctl(&s->opened.v[i - 1], PERF_EVENT_IOC_SET_BPF, (uintptr_t)program);
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

static int attach_to_tracepoint(struct set_program *p, const struct event_request *r)
{
	int fd = tracepoint_attach(r->attr.config, p->fd);

	if (fd < 0)
		return refuse_program(r, -fd);
	vec_push(&p->more_fds, fd);
	return 0;
}

/* Attaches the program to the events of a probe: to an event of a CPU by a gate (bpf_gate.h), to an event of a thread directly. */
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
		err = opened_ioctl(e, PERF_EVENT_IOC_SET_BPF, (uintptr_t)gate);
	}
	return err ? refuse_program(r, errno) : 0;
}

int event_set_attach(struct event_set *s, const struct event_request *r)
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

int event_set_filter(struct event_set *s, const struct event_request *r)
{
	const struct opened *all = s->opened.v;
	uint32_t event = (uint32_t)s->table.events.nr - 1;

	if (!r->filter)
		return 0;
	if (event_filters_samples(r))
		return set_sample_filter(s, r, event);
	for (size_t i = s->opened.nr; i && all[i - 1].event == event; i--)
		if (opened_ioctl(&all[i - 1], PERF_EVENT_IOC_SET_FILTER, (uintptr_t)r->filter))
			return refuse_filter(r, all[i - 1].place, errno);
	return 0;
}

int event_set_connect_programs(struct event_set *s)
{
	vec_for(e, &s->opened)
		if (event_is_bpf_output(&s->table.events.v[e->event]->attr) && e->place.cpu >= 0 &&
		    user_objects_write_to(&s->objects, (unsigned)e->place.cpu, e->fd))
			return -1;
	return 0;
}

/* An event that has a program refuses this one. Tracepoints and probes take programs of other types. */
unsigned event_set_run_program(const struct event_set *s, int program)
{
	unsigned nr = 0;

	vec_for(e, &s->opened) {
		const struct event_attr *a = &s->table.events.v[e->event]->attr;

		if (e->request && a->sample_type & PERF_SAMPLE_TIME && a->type != PERF_TYPE_TRACEPOINT && !e->request->path &&
		    !event_is_bpf_output(a))
			nr += !opened_ioctl(e, PERF_EVENT_IOC_SET_BPF, (uintptr_t)program);
	}
	return nr;
}

bool event_is_timed_switch(const struct event *ev)
{
	const struct event_attr *a = &ev->attr;

	return a->type == PERF_TYPE_TRACEPOINT && str_eq(ev->name, "sched:sched_switch") && a->sample_type & PERF_SAMPLE_TIME &&
	       a->sample_type & PERF_SAMPLE_CALLCHAIN && a->use_clockid && a->clockid == CLOCK_MONOTONIC;
}

int event_set_run_at_switch(const struct event_set *s, int program)
{
	vec_for(e, &s->opened) {
		const struct event *ev = s->table.events.v[e->event];
		int fd;

		if (!event_is_timed_switch(ev))
			continue;
		fd = tracepoint_attach(ev->attr.config, program);
		if (fd < 0)
			debug(1, "no frames of Python at switches: %s", strerror(-fd));
		return fd;
	}
	return -ENOENT;
}
