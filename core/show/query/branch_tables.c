/*
 * Implements two SQL tables of prec query: "branches", from the branch stacks of samples, and "instructions", from a decoded
 * hardware trace. query.c lists all tables. calls_table.c has the calls of a trace.
 * Layer: query
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

struct branch_lists { VEC(struct branch_row) branches; };
struct insn_lists { VEC(struct insn_row) insns; };

struct pass_ctx { const struct filter *filter; const struct arch *arch; struct row_room room; void *lists; };

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
	(void)ctx;
	return event_shows(ev, PERF_SAMPLE_BRANCH_STACK);
}

static void add_branches(void *worker, void *ctx, const struct item *item)
{
	const struct words *w = &item->sample->branches;
	struct branch_lists *l = worker;
	struct pass_ctx *p = ctx;

	if (!has_branches(NULL, item->event) || !filter_item(p->filter, item))
		return;
	for (uint64_t i = 0; i < item->sample->branch_nr && row_room_reserve(&p->room, sizeof(struct branch_row)); i++) {
		uint64_t from = words_at(w, 3 * i), to = words_at(w, 3 * i + 1);

		vec_push(&l->branches, ((struct branch_row){
			.of = owner_of_item(item), .from = from, .to = to, .flags = words_at(w, 3 * i + 2), .nr = (uint32_t)i,
			.from_space = space_of(p, item, from), .to_space = space_of(p, item, to),
		}));
	}
}

static void merge_branches(void *worker, void *ctx)
{
	struct branch_lists *all = ((struct pass_ctx *)ctx)->lists, *own = worker;

	vec_append(&all->branches, &own->branches);
	vec_free(&own->branches);
}

static bool is_of_insns(const void *ctx, const struct event *ev)
{
	(void)ctx;
	return ev->attr.type == PERF_TYPE_HARDWARE && ev->attr.config == PERF_COUNT_HW_INSTRUCTIONS;
}

/* Adds the instruction of a sample, if the sample was decoded from a trace, because only then its length is known. */
static void add_insn(void *worker, void *ctx, const struct item *item)
{
	const struct sample *s = item->sample;
	struct insn_lists *l = worker;
	struct pass_ctx *p = ctx;

	if (!is_of_insns(NULL, item->event) || !s->insn_size || !filter_item(p->filter, item) ||
	    !row_room_reserve(&p->room, sizeof(struct insn_row)))
		return;
	vec_push(&l->insns, ((struct insn_row){
		.of = owner_of_item(item), .ip = s->ip, .period = item_period(item), .size = s->insn_size,
		.space = space_of(p, item, s->ip),
	}));
}

static void merge_insns(void *worker, void *ctx)
{
	struct insn_lists *all = ((struct pass_ctx *)ctx)->lists, *own = worker;

	vec_append(&all->insns, &own->insns);
	vec_free(&own->insns);
}

/* For all rows, because their structs begin with a struct owner. */
ORDER(compare_owners, struct owner, compare_numbers(a->time, b->time) ?: compare_numbers(a->position, b->position))

/* Sorts by owner and number. Samples made from one record give equal rows. */
static int compare_branches(const void *a, const void *b)
{
	const struct branch_row *x = a, *y = b;
	int order = compare_owners(a, b);

	return order ? order : x->nr < y->nr ? -1 : x->nr > y->nr;
}

/* True if a hardware trace was recorded. */
static bool has_trace(const struct query *q)
{
	vec_for(r, &session_trace_records(q->opts.session)->list)
		if (r->type == RECORD_AUXTRACE)
			return true;
	return false;
}

static void run_pass(struct query *q, struct sample_pass *pass, void *lists, const char *table)
{
	struct filter *filter = query_filter(q);
	struct pass_ctx p = { .filter = filter, .arch = machine_arch(session_machine(q->opts.session)), .lists = lists };

	if (!filter)
		return;
	row_room_init(&p.room, q);
	pass->may_want = filter_may_pass;
	pass->filter = filter;
	session_samples(q->opts.session, pass, &p);
	row_room_check(&p.room, q, table);
	filter_free(filter);
}

/* ---- columns that both have ---- */

static bool owner_time(const struct owner *o, int64_t *out) { return put_time(o->time, out); }

static bool owner_cpu(const struct owner *o, int64_t *out)
{
	*out = o->cpu;
	return o->has_cpu;
}

static bool put_number(int64_t v, int64_t *out)
{
	*out = v;
	return true;
}

/* ---- branches: a row is an entry of a branch stack; the function of an address is looked up when a statement asks for it ---- */

