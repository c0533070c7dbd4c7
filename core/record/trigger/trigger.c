/*
 * Opens the events that detect triggers of prec record (options --on and --switch-output-event), such as a function call or a
 * wait that takes too long. These events have ring buffers of their own, and are not in the recording.
 */
#include "core/record/trigger/trigger.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/perfdata/record.h"

#define HITS_RING	(128u << 10)	/* bytes: room for some 2,000 hits while the recorder cannot run */
#define CALLS_RING	(256u << 10)
#define CALLS_POLL_MS	10
#define MAX_ROUNDS	16		/* reads of all ring buffers at most, if calls come as fast as they are read */

/* Bytes at the start of a record that are copied. They have all data that are needed, also of SWITCH records, which are short. */
#define HEAD_MAX	128

struct taken {			/* the data of a record that make a hit, a begin or an end */
	uint64_t time;
	uint32_t pid, tid, spec;
	bool probe;		/* a hit of a probe, which any process may have hit */
	enum { TAKEN_HIT, TAKEN_ENTRY, TAKEN_RETURN, TAKEN_OUT, TAKEN_IN } what;
};

/* ---- opening ---- */

/* Sets @out, by event number, to the number of the trigger in @o->specs that the event belongs to. */
static void map_events(const struct event_set *set, const struct event_requests *events, const struct trigger_opts *o,
		       enum trigger_kind kind, uint32_t *out)
{
	vec_for(e, &set->opened) {
		size_t number = e->request ? (size_t)(e->request - events->list.v) : SIZE_MAX, first = 0;

		for (uint32_t i = 0; i < o->specs.nr && e->request; i++) {
			const struct trigger_spec *s = &o->specs.v[i];

			if (s->kind != kind)
				continue;
			if (number >= first && number < first + s->nr_events)
				out[e->event] = i;
			first += s->nr_events;
		}
	}
}

#define MAP_EVENTS(specs, set, ...) do {				\
	vec_reserve(specs, (set)->table.events.nr + 1);			\
	(specs)->nr = (set)->table.events.nr;				\
	map_events(set, __VA_ARGS__, (specs)->v);			\
} while (0)

/* Opens probes on all CPUs. They are not inherited (event_set.c), so a probe on the present threads would miss new ones. */
static void watch_on_all_cpus(const struct trigger *t, const struct event_requests *events)
{
	vec_for(r, &events->list)
		r->on_all_cpus = r->on_all_cpus || (r->path && t->own_pids.list.nr);
}

static int open_hits(struct trigger *t, const struct places *places, const struct sampling_opts *s)
{
	struct places hits = { .sampling = places->sampling, .on_all_cpus = places->on_all_cpus };

	watch_on_all_cpus(t, &t->o->hits);
	if (event_set_open(&t->hits, &t->o->hits, &hits, s, HITS_RING))
		return -1;
	t->counts_hits = true;
	MAP_EVENTS(&t->spec_of_hit, &t->hits, &t->o->hits, t->o, TRIGGER_EVENT);
	return 0;
}

static int open_calls(struct trigger *t, const struct places *places, struct sampling_opts s)
{
	struct places calls = { .sampling = places->sampling, .on_all_cpus = places->on_all_cpus, .on_exec = places->on_exec };
	int err;

	/* Context switches are records of the side band. */
	s.no_buffering = false;
	s.switches = t->times_waits;
	s.no_build_ids = s.no_bpf_events = true;
	if (t->times_waits)
		vec_append(&calls.side_band, &places->sampling);
	watch_on_all_cpus(t, &t->o->calls);
	err = event_set_open(&t->calls, &t->o->calls, &calls, &s, CALLS_RING);
	vec_free(&calls.side_band);
	if (err)
		return -1;
	t->times_calls = true;
	MAP_EVENTS(&t->spec_of_call, &t->calls, &t->o->calls, t->o, TRIGGER_SLOW);
	return 0;
}

int trigger_open(struct trigger *t, const struct trigger_opts *o, const struct places *places, const struct sampling_opts *s,
		 const struct pid_list *own_pids)
{
	struct sampling_opts hit = {
		.period = 1, .inherit = s->inherit, .on_exec = s->on_exec, .no_buffering = true, .cpu = true,
		.use_clockid = s->use_clockid, .clockid = s->clockid,
	};

	t->o = o;
	vec_append(&t->own_pids.list, &own_pids->list);
	t->threads_only = own_pids->list.nr && !places->inherit;
	for (uint32_t i = 0; i < o->specs.nr; i++)
		if (o->specs.v[i].kind == TRIGGER_WAIT)
			vec_push(&t->waits, i);
	t->times_waits = t->waits.nr;
	if (trigger_watch_open(&t->watch, o) || (o->hits.list.nr && open_hits(t, places, &hit)))
		return -1;
	return (o->calls.list.nr || t->waits.nr) && open_calls(t, places, hit) ? -1 : 0;
}

