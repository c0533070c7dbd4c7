/*
 * Decodes the records of a recording, and completes the call chains of samples, for example by unwinding a copied stack
 * (core/unwind). samples.c and ordered.c give the decoded records to the callbacks of a command.
 */
#include "core/read/item_reader.h"

#include <string.h>

#include "core/arch.h"
#include "core/read/session.h"
#include "core/read/session_impl.h"
#include "core/read/stitch.h"
#include "core/model/machine.h"
#include "core/unwind/caller.h"
#include "core/unwind/tables.h"

void item_reader_init(struct item_reader *r, const struct session *s, unsigned unwind)
{
	*r = (struct item_reader){ .session = s, .cache = context_cache_new(s->machine), .unwind = unwind };
}

void item_reader_count(const struct item_reader *r, struct session_counts *counts)
{
	damage_merge(&counts->damaged, &r->damaged);
	counts->no_user += r->no_user;
	chain_cuts_merge(&counts->cuts, &r->cuts);
}

void item_reader_release(struct item_reader *r)
{
	context_cache_free(r->cache);
	r->cache = NULL;
	unwinder_free(r->unwinder);
	r->unwinder = NULL;
	chain_cuts_release(&r->cuts);
	for (unsigned i = 0; i < ITEM_SLOTS; i++) {
		vec_free(&r->slots[i].chain.ips);
		vec_free(&r->slots[i].shown.v);
	}
}

#define UNWIND_TYPE ((uint64_t)PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)

static bool has_stack(const struct item_slot *slot)
{
	return (slot->layout->type & UNWIND_TYPE) == UNWIND_TYPE && slot->record.sample.user_abi && slot->record.sample.stack_size;
}

/* True if the recorder had no room for the stack: the recorded chain is by frame pointers. */
static bool is_shed(const struct item_reader *r, const struct item_slot *slot)
{
	return r->unwind && has_stack(slot) && sample_is_shed(&slot->record.sample, slot->item.event->attr.sample_stack_user);
}

/* True if the user's stack was recorded for unwinding (--call-graph dwarf). Then the recorded chain has no user part. */
static bool can_unwind(const struct item_reader *r, const struct item_slot *slot)
{
	return r->unwind && has_stack(slot) && slot->record.sample.stack_dyn_size <= slot->record.sample.stack_size &&
	       !is_shed(r, slot);
}

static struct unwinder *unwinder_of(struct item_reader *r)
{
	if (!r->unwinder)
		r->unwinder = unwinder_new(unwind_tables_memory_ops(r->session->unwind));
	return r->unwinder;
}

static void take_words(struct unwound *chain, const struct words *words, uint64_t nr)
{
	chain->ips.nr = 0;
	for (uint64_t i = 0; i < nr; i++)
		vec_push(&chain->ips, words_at(words, i));
}

static void unwind(struct item_reader *r, struct item_slot *slot, struct sample *s)
{
	struct unwind_input in = {
		.space = slot->context.user_space, .abi = s->user_abi, .mask = slot->layout->regs_user, .regs = s->user_regs,
		.stack = s->stack, .stack_size = s->stack_dyn_size, .stack_wanted = s->stack_size,
	};
	struct unwound *chain = &slot->chain;

	take_words(chain, &s->chain, s->chain.nr);
	vec_push(&chain->ips, PERF_CONTEXT_USER);
	if (unwinder_frames(unwinder_of(r), &in, r->unwind, chain))
		s->chain = (struct words){ .nr = chain->ips.nr, .data = (const uint8_t *)chain->ips.v };
}

uint64_t chain_user_part(const struct words *chain)
{
	uint64_t at = 0;

	while (at < chain->nr && words_at(chain, at) != PERF_CONTEXT_USER)
		at++;
	return at;
}

/* True if the processor recorded the calls (--call-graph lbr): branches, if any, replace the kernel's frame-pointer chain. */
static bool has_recorded_calls(const struct item_slot *slot)
{
	const struct sample *s = &slot->record.sample;

	return slot->layout->type & PERF_SAMPLE_BRANCH_STACK && slot->layout->branch_type & PERF_SAMPLE_BRANCH_CALL_STACK &&
	       s->branch_nr && chain_user_part(&s->chain) < s->chain.nr;
}

/*
 * The innermost address in user space. In a user-space sample it is the sample's ip: for precise events the processor recorded
 * that together with the calls, while the kernel's chain begins at the later interrupt. In other samples it is the first user
 * address of the kernel's chain, or the target of the newest recorded call if the chain has none.
 */
