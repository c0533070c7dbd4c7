/*
 * Implements two SQL tables of prec query: "branches", from the branch stacks of samples, and "instructions", from a decoded
 * hardware trace. query.c lists all tables. calls_table.c has the calls of a trace.
 */
#include "core/show/query/row_lists.h"

#include <stdlib.h>

#include "core/arch.h"
#include "core/base/log.h"
#include "core/code/code_places.h"
#include "core/model/code.h"
#include "core/perfdata/branch_flags.h"
#include "core/read/filter.h"
#include "core/read/session.h"

#define INSN_MAX	15	/* bytes of the longest instruction */

struct owner { uint64_t time, position; const char *event, *comm; int32_t pid, tid; uint32_t cpu; bool has_cpu; };

struct branch_row {
	struct owner of;
	uint64_t from, to, flags;
	uint32_t from_space, to_space;
	uint32_t nr, sample;		/* .nr: number in the branch stack, 0 is the latest branch; .sample: number of the sample */
};

struct insn_row { struct owner of; uint64_t ip, period; uint32_t space, size; };

struct branch_rows { VEC(struct branch_row) list; };
struct insn_rows { VEC(struct insn_row) list; };

struct pass_ctx { struct query *query; const struct filter *filter; const struct arch *arch; struct row_room room; };

/* ---- the passes ---- */

static struct owner owner_of_item(const struct item *item)
{
	const struct sample *s = item->sample;

	return (struct owner){
		.time = item->time, .position = item->position, .event = item->event->name, .comm = item->context->comm,
		.pid = (int32_t)s->pid, .tid = (int32_t)sample_owner(s), .cpu = s->cpu,
		.has_cpu = event_shows(item->event, PERF_SAMPLE_CPU),
	};
}

static uint32_t space_of(const struct pass_ctx *p, const struct item *item, uint64_t ip)
{
	bool kernel = p->arch ? ip >= p->arch->kernel_start : ip >> 63;

	return kernel ? item->context->kernel_space : item->context->user_space;
}

static bool has_branches(const void *ctx, const struct event *ev)
{
	return event_shows(ev, PERF_SAMPLE_BRANCH_STACK);
}

static void add_branches(void *worker, void *ctx, const struct item *item)
{
	const struct words *w = &item->sample->branches;
	struct branch_rows *rows = worker;
	struct pass_ctx *p = ctx;

	if (!has_branches(NULL, item->event) || !filter_item(p->filter, item))
		return;
	for (uint64_t i = 0; i < item->sample->branch_nr && row_room_reserve(&p->room, sizeof(struct branch_row)); i++) {
		uint64_t from = words_at(w, 3 * i), to = words_at(w, 3 * i + 1);

		vec_push(&rows->list, ((struct branch_row){
			.of = owner_of_item(item), .from = from, .to = to, .flags = words_at(w, 3 * i + 2), .nr = (uint32_t)i,
			.from_space = space_of(p, item, from), .to_space = space_of(p, item, to),
		}));
	}
}

static void merge_branches(void *worker, void *ctx)
{
	struct query *q = ((struct pass_ctx *)ctx)->query;
	struct branch_rows *own = worker;

	vec_append(&q->branches, &own->list);
	vec_free(&own->list);
}

static bool is_of_insns(const void *ctx, const struct event *ev)
{
	return ev->attr.type == PERF_TYPE_HARDWARE && ev->attr.config == PERF_COUNT_HW_INSTRUCTIONS;
}

/* Adds the instruction of a sample, if the sample was decoded from a trace, because only then its length is known. */
static void add_insn(void *worker, void *ctx, const struct item *item)
{
	const struct sample *s = item->sample;
	struct insn_rows *rows = worker;
	struct pass_ctx *p = ctx;

	if (!is_of_insns(NULL, item->event) || !s->insn_size || !filter_item(p->filter, item) ||
	    !row_room_reserve(&p->room, sizeof(struct insn_row)))
		return;
	vec_push(&rows->list, ((struct insn_row){
		.of = owner_of_item(item), .ip = s->ip, .period = item_period(item), .size = s->insn_size,
		.space = space_of(p, item, s->ip),
	}));
}

static void merge_insns(void *worker, void *ctx)
{
	struct query *q = ((struct pass_ctx *)ctx)->query;
	struct insn_rows *own = worker;

	vec_append(&q->insns, &own->list);
	vec_free(&own->list);
}

/* For all rows, because their structs begin with a struct owner. */
ORDER(compare_owners, struct owner, compare_numbers(a->time, b->time) ?: compare_numbers(a->position, b->position))

