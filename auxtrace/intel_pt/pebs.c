/*
 * Reads the PEBS records in an Intel PT trace: collects the values in a record's packets, fills a sample with them, and finds the
 * event whose counter overflowed.
 */
#include "auxtrace/intel_pt/pebs.h"

#include <stdlib.h>
#include <string.h>

#include "auxtrace/intel_pt/packet.h"
#include "auxtrace/queue.h"
#include "core/read/session.h"

enum { REG_IP = 1, REG_AX = 2 };
enum { BASIC_IP, BASIC_COUNTERS, BASIC_TSC };
enum { MEMORY_ADDRESS, MEMORY_SOURCE, MEMORY_LATENCY, MEMORY_TSX };

#define XMM_FIRST	32	/* PERF_REG_X86_XMM0, asm/perf_regs.h */

/* IA32_LBR_x_INFO, and struct perf_branch_entry of linux/perf_event.h. */
#define LBR_MISPRED	(1ull << 63)
#define LBR_IN_TX	(1ull << 62)
#define LBR_ABORT	(1ull << 61)
#define LBR_CYCLES	0xffff
enum { BRANCH_MISPRED = 1, BRANCH_PREDICTED = 2, BRANCH_IN_TX = 4, BRANCH_ABORT = 8 };
#define BRANCH_CYCLES_SHIFT	4

/* ---- packets ---- */

static uint8_t group_of(uint64_t type)
{
	switch (type) {
	case 0x01: return PEBS_REGS;
	case 0x04: return PEBS_BASIC;
	case 0x05: return PEBS_MEMORY;
	case 0x08: return PEBS_LBR_0;
	case 0x09: return PEBS_LBR_1;
	case 0x0a: return PEBS_LBR_2;
	case 0x10: return PEBS_XMM;
	default: return PEBS_NR_GROUPS;
	}
}

static void begin_block(struct pebs_record *r, const struct pt_packet *p)
{
	if (p->flag) {
		memset(r->has, 0, sizeof(r->has));
		r->is_32bit = false;
	}
	r->open = true;
	r->group = group_of(p->value);
	if (r->group == PEBS_REGS)
		r->is_32bit = p->count == 4;
}

void pebs_on_packet(struct pebs_record *r, const struct pt_packet *p)
{
	if (p->type == PT_BBP) {
		begin_block(r, p);
	} else if (p->type == PT_BEP) {
		r->open = false;
	} else if (r->group < PEBS_NR_GROUPS && p->count < PEBS_NR_ITEMS) {
		r->has[r->group] |= 1u << p->count;
		r->items[r->group][p->count] = p->value;
	}
}

static bool get(const struct pebs_record *r, enum pebs_group group, unsigned item, uint64_t *out)
{
	if (!(r->has[group] >> item & 1))
		return false;
	*out = r->items[group][item];
	return true;
}

static uint64_t get_or_0(const struct pebs_record *r, enum pebs_group group, unsigned item)
{
	uint64_t v = 0;

	get(r, group, item, &v);
	return v;
}

uint64_t pebs_ip(const struct pebs_record *r)
{
	uint64_t ip = 0;

	if (!get(r, PEBS_BASIC, BASIC_IP, &ip))
		get(r, PEBS_REGS, REG_IP, &ip);
	return ip;
}

uint64_t pebs_tsc(const struct pebs_record *r)
{
	return get_or_0(r, PEBS_BASIC, BASIC_TSC);
}

uint64_t pebs_counters(const struct pebs_record *r)
{
	return get_or_0(r, PEBS_BASIC, BASIC_COUNTERS);
}

/* ---- a sample ---- */

/* Gets the value of register @reg, a PERF_REG_X86_* number. */
static bool get_reg(const struct pebs_record *r, unsigned reg, uint64_t *out)
{
	enum { NONE = 0xff };
	static const uint8_t items[] = {	/* ax bx cx dx si di bp sp ip flags, six segments, r8 to r15 */
		2, 5, 3, 4, 8, 9, 7, 6, 1, 0, NONE, NONE, NONE, NONE, NONE, NONE, 10, 11, 12, 13, 14, 15, 16, 17,
	};

	if (reg >= XMM_FIRST)
		return get(r, PEBS_XMM, reg - XMM_FIRST, out);
	return reg < sizeof(items) && items[reg] != NONE && get(r, PEBS_REGS, items[reg], out);
}

static void fill_regs(struct sample *s, const struct event *ev, const struct pebs_record *r, uint64_t *room)
{
	uint64_t nr = 0;

	if (!r->has[PEBS_REGS] && !r->has[PEBS_XMM])
		return;
	for (unsigned reg = 0; reg < 64; reg++) {
		if (!(ev->layout.regs_intr >> reg & 1))
			continue;
		if (get_reg(r, reg, &room[nr]))
			nr++;
		else
			s->intr_missing |= 1ull << reg;
	}
	s->intr_abi = r->is_32bit ? PERF_SAMPLE_REGS_ABI_32 : PERF_SAMPLE_REGS_ABI_64;
	s->intr_regs = words_of(room, nr);
}

static uint64_t branch_flags(uint64_t info)
{
	return (info & LBR_MISPRED ? BRANCH_MISPRED : BRANCH_PREDICTED) | (info & LBR_IN_TX ? BRANCH_IN_TX : 0) |
	       (info & LBR_ABORT ? BRANCH_ABORT : 0) | (info & LBR_CYCLES) << BRANCH_CYCLES_SHIFT;
}