void branch_lists_free(struct branch_lists *l)
{
	if (l)
		vec_free(&l->branches);
	free(l);
}

static size_t nr_branches(struct query *q)
{
	struct sample_pass pass = {
		.worker_size = sizeof(struct branch_lists), .sample = add_branches, .merge = merge_branches,
		.wants_event = has_branches,
	};
	struct branch_lists *l = q->branches;
	uint32_t sample = 0;

	if (l)
		return l->branches.nr;
	q->branches = l = xcalloc(1, sizeof(*l));
	query_places(q);
	run_pass(q, &pass, l, "branches");
	vec_sort(&l->branches, compare_branches);
	for (size_t i = 0; i < l->branches.nr; i++) {
		sample += i && !l->branches.v[i].nr;
		l->branches.v[i].sample = sample;
	}
	if (!q->first->failed)
		return l->branches.nr;
	branch_lists_free(l);
	q->branches = NULL;
	return 0;
}

static const struct branch_row *branch_at(const struct query_row *r)
{
	return &r->query->branches->branches.v[r->number];
}

static bool branch_time(const struct query_row *r, int64_t *out) { return owner_time(&branch_at(r)->of, out); }
static bool branch_pid(const struct query_row *r, int64_t *out) { return put_number(branch_at(r)->of.pid, out); }
static bool branch_tid(const struct query_row *r, int64_t *out) { return put_number(branch_at(r)->of.tid, out); }
static bool branch_cpu(const struct query_row *r, int64_t *out) { return owner_cpu(&branch_at(r)->of, out); }
static bool branch_sample(const struct query_row *r, int64_t *out) { return put_number(branch_at(r)->sample, out); }
static bool branch_nr(const struct query_row *r, int64_t *out) { return put_number(branch_at(r)->nr, out); }
static bool branch_from(const struct query_row *r, int64_t *out) { return put_number((int64_t)branch_at(r)->from, out); }
static bool branch_to(const struct query_row *r, int64_t *out) { return put_number((int64_t)branch_at(r)->to, out); }
static void branch_event(const struct query_row *r, sqlite3_context *out) { put_static_text(out, branch_at(r)->of.event); }
static void branch_comm(const struct query_row *r, sqlite3_context *out) { put_static_text(out, branch_at(r)->of.comm); }

static const struct code_place *from_place(const struct query_row *r)
{
	return code_place_at(r->query->places, branch_at(r)->from_space, branch_at(r)->from);
}

static const struct code_place *to_place(const struct query_row *r)
{
	return code_place_at(r->query->places, branch_at(r)->to_space, branch_at(r)->to);
}

static void from_symbol(const struct query_row *r, sqlite3_context *out) { put_place_symbol(r, from_place(r), out); }
static void from_dso(const struct query_row *r, sqlite3_context *out) { put_place_dso(r, from_place(r), out); }
static void to_symbol(const struct query_row *r, sqlite3_context *out) { put_place_symbol(r, to_place(r), out); }
static void to_dso(const struct query_row *r, sqlite3_context *out) { put_place_dso(r, to_place(r), out); }

static bool branch_mispredicted(const struct query_row *r, int64_t *out)
{
	*out = !(branch_at(r)->flags & BRANCH_PREDICTED);
	return branch_at(r)->flags & (BRANCH_PREDICTED | BRANCH_MISPREDICTED);
}

static bool branch_in_tx(const struct query_row *r, int64_t *out)
{
	return put_number(!!(branch_at(r)->flags & BRANCH_IN_TX), out);
}

static bool branch_abort(const struct query_row *r, int64_t *out)
{
	return put_number(!!(branch_at(r)->flags & BRANCH_ABORT), out);
}

static bool branch_cycles(const struct query_row *r, int64_t *out)
{
	*out = (int64_t)BRANCH_CYCLES(branch_at(r)->flags);
	return *out != 0;
}

static void branch_type(const struct query_row *r, sqlite3_context *out)
{
	const char *name = branch_type_name(branch_at(r)->flags);

	if (name && *name)
		put_static_text(out, name);
}

static const struct query_column branch_columns[] = {
	{ "time", "ns: of the sample", "INTEGER", .number = branch_time },
	{ "event", "its event", "TEXT", .put = branch_event },
	{ "pid", "process", "INTEGER", .number = branch_pid },
	{ "tid", "thread", "INTEGER", .number = branch_tid },
	{ "comm", "the thread's name at the time", "TEXT", .put = branch_comm },
	{ "cpu", "the CPU", "INTEGER", .number = branch_cpu },
	{ "sample", "which sample with branches, from 0 in order of time", "INTEGER", .number = branch_sample },
	{ "nr", "0: the sample's last branch, 1: the one before it", "INTEGER", .number = branch_nr },
	{ "from_address", "the branch, as in the process", QUERY_ADDRESS_TYPE, .number = branch_from },
	{ "from_symbol", "its function", "TEXT", .put = from_symbol },
	{ "from_dso", "the file of that", "TEXT", .put = from_dso },
	{ "to_address", "where it led, as in the process", QUERY_ADDRESS_TYPE, .number = branch_to },
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
	.nr_columns = ARRAY_SIZE(branch_columns), .nr = nr_branches,
};

