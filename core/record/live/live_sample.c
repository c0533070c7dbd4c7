/* Unwinds the stack of one sample during the recording, and writes the sample with a call chain instead of its stack copy. */
#include "core/record/live/live_sample.h"

#include "core/arch.h"
#include "core/base/buf.h"
#include "core/perfdata/event_table.h"
#include "core/perfdata/record.h"
#include "core/model/live_maps.h"
#include "core/model/python.h"
#include "core/native.h"
#include "core/record/open/sampling.h"
#include "core/record/open/event_set.h"
#include "core/unwind/tables.h"
#include "core/unwind/unwinder.h"

#define FRAMES_MAX	1024	/* frames of a chain if no limit was requested */
#define RECORD_MAX	(UINT16_MAX & ~7u)

/* ---- events ---- */

#define STACK_TYPE ((uint64_t)PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)

static void set_written(struct event_attr *a, uint64_t user_regs)
{
	a->sample_type &= ~(uint64_t)PERF_SAMPLE_STACK_USER;
	a->sample_stack_user = 0;
	a->sample_regs_user &= user_regs;
	if (!a->sample_regs_user)
		a->sample_type &= ~(uint64_t)PERF_SAMPLE_REGS_USER;
	a->exclude_callchain_user = 1;	/* what user space called is the recorder's, not the kernel's */
	a->sample_max_stack = a->sample_max_stack ? a->sample_max_stack : FRAMES_MAX;
}

void live_event_plan(struct live_event *e, struct event *ev, bool unwinds, uint64_t user_regs)
{
	struct event_attr *a = &ev->attr;

	*e = (struct live_event){
		.unwinds = unwinds && (a->sample_type & STACK_TYPE) == STACK_TYPE,
		.may_shed = a->sample_stack_user > SHED_STACK,
		.is_switch = event_is_timed_switch(ev),
		.stack_size = a->sample_stack_user,
		.lesser_stack = a->sample_stack_user > SMALL_STACK ? lesser_stack(a->sample_stack_user) : 0,
		.max_frames = a->sample_max_stack ? a->sample_max_stack : FRAMES_MAX,
		.recorded = ev->layout,
	};
	if (e->unwinds)
		set_written(a, user_regs);
	sample_layout_of(&ev->layout, a);
	e->written = ev->layout;
}

/* ---- copying ---- */

/* Reads a sample. Returns false if it is invalid. */
static bool read_sample(const struct live_event *e, const uint8_t *record, struct record_header *h, struct sample *s)
{
	struct wire w;

	memcpy(h, record, sizeof(*h));
	w = wire_reader(record + sizeof(*h), h->size - sizeof(*h));
	return !sample_pass(&w, &e->recorded, s);
}

/* The size of the stack's copy is in the word before it. */
uint64_t live_sample_keep(const struct live_event *e, const uint8_t *record, struct buf *out)
{
	struct record_header h;
	struct sample s = {0};
	const uint8_t *stack, *rest;
	uint64_t keep;
	uint16_t size;

	if (!read_sample(e, record, &h, &s) || !s.stack_size || s.stack_dyn_size > s.stack_size) {
		buf_put(out, record, h.size);
		return s.stack_size;
	}
	stack = s.stack;
	rest = stack + s.stack_size;
	keep = MIN(round_up(s.stack_dyn_size, 8), s.stack_size);
	size = h.size;
	h.size = (uint16_t)(size - (s.stack_size - keep));
	buf_put(out, &h, sizeof(h));
	buf_put(out, record + sizeof(h), (size_t)(stack - record) - sizeof(h) - sizeof(keep));
	buf_put(out, &keep, sizeof(keep));
	buf_put(out, stack, keep);
	buf_put(out, rest, (size_t)(record + size - rest));
	return s.stack_size;
}

/* ---- unwinding ---- */

void live_unwinder_init(struct live_unwinder *u, struct unwind_tables *tables, struct jvm_table *java)
{
	*u = (struct live_unwinder){0};
	live_memory_init(&u->memory, tables, java);
	u->unwinder = unwinder_new(&u->memory.memory);
}

void live_unwinder_refresh(struct live_unwinder *u)
{
	unsigned generation = unwind_tables_generation(u->memory.tables);

	live_memory_begin(&u->memory);
	if (u->generation == generation)
		return;
	u->generation = generation;
	unwinder_free(u->unwinder);
	u->unwinder = unwinder_new(&u->memory.memory);
}