void trigger_enable(const struct trigger *t)
{
	vec_for(e, &t->hits.opened)
		ioctl(e->fd, PERF_EVENT_IOC_ENABLE, 0);
	vec_for(e, &t->calls.opened)
		ioctl(e->fd, PERF_EVENT_IOC_ENABLE, 0);
}

/* ---- whose it is ---- */

static bool is_listed(const struct trigger *t, uint32_t pid)
{
	vec_for(p, &t->own_pids.list)
		if ((uint32_t)*p == pid)
			return true;
	return false;
}

/*
 * True unless @k is a probe's hit in a process that is neither watched nor the descendant of a watched one. A process that has
 * ended counts as watched. With .threads_only, only hits of the watched threads count.
 */
static bool is_own(struct trigger *t, const struct taken *k)
{
	pid_t parent = (pid_t)k->pid;

	if (!t->own_pids.list.nr || !k->probe)
		return true;
	if (t->threads_only)
		return is_listed(t, k->tid);
	if (is_listed(t, k->pid))
		return true;
	do {
		parent = parent_of_process(parent);
	} while (parent > 1 && !is_listed(t, (uint32_t)parent));
	if (parent == 1)
		return false;
	vec_push(&t->own_pids.list, (pid_t)k->pid);
	return true;
}

/* ---- taking ---- */

struct ring_events {
	VEC(struct taken) list;
	uint64_t newest, lost;
	bool any;
};