static void fill_branches(struct sample *s, const struct pebs_record *r, struct branch_entry *room)
{
	unsigned nr = 0;

	for (unsigned i = 0; i < PEBS_MAX_BRANCHES; i++) {
		enum pebs_group group = PEBS_LBR_0 + i / PEBS_GROUP_BRANCHES;
		unsigned item = 3 * (i % PEBS_GROUP_BRANCHES);
		struct branch_entry *to = &room[nr];

		if (!get(r, group, item, &to->from) || !get(r, group, item + 1, &to->to) || !get(r, group, item + 2, &to->flags))
			continue;
		to->flags = branch_flags(to->flags);
		nr++;
	}
	s->branches = words_of(room, 3ull * nr);
	s->branch_nr = nr;
}

/*
 * Returns the cycles that a memory access took: the latency word, or its bits 47:32 if the high half is not 0. In the second case,
 * bits 15:0 are the cycles of the whole instruction. Without an access, returns the cycles since the transaction's last block
 * began.
 */
static uint64_t weight(const struct pebs_record *r, bool is_struct)
{
	uint64_t latency = get_or_0(r, PEBS_MEMORY, MEMORY_LATENCY), cycles = latency, insn = 0;

	if (latency >> 32) {
		cycles = latency >> 32 & 0xffff;
		insn = latency & 0xffff;
	}
	if (!cycles)
		cycles = (uint32_t)get_or_0(r, PEBS_MEMORY, MEMORY_TSX);
	return is_struct ? cycles | insn << 32 : cycles;
}

/* Returns the transaction's flags, and the code of XABORT, which is in ax if bit 0 of ax is set. */
static uint64_t transaction(const struct pebs_record *r)
{
	uint64_t txn = get_or_0(r, PEBS_MEMORY, MEMORY_TSX) >> 32 & 0xff, ax = get_or_0(r, PEBS_REGS, REG_AX);

	if (txn & PERF_TXN_TRANSACTION && ax & 1)
		txn |= (ax >> 24 & 0xff) << PERF_TXN_ABORT_SHIFT;
	return txn;
}

void pebs_fill(struct sample *s, const struct event *ev, const struct pebs_record *r, struct pebs_words *room)
{
	uint64_t type = ev->layout.type;

	/* With a frequency the period is unknown. */
	s->period = ev->attr.freq ? 1 : ev->attr.sample_period;
	if (type & PERF_SAMPLE_ADDR)
		s->addr = get_or_0(r, PEBS_MEMORY, MEMORY_ADDRESS);
	if (type & PERF_SAMPLE_WEIGHT_TYPE)
		s->weight = weight(r, type & PERF_SAMPLE_WEIGHT_STRUCT);
	if (type & PERF_SAMPLE_TRANSACTION)
		s->transaction = transaction(r);
	if (type & PERF_SAMPLE_REGS_INTR)
		fill_regs(s, ev, r, room->regs);
	if (!(type & PERF_SAMPLE_BRANCH_STACK))
		return;
	s->branch_hw_idx = UINT64_MAX;
	if (r->has[PEBS_LBR_0] | r->has[PEBS_LBR_1] | r->has[PEBS_LBR_2])
		fill_branches(s, r, room->branches);
}

/* ---- the events of the records ---- */

static void find_events(struct pebs_events *e, const struct session *s)
{
	vec_for(ev, &session_events(s)->events) {
		if (!(*ev)->attr.aux_output || !(*ev)->ids.nr)
			continue;
		e->several = e->first;
		if (!e->first)
			e->first = *ev;
	}
}

static bool is_of(const struct aux_queue *q, const struct sample_id *id)
{
	return q->tid != AUX_NONE ? id->has_tid && q->tid == id->tid : id->has_cpu && q->cpu == id->cpu;
}

static bool add_id(struct pebs_events *e, const struct session *s, const struct aux_queues *queues,
		    const struct trace_record *record)
{
	struct pebs_id id = { .time = record->time, .position = record->position };
	struct record rec;

	if (session_read_trace_record(s, record, &rec) || !rec.id.has_id || rec.hw_id.hw_id >= PEBS_NR_COUNTERS)
		return false;
	id.id = rec.id.id;
	id.event = event_by_id(session_events(s), id.id);
	id.counter = (uint32_t)rec.hw_id.hw_id;
	vec_for(q, &queues->list) {
		if (!is_of(q, &rec.id))
			continue;
		id.queue = q->number;
		vec_push(&e->ids, id);
	}
	return id.event;
}

static int compare(const struct pebs_id *a, uint32_t queue, uint32_t counter)
{
	return compare_numbers(a->queue, queue) ?: compare_numbers(a->counter, counter);
}

ORDER(by_counter_and_time, struct pebs_id,
	compare(a, b->queue, b->counter) ?: compare_numbers(a->time, b->time) ?: compare_numbers(a->position, b->position))

unsigned pebs_events_gather(struct pebs_events *e, const struct session *s, const struct aux_queues *queues)
{
	unsigned bad = 0;

	find_events(e, s);
	if (!e->first)
		return 0;
	vec_for(record, &session_trace_records(s)->list)
		if (record->type == PERF_RECORD_AUX_OUTPUT_HW_ID)
			bad += !add_id(e, s, queues, record);
	vec_sort(&e->ids, by_counter_and_time);
	return bad;
}

void pebs_events_release(struct pebs_events *e)
{
	vec_free(&e->ids);
}

const struct pebs_id *pebs_events_find(const struct pebs_events *e, uint32_t queue, uint32_t counter, uint64_t time)
{
	const struct pebs_id *v = e->ids.v;
	size_t after = bisect(i, 0, e->ids.nr, (compare(&v[i], queue, counter) ?: compare_numbers(v[i].time, time)) <= 0);

	return after && !compare(&v[after - 1], queue, counter) ? &v[after - 1] : NULL;
}