/* Sorts by owner and number. Samples made from one record give equal rows. */
ORDER(compare_branches, struct branch_row, compare_owners(a, b) ?: compare_numbers(a->nr, b->nr))

static bool has_trace(const struct query *q)
{
	vec_for(r, &session_trace_records(q->opts.session)->list)
		if (r->type == RECORD_AUXTRACE)
			return true;
	return false;
}

static void run_pass(struct query *q, struct sample_pass *pass, const char *table)
{
	struct filter *filter = query_filter(q);
	struct pass_ctx p = { .query = q, .filter = filter, .arch = machine_arch(session_machine(q->opts.session)) };

	query_places(q);
	if (!filter)
		return;
	row_room_init(&p.room, q);
	pass->may_want = filter_may_pass;
	pass->filter = filter;
	session_samples(q->opts.session, pass, &p);
	row_room_check(&p.room, q, table);
	filter_free(filter);
}

/* ---- branches: a row is an entry of a branch stack; the function of an address is looked up when a statement asks for it ---- */

static struct query_list list_branches(struct query *q)
{
	struct sample_pass pass = {
		.worker_size = sizeof(struct branch_rows), .sample = add_branches, .merge = merge_branches,
		.wants_event = has_branches,
	};
	uint32_t sample = 0;

	if (!q->branches_made) {
		run_pass(q, &pass, "branches");
		vec_sort(&q->branches, compare_branches);
		vec_for(branch, &q->branches) {
			sample += branch > q->branches.v && !branch->nr;
			branch->sample = sample;
		}
		q->branches_made = !q->first->failed;
	}
	if (!q->branches_made)
		vec_free(&q->branches);
	return QUERY_LIST(&q->branches);
}

static const struct code_place *from_place(const struct query_row *r)
{
	const struct branch_row *branch = r->item;

	return code_place_at(r->query->places, branch->from_space, branch->from);
}

static const struct code_place *to_place(const struct query_row *r)
{
	const struct branch_row *branch = r->item;

	return code_place_at(r->query->places, branch->to_space, branch->to);
}

static void from_symbol(const struct query_row *r, sqlite3_context *out) { put_place_symbol(r, from_place(r), out); }
static void from_dso(const struct query_row *r, sqlite3_context *out) { put_place_dso(r, from_place(r), out); }
static void to_symbol(const struct query_row *r, sqlite3_context *out) { put_place_symbol(r, to_place(r), out); }
static void to_dso(const struct query_row *r, sqlite3_context *out) { put_place_dso(r, to_place(r), out); }

static uint64_t flags_of(const struct query_row *r) { return ((const struct branch_row *)r->item)->flags; }

static bool branch_mispredicted(const struct query_row *r, int64_t *out)
{
	*out = !(flags_of(r) & BRANCH_PREDICTED);
	return flags_of(r) & (BRANCH_PREDICTED | BRANCH_MISPREDICTED);
}

static bool branch_in_tx(const struct query_row *r, int64_t *out)
{
	*out = !!(flags_of(r) & BRANCH_IN_TX);
	return true;
}

static bool branch_abort(const struct query_row *r, int64_t *out)
{
	*out = !!(flags_of(r) & BRANCH_ABORT);
	return true;
}

static bool branch_cycles(const struct query_row *r, int64_t *out)
{
	*out = (int64_t)BRANCH_CYCLES(flags_of(r));
	return *out != 0;
}

static void branch_type(const struct query_row *r, sqlite3_context *out)
{
	const char *name = branch_type_name(flags_of(r));

	if (name && *name)
		put_static_text(out, name);
}

static const struct query_column branch_columns[] = {
	{ "time", "ns: of the sample", "INTEGER", MEMBER(branch_row, of.time), .rule = RULE_TIME },
	{ "event", "its event", "TEXT", MEMBER(branch_row, of.event) },
	{ "pid", "process", "INTEGER", MEMBER(branch_row, of.pid) },
	{ "tid", "thread", "INTEGER", MEMBER(branch_row, of.tid) },
	{ "comm", "the thread's name at the time", "TEXT", MEMBER(branch_row, of.comm) },
	{ "cpu", "the CPU", "INTEGER", MEMBER(branch_row, of.cpu), KNOWN_IF(branch_row, of.has_cpu) },
	{ "sample", "which sample with branches, from 0 in order of time", "INTEGER", MEMBER(branch_row, sample) },
	{ "nr", "0: the sample's last branch, 1: the one before it", "INTEGER", MEMBER(branch_row, nr) },
	{ "from_address", "the branch, as in the process", QUERY_ADDRESS_TYPE, MEMBER(branch_row, from) },
	{ "from_symbol", "its function", "TEXT", .put = from_symbol },
	{ "from_dso", "the file of that", "TEXT", .put = from_dso },
	{ "to_address", "where it led, as in the process", QUERY_ADDRESS_TYPE, MEMBER(branch_row, to) },
	{ "to_symbol", "the function there", "TEXT", .put = to_symbol },
	{ "to_dso", "the file of that", "TEXT", .put = to_dso },
	{ "mispredicted", "1: it was, 0: it was not; null: not known", "INTEGER", .number = branch_mispredicted },
	{ "in_tx", "1: in a transaction", "INTEGER", .number = branch_in_tx },
	{ "abort", "1: a transaction was aborted", "INTEGER", .number = branch_abort },
	{ "cycles", "since the branch before it", "INTEGER", .number = branch_cycles },
	{ "type", "COND, CALL, RET, ... where recorded", "TEXT", .put = branch_type },
};