void live_unwinder_release(struct live_unwinder *u)
{
	unwinder_free(u->unwinder);
	live_memory_release(&u->memory);
	vec_free(&u->chain.ips);
	vec_free(&u->merged.ips);
	chain_cuts_release(&u->cuts);
}

/* Returns the index of the user part's context marker in the chain, or the chain's end if it has no user part. */
static uint64_t user_part(const struct words *chain)
{
	uint64_t at = 0;

	while (at < chain->nr && words_at(chain, at) != PERF_CONTEXT_USER)
		at++;
	return at;
}

static struct words words_from(const struct words *w, uint64_t at)
{
	at = MIN(at, w->nr);
	return (struct words){ .nr = w->nr - at, .data = w->data + 8 * at };
}

/* True if there is a user space, and all data for unwinding. */
static bool has_stack(const struct sample *s)
{
	return s->user_abi && s->stack_size && s->stack_dyn_size <= s->stack_size;
}

static bool unwind(const struct live_event *e, struct live_unwinder *u, const struct live_space *space, struct sample *s,
		   uint64_t stack_wanted)
{
	uint64_t at = user_part(&s->chain);
	struct unwind_input in = {
		.space = space->number, .abi = s->user_abi, .mask = e->recorded.regs_user, .regs = s->user_regs,
		.stack = s->stack, .stack_size = s->stack_dyn_size, .stack_wanted = stack_wanted,
		.frame_pointers = words_from(&s->chain, at + 1), .marks = true,
	};

	u->memory.space = space;
	u->memory.pid = s->pid;
	u->chain.ips.nr = 0;
	for (uint64_t i = 0; i < at; i++)
		vec_push(&u->chain.ips, words_at(&s->chain, i));
	vec_push(&u->chain.ips, PERF_CONTEXT_USER);
	return unwinder_frames(u->unwinder, &in, e->max_frames, &u->chain);
}

/* Finds the address of the instruction in user space, which is the only frame that is known without unwinding. */
static bool user_ip(const struct live_event *e, const struct sample *s, uint64_t *ip)
{
	uint64_t bit = native.arch ? 1ull << native.arch->pc_reg : 0, mask = e->recorded.regs_user;
	uint64_t at = (uint64_t)__builtin_popcountll(mask & (bit - 1));

	if (!s->user_abi || !(mask & bit) || at >= s->user_regs.nr)
		return false;
	*ip = words_at(&s->user_regs, at);
	return true;
}

/* Makes the chain without unwinding: by frame pointers or, without them, one frame. */
static void use_known_chain(const struct live_event *e, const struct sample *s, struct unwound *out)
{
	bool has_user = user_part(&s->chain) < s->chain.nr;
	uint64_t ip;

	out->ips.nr = 0;
	for (uint64_t i = 0; i < s->chain.nr; i++)
		vec_push(&out->ips, words_at(&s->chain, i));
	if (has_user || !user_ip(e, s, &ip))
		return;
	vec_push(&out->ips, PERF_CONTEXT_USER);
	vec_push(&out->ips, ip);
}

/* ---- writing ---- */

/* Removes the registers that were only recorded for unwinding. */
static void choose_regs(const struct live_event *e, struct sample *s, uint64_t *regs)
{
	uint64_t mask = e->recorded.regs_user, n = 0, at = 0;

	for (unsigned i = 0; i < 64 && at < s->user_regs.nr; i++) {
		if (!(mask & 1ull << i))
			continue;
		if (e->written.regs_user & 1ull << i)
			regs[n++] = words_at(&s->user_regs, at);
		at++;
	}
	s->user_regs = (struct words){ .nr = n, .data = (const uint8_t *)regs };
}

static size_t written_size(const struct live_event *e, struct sample *s)
{
	struct wire w = { .mode = WIRE_SIZE };

	sample_pass(&w, &e->written, s);
	return sizeof(struct record_header) + w.size;
}

static void append(const struct live_event *e, struct sample *s, struct record_header h, struct buf *out)
{
	struct wire w;

	h.size = (uint16_t)written_size(e, s);
	buf_put(out, &h, sizeof(h));
	w = wire_writer(buf_room(out, h.size - sizeof(h)), h.size - sizeof(h));
	sample_pass(&w, &e->written, s);
	out->len += h.size - sizeof(h);
}