static uint64_t user_place(const struct item_slot *slot, const struct sample *s, uint64_t user)
{
	if ((slot->record.header.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER &&
	    slot->layout->type & PERF_SAMPLE_IP)
		return s->ip;
	return user + 1 < s->chain.nr ? words_at(&s->chain, user + 1) : words_at(&s->branches, 1);
}

/* Makes the user part: the current address, the source of each recorded call, outer calls of earlier samples (stitch.h). */
static void set_recorded_calls(const struct item_reader *r, struct item_slot *slot, struct sample *s)
{
	const struct stitches *stitches = r->session->stitches;
	struct unwound *chain = &slot->chain;
	uint64_t end = chain_user_part(&s->chain);

	take_words(chain, &s->chain, end + 1);
	vec_push(&chain->ips, user_place(slot, s, end));
	for (uint64_t i = 0; i < s->branch_nr; i++)
		vec_push(&chain->ips, words_at(&s->branches, 3 * i));
	for (uint32_t at = stitches_find(stitches, slot->item.position); at; at = stitches->links.v[at].outer)
		vec_push(&chain->ips, stitches->links.v[at].from);
	s->chain = (struct words){ .nr = chain->ips.nr, .data = (const uint8_t *)chain->ips.v };
}

/*
 * A leaf function without a frame keeps its return address in the link register, so a chain by frame pointers lacks its
 * caller. True if the link register was recorded to find it (on arm64 perf does so since Linux 5.17).
 */
static bool has_link(const struct item_reader *r, const struct item_slot *slot)
{
	const struct arch *arch = r->unwind ? machine_arch(r->session->machine) : NULL;
	const struct sample_layout *l = slot->layout;

	return arch && arch->link_reg && l->regs_user == 1ull << arch->link_reg && (l->type & UNWIND_TYPE) ==
	       (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER) && slot->record.sample.user_abi == PERF_SAMPLE_REGS_ABI_64;
}

static void add_leaf_caller(struct item_reader *r, struct item_slot *slot, struct sample *s)
{
	struct unwound *chain = &slot->chain;
	uint64_t at = chain_user_part(&s->chain), caller;

	/* After the marker come the function itself and, as it has made no frame, its caller's caller. */
	if (at + 1 >= s->chain.nr || !s->user_regs.nr)
		return;
	caller = unwinder_leaf_caller(unwinder_of(r), slot->context.user_space, words_at(&s->chain, at + 1),
				      words_at(&s->user_regs, 0));
	if (!caller || (at + 2 < s->chain.nr && caller == words_at(&s->chain, at + 2)))
		return;
	take_words(chain, &s->chain, at + 2);
	vec_push(&chain->ips, caller);
	for (uint64_t i = at + 2; i < s->chain.nr; i++)
		vec_push(&chain->ips, words_at(&s->chain, i));
	s->chain = (struct words){ .nr = chain->ips.nr, .data = (const uint8_t *)chain->ips.v };
}

/* Replaces the chain's last two words, marker and cookie, by the frames of the CALLCHAIN_DEFERRED record, if there is one. */
static void complete_chain(struct item_reader *r, struct item_slot *slot, struct sample *s, uint64_t cookie)
{
	const struct session *session = r->session;
	const struct deferred *d = deferred_find(&session->scan.deferred, cookie, s->tid, s->time);
	struct unwound *chain = &slot->chain;
	struct record rec = {0};
	const uint8_t *bytes;
	const struct event *ev;

	take_words(chain, &s->chain, s->chain.nr - 2);
	if (d) {
		bytes = chunk_record(&session->scan.chunks, d->position);
		ev = event_of_record(&session->file->events, bytes);
		record_read(&rec, bytes, ev ? &ev->layout : NULL);
	}
	r->no_user += !d;
	for (uint64_t i = 0; i < rec.deferred.chain.nr; i++)
		vec_push(&chain->ips, words_at(&rec.deferred.chain, i));
	s->chain = (struct words){ .nr = chain->ips.nr, .data = (const uint8_t *)chain->ips.v };
}

/* perf_event_max_stack's default (linux/perf_event.h): frames, without markers, that the kernel takes of one chain. */
#define KERNEL_DEPTH	127

static bool has_max_depth(const struct words *chain, uint64_t most)
{
	uint64_t nr = 0;

	if (chain->nr < most)
		return false;
	for (uint64_t i = 0; i < chain->nr; i++)
		nr += words_at(chain, i) < CHAIN_CONTEXT_MAX;
	return nr == most;
}

#define PERIOD_MAX	4u		/* maximum length of a loop that is looked for, in frames */
#define ROUNDS		4u		/* the end of a chain must repeat it so often */

/* The length of a loop that the outermost frames repeat; 0: they do not. */
static uint64_t period_of(const struct words *chain)
{
	for (uint64_t period = 1; period <= PERIOD_MAX && period * ROUNDS <= chain->nr; period++) {
		uint64_t i = chain->nr - period * (ROUNDS - 1);

		while (i < chain->nr && words_at(chain, i) == words_at(chain, i - period))
			i++;
		if (i == chain->nr)
			return period;
	}
	return 0;
}

/*
 * Frame pointers in a loop fill a chain to its maximum depth with the same few addresses. Recursion does, too, but then all
 * addresses are in code. True if one of the last @nr addresses of the chain is in no executable map. *known:
 * false if no map of @space is known.
 */
static bool leaves_code(const struct machine *m, uint32_t space, const struct words *chain, uint64_t nr, bool *known)
{
	*known = true;
	for (uint64_t i = chain->nr - nr; i < chain->nr; i++) {
		struct ip_span span = { 0, UINT64_MAX };
		const struct map *map = machine_map_span(m, space, words_at(chain, i), &span);

		if (map && map_can_run(map, words_at(chain, i)))
			continue;
		*known = map || span.from || span.to != UINT64_MAX;
		return true;
	}
	return false;
}

/* Checks a chain with the maximum number of frames: it is either cut or a loop. */
static void count_deep(struct item_reader *r, const struct task_context *context, const struct words *chain)
{
	uint64_t period = chain_user_part(chain) < chain->nr ? period_of(chain) : 0;
	bool known;

	if (!leaves_code(r->session->machine, context->user_space, chain, period, &known))
		r->cuts.by_kernel++;
	else if (!known)
		r->cuts.unmapped_loops++;
}

/* True for a wake-up by a process that was not recorded: it only serves to make waits, and its chain is not counted. */
static bool is_foreign(const struct item_reader *r, const struct item *item)
{
	struct ip_span span = { 0, UINT64_MAX };

	return item->event->hidden_source && !machine_map_span(r->session->machine, item->context->user_space, 0, &span) &&
	       span.to == UINT64_MAX;
}

static void count_shed(struct item_reader *r)
{
	r->cuts.chains++;
	r->cuts.shed++;
}

static void count_cut(struct item_reader *r, const struct item *item, const struct words *recorded, const struct unwound *unwound)
{
	uint16_t most = item->event->attr.sample_max_stack;

	if (is_foreign(r, item))
		return;
	r->cuts.chains++;
	if (unwound)
		chain_cuts_count(&r->cuts, unwound);
	if (has_max_depth(recorded, most ? most : KERNEL_DEPTH))
		count_deep(r, item->context, recorded);
}

/*
 * Reads a wait that perf's BPF program wrote. The whole sample is in its raw data: u32 pid, u32 tid, u64 period, a chain (u64 nr
 * and so many words), u64 cgroup. Its own fields are empty (__set_offcpu_sample() in tools/perf/util/evsel.c, Linux 6.16).
 */
#define RAW_WAIT_CHAIN	16u		/* where the chain begins */

static uint64_t raw_word(const struct item_reader *r, const struct sample *s, uint64_t at)
{
	uint64_t v;

	memcpy(&v, (const uint8_t *)s->raw + at, sizeof(v));
	return r->session->file->swap ? __builtin_bswap64(v) : v;
}

static uint32_t raw_half(const struct item_reader *r, const struct sample *s, uint64_t at)
{
	uint32_t v;

	memcpy(&v, (const uint8_t *)s->raw + at, sizeof(v));
	return r->session->file->swap ? __builtin_bswap32(v) : v;
}

/* Data that do not fit stay as recorded. */
static void decode_raw_wait(struct item_reader *r, struct item_slot *slot, struct sample *s)
{
	struct unwound *chain = &slot->chain;
	uint64_t nr, words = s->raw_size / sizeof(uint64_t);

	if (words < 4)
		return;
	nr = raw_word(r, s, RAW_WAIT_CHAIN);
	if (nr > words - 4)
		return;
	s->pid = raw_half(r, s, 0);
	s->tid = raw_half(r, s, 4);
	s->period = raw_word(r, s, 8);
	chain->ips.nr = 0;
	for (uint64_t i = 0; i < nr; i++)
		vec_push(&chain->ips, raw_word(r, s, RAW_WAIT_CHAIN + 8 + 8 * i));
	s->chain = (struct words){ .nr = nr, .data = (const uint8_t *)chain->ips.v };
	s->ip = nr > 1 ? chain->ips.v[1] : 0;
	s->cgroup = raw_word(r, s, RAW_WAIT_CHAIN + 8 + 8 * nr);
}

/*
 * Completes the call chain: unwinds the user part from the sample's stack copy, builds it from recorded calls (--call-graph lbr),
 * takes it from the CALLCHAIN_DEFERRED record, or adds the missing caller of a leaf function.
 */
static const struct item *sample_item(struct item_reader *r, struct item_slot *slot)
{
	struct item *item = &slot->item;
	struct sample *s = &slot->record.sample;
	struct words recorded;
	bool unwinds = can_unwind(r, slot), by_processor = r->unwind && !unwinds && has_recorded_calls(slot);
	uint64_t cookie;

	if (item->event->is_offcpu_raw)
		decode_raw_wait(r, slot, s);
	recorded = s->chain;
	item->sample = s;
	item->time = item->event->layout.time_at >= 0 ? s->time : 0;
	item->cpumode = slot->record.header.misc & PERF_RECORD_MISC_CPUMODE_MASK;
	item->at = scan_time(&r->session->scan, &item->event->layout, s->time, item->position);
	slot->context = *machine_context(r->cache, s->pid, sample_owner(s), item->at);
	item->context = &slot->context;
	item->unwound = unwinds || by_processor;
	if (unwinds)
		unwind(r, slot, s);
	else if (by_processor)
		set_recorded_calls(r, slot, s);
	else if (chain_is_deferred(&s->chain, &cookie))
		complete_chain(r, slot, s, cookie);
	else if (has_link(r, slot))
		add_leaf_caller(r, slot, s);
	if (is_shed(r, slot))
		count_shed(r);
	else if (r->unwind && (recorded.nr || unwinds))
		count_cut(r, item, &recorded, unwinds ? &slot->chain : NULL);
	native_frames_choose(r->session->native, item, s, &slot->shown);
	if (item->event->added && r->session->augmenter)
		r->session->augmenter->add(r->session->augmenter, item, s);
	return item;
}

/* True if both read the same fields of a sample. */
static bool same_fields(const struct sample_layout *a, const struct sample_layout *b)
{
	return a == b || (a->type == b->type && a->read_format == b->read_format && a->branch_type == b->branch_type);
}

/*
 * Clears the sample, as fields that the event does not record must be zero. Needed only if the fields differ from those of the
 * last sample, or with stack copies, after which the dynamic size may be absent.
 */
static int read_sample(struct item_slot *slot, const uint8_t *record, const struct sample_layout *layout)
{
	uint16_t size = slot->record.header.size;
	struct wire w = wire_reader(record + sizeof(struct record_header), size - sizeof(struct record_header));

	if (!slot->layout || !same_fields(slot->layout, layout) || layout->type & PERF_SAMPLE_STACK_USER)
		slot->record.sample = (struct sample){0};
	slot->layout = layout;
	return sample_pass(&w, layout, &slot->record.sample);
}

static int read_other(struct item_slot *slot, const uint8_t *record, const struct sample_layout *layout)
{
	slot->layout = NULL;
	return record_read(&slot->record, record, layout);
}

void item_pass_over(struct item_reader *r, const struct event *event, const uint8_t *record, uint64_t position)
{
	struct record_header h;
	const uint8_t *raw;
	uint32_t nr;

	memcpy(&h, record, sizeof(h));
	/* Cut chains are counted even if the sample is not wanted, so that samples with a chain are read. */
	if ((r->unwind && event->layout.type & PERF_SAMPLE_CALLCHAIN) ||
	    !sample_find_raw(&event->layout, record + sizeof(h), h.size - sizeof(h), &raw, &nr))
		item_read(r, 0, record, position);
}

const struct item *item_read(struct item_reader *r, unsigned number, const uint8_t *record, uint64_t position)
{
	struct item_slot *slot = &r->slots[number];
	const struct event *ev = event_of_record(&r->session->file->events, record);
	const struct sample_layout *layout = ev ? &ev->layout : NULL;
	bool is_sample;

	memcpy(&slot->record.header, record, sizeof(slot->record.header));
	if (!chunk_holds(&r->session->scan.chunks, position, slot->record.header.size)) {
		damage_add(&r->damaged, chunk_file_offset(&r->session->scan.chunks, position), slot->record.header);
		return NULL;
	}
	is_sample = slot->record.header.type == PERF_RECORD_SAMPLE;
	if (is_sample && !ev) {
		r->no_event++;
		return NULL;
	}
	if (is_sample ? read_sample(slot, record, layout) : read_other(slot, record, layout)) {
		if (is_sample)
			damage_add(&r->damaged, chunk_file_offset(&r->session->scan.chunks, position), slot->record.header);
		return NULL;
	}
	slot->record.offset = chunk_file_offset(&r->session->scan.chunks, position);
	slot->item = (struct item){ .record = &slot->record, .bytes = record, .event = ev, .position = position };
	if (is_sample)
		return sample_item(r, slot);
	slot->item.time = slot->record.id.has_time ? slot->record.id.time : 0;
	slot->item.at = scan_time(&r->session->scan, layout, slot->item.time, position);
	return &slot->item;
}