const struct query_table branches_table = {
	.name = "branches", .about = "branches of branch stacks (record -b, --itrace=L)", .columns = branch_columns,
	.nr_columns = ARRAY_SIZE(branch_columns), .list = list_branches,
};

/* ---- instructions: a row is an instruction of a decoded trace ---- */

static bool makes_insns(const struct query *q)
{
	vec_for(ev, &session_events(q->opts.session)->events)
		if (is_of_insns(NULL, *ev))
			return true;
	return false;
}

static struct query_list list_insns(struct query *q)
{
	struct sample_pass pass = {
		.worker_size = sizeof(struct insn_rows), .sample = add_insn, .merge = merge_insns, .wants_event = is_of_insns,
	};

	if (!q->insns_made && has_trace(q) && !makes_insns(q)) {
		error("no instructions were made of the trace: --itrace=i1i makes all, --itrace=i100us one each 100 us");
		query_fail(q);
	} else if (!q->insns_made) {
		run_pass(q, &pass, "instructions");
		vec_sort(&q->insns, compare_owners);
		q->insns_made = !q->first->failed;
	}
	if (!q->insns_made)
		vec_free(&q->insns);
	return QUERY_LIST(&q->insns);
}

static const struct code_place *insn_place(const struct query_row *r)
{
	const struct insn_row *insn = r->item;

	return code_place_at(r->query->places, insn->space, insn->ip);
}

static void insn_symbol(const struct query_row *r, sqlite3_context *out) { put_place_symbol(r, insn_place(r), out); }
static void insn_dso(const struct query_row *r, sqlite3_context *out) { put_place_dso(r, insn_place(r), out); }

static void insn_bytes(const struct query_row *r, sqlite3_context *out)
{
	const struct insn_row *i = r->item;
	size_t size = MIN(i->size, INSN_MAX);
	struct buf text = {0};
	uint8_t code[INSN_MAX];

	if (code_at(session_machine(r->query->opts.session), i->space, i->ip, code, size) != size)
		return;
	for (size_t n = 0; n < size; n++)
		buf_hex0(&text, code[n], 2);
	put_text(out, &text);
	buf_release(&text);
}

static const struct query_column insn_columns[] = {
	{ "time", "ns, as finely as the trace has it", "INTEGER", MEMBER(insn_row, of.time), .rule = RULE_TIME },
	{ "pid", "process", "INTEGER", MEMBER(insn_row, of.pid) },
	{ "tid", "thread", "INTEGER", MEMBER(insn_row, of.tid) },
	{ "comm", "the thread's name at the time", "TEXT", MEMBER(insn_row, of.comm) },
	{ "cpu", "the CPU", "INTEGER", MEMBER(insn_row, of.cpu), KNOWN_IF(insn_row, of.has_cpu) },
	{ "address", "as in the process", QUERY_ADDRESS_TYPE, MEMBER(insn_row, ip) },
	{ "symbol", "its function", "TEXT", .put = insn_symbol },
	{ "dso", "the file of that", "TEXT", .put = insn_dso },
	{ "size", "bytes", "INTEGER", MEMBER(insn_row, size) },
	{ "bytes", "the same, hexadecimal", "TEXT", .put = insn_bytes },
	{ "period", "what the sample stands for: 1 with --itrace=i1i", "INTEGER", MEMBER(insn_row, period), .rule = RULE_MOST },
};

const struct query_table instructions_table = {
	.name = "instructions", .about = "instructions of a hardware trace (--itrace=i1i)", .columns = insn_columns,
	.nr_columns = ARRAY_SIZE(insn_columns), .list = list_insns,
};
