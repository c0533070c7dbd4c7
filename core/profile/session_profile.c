/*
 * Makes a profile (profile.h), the tables that exports and comparisons read, from a recording. It sums equal samples on worker
 * threads, looks up each address once, and adds functions, call chains and threads to the builder (builder.h).
 */
#include "core/profile/session_profile.h"

#include <inttypes.h>
#include <string.h>

#include "core/hists/bucket.h"
#include "core/hists/naming.h"
#include "core/model/dso.h"
#include "core/perfdata/feature.h"
#include "core/profile/profile_impl.h"
#include "core/profile/session_parts.h"
#include "core/unwind/dso_counts.h"
#include "core/read/session.h"
#include "core/sched/wait_samples.h"

#define AHEAD 16	/* distance of prefetching, in buckets */

struct key_place {			/* rows for an address key; PROFILE_NONE: not added yet */
	uint32_t address;		/* the builder's number of the address */
	uint32_t stack;			/* the builder's number of the stack for samples without a chain */
	uint32_t last_code;		/* index in making.codes of the last element for this key */
};

struct making {
	const struct profile_query *query;
	struct session *session;
	const struct machine *machine;
	struct profile_builder *builder;
	struct session_threads *threads;
	struct buckets buckets;
	struct locations locations;
	struct name_counts counts;
	struct naming naming;
	uint32_t *bucket_weight;	/* the weight of each bucket; PROFILE_NONE: the bucket is left out */
	/* The builder's numbers; PROFILE_NONE: not added yet. */
	uint32_t *dsos;			/* by dso number */
	uint32_t *functions, *frames;	/* by location */
	uint32_t *comms;		/* by the machine's number of the comm */
	uint32_t *stacks;		/* by chain node */
	struct key_place *keys;		/* by address key */
	struct sampled_codes codes;	/* sums of samples by address, if query->nr_code is set */
	struct call_span calls;
	struct sample_columns columns;
	struct wait_frames waits;
	bool *kernel;			/* by address key: it is in the kernel; NULL without query->wait_frames */
};

static void *new_map(size_t nr)
{
	uint32_t *map = xmalloc(MAX(nr, 1) * sizeof(*map));

	memset(map, 0xff, MAX(nr, 1) * sizeof(*map));
	return map;
}

static uint32_t add_text(struct making *m, const char *text)
{
	return text ? profile_add_string(m->builder, text) : 0;
}

/* ---- places ---- */

static int by_name(const void *pa, const void *pb)
{
	const struct location *a = *(struct location *const *)pa, *b = *(struct location *const *)pb;
	int order = compare_numbers(a->dso->number, b->dso->number) ?: strcmp(a->name, b->name);

	return order ?: compare_numbers(a->addr, b->addr) ?: compare_numbers(a->size, b->size);
}

/* Makes one function, that at the lowest address, of all that a JIT compiler made of a method: each time it is elsewhere. */
static void join_compilations(struct locations *s)
{
	VEC(struct location *) made = {0};

	vec_for(l, &s->list)
		if (l->level == 'j' && l->name && !l->inlined)
			vec_push(&made, l);
	vec_sort(&made, by_name);
	for (size_t i = 1; i < made.nr; i++)
		if (made.v[i]->dso == made.v[i - 1]->dso && str_eq(made.v[i]->name, made.v[i - 1]->name))
			made.v[i]->function = made.v[i - 1]->function;
	vec_free(&made);
}

static enum profile_dso_kind kind_of(const struct dso *dso)
{
	static const enum profile_dso_kind kinds[] = {
		[DSO_USER] = PROFILE_DSO_USER, [DSO_KERNEL] = PROFILE_DSO_KERNEL, [DSO_MODULE] = PROFILE_DSO_MODULE,
		[DSO_VDSO] = PROFILE_DSO_VDSO, [DSO_BPF] = PROFILE_DSO_BPF, [DSO_ANON] = PROFILE_DSO_ANON,
		[DSO_UNKNOWN] = PROFILE_DSO_UNKNOWN, [DSO_GUEST] = PROFILE_DSO_UNKNOWN,
	};

	return kinds[dso->kind];
}

static uint32_t dso_of(struct making *m, const struct dso *dso)
{
	uint32_t *number;

	if (!dso)
		return PROFILE_NONE;
	number = &m->dsos[dso->number];
	if (*number == PROFILE_NONE)
		*number = profile_add_dso(m->builder, &(struct profile_dso){
			.path = add_text(m, dso->path), .name = add_text(m, dso->name), .build_id = dso->build_id,
			.kind = kind_of(dso),
		});
	return *number;
}

