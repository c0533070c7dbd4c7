/*
 * Builds the perf_event_attr of each event from the event's request (-e) and the command line's sampling options. Also checks
 * these options against the kernel's limits.
 */
#include "core/record/open/sampling.h"

#include <stdlib.h>

#include "core/arch.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/perfdata/wait_sums.h"
#include "core/native.h"

#define MAX_SAMPLE_RATE		"/proc/sys/kernel/perf_event_max_sample_rate"

static bool any_clock(const struct event_requests *events)
{
	vec_for(r, &events->list)
		if (event_is_clock(&r->attr))
			return true;
	return false;
}

/* @what: how messages begin: "", or the event that has a rate of its own. */
static int clamp_frequency(uint64_t *freq, uint64_t max, const char *what, bool strict)
{
	if (*freq == UINT64_MAX) {
		*freq = max;
		info("sampling %llu times a second, the most that kernel.perf_event_max_sample_rate allows",
		     (unsigned long long)max);
		return 0;
	}
	if (*freq <= max)
		return 0;
	if (strict)
		return error("%scannot sample %llu times a second: kernel.perf_event_max_sample_rate is %llu", what,
			     (unsigned long long)*freq, (unsigned long long)max);
	warning("%ssampling %llu times a second, not %llu: kernel.perf_event_max_sample_rate is lower", what,
		(unsigned long long)max, (unsigned long long)*freq);
	*freq = max;
	return 0;
}

static int clamp_own_frequency(const struct event_request *r, uint64_t max, bool strict)
{
	char *what = xasprintf("event '%s': ", r->name);
	uint64_t freq = r->terms.freq;
	int err = clamp_frequency(&freq, max, what, strict);

	free(what);
	return err;
}

static int clamp_frequencies(struct sampling_opts *o, const struct event_requests *events, bool strict)
{
	long long max;

	if (read_int_of(MAX_SAMPLE_RATE, &max) || max <= 0)
		return 0;
	o->max_freq = (uint64_t)max;
	vec_for(r, &events->list)
		if (r->terms.given & TERM_FREQ && clamp_own_frequency(r, o->max_freq, strict))
			return -1;
	return clamp_frequency(&o->freq, o->max_freq, "", strict);
}

/* Software events and tracepoints have no branches: the kernel refuses them with a bare EOPNOTSUPP. */
static int check_branches(const struct sampling_opts *o, const struct event_requests *events)
{
	vec_for(r, &events->list) {
		uint64_t branches = r->terms.given & TERM_BRANCHES ? r->terms.branches : o->branches;
		bool lbr = r->terms.given & TERM_CHAIN ? r->terms.chain == CHAIN_LBR : o->chain == CHAIN_LBR;

		if ((branches || lbr) && (r->attr.type == PERF_TYPE_SOFTWARE || r->attr.type == PERF_TYPE_TRACEPOINT ||
					  r->attr.type == PERF_TYPE_BREAKPOINT || r->path))
			return error("event '%s' has no branch stacks: only counters of the processor have; leave out "
				     "-b, -j and call graphs by lbr", r->name);
	}
	return 0;
}

/* perf up to 6.1 finds unwind tables only in files whose data, too, are known to be mapped. */
static int check_dwarf(struct sampling_opts *o, const struct event_requests *events)
{
	bool dwarf = o->chain == CHAIN_DWARF, automatic = o->chain == CHAIN_AUTO;

	vec_for(r, &events->list) {
		dwarf |= r->terms.given & TERM_CHAIN && r->terms.chain == CHAIN_DWARF;
		automatic |= r->terms.given & TERM_CHAIN && r->terms.chain == CHAIN_AUTO;
	}
	if ((dwarf || automatic) && !native.sample_regs)
		return error("call graphs by %s are not known for this machine: use --call-graph fp", dwarf ? "dwarf" : "auto");
	o->data_maps |= dwarf;
	return 0;
}

/*
 * Returns NULL if the event is sampled with a frequency of at most DEFAULT_FREQ, or else why it has no such rate. "": it has call
 * chains of its own, or none. Tracepoints, probes and the like are sampled by hits, which may come at any rate.
 */
static const char *why_no_rate(const struct event_request *r, const struct sampling_opts *o)
{
	uint64_t freq = r->terms.given & TERM_FREQ ? r->terms.freq : o->freq;

	if (r->aux || event_is_bpf_output(&r->attr) || r->terms.given & TERM_CHAIN)
		return "";
	if (event_is_tracepoint(&r->attr) || r->path || r->bpf || r->symbol || r->attr.type == PERF_TYPE_BREAKPOINT)
		return "of tracepoints, probes and breakpoints";
	if (r->terms.given & TERM_PERIOD || !freq)
		return "with a period";
	return freq > DEFAULT_FREQ ? "above the default rate" : NULL;
}