static uint64_t word(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* @p has the first HEAD_MAX bytes of a record of @size bytes. */
static void on_sample(struct trigger *t, const struct event_set *set, const uint8_t *p, uint16_t size, struct ring_events *out)
{
	const struct event *ev = size >= 16 ? event_by_id(&set->table, word(p + sizeof(struct record_header))) : NULL;
	const uint8_t *body = p + sizeof(struct record_header);
	struct taken k = {0};

	if (!ev || ev->layout.tid_at < 0 || ev->layout.time_at < 0 || sizeof(struct record_header) + ev->layout.fixed_size > size)
		return;
	memcpy(&k.pid, body + ev->layout.tid_at, sizeof(k.pid));
	memcpy(&k.tid, body + ev->layout.tid_at + 4, sizeof(k.tid));
	k.time = word(body + ev->layout.time_at);
	k.probe = ev->attr.type >= PERF_TYPE_MAX;
	if (set == &t->hits) {
		k.spec = t->spec_of_hit.v[ev->number];
	} else {
		k.spec = t->spec_of_call.v[ev->number];
		k.what = ev->number % 2 ? TAKEN_RETURN : TAKEN_ENTRY;
	}
	vec_push(&out->list, k);
	out->newest = MAX(out->newest, k.time);
}

/* @trailer: pid, tid, time. A preempted thread does not wait: it is still runnable. */
static void on_switch(uint16_t misc, const uint8_t *trailer, struct ring_events *out)
{
	struct taken k = { .what = misc & PERF_RECORD_MISC_SWITCH_OUT ? TAKEN_OUT : TAKEN_IN };

	memcpy(&k.pid, trailer, sizeof(k.pid));
	memcpy(&k.tid, trailer + 4, sizeof(k.tid));
	k.time = word(trailer + 8);
	out->newest = MAX(out->newest, k.time);
	if (k.tid && !(misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) && k.pid != (uint32_t)getpid())
		vec_push(&out->list, k);
}

static void on_record(struct trigger *t, const struct event_set *set, const struct ring_span *s, uint64_t at,
		      struct record_header h, struct ring_events *out)
{
	uint8_t head[HEAD_MAX];
	unsigned trailer = set->table.events.v[0]->layout.id_size;

	ring_copy(s, at, head, MIN(h.size, sizeof(head)));
	if (h.type == PERF_RECORD_SAMPLE)
		on_sample(t, set, head, h.size, out);
	else if (h.type == PERF_RECORD_LOST && h.size >= 24)
		out->lost += word(head + 16);
	else if ((h.type == PERF_RECORD_SWITCH || h.type == PERF_RECORD_SWITCH_CPU_WIDE) && trailer >= 16 &&
		 h.size >= sizeof(h) + trailer && h.size <= sizeof(head))
		on_switch(h.misc, head + h.size - trailer, out);
}

static void on_rings(struct trigger *t, struct event_set *set, struct ring_events *out)
{
	out->any = false;
	vec_for(ring, &set->rings) {
		struct ring_span s = ring_read(ring);
		struct record_header h;

		for (uint64_t at = s.from; ring_record(&s, at, &h); at += h.size) {
			out->any = true;
			on_record(t, set, &s, at, h, out);
		}
		ring_done(ring);
	}
}

ORDER(by_time, struct taken, compare_numbers(a->time, b->time))

static void add_hit(struct trigger_hits *out, const struct taken *k, uint32_t spec, uint64_t newest, uint64_t now)
{
	vec_push(&out->list, (struct trigger_hit){ .time = k->time, .mono_ns = now - MIN(newest - k->time, now),
						   .pid = k->pid, .tid = k->tid, .spec = spec });
}

static void drain_hits(struct trigger *t, struct trigger_hits *out)
{
	struct ring_events ring_events = {0};
	uint64_t now = now_ns();

	on_rings(t, &t->hits, &ring_events);
	vec_sort(&ring_events.list, by_time);
	vec_for(k, &ring_events.list)
		if (is_own(t, k))
			add_hit(out, k, k->spec, ring_events.newest, now);
	out->lost += ring_events.lost;
	t->lost += ring_events.lost;
	vec_free(&ring_events.list);
}

/* Handles the begin or end of a call or wait. One that took longer than its trigger's limit is a hit. */
static void on_span(struct trigger *t, const struct taken *k, struct trigger_hits *out, uint64_t newest, uint64_t now)
{
	if (k->what == TAKEN_ENTRY)
		open_spans_begin(&t->spans, k->tid, k->spec, k->time, false);
	else if (k->what == TAKEN_RETURN && open_spans_end(&t->spans, k->tid, k->spec, k->time) > t->o->specs.v[k->spec].limit)
		add_hit(out, k, k->spec, newest, now);
	vec_for(spec, &t->waits) {
		if (k->what == TAKEN_OUT)
			open_spans_begin(&t->spans, k->tid, *spec, k->time, true);
		else if (k->what == TAKEN_IN && open_spans_end(&t->spans, k->tid, *spec, k->time) > t->o->specs.v[*spec].limit)
			add_hit(out, k, *spec, newest, now);
	}
}

/*
 * A thread may enter a function on one CPU and return on another, whose ring buffer was read before the return. So the ring buffers
 * are read until nothing new is in them. Then the data are complete up to the newest record of the round before.
 */
static void on_calls(struct trigger *t, struct trigger_hits *out)
{
	struct ring_events ring_events = {0};
	uint64_t now = now_ns();

	for (int round = 0; !round || (ring_events.any && round < MAX_ROUNDS); round++)
		on_rings(t, &t->calls, &ring_events);
	vec_sort(&ring_events.list, by_time);
	if (ring_events.lost)
		open_spans_forget(&t->spans);
	t->untimed += ring_events.lost;
	vec_for(k, &ring_events.list)
		if (is_own(t, k))
			on_span(t, k, out, ring_events.newest, now);
	vec_free(&ring_events.list);
}

void trigger_read(struct trigger *t, struct trigger_hits *out)
{
	if (!t->o)
		return;
	if (t->counts_hits)
		drain_hits(t, out);
	if (t->times_calls)
		on_calls(t, out);
	trigger_watch_read(&t->watch, t->o, out);
}

void trigger_count_lost(struct trigger *t, struct trigger_hits *out)
{
	uint64_t lost = 0;

	if (!t->counts_hits)
		return;
	event_set_count_lost(&t->hits);
	vec_for(e, &t->hits.opened)
		lost += e->lost;
	out->lost += lost > t->lost ? lost - t->lost : 0;
	t->lost = MAX(lost, t->lost);
}

bool trigger_signal(const struct trigger *t, int signal, struct trigger_hits *out)
{
	size_t before = out->list.nr;

	for (uint32_t i = 0; t->o && i < t->o->specs.nr; i++)
		if (t->o->specs.v[i].kind == TRIGGER_SIGNAL && t->o->specs.v[i].signal == signal)
			trigger_hits_add(out, i);
	return out->list.nr > before;
}

uint64_t trigger_poll_ms(const struct trigger *t)
{
	if (t->times_calls)
		return CALLS_POLL_MS;
	return t->watch.values.nr ? PSI_STEP_MS : 0;
}

void trigger_release(struct trigger *t)
{
	if (!t->o)
		return;
	event_set_close_async(&t->hits);
	event_set_close_async(&t->calls);
	vec_free(&t->spec_of_hit);
	vec_free(&t->spec_of_call);
	vec_free(&t->waits);
	vec_free(&t->own_pids.list);
	open_spans_release(&t->spans);
	trigger_watch_release(&t->watch);
}