static uint32_t dso_of_call(void *ctx, const struct dso *dso)
{
	return dso_of(ctx, dso);
}

static uint32_t function_of(struct making *m, uint32_t location)
{
	uint32_t all = m->locations.list.v[location].function, *number = &m->functions[all];
	const struct location *s = &m->locations.list.v[all];

	if (*number == PROFILE_NONE)
		*number = profile_add_function(m->builder, &(struct profile_function){
			.name = add_text(m, s->name), .dso = dso_of(m, s->dso), .address = s->own_addr,
			.size = s->inlined ? 0 : s->size, .level = s->level, .inlined = s->inlined, .made = s->made,
		});
	return *number;
}

static uint32_t add_frame(struct making *m, const struct location *s, uint32_t function)
{
	bool exact = m->query->frames == PROFILE_BY_ADDRESS;
	struct profile_frame frame = {
		.function = function, .address = exact ? s->own_addr + s->offset : m->locations.list.v[s->function].own_addr,
	};
	size_t n;
	const char *file;

	if (m->query->frames != PROFILE_BY_FUNCTION && locations_know_line(&m->locations, s)) {
		file = locations_text(&m->locations, s->file, &n);
		frame.file = profile_add_string_n(m->builder, file, n);
		frame.line = s->line_number;
	}
	return profile_add_frame(m->builder, &frame);
}

static uint32_t frame_of(struct making *m, uint32_t location)
{
	const struct location *s = &m->locations.list.v[location];
	uint32_t *number = &m->frames[location];

	if (*number != PROFILE_NONE)
		return *number;
	/* If lines are distinguished, but unknown, the function has a single frame. */
	if (m->query->frames == PROFILE_BY_LINE && s->function != location && !locations_know_line(&m->locations, s))
		return *number = frame_of(m, s->function);
	return *number = add_frame(m, s, function_of(m, location));
}

/* If frames are addresses, nearly every chain needs new stacks. Otherwise, many chains share them. */
static uint32_t push_frame(void *ctx, uint32_t caller, uint32_t location)
{
	struct making *m = ctx;
	uint32_t frame = frame_of(m, location);

	return m->query->frames == PROFILE_BY_ADDRESS && caller != PROFILE_ROOT ?
		profile_append_stack(m->builder, caller, frame) : profile_add_stack(m->builder, caller, frame);
}

static void make_stacks(struct making *m)
{
	const struct chain_node *nodes = m->buckets.chains.nodes.v;
	size_t nr = m->buckets.chains.nodes.nr;

	m->stacks = xcalloc(MAX(nr, 1), sizeof(*m->stacks));
	for (size_t i = 1; i < nr; i++)		/* callers stand before what they call */
		m->stacks[i] = naming_frame(&m->naming, m->stacks[nodes[i].parent], nodes[i].addr_key, push_frame, m);
}

/* The stack of a sampled address without a chain. */
static uint32_t lone_stack(struct making *m, uint32_t number)
{
	const struct named_addr_key *addr_key = &m->locations.addr_keys.v[number];
	uint32_t *stack = &m->keys[number].stack;

	if (*stack == PROFILE_NONE)
		*stack = addr_key->nr_inlines ? naming_frame(&m->naming, PROFILE_ROOT, number, push_frame, m) :
						push_frame(m, PROFILE_ROOT, addr_key->location);
	return *stack;
}

static uint32_t address_of(struct making *m, uint32_t number)
{
	const struct named_addr_key *addr_key = &m->locations.addr_keys.v[number];
	uint32_t *address = &m->keys[number].address;

	if (*address == PROFILE_NONE)
		*address = profile_add_address(m->builder, &(struct profile_address){
			.function = function_of(m, addr_key->location), .own = function_of(m, addr_key->own),
			.dso = dso_of(m, m->locations.list.v[addr_key->location].dso), .address = addr_key->addr,
		});
	return *address;
}

/* ---- samples ---- */

static uint32_t comm_of(struct making *m, uint32_t number)
{
	if (m->comms[number] == PROFILE_NONE)
		m->comms[number] = add_text(m, machine_comm(m->machine, number));
	return m->comms[number];
}

/* ---- events ---- */

static enum profile_unit unit_of(const struct event *ev)
{
	return event_counts_time(ev) ? PROFILE_NS : PROFILE_COUNT;
}