const char *sampling_choose_chain(struct sampling_opts *o, const struct event_requests *events)
{
	if (!o->chain_by_default || !native.sample_regs || o->no_user_chain || o->overwrite)
		return NULL;
	vec_for(r, &events->list) {
		const char *why = why_no_rate(r, o);

		if (why)
			return *why ? why : NULL;
	}
	o->chain = CHAIN_AUTO;
	return NULL;
}

static bool any_sampled_tracepoint(const struct event_requests *events)
{
	vec_for(r, &events->list)
		if (event_is_tracepoint(&r->attr) && !(r->terms.given & TERM_PERIOD))
			return true;
	return false;
}

int sampling_check(struct sampling_opts *o, const struct event_requests *events, bool strict_freq)
{
	/* Readers of a BPF program's messages need the CPU. All events get it, because they share one trailer: id_bits(). */
	vec_for(r, &events->list)
		o->cpu = o->cpu || event_is_bpf_output(&r->attr);
	o->data_maps |= o->addr;
	if (check_branches(o, events) || check_dwarf(o, events))
		return -1;
	if (o->period && o->period < CLOCK_MIN_PERIOD_NS && any_clock(events))
		warning("clocks are sampled every %d ns, not %llu: the kernel's timer is no faster",
			CLOCK_MIN_PERIOD_NS, (unsigned long long)o->period);
	if (event_requests_any_tracepoint(events)) {
		/* Users of tracepoints expect the CPU. All events get it, because they share one trailer: id_bits(). */
		o->cpu = true;
		if (o->freq && o->rate_given && any_sampled_tracepoint(events))
			info("-F takes only some hits of tracepoints; without it each hit is taken");
	}
	return clamp_frequencies(o, events, strict_freq);
}

/* Returns the sample_type bits that decide the trailer of side-band records. All events share them, for one layout. */
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

	return o->read || o->no_samples ? bits | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING : bits;
}

/* With wakeup_watermark 0 the kernel wakes us when half of the ring is full, whatever size it turns out to have. */
static void set_common(struct event_attr *a, const struct sampling_opts *o)
{
	a->sample_id_all = 1;
	a->watermark = !o->no_buffering;
	if (o->no_buffering)
		a->wakeup_events = 1;
	else
		a->wakeup_watermark = o->wakeup_bytes;
	a->read_format = read_format(o);
	a->inherit = o->inherit;
	a->use_clockid = o->use_clockid;
	a->clockid = o->clockid;
}

/*
 * True for events that the kernel counts hit by hit. If such an event has PERF_SAMPLE_PERIOD and a fixed period above 1, the kernel
 * samples every hit (perf_swevent_event() in kernel/events/core.c). So the bit is left out, and readers take the period from the
 * attr. A probe is recognized by its path, because the types of its PMU are not fixed.
 */
static bool counts_hits(const struct event_attr *a, const struct event_request *r)
{
	return r->path || a->type == PERF_TYPE_TRACEPOINT || a->type == PERF_TYPE_BREAKPOINT ||
	       (a->type == PERF_TYPE_SOFTWARE && !event_is_clock(a));
}

static bool wants_period_bit(const struct event_attr *a, const struct event_request *r, const struct sampling_opts *o)
{
	if (event_is_tracepoint(a) && !a->freq)
		return a->sample_period == 1 && !o->no_period;
	if (a->freq || !o->period_bit)
		return a->freq && !o->no_period;
	return a->sample_period == 1 || !counts_hits(a, r);
}

static void set_freq(struct event_attr *a, uint64_t freq)
{
	a->freq = 1;
	a->sample_freq = freq;
}

static void set_rate(struct event_attr *a, const struct event_request *r, const struct sampling_opts *o)
{
	uint64_t floor = event_is_clock(a) ? CLOCK_MIN_PERIOD_NS : 0;

	if (o->no_samples)
		a->sample_period = 0;
	else if (event_is_bpf_output(a))
		a->sample_period = 1;
	else if (r->terms.given & TERM_PERIOD)
		a->sample_period = MAX(r->terms.period, floor);
	else if (r->terms.given & TERM_FREQ)
		set_freq(a, o->max_freq ? MIN(r->terms.freq, o->max_freq) : r->terms.freq);
	else if (r->attr.sample_period && !o->rate_given)
		a->sample_period = r->attr.sample_period;
	else if (o->freq)
		set_freq(a, o->freq);
	else
		a->sample_period = MAX(o->period, floor);
}

