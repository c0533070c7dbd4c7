/*
 * Reads and writes the bodies of PERF_RECORD_SAMPLE records. core/read decodes samples with these functions. record.c reads and
 * writes all other types of records.
 */
#include "core/perfdata/sample.h"

#include <errno.h>
#include <string.h>

#include "core/perfdata/abi.h"
#include "core/perfdata/attr.h"
#include "core/perfdata/read_format.h"

#define NR_MAX			(UINT16_MAX / 8)	/* words in a record: header.size has 16 bits */

/*
 * A body begins with fixed fields of one word each, which FIXED_FIELDS lists. sample_pass() lists the fields after them.
 * FIXED_FIELDS, sample_pass() and the masks BEFORE_* follow the order of the ABI.
 */

/* Byte offset of a fixed field, by the bits that stand before it in the body, as perf_event_open(2) orders them. */
static int16_t field_offset(uint64_t type, uint64_t bit, uint64_t before)
{
	return type & bit ? (int16_t)(8 * __builtin_popcountll(type & before)) : -1;
}

#define BEFORE_IP	((uint64_t)PERF_SAMPLE_IDENTIFIER)
#define BEFORE_TID	(BEFORE_IP | PERF_SAMPLE_IP)
#define BEFORE_TIME	(BEFORE_TID | PERF_SAMPLE_TID)
#define BEFORE_ID	(BEFORE_TIME | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR)
#define BEFORE_CPU	(BEFORE_ID | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID)
#define BEFORE_PERIOD	(BEFORE_CPU | PERF_SAMPLE_CPU)
#define FIXED		(BEFORE_PERIOD | PERF_SAMPLE_PERIOD)

void sample_layout_of(struct sample_layout *l, const struct event_attr *attr)
{
	uint64_t type = attr->sample_type;

	*l = (struct sample_layout){
		.type = type,
		.read_format = attr->read_format,
		.branch_type = attr->branch_sample_type,
		.regs_user = attr->sample_regs_user,
		.regs_intr = attr->sample_regs_intr,
		.build_ids = attr->build_id,
		.id_size = attr->sample_id_all ? (uint16_t)(8 * __builtin_popcountll(type & SAMPLE_ID_TYPES)) : 0,
		.fixed_size = (uint16_t)(8 * __builtin_popcountll(type & FIXED)),
		.only_fixed = !(type & ~FIXED),
		.id_at = type & PERF_SAMPLE_IDENTIFIER ? 0 : field_offset(type, PERF_SAMPLE_ID, BEFORE_ID),
		.ip_at = field_offset(type, PERF_SAMPLE_IP, BEFORE_IP),
		.tid_at = field_offset(type, PERF_SAMPLE_TID, BEFORE_TID),
		.time_at = field_offset(type, PERF_SAMPLE_TIME, BEFORE_TIME),
		.cpu_at = field_offset(type, PERF_SAMPLE_CPU, BEFORE_CPU),
		.period_at = field_offset(type, PERF_SAMPLE_PERIOD, BEFORE_PERIOD),
	};
}

/* Passes @nr groups of @each words, and @more words. An @nr that no record can hold is an error, so the product cannot overflow. */
static void groups_of_words(struct wire *w, struct words *v, uint64_t nr, uint64_t each, uint64_t more)
{
	if (nr > NR_MAX) {
		w->bad = true;
		nr = 0;
	}
	wire_words(w, v, nr * each + more);
}

struct read_layout read_layout_of(uint64_t format)
{
	struct read_layout l = { .group = format & PERF_FORMAT_GROUP };
	uint8_t times = l.group ? 0 : 1, after;

	l.enabled = format & PERF_FORMAT_TOTAL_TIME_ENABLED ? times++ : READ_NONE;
	l.running = format & PERF_FORMAT_TOTAL_TIME_RUNNING ? times++ : READ_NONE;
	l.values = l.group ? times : 0;
	after = l.group ? 1 : times;
	l.id = format & PERF_FORMAT_ID ? after++ : READ_NONE;
	l.lost = format & PERF_FORMAT_LOST ? after++ : READ_NONE;
	l.step = after;
	return l;
}

static void read_values(struct wire *w, const struct sample_layout *l, struct sample *s)
{
	struct read_layout read = read_layout_of(l->read_format);

	if (read.group)
		wire_u64(w, &s->read_nr);
	else
		s->read_nr = 1;
	groups_of_words(w, &s->read, s->read_nr, read.step, read.values);
}