static void add_events(struct making *m, const struct event_total *filtered)
{
	vec_for(event, &session_events(m->session)->events) {
		const struct event *ev = *event;

		profile_add_event(m->builder, &(struct profile_event){
			.name = add_text(m, ev->name), .unit = unit_of(ev),
			.source = ev->hidden_source, .lasts = ev == session_waits_event(m->session),
			.by_frequency = ev->attr.freq, .rate = ev->attr.freq ? ev->attr.sample_freq : ev->attr.sample_period,
			.nr_filtered = filtered[ev->number].nr_out, .period_filtered = filtered[ev->number].period_out,
			.leader = ev->leader, .nr_members = ev->leader == ev->number ? MAX(ev->nr_members, 1) : 0,
		});
	}
}

/* Returns the number of the event of calls, which comes after the session's events. These keep their numbers. */
static uint32_t call_event(const struct making *m)
{
	return (uint32_t)session_events(m->session)->events.nr;
}

static void add_calls(struct making *m)
{
	profile_add_event(m->builder, &(struct profile_event){
		.name = add_text(m, "call time"), .unit = PROFILE_NS, .calls = true, .leader = call_event(m), .nr_members = 1,
	});
	m->calls = session_calls(m->session, m->threads, m->builder, &(struct session_calls_opts){
		.filter = m->query->filter, .event = call_event(m), .times = m->query->times,
		.dso = dso_of_call, .ctx = m,
	});
}

static void add_info(struct making *m)
{
	const struct features *f = session_features(m->session);
	const struct session_counts *c = session_counts(m->session);
	struct buf command = {0};

	for (size_t i = 0; i < f->cmdline.nr; i++)
		buf_printf(&command, "%s%s", i ? " " : "", f->cmdline.v[i] ? f->cmdline.v[i] : "");
	profile_set_info(m->builder, &(struct profile_info){
		.hostname = add_text(m, f->hostname), .os_release = add_text(m, f->osrelease), .arch = add_text(m, f->arch),
		.boot_id = add_text(m, f->boot_id),
		.cpu = add_text(m, f->cpudesc), .command = add_text(m, buf_str(&command)),
		.first_time = MIN(c->first_time, m->calls.from), .last_time = MAX(c->last_time, m->calls.to),
		.recorded = session_file(m->session)->mtime,
	});
	buf_release(&command);
}

/* ---- rows ---- */

static void collect(struct making *m)
{
	const struct profile_query *q = m->query;
	struct bucket_opts opts = {
		.needs = (q->merge_code ? 0u : NEED_ADDRESS) | (q->merge_threads ? 0u : NEED_COMM | NEED_THREAD) |
			 (q->max_depth ? NEED_CHAIN : 0u) | (q->cpus ? NEED_CPU : 0u),
		.event = q->event, .sources = q->sources, .moments = q->times, .slot_ns = 1,
		.max_depth = q->max_depth, .filter = q->filter, .only_wanted = q->only_wanted,
	};

	if (q->columns)
		sample_columns_plan(&m->columns, q->columns, q->traces, m->session, &opts);
	if (q->wait_frames)
		wait_frames_plan(&m->waits, m->session, q->only_ready, &opts);
	buckets_collect(&m->buckets, m->session, &opts);
	if (q->wait_frames)
		m->kernel = kernel_addresses(&m->buckets, m->machine);
}

static void name_addr_keys(struct making *m)
{
	const struct profile_query *q = m->query;
	unsigned needs = m->columns.plan.needs;

	m->naming = (struct naming){
		.buckets = &m->buckets, .locations = &m->locations, .counts = &m->counts,
		.opts = {
			.filter = q->filter, .names = true,
			.lookup = {
				.inlines = q->inlines, .sample_inlines = q->inlines, .jobs = session_jobs(m->session),
				.full_paths = true, .call_lines = true,
				.lines = q->frames != PROFILE_BY_FUNCTION || needs & NEED_LINE, .line_texts = needs & NEED_LINE,
				.offsets = q->frames == PROFILE_BY_ADDRESS || needs & NEED_OFFSET,
			},
		},
	};
	naming_make(&m->naming, m->session);
	join_compilations(&m->locations);
	sample_columns_make(&m->columns, &m->buckets, &m->locations, m->session, m->builder);
}

static bool is_lower(const struct bucket *bucket, const struct sampled_code *code)
{
	return bucket->space != code->space ? bucket->space < code->space : bucket->ip < code->ip;
}