/* ---- instructions: a row is an instruction of a decoded trace ---- */

static bool makes_insns(const struct query *q)
{
	vec_for(ev, &session_events(q->opts.session)->events)
		if (is_of_insns(NULL, *ev))
			return true;
	return false;
}

void insn_lists_free(struct insn_lists *l)
{
	if (l)
		vec_free(&l->insns);
	free(l);
}

static size_t nr_insns(struct query *q)
{
	struct sample_pass pass = {
		.worker_size = sizeof(struct insn_lists), .sample = add_insn, .merge = merge_insns, .wants_event = is_of_insns,
	};
	struct insn_lists *l = q->insns;

	if (l)
		return l->insns.nr;
	if (has_trace(q) && !makes_insns(q)) {
		error("no instructions were made of the trace: --itrace=i1i makes all, --itrace=i100us one each 100 us");
		query_fail(q);
		return 0;
	}
	q->insns = l = xcalloc(1, sizeof(*l));
	query_places(q);
	run_pass(q, &pass, l, "instructions");
	vec_sort(&l->insns, compare_owners);
	if (!q->first->failed)
		return l->insns.nr;
	insn_lists_free(l);
	q->insns = NULL;
	return 0;
}

static const struct insn_row *insn_at(const struct query_row *r)
{
	return &r->query->insns->insns.v[r->number];
}

static bool insn_time(const struct query_row *r, int64_t *out) { return owner_time(&insn_at(r)->of, out); }
static bool insn_pid(const struct query_row *r, int64_t *out) { return put_number(insn_at(r)->of.pid, out); }
static bool insn_tid(const struct query_row *r, int64_t *out) { return put_number(insn_at(r)->of.tid, out); }
static bool insn_cpu(const struct query_row *r, int64_t *out) { return owner_cpu(&insn_at(r)->of, out); }
static bool insn_address(const struct query_row *r, int64_t *out) { return put_number((int64_t)insn_at(r)->ip, out); }
static bool insn_size(const struct query_row *r, int64_t *out) { return put_number(insn_at(r)->size, out); }

static bool insn_period(const struct query_row *r, int64_t *out)
{
	return put_number((int64_t)MIN(insn_at(r)->period, INT64_MAX), out);
}

static void insn_comm(const struct query_row *r, sqlite3_context *out) { put_static_text(out, insn_at(r)->of.comm); }

static const struct code_place *insn_place(const struct query_row *r)
{
	return code_place_at(r->query->places, insn_at(r)->space, insn_at(r)->ip);
}

static void insn_symbol(const struct query_row *r, sqlite3_context *out) { put_place_symbol(r, insn_place(r), out); }
static void insn_dso(const struct query_row *r, sqlite3_context *out) { put_place_dso(r, insn_place(r), out); }

static void insn_bytes(const struct query_row *r, sqlite3_context *out)
{
	const struct insn_row *i = insn_at(r);
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
	{ "time", "ns, as finely as the trace has it", "INTEGER", .number = insn_time },
	{ "pid", "process", "INTEGER", .number = insn_pid },
	{ "tid", "thread", "INTEGER", .number = insn_tid },
	{ "comm", "the thread's name at the time", "TEXT", .put = insn_comm },
	{ "cpu", "the CPU", "INTEGER", .number = insn_cpu },
	{ "address", "as in the process", QUERY_ADDRESS_TYPE, .number = insn_address },
	{ "symbol", "its function", "TEXT", .put = insn_symbol },
	{ "dso", "the file of that", "TEXT", .put = insn_dso },
	{ "size", "bytes", "INTEGER", .number = insn_size },
	{ "bytes", "the same, hexadecimal", "TEXT", .put = insn_bytes },
	{ "period", "what the sample stands for: 1 with --itrace=i1i", "INTEGER", .number = insn_period },
};

const struct query_table instructions_table = {
	.name = "instructions", .about = "instructions of a hardware trace (--itrace=i1i)", .columns = insn_columns,
	.nr_columns = ARRAY_SIZE(insn_columns), .nr = nr_insns,
};