static void chain(struct wire *w, struct words *v)
{
	wire_u64(w, &v->nr);
	groups_of_words(w, v, v->nr, 1, 0);
}

static uint64_t read_bits(uint64_t v, unsigned *at, unsigned nr)
{
	*at -= nr;
	return v >> *at & ((1ull << nr) - 1);
}

/*
 * The flags of a branch are a C bitfield, which a big-endian compiler fills from the top: mispred, predicted,
 * in_tx, abort, cycles:16, type:4, spec:2, new_type:4, priv:3, reserved:31 (struct perf_branch_entry).
 */
static uint64_t branch_flags_native(uint64_t v)
{
	static const uint8_t widths[] = { 1, 1, 1, 1, 16, 4, 2, 4, 3, 31 };
	unsigned from = 64, to = 0;
	uint64_t out = 0;

	for (size_t i = 0; i < sizeof(widths); i++) {
		out |= read_bits(v, &from, widths[i]) << to;
		to += widths[i];
	}
	return out;
}

static void branch_stack(struct wire *w, const struct sample_layout *l, struct sample *s)
{
	uint64_t flags;

	wire_u64(w, &s->branch_nr);
	if (l->branch_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		wire_u64(w, &s->branch_hw_idx);
	groups_of_words(w, &s->branches, s->branch_nr, 3, 0);
	for (uint64_t i = 2; w->swap && w->mode == WIRE_READ && i < s->branches.nr; i += 3) {
		flags = branch_flags_native(words_at(&s->branches, i));
		__builtin_memcpy((uint8_t *)(uintptr_t)s->branches.data + 8 * i, &flags, 8);
	}
	if (l->branch_type & SAMPLE_BRANCH_COUNTERS)
		groups_of_words(w, &s->branch_counters, s->branch_nr, 1, 0);
}

static void registers(struct wire *w, uint64_t mask, uint64_t *abi, struct words *v)
{
	wire_u64(w, abi);
	wire_words(w, v, *abi ? (uint64_t)__builtin_popcountll(mask) : 0);
}

static void stack_dump(struct wire *w, struct sample *s)
{
	wire_u64(w, &s->stack_size);
	wire_bytes(w, &s->stack, s->stack_size);
	if (s->stack_size)	/* the kernel leaves the second size out if there is no stack */
		wire_u64(w, &s->stack_dyn_size);
}

static void raw_data(struct wire *w, struct sample *s)
{
	wire_u32(w, &s->raw_size);
	wire_bytes(w, &s->raw, s->raw_size);
}

static void aux_data(struct wire *w, struct sample *s)
{
	wire_u64(w, &s->aux_size);
	wire_bytes(w, &s->aux, s->aux_size);
}

#define IF(bit, ...) do { if (l->type & PERF_SAMPLE_##bit) { __VA_ARGS__; } } while (0)

/* The fields that come first, each of one word. */
#define FIXED_FIELDS(u64, u32, from)							\
	IF(IDENTIFIER,		u64(from, &s->id));					\
	IF(IP,			u64(from, &s->ip));					\
	IF(TID,			u32(from, &s->pid); u32(from, &s->tid));		\
	IF(TIME,		u64(from, &s->time));					\
	IF(ADDR,		u64(from, &s->addr));					\
	IF(ID,			u64(from, &s->id));					\
	IF(STREAM_ID,		u64(from, &s->stream_id));				\
	IF(CPU,			u32(from, &s->cpu); u32(from, &s->cpu_reserved));	\
	IF(PERIOD,		u64(from, &s->period))

static inline void read_u64(const uint8_t **p, uint64_t *v)
{
	__builtin_memcpy(v, *p, sizeof(*v));
	*p += sizeof(*v);
}

static inline void read_u32(const uint8_t **p, uint32_t *v)
{
	__builtin_memcpy(v, *p, sizeof(*v));
	*p += sizeof(*v);
}

/* The fast path for millions of samples: reads most fields after a single check of the remaining size. */
static void fixed_fields(struct wire *w, const struct sample_layout *l, struct sample *s)
{
	const uint8_t *p = w->pos;

	if (w->mode != WIRE_READ || w->swap || wire_left(w) < l->fixed_size) {
		FIXED_FIELDS(wire_u64, wire_u32, w);
		return;
	}
	FIXED_FIELDS(read_u64, read_u32, &p);
	w->pos += l->fixed_size;
	w->size += l->fixed_size;
}

int sample_pass(struct wire *w, const struct sample_layout *l, struct sample *s)
{
	fixed_fields(w, l, s);
	IF(READ,		read_values(w, l, s));
	IF(CALLCHAIN,		chain(w, &s->chain));
	IF(RAW,			raw_data(w, s));
	IF(BRANCH_STACK,	branch_stack(w, l, s));
	IF(REGS_USER,		registers(w, l->regs_user, &s->user_abi, &s->user_regs));
	IF(STACK_USER,		stack_dump(w, s));
	IF(WEIGHT,		wire_u64(w, &s->weight));
	IF(WEIGHT_STRUCT,	wire_u64(w, &s->weight));
	IF(DATA_SRC,		wire_u64(w, &s->data_src));
	IF(TRANSACTION,		wire_u64(w, &s->transaction));
	IF(REGS_INTR,		registers(w, l->regs_intr, &s->intr_abi, &s->intr_regs));
	IF(PHYS_ADDR,		wire_u64(w, &s->phys_addr));
	IF(CGROUP,		wire_u64(w, &s->cgroup));
	IF(DATA_PAGE_SIZE,	wire_u64(w, &s->data_page_size));
	IF(CODE_PAGE_SIZE,	wire_u64(w, &s->code_page_size));
	IF(AUX,			aux_data(w, s));
	return w->bad ? -EINVAL : 0;
}

bool sample_find_raw(const struct sample_layout *l, const uint8_t *body, size_t size, const uint8_t **raw, uint32_t *nr)
{
	const uint8_t *p, *end = body + size;
	uint64_t words;

	*raw = NULL;
	*nr = 0;
	if (size < l->fixed_size || l->only_fixed)
		return size >= l->fixed_size;
	p = body + l->fixed_size;
	if (l->type & ~(FIXED | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW))
		return false;
	if (l->type & PERF_SAMPLE_CALLCHAIN) {
		if ((size_t)(end - p) < sizeof(words))
			return false;
		read_u64(&p, &words);
		if (words > (size_t)(end - p) / sizeof(words))
			return false;
		p += words * sizeof(words);
	}
	if (!(l->type & PERF_SAMPLE_RAW))
		return true;
	if ((size_t)(end - p) < sizeof(*nr))
		return false;
	read_u32(&p, nr);
	*raw = p;
	return *nr <= (size_t)(end - p);
}

int sample_id_pass(struct wire *w, const struct sample_layout *l, struct sample_id *id)
{
	uint32_t reserved = 0;

	id->has_tid = l->type & PERF_SAMPLE_TID;
	id->has_time = l->type & PERF_SAMPLE_TIME;
	id->has_cpu = l->type & PERF_SAMPLE_CPU;
	id->has_id = l->type & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER);
	IF(TID,		wire_u32(w, &id->pid); wire_u32(w, &id->tid));
	IF(TIME,	wire_u64(w, &id->time));
	IF(ID,		wire_u64(w, &id->id));
	IF(STREAM_ID,	wire_u64(w, &id->stream_id));
	IF(CPU,		wire_u32(w, &id->cpu); wire_u32(w, &reserved));
	IF(IDENTIFIER,	wire_u64(w, &id->id));
	return w->bad ? -EINVAL : 0;
#undef IF
}