/* Adds a bucket to the last element of .codes for the address. Returns false if there is none, or it is for another event. */
static bool add_to_code(struct making *m, const struct bucket *bucket)
{
	struct sampled_code *code;

	if (m->keys[bucket->addr_key].last_code == PROFILE_NONE)
		return false;
	code = &m->codes.list.v[m->keys[bucket->addr_key].last_code];
	if (code->event != bucket->key.event)
		return false;
	code->nr += bucket->nr;
	add_saturated(&code->period, bucket->period);
	if (is_lower(bucket, code)) {
		code->space = bucket->space;
		code->ip = bucket->ip;
	}
	return true;
}

static void add_code(struct making *m, const struct bucket *bucket)
{
	const struct named_addr_key *addr_key = &m->locations.addr_keys.v[bucket->addr_key];

	if (add_to_code(m, bucket))
		return;
	m->keys[bucket->addr_key].last_code = (uint32_t)m->codes.list.nr;
	vec_push(&m->codes.list, ((struct sampled_code){
		.function = m->locations.list.v[addr_key->location].name ? function_of(m, addr_key->location) : PROFILE_NONE,
		.event = bucket->key.event, .space = bucket->space, .ip = bucket->ip, .addr = addr_key->addr,
		.nr = bucket->nr, .period = bucket->period,
	}));
}

/* Returns the innermost user-space node of a chain. A chain with only kernel frames, as in kernel threads, is kept whole. */
static uint32_t outside_of_kernel(const struct making *m, uint32_t chain)
{
	const struct chain_node *nodes = m->buckets.chains.nodes.v;
	uint32_t node = chain;

	while (node != CHAIN_ROOT && m->kernel[nodes[node].addr_key])
		node = nodes[node].parent;
	return node != CHAIN_ROOT ? node : chain;
}

/* Adds the stack of a wait, with the frames of its reason. Returns its number; PROFILE_ROOT: the bucket is not a wait. */
static uint32_t push_wait(struct making *m, const struct bucket *bucket)
{
	const struct wait_frames_of *w = !m->query->wait_frames ? NULL :
		wait_frames_of(&m->waits, m->session, &m->buckets.details, bucket->key.detail, m->builder);
	uint32_t stack;

	if (!w || !w->nr)
		return PROFILE_ROOT;
	stack = m->stacks[w->whole ? bucket->key.chain : outside_of_kernel(m, bucket->key.chain)];
	for (unsigned i = 0; i < w->nr; i++)
		stack = profile_add_stack(m->builder, stack, w->frames[i]);
	return stack;
}

static uint32_t add_bucket(struct making *m, const struct bucket *bucket)
{
	const struct event *ev = session_events(m->session)->events.v[bucket->key.event];
	bool has_address = event_shows(ev, PERF_SAMPLE_IP) && !m->query->merge_code;
	uint32_t stack = m->stacks[bucket->key.chain], wait = push_wait(m, bucket);

	if (wait != PROFILE_ROOT) {
		stack = wait;
		has_address = false;
	}
	if (stack == PROFILE_ROOT && has_address)
		stack = lone_stack(m, bucket->addr_key);
	return profile_add_weight(m->builder, &(struct profile_weight){
		.event = bucket->key.event,
		.thread = m->query->merge_threads ? PROFILE_NONE : session_thread(m->threads, bucket->key.tid),
		.comm = m->query->merge_threads ? 0 : comm_of(m, bucket->key.comm),
		.cpu = m->query->cpus && bucket->key.cpu != CPU_NONE ? bucket->key.cpu : PROFILE_NONE,
		.stack = stack,
		.address = has_address && !m->query->merge_addresses ? address_of(m, bucket->addr_key) : PROFILE_NONE,
		.nr = bucket->nr, .period = bucket->period,
	});
}

/* Prefetches the data of bucket @i, if there is one. */
static void expect_bucket(const struct making *m, size_t i)
{
	const struct bucket *bucket = &m->buckets.table.buckets.v[i];

	if (i >= m->buckets.table.buckets.nr)
		return;
	__builtin_prefetch(&m->stacks[bucket->key.chain]);
	__builtin_prefetch(&m->naming.breaks.kind[bucket->key.chain]);
	__builtin_prefetch(&m->keys[bucket->addr_key]);
	__builtin_prefetch(&m->locations.addr_keys.v[bucket->addr_key]);
}

