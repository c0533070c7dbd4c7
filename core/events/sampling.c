/* Options to attrs. Layer: events */
#include "core/events/sampling.h"

#include "core/base/file.h"
#include "core/base/log.h"

#ifndef PERF_FORMAT_LOST
#define PERF_FORMAT_LOST (1u << 4)
#endif

#define MAX_SAMPLE_RATE		"/proc/sys/kernel/perf_event_max_sample_rate"

static bool any_clock(const struct event_requests *events)
{
	vec_for(r, &events->list)
		if (event_is_clock(&r->attr))
			return true;
	return false;
}

static int clamp_frequency(struct sampling_opts *o, bool strict)
{
	long long max;

	if (!o->freq || read_int_of(MAX_SAMPLE_RATE, &max) || max <= 0)
		return 0;
	if (o->freq == UINT64_MAX) {
		o->freq = (uint64_t)max;
		info("sampling %lld times a second, the most that kernel.perf_event_max_sample_rate allows", max);
		return 0;
	}
	if (o->freq <= (uint64_t)max)
		return 0;
	if (strict)
		return error("cannot sample %llu times a second: kernel.perf_event_max_sample_rate is %lld",
			     (unsigned long long)o->freq, max);
	warning("sampling %lld times a second, not %llu: kernel.perf_event_max_sample_rate is lower",
		max, (unsigned long long)o->freq);
	o->freq = (uint64_t)max;
	return 0;
}

int sampling_check(struct sampling_opts *o, const struct event_requests *events, bool strict_freq)
{
	if (o->period && o->period < CLOCK_MIN_PERIOD_NS && any_clock(events))
		warning("clocks are sampled every %d ns, not %llu: the kernel's timer is no faster",
			CLOCK_MIN_PERIOD_NS, (unsigned long long)o->period);
	if (event_requests_any_tracepoint(events)) {
		/* Readers want to see it, and side band must look like samples: see id_bits(). */
		o->cpu = true;
		if (o->freq && o->freq_asked)
			info("-F takes only some hits of tracepoints; without it each hit is taken");
	}
	return clamp_frequency(o, strict_freq);
}

/* The bits that decide the trailer of side-band records are the same in all events: one layout for all. */
static uint64_t id_bits(const struct sampling_opts *o)
{
	uint64_t bits = PERF_SAMPLE_TID | PERF_SAMPLE_IDENTIFIER;

	if (!o->no_time)
		bits |= PERF_SAMPLE_TIME;
	if (o->cpu)
		bits |= PERF_SAMPLE_CPU;
	return bits;
}

static uint64_t read_format(const struct sampling_opts *o)
{
	uint64_t bits = PERF_FORMAT_ID | PERF_FORMAT_LOST;

	return o->read ? bits | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING : bits;
}

/* wakeup_watermark 0: the kernel wakes us when half of the ring is full, whatever size it turns out to have. */
static struct event_attr common_attr(const struct sampling_opts *o)
{
	struct event_attr a = { .size = ATTR_SIZE_VER7, .sample_id_all = 1, .watermark = 1 };

	a.read_format = read_format(o);
	a.inherit = o->inherit;
	a.use_clockid = o->use_clockid;
	a.clockid = o->clockid;
	return a;
}

/*
 * With a fixed period above 1 a software event or tracepoint that has the PERIOD bit is sampled on every hit
 * (perf_swevent_event() in kernel/events/core.c), so the bit is left out: readers take the period from the attr.
 */
static bool wants_period_bit(const struct event_attr *a, const struct sampling_opts *o)
{
	if (event_is_tracepoint(a) && !a->freq)
		return a->sample_period == 1 && !o->no_period;
	if (a->freq || !o->period_bit)
		return a->freq && !o->no_period;
	return a->sample_period == 1 || a->type != PERF_TYPE_SOFTWARE || event_is_clock(a);
}