bool chain_is_deferred(const struct words *chain, uint64_t *cookie)
{
	if (chain->nr < 2 || words_at(chain, chain->nr - 2) != CHAIN_CONTEXT_USER_DEFERRED)
		return false;
	*cookie = words_at(chain, chain->nr - 1);
	return true;
}

/* Reads all fields of a sample that has more than a chain and raw data, such as a stack copy. */
static bool is_settled_by_fields(const struct sample_layout *l, const uint8_t *body, size_t size)
{
	struct wire w = wire_reader(body, size);
	struct sample s = {0};
	uint64_t cookie;

	return !sample_pass(&w, l, &s) && !chain_is_deferred(&s.chain, &cookie);
}

bool sample_is_settled(const struct sample_layout *l, const uint8_t *body, size_t size)
{
	struct words chain = { .data = body + l->fixed_size + sizeof(uint64_t) };
	const uint8_t *raw;
	uint64_t cookie;
	uint32_t nr;

	if (l->type & ~(FIXED | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW))
		return is_settled_by_fields(l, body, size);
	if (!sample_find_raw(l, body, size, &raw, &nr))
		return false;
	if (!(l->type & PERF_SAMPLE_CALLCHAIN))
		return true;
	memcpy(&chain.nr, body + l->fixed_size, sizeof(uint64_t));
	return !chain_is_deferred(&chain, &cookie);
}