/* If the sample is in the code of Python's interpreter loop, replaces its address by that of the Python frame that runs there. */
static void enter_python(struct sample *s, const struct python_stack *python, uint16_t misc)
{
	if ((misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER && python->nr && python_is_loop(python, s->ip))
		s->ip = python->frames[0] & ~PYTHON_FRAME_ENTRY;
}

/* In the code of Java's interpreter, the sample's address becomes that of the method, which is next in the chain. */
static void enter_method(struct sample *s, const struct unwound *chain, uint16_t misc)
{
	if ((misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER)
		return;
	for (size_t i = 0; i + 1 < chain->ips.nr; i++)
		if (chain->ips.v[i] < CHAIN_CONTEXT_MAX) {
			if (chain->ips.v[i] == s->ip && is_interpreted_in_loop(chain->ips.v[i + 1]))
				s->ip = chain->ips.v[i + 1] - PYTHON_IN_LOOP;
			return;
		}
}

static void write_chain(const struct live_event *e, struct sample *s, struct words chain, struct record_header h, struct buf *out)
{
	size_t more;

	s->chain = chain;
	more = written_size(e, s);
	/* A record has no room for the outermost frames. */
	if (more > RECORD_MAX)
		s->chain.nr -= MIN(s->chain.nr, (more - RECORD_MAX + 7) / 8);
	append(e, s, h, out);
}

static void count(struct live_unwinder *u, const struct sample *s, bool unwound, bool shed)
{
	u->cuts.chains++;
	u->cuts.shed += shed;
	if (shed)
		return;
	if (!unwound && !has_stack(s))
		return;
	if (!unwound) {		/* the process is not known */
		u->chain.end = UNWOUND_NO_TABLES;
		u->chain.dso = NULL;
	}
	chain_cuts_count(&u->cuts, &u->chain);
}

bool live_sample_write(const struct live_event *e, struct live_unwinder *u, const struct live_space *space,
		       const uint8_t *record, uint64_t stack_wanted, const struct python_stack *python, struct buf *out)
{
	struct unwound known = {0}, *chain = u ? &u->chain : &known;
	struct python_chain own = {0}, *merged = u ? &u->merged : &own;
	struct words words;
	struct record_header h;
	struct sample s = {0};
	uint64_t regs[64];
	bool unwound, shed = e->may_shed && stack_wanted == SHED_STACK;

	chain->end = UNWOUND_ROOT;
	if (!read_sample(e, record, &h, &s))
		return true;
	chain->stack_used = 0;
	unwound = u && space && !shed && has_stack(&s) && unwind(e, u, space, &s, stack_wanted);
	if (unwound && !u->takes_any && unwind_tables_lacked_files(u->memory.tables))
		return false;
	shed |= unwound && u->may_be_shed && stack_wanted == e->lesser_stack && chain->end == UNWOUND_STACK;
	if (!unwound)
		use_known_chain(e, &s, chain);
	if (u)
		count(u, &s, unwound, shed);
	choose_regs(e, &s, regs);
	enter_method(&s, chain, h.misc);
	words = (struct words){ .nr = chain->ips.nr, .data = (const uint8_t *)chain->ips.v };
	if (python) {
		python_merge(python, &words, merged);
		enter_python(&s, python, h.misc);
		words = (struct words){ .nr = merged->ips.nr, .data = (const uint8_t *)merged->ips.v };
	}
	write_chain(e, &s, words, h, out);
	vec_free(&known.ips);
	vec_free(&own.ips);
	return true;
}

void live_sample_merge(const struct live_event *e, const uint8_t *record, const struct python_stack *python, struct buf *out)
{
	struct python_chain merged = {0};
	struct record_header h;
	struct sample s = {0};

	if (!read_sample(e, record, &h, &s)) {
		buf_put(out, record, h.size);
		return;
	}
	if (e->recorded.type & PERF_SAMPLE_CALLCHAIN) {
		python_merge(python, &s.chain, &merged);
		s.chain = (struct words){ .nr = merged.ips.nr, .data = (const uint8_t *)merged.ips.v };
	}
	enter_python(&s, python, h.misc);
	write_chain(e, &s, s.chain, h, out);
	vec_free(&merged.ips);
}