/* Each hit is a message of a BPF program. */
static bool is_bpf_output(const struct event_attr *a)
{
	return a->type == PERF_TYPE_SOFTWARE && a->config == PERF_COUNT_SW_BPF_OUTPUT;
}

static void set_rate(struct event_attr *a, const struct sampling_opts *o)
{
	if (o->no_samples) {
		a->sample_period = 0;
	} else if (is_bpf_output(a)) {
		a->sample_period = 1;
	} else if (event_is_tracepoint(a) && !o->freq_asked) {
		a->sample_period = MAX(o->period, 1);
	} else if (o->freq) {
		a->freq = 1;
		a->sample_freq = o->freq;
	} else {
		a->sample_period = event_is_clock(a) ? MAX(o->period, CLOCK_MIN_PERIOD_NS) : o->period;
	}
}

static void set_call_chain(struct event_attr *a, const struct sampling_opts *o)
{
	if (!o->callchain)
		return;
	a->sample_type |= PERF_SAMPLE_CALLCHAIN;
	a->exclude_callchain_kernel = o->no_kernel_chain;
	a->exclude_callchain_user = o->no_user_chain;
	a->sample_max_stack = o->max_stack;
}

/* What fills an AUX area does not sample: where it does, as SPE, the period is the hardware's. */
static void set_aux(struct event_attr *a, const struct event_attr *asked)
{
	a->config1 = asked->config1;
	a->config2 = asked->config2;
	a->config3 = asked->config3;
	a->freq = 0;
	a->sample_period = asked->sample_period;
	a->aux_watermark = asked->aux_watermark;
}

struct event_attr sampling_attr(const struct event_request *r, const struct sampling_opts *o)
{
	struct event_attr a = common_attr(o), asked = r->attr;

	a.type = asked.type;
	a.config = asked.config;
	a.exclude_user = asked.exclude_user || o->all_kernel;
	a.exclude_kernel = asked.exclude_kernel || o->all_user;
	a.exclude_hv = asked.exclude_hv || o->all_user || o->all_kernel;
	a.exclude_idle = asked.exclude_idle;
	a.exclude_host = asked.exclude_host;
	a.exclude_guest = asked.exclude_guest;
	a.pinned = asked.pinned;
	a.precise_ip = r->precise_max ? 3 : asked.precise_ip;
	a.disabled = 1;
	a.write_backward = o->overwrite;
	a.enable_on_exec = o->on_exec;
	a.inherit_stat = o->read && o->inherit;
	set_rate(&a, o);
	a.sample_type = id_bits(o) | PERF_SAMPLE_IP;
	if (r->aux)
		set_aux(&a, &asked);
	else if (wants_period_bit(&a, o))
		a.sample_type |= PERF_SAMPLE_PERIOD;
	if (o->addr)
		a.sample_type |= PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC;
	if (o->raw || is_bpf_output(&a) || event_is_tracepoint(&a))
		a.sample_type |= PERF_SAMPLE_RAW;
	if (o->cgroups)
		a.sample_type |= PERF_SAMPLE_CGROUP;
	set_call_chain(&a, o);
	return a;
}

struct event_attr side_band_attr(const struct sampling_opts *o, bool on_exec)
{
	struct event_attr a = common_attr(o);

	a.type = PERF_TYPE_SOFTWARE;
	a.config = PERF_COUNT_SW_DUMMY;
	a.sample_period = 1;
	a.sample_type = id_bits(o) | PERF_SAMPLE_IP;
	a.exclude_kernel = a.exclude_hv = a.exclude_guest = 1;
	a.disabled = a.enable_on_exec = on_exec;
	a.mmap = a.mmap2 = a.comm = a.comm_exec = a.task = a.ksymbol = 1;
	a.mmap_data = o->addr;
	a.bpf_event = !o->no_bpf_events;
	a.build_id = !o->no_build_ids;
	a.context_switch = o->switches;
	a.namespaces = o->namespaces;
	a.cgroup = o->cgroups;
	return a;
}