static void add_buckets(struct making *m)
{
	m->bucket_weight = new_map(m->buckets.table.buckets.nr);
	for (size_t i = 0; i < m->buckets.table.buckets.nr; i++) {
		const struct bucket *bucket = &m->buckets.table.buckets.v[i];
		struct bucket_place place = naming_place(&m->naming, bucket);

		expect_bucket(m, i + AHEAD);
		if (naming_count(&m->naming, bucket, &place, false) != BUCKET_COUNTS)
			continue;
		m->bucket_weight[i] = add_bucket(m, bucket);
		if (m->query->nr_code)
			add_code(m, bucket);
	}
}

static void add_sample(void *ctx, uint64_t time, uint32_t bucket, uint64_t period)
{
	struct making *m = ctx;

	if (m->bucket_weight[bucket] != PROFILE_NONE)
		profile_add_sample(m->builder, time, m->bucket_weight[bucket], period,
				   sample_columns_of(&m->columns, bucket));
}

/* Adds a sample without time for each bucket. */
static void add_summed_samples(struct making *m)
{
	for (size_t i = 0; i < m->buckets.table.buckets.nr; i++)
		add_sample(m, m->buckets.table.buckets.v[i].nr, (uint32_t)i, m->buckets.table.buckets.v[i].period);
}

static void making_release(struct making *m)
{
	session_threads_free(m->threads);
	buckets_release(&m->buckets);
	naming_release(&m->naming);
	locations_release(&m->locations);
	name_counts_release(&m->counts);
	free(m->bucket_weight);
	free(m->dsos);
	free(m->functions);
	free(m->frames);
	free(m->comms);
	free(m->stacks);
	free(m->keys);
	sample_columns_release(&m->columns);
	wait_frames_release(&m->waits);
	free(m->kernel);
	vec_free(&m->codes.list);
}

/* Adds findings about sums of the finished profile: overflows, merged times, no samples. */
static void find_in_sums(struct profile *p, const struct session *s)
{
	char *gap = xasprintf("%" PRIu64 " ns", p->data.joined_ns);
	uint64_t nr = 0;

	vec_for(e, &p->data.events) {
		nr += e->nr;
		findings_add(&p->findings, FINDING_PERIOD_OVERFLOW, e->period == UINT64_MAX, 0, profile_string(p, e->name));
	}
	findings_add(&p->findings, FINDING_TIMES_JOINED, p->data.joined_ns != 0, 0, gap);
	if (!nr)
		session_without_samples(s, &p->findings);
	free(gap);
}

struct profile *profile_of_session(struct session *s, const struct profile_query *q)
{
	struct making m = { .query = q, .session = s, .machine = session_machine(s), .builder = profile_builder_new(),
			    .calls.from = UINT64_MAX };
	struct profile *p;

	m.threads = session_threads_new(s, m.builder);
	if (q->calls)
		session_hide_branches(s);
	collect(&m);
	name_addr_keys(&m);
	m.dsos = new_map(machine_nr_dsos(m.machine));
	m.functions = new_map(m.locations.list.nr);
	m.frames = new_map(m.locations.list.nr);
	m.comms = new_map(machine_nr_comms(m.machine));
	m.keys = new_map(m.locations.addr_keys.nr * (sizeof(*m.keys) / sizeof(uint32_t)));
	/* If frames are addresses, nearly each node of a chain needs a stack of its own. Otherwise many nodes share one. */
	profile_reserve(m.builder, q->frames == PROFILE_BY_ADDRESS ? m.buckets.chains.nodes.nr : 0, m.buckets.table.buckets.nr);
	make_stacks(&m);
	add_buckets(&m);
	add_session_code(m.builder, s, &m.codes, q->nr_code);
	if (q->columns && !q->times)
		add_summed_samples(&m);
	buckets_moments(&m.buckets, add_sample, &m);
	if (q->timeline)
		session_timeline(s, q->filter, m.threads, m.builder);
	add_events(&m, m.buckets.totals.v);
	if (q->calls)
		add_calls(&m);
	naming_finish(&m.naming);
	if (q->unresolved)
		name_counts_findings(&m.counts, s, false, profile_builder_findings(m.builder));
	else
		broken_chains_findings(&m.counts.chains, profile_builder_findings(m.builder));
	add_info(&m);
	making_release(&m);
	p = profile_builder_finish(m.builder);
	find_in_sums(p, s);
	return p;
}