static void set_branches(struct event_attr *a, uint64_t branches)
{
	if (!branches)
		return;
	a->sample_type |= PERF_SAMPLE_BRANCH_STACK;
	a->branch_sample_type |= branches;
}

static void set_stack(struct event_attr *a, const struct event_terms *t, const struct sampling_opts *o)
{
	a->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	a->sample_regs_user |= native.sample_regs;
	a->sample_stack_user = t->given & TERM_STACK_SIZE && t->stack_size ? (uint32_t)round_up(t->stack_size, 8) :
			       o->stack_size ? o->stack_size : DEFAULT_STACK_SIZE;
}

/*
 * Frame pointers do not show the caller of a function that makes no frame. If the architecture keeps the return address in a
 * register, that register shows it. As in perf, samples have this register alone, by which readers recognize such chains.
 */
static void set_link(struct event_attr *a, const struct sampling_opts *o)
{
	uint64_t link = native.arch && native.arch->link_reg ? 1ull << native.arch->link_reg : 0;

	if (!(native.sample_regs & link) || o->no_user_chain)
		return;
	a->sample_type |= PERF_SAMPLE_REGS_USER;
	a->sample_regs_user |= link;
}

static void set_call_chain(struct event_attr *a, const struct event_terms *t, const struct sampling_opts *o)
{
	enum chain_mode mode = t->given & TERM_CHAIN ? t->chain : o->chain;

	if (mode == CHAIN_NONE && t->given & TERM_MAX_STACK && !(t->given & TERM_CHAIN))
		mode = CHAIN_FP;
	if (mode == CHAIN_NONE)
		return;
	a->sample_type |= PERF_SAMPLE_CALLCHAIN;
	a->exclude_callchain_kernel = o->no_kernel_chain;
	a->exclude_callchain_user = o->no_user_chain;
	a->sample_max_stack = t->given & TERM_MAX_STACK ? t->max_stack : o->max_stack;
	if ((mode == CHAIN_DWARF || mode == CHAIN_AUTO) && !o->no_user_chain)
		set_stack(a, t, o);
	if (mode == CHAIN_DWARF)
		a->exclude_callchain_user = 1;
	if (mode == CHAIN_FP) {
		set_link(a, o);
		a->defer_callchain = o->defer && !o->no_user_chain;
	}
	if (mode == CHAIN_LBR)
		set_branches(a, PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK | PERF_SAMPLE_BRANCH_NO_FLAGS |
				PERF_SAMPLE_BRANCH_NO_CYCLES | PERF_SAMPLE_BRANCH_HW_INDEX);
}

/* The kernel does not sample an event that fills an AUX area. The period is for hardware that samples, as SPE does. */
static void set_aux(struct event_attr *a, const struct event_attr *asked)
{
	a->freq = 0;
	a->sample_period = asked->sample_period;
	a->aux_watermark = asked->aux_watermark;
}

static void set_registers(struct event_attr *a, const struct sampling_opts *o)
{
	if (o->intr_regs) {
		a->sample_type |= PERF_SAMPLE_REGS_INTR;
		a->sample_regs_intr = o->intr_regs;
	}
	if (o->user_regs) {
		a->sample_type |= PERF_SAMPLE_REGS_USER;
		a->sample_regs_user |= o->user_regs;
	}
}

/*
 * When a CPU switches from a parent to its child, the kernel swaps their events, and with inherit_stat their counts, pair by
 * pair in the order of each task's list (perf_event_sync_stat() in kernel/events/core.c, Linux 6.18). The lists differ: the
 * parent's has the order of opening, the child's has pinned events first and then the events CPU by CPU. So an event may be
 * paired with the side band, which then gets its count. A pinned event comes first in both lists. Pinning costs nothing for
 * events that need no counter of the processor.
 */
static void keep_order(struct event_attr *a, const struct event_request *r)
{
	if (a->inherit_stat && (a->type == PERF_TYPE_SOFTWARE || a->type == PERF_TYPE_TRACEPOINT || r->path))
		a->pinned = 1;
}

/* The leader of a group that is read with each sample is the only one that samples. */
static void set_group(struct event_attr *a, const struct event_request *r, const struct event_request *leader)
{
	bool grouped = r->group && leader->group == r->group;

	if (r->sampled_read) {
		a->sample_type |= PERF_SAMPLE_READ;
		a->read_format |= grouped ? PERF_FORMAT_GROUP : 0;
	}
	if (!grouped || r == leader)
		return;
	a->disabled = a->enable_on_exec = 0;
	if (!r->sampled_read)
		return;
	a->freq = 0;
	a->sample_period = 0;
}

struct event_attr sampling_attr(const struct event_request *r, const struct event_request *leader,
				const struct sampling_opts *o)
{
	struct event_attr a = r->attr;

	set_common(&a, o);
	a.exclude_user |= o->all_kernel;
	a.exclude_kernel |= o->all_user;
	a.exclude_hv |= o->all_user || o->all_kernel;
	a.exclude_callchain_kernel = 0;
	a.precise_ip = r->precise_max ? 3 : r->attr.precise_ip;
	a.disabled = 1;
	a.write_backward = o->overwrite;
	a.enable_on_exec = o->on_exec;
	a.inherit_stat = o->read && o->inherit;
	if (r->terms.given & TERM_INHERIT)
		a.inherit = a.inherit && r->terms.inherit;
	if (r->terms.given & TERM_OVERWRITE)
		a.write_backward = r->terms.overwrite;
	set_rate(&a, r, o);
	a.sample_type = id_bits(o) | PERF_SAMPLE_IP | o->sample_bits | r->attr.sample_type;
	if (r->terms.given & TERM_TIME)
		a.sample_type = (a.sample_type & ~(uint64_t)PERF_SAMPLE_TIME) | (r->terms.time ? PERF_SAMPLE_TIME : 0);
	if (r->aux)
		set_aux(&a, &r->attr);
	else if (wants_period_bit(&a, r, o))
		a.sample_type |= PERF_SAMPLE_PERIOD;
	if (o->addr)
		a.sample_type |= PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC;
	if (o->raw || event_is_bpf_output(&a) || event_is_tracepoint(&a))
		a.sample_type |= PERF_SAMPLE_RAW;
	if (o->cgroups)
		a.sample_type |= PERF_SAMPLE_CGROUP;
	set_call_chain(&a, &r->terms, o);
	if (a.sample_type & PERF_SAMPLE_CALLCHAIN && r->attr.exclude_callchain_kernel)
		a.exclude_callchain_kernel = 1;
	set_branches(&a, r->terms.given & TERM_BRANCHES ? r->terms.branches : o->branches);
	set_registers(&a, o);
	if (o->running_time)
		a.read_format |= PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	if (r == leader || !r->group || leader->group != r->group)
		keep_order(&a, r);
	set_group(&a, r, leader);
	return a;
}

/* Returns the attr of an event that makes records and no samples. */
static struct event_attr dummy_attr(const struct sampling_opts *o, bool on_exec)
{
	struct event_attr a = { .size = ATTR_SIZE_VER7 };

	set_common(&a, o);
	a.type = PERF_TYPE_SOFTWARE;
	a.config = PERF_COUNT_SW_DUMMY;
	a.sample_period = 1;
	a.sample_type = id_bits(o) | PERF_SAMPLE_IP;
	a.exclude_kernel = a.exclude_hv = a.exclude_guest = 1;
	a.disabled = a.enable_on_exec = on_exec;
	a.defer_output = o->defer;
	return a;
}

struct event_attr switches_attr(const struct sampling_opts *o, bool on_exec)
{
	struct event_attr a = dummy_attr(o, on_exec);

	a.context_switch = 1;
	return a;
}

struct event_attr side_band_attr(const struct sampling_opts *o, bool on_exec)
{
	struct event_attr a = dummy_attr(o, on_exec);

	if (o->side_band_apart)
		a.wakeup_watermark = 1;
	a.mmap = a.mmap2 = a.comm = a.comm_exec = a.task = a.ksymbol = 1;
	a.mmap_data = o->data_maps;
	a.bpf_event = !o->no_bpf_events;
	a.build_id = !o->no_build_ids;
	a.context_switch = o->switches && !o->side_band_apart;
	a.text_poke = o->text_pokes;
	a.namespaces = o->namespaces;
	a.cgroup = o->cgroups;
	return a;
}

struct event_attr wait_sums_attr(const struct sampling_opts *o)
{
	struct event_attr a = { .size = ATTR_SIZE_VER7 };

	set_common(&a, o);
	a.type = PERF_TYPE_SOFTWARE;
	a.config = PERF_COUNT_SW_BPF_OUTPUT;
	a.sample_period = 1;
	a.sample_type = id_bits(o) | WAIT_SUMS_TYPE;
	a.read_format = PERF_FORMAT_ID;
	a.disabled = 1;
	return a;
}
