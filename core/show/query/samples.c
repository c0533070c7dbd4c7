/*
 * Defines the SQL tables of prec query that have samples: 'samples', 'sums' (equal samples added up), 'waits', and a table for
 * each tracepoint. virtual_table.c reads the rows, and sum_rows.c adds up samples.
 */
#include "core/show/query/query_impl.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/printable.h"
#include "core/hists/layout.h"
#include "core/read/session.h"
#include "core/sched/wait_samples.h"
#include "core/sched/waits.h"
#include "core/perfdata/event_table.h"
#include "core/tracepoint/tracing_data.h"
#include "core/hists/key_table.h"

/* ---- columns ---- */

static bool time_of(const struct query_row *r, int64_t *out)
{
	return put_time(r->sample.time, out);
}

static bool end_of(const struct query_row *r, int64_t *out)
{
	return r->sample.time && put_time(r->sample.time + r->sample.period, out);
}

/* SQL has no number above INT64_MAX. */
static bool period_of(const struct query_row *r, int64_t *out)
{
	*out = (int64_t)MIN(r->sample.period, INT64_MAX);
	return true;
}

static bool sum_of_periods(const struct query_row *r, int64_t *out)
{
	*out = (int64_t)MIN(r->weight->period, INT64_MAX);
	return true;
}

static bool samples_of(const struct query_row *r, int64_t *out)
{
	*out = (int64_t)r->weight->nr;
	return true;
}

static bool hits_of(const struct query_row *r, int64_t *out)
{
	*out = (int64_t)r->nr;
	return true;
}

static uint32_t event_of(const struct query_row *r)
{
	return r->data->events.v[r->weight->event].name;
}

static bool pid_of(const struct query_row *r, int64_t *out)
{
	uint32_t thread = r->weight->thread;

	if (thread == PROFILE_NONE)
		return false;
	*out = (int32_t)r->data->processes.v[r->data->threads.v[thread].process].pid;
	return true;
}

static bool tid_of(const struct query_row *r, int64_t *out)
{
	if (r->weight->thread == PROFILE_NONE)
		return false;
	*out = (int32_t)r->data->threads.v[r->weight->thread].tid;
	return true;
}

static uint32_t comm_of(const struct query_row *r)
{
	return r->weight->comm;
}

static bool cpu_of(const struct query_row *r, int64_t *out)
{
	*out = r->weight->cpu;
	return r->weight->cpu != PROFILE_NONE;
}

/* The thread to which the time of the sample belongs; NULL: not known. */
static const struct profile_function *own_function(const struct query_row *r)
{
	uint32_t function = profile_own_function(r->profile, r->weight);

	return function == PROFILE_NONE ? NULL : &r->data->functions.v[function];
}

static uint32_t symbol_of(const struct query_row *r)
{
	const struct profile_function *f = own_function(r);

	return f ? f->name : 0;
}

static bool function_of(const struct query_row *r, int64_t *out)
{
	*out = profile_own_function(r->profile, r->weight);
	return *out != PROFILE_NONE;
}

static uint32_t dso_of(const struct query_row *r)
{
	const struct profile_function *f = own_function(r);
	uint32_t dso = r->weight->address != PROFILE_NONE ? r->data->addresses.v[r->weight->address].dso :
		       f ? f->dso : PROFILE_NONE;

	return dso == PROFILE_NONE ? 0 : r->data->dsos.v[dso].name;
}

static bool address_of(const struct query_row *r, int64_t *out)
{
	if (r->weight->address == PROFILE_NONE)
		return false;
	*out = (int64_t)r->data->addresses.v[r->weight->address].address;
	return true;
}

static bool inlined_of(const struct query_row *r, int64_t *out)
{
	const struct profile_function *f = own_function(r);

	*out = f && f->inlined;
	return f != NULL;
}

static void put_level(const struct query_row *r, sqlite3_context *out)
{
	const struct profile_function *f = own_function(r);

	if (f)
		sqlite3_result_text(out, &f->level, 1, SQLITE_TRANSIENT);
}

static const struct profile_frame *innermost(const struct query_row *r)
{
	uint32_t frame = r->data->stacks.v[r->weight->stack].frame;

	return frame == PROFILE_NONE ? NULL : &r->data->frames.v[frame];
}

static uint32_t file_of(const struct query_row *r)
{
	const struct profile_frame *f = innermost(r);

	return f ? f->file : 0;
}

static bool line_of(const struct query_row *r, int64_t *out)
{
	const struct profile_frame *f = innermost(r);

	*out = f ? f->line : 0;
	return *out != 0;
}

static bool stack_of(const struct query_row *r, int64_t *out)
{
	*out = query_stack_id(r, r->weight->stack);
	return r->weight->stack != PROFILE_ROOT;
}

#define TIME	{ "time", "ns of the recording's clock", "INTEGER", .number = time_of, .parts = PART_TIMES, \
		  .is_time = true }
#define EVENT	{ "event", "its name", "TEXT", .string = event_of }
#define PERIOD	{ "period", "what the sample stands for: ns of a clock, else a count of its event", "INTEGER",	\
		  .number = period_of, .parts = PART_TIMES }
#define TASK									\
	{ "pid", "process", "INTEGER", .number = pid_of, .parts = PART_THREADS },			\
	{ "tid", "thread", "INTEGER", .number = tid_of, .parts = PART_THREADS, .is_tid = true },			\
	{ "comm", "the thread's name at the time", "TEXT", .string = comm_of, .parts = PART_THREADS }
#define CPU	{ "cpu", "the CPU that the thread ran on (record -a, --sample-cpu)", "INTEGER", .number = cpu_of,	\
		  .parts = PART_CPUS, .is_cpu = true }
#define CODE									\
	{ "symbol", "the function that ran, an inlined one where that is known", "TEXT", .string = symbol_of,	\
	  .parts = PART_CODE },	\
	{ "dso", "the file of its code", "TEXT", .string = dso_of, .parts = PART_CODE },		\
	{ "address", "the instruction: ELF address, of the kernel as recorded", QUERY_ADDRESS_TYPE, .number = address_of,	\
	  .parts = PART_CODE | PART_ADDRESSES },	\
	{ "level", "k kernel, . user, g guest kernel, u guest user, H hypervisor", "TEXT", .put = put_level,	\
	  .parts = PART_CODE },	\
	{ "inlined", "1: the function was inlined there", "INTEGER", .number = inlined_of, .parts = PART_CODE },	\
	{ "file", "source file", "TEXT", .string = file_of, .parts = PART_CODE | PART_LINES },	\
	{ "line", "its line", "INTEGER", .number = line_of, .parts = PART_CODE | PART_LINES },	\
	{ "function", "id in functions", "INTEGER", .number = function_of, .parts = PART_CODE },	\
	{ "stack", "id in stacks, stack in frames", "INTEGER", .number = stack_of, .parts = PART_CODE | PART_STACKS }

#define KEY(n, text, t, k, types) { n, text, t, .key = k, .recorded = types }

static const struct query_column sample_columns[] = {
	TIME, EVENT, PERIOD, TASK, CPU, CODE,
	KEY("data_address", "the address of the data (perf's addr)", "TEXT", "addr", PERF_SAMPLE_ADDR),
	KEY("data_symbol", "the variable there", "TEXT", "symbol_daddr", PERF_SAMPLE_ADDR),
	KEY("data_dso", "its file", "TEXT", "dso_daddr", PERF_SAMPLE_ADDR),
	KEY("phys_address", "the same in physical memory", "TEXT", "phys_daddr", PERF_SAMPLE_PHYS_ADDR),
	KEY("mem", "where the data came from", "TEXT", "mem", PERF_SAMPLE_DATA_SRC),
	KEY("tlb", "how its address was translated", "TEXT", "tlb", PERF_SAMPLE_DATA_SRC),
	KEY("snoop", "the answer of other caches", "TEXT", "snoop", PERF_SAMPLE_DATA_SRC),
	KEY("locked", "whether the access was locked", "TEXT", "locked", PERF_SAMPLE_DATA_SRC),
	KEY("weight", "the cost of the access, in cycles as a rule", "INTEGER", "local_weight",
	    PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT),
	KEY("transaction", "of an aborted transaction: why", "TEXT", "transaction", PERF_SAMPLE_TRANSACTION),
	KEY("code_page_size", "bytes of the page of the code", "TEXT", "code_page_size", PERF_SAMPLE_CODE_PAGE_SIZE),
	KEY("data_page_size", "bytes of the page of the data", "TEXT", "data_page_size", PERF_SAMPLE_DATA_PAGE_SIZE),
	KEY("cgroup", "the path of the thread's cgroup", "TEXT", "cgroup", PERF_SAMPLE_CGROUP),
};

/* A row stands for all samples that are equal in the columns that the statement uses. */
static const struct query_column sum_columns[] = {
	{ "samples", "how many", "INTEGER", .number = samples_of },
	{ "period", "the sum of their periods", "INTEGER", .number = sum_of_periods },
	EVENT, TASK, CPU, CODE,
};

#define STATE(id, name, meaning) "; " name ": " meaning

/* A row is a time when a thread was off the CPU. */
static const struct query_column wait_columns[] = {
	{ "begin", "ns: when the thread left its CPU", "INTEGER", .number = time_of, .parts = PART_TIMES },
	{ "end", "ns: when it was woken, or ran again", "INTEGER", .number = end_of, .parts = PART_TIMES },
	{ "duration", "ns", "INTEGER", .number = period_of, .parts = PART_TIMES },
	TASK,
	KEY("state", "how the thread left its CPU" WAIT_STATES(STATE), "TEXT", "state", 0),
	KEY("reason", "what it waited for: sleep, futex, pipe, disk, cpu (it was ready to run) and others of prec-report(1)",
	    "TEXT", "reason", 0),
	KEY("waker", "the name of the thread that ended the wait; [interrupt]: a timer or a device did", "TEXT", "waker", 0),
	KEY("lock", "the lock, descriptor or child that it waited for (record --off-cpu-args)", "TEXT", WAIT_KEY_LOCK, 0),
	KEY("holder", "what kept the thread waiting: worker/812 held the lock; released by worker/812: it ended the wait; "
	    "[interrupt]: a timer or a device did; [no CPU]: it was ready to run",
	    "TEXT", WAIT_KEY_HOLDER, 0),
	CODE,
};

/* A row is a hit of a recorded tracepoint. columns_of_hits() adds the tracepoint's fields. */
static const struct query_column hit_columns[] = {
	TIME, PERIOD, TASK, CPU, CODE,
	{ "hits", "if named, and time and period are not, a row is all equal hits: sum(hits) counts; else 1", "INTEGER",
	  .number = hits_of, .sums = true },
};

/* ---- tables ---- */

/* The name of a table in SQL: sched_sched_switch for "sched:sched_switch". */
static char *table_name(const char *event)
{
	char *name = xstrdup(event);

	for (char *p = name; *p; p++)
		if (!isalnum((unsigned char)*p))
			*p = '_';
	return name;
}

/* True if the name can be part of a sort key, "system:event.field", in a list separated by commas. */
static bool fits_key(const char *word)
{
	return *word && !word[strcspn(word, " ,.:*")];
}

static bool has_column(const struct query_column *columns, unsigned nr, const char *name)
{
	for (unsigned i = 0; i < nr; i++)
		if (!sqlite3_stricmp(columns[i].name, name))
			return true;
	return false;
}

/*
 * The columns of a table of hits: hit_columns, then the fields of @trace except the common ones. At most MAX_COLUMNS fields have a
 * column, because a statement cannot use more. A field with the name of a column gets an underscore in front. If several fields
 * have one name, only the first has a column.
 */
static struct query_column *columns_of_hits(struct query *q, const struct trace_event *trace, unsigned *nr)
{
	unsigned room = ARRAY_SIZE(hit_columns) + (unsigned)MIN(trace->fields.nr, MAX_COLUMNS);
	struct query_column *columns = query_keep(q, xcalloc(room, sizeof(*columns)));

	*nr = ARRAY_SIZE(hit_columns);
	memcpy(columns, hit_columns, sizeof(hit_columns));
	for (size_t i = trace->nr_common; i < trace->fields.nr && *nr < room; i++) {
		const struct trace_field *f = &trace->fields.v[i];
		char *name;

		if (!fits_key(f->name))
			continue;
		name = table_name(f->name);
		if (has_column(columns, ARRAY_SIZE(hit_columns), name)) {
			char *longer = xasprintf("_%s", name);

			free(name);
			name = longer;
		}
		if (has_column(columns, *nr, name)) {
			free(name);
			continue;
		}
		columns[(*nr)++] = (struct query_column){
			.name = query_keep(q, name),
			.about = query_keep(q, printable_text(xasprintf(f->is_pointer ? "%s: the address, without its text" : "%s",
									f->type))),
			.type = !trace_field_is_integer(f) ? "TEXT" : f->is_pointer ? QUERY_ADDRESS_TYPE : "INTEGER",
			.key = query_keep(q, xasprintf("%s:%s.%s", trace->system, trace->name, f->name)),
		};
	}
	return columns;
}

#define OF_WAITS "hits of this tracepoint, of which waits are made"
#define TWICE	OF_WAITS ": a switch of a recorded thread may be there twice"

static void add_hits(struct query *q, const struct event *ev)
{
	const struct trace_event *trace = tracing_data_event(session_tracing(q->opts.session), ev->attr.config);
	struct query_table t = { .about = "hits of this tracepoint", .parts = PART_PROFILE, .event = ev };
	char *name, *event;

	if (!trace || !fits_key(trace->system) || !fits_key(trace->name))
		return;
	if (ev->hidden_source)
		t.about = str_eq(trace->name, "sched_switch") ? TWICE : OF_WAITS;
	event = xasprintf("%s:%s", trace->system, trace->name);
	name = query_keep(q, table_name(event));
	free(event);
	if (query_has_table(q, name))
		return;
	t.name = name;
	t.columns = columns_of_hits(q, trace, &t.nr_columns);
	query_add_table(q, &t);
}

void query_add_sample_tables(struct query *q)
{
	const struct session *s = q->opts.session;
	const struct event *waits = s ? session_waits_event(s) : NULL;

	query_add_table(q, &(struct query_table){
		.name = "samples",
		.about = "a row for each sample, and one of event offcpu-time for each row of waits; in order of time if the time "
			 "is named. Samples that only waits are made of are here, too: event IN (SELECT name FROM events WHERE "
			 "shown) has the others",
		.columns = sample_columns, .nr_columns = ARRAY_SIZE(sample_columns), .parts = PART_PROFILE,
	});
	query_add_table(q, &(struct query_table){
		.name = "sums",
		.about = "sums of the samples that agree in all columns that the statement names: quick; sum(samples) counts, "
			 "not count(*); of all events, as samples",
		.columns = sum_columns, .nr_columns = ARRAY_SIZE(sum_columns), .parts = PART_PROFILE, .sums = true,
	});
	if (waits || !s)
		query_add_table(q, &(struct query_table){
			.name = "waits",
			.about = "each wait (record --off-cpu, --off-cpu-args), and in state ready the time from its end until the "
				 "thread ran; the code is where the thread left its CPU",
			.columns = wait_columns, .nr_columns = ARRAY_SIZE(wait_columns), .parts = PART_PROFILE, .event = waits,
		});
	for (size_t i = 0; s && i < session_events(s)->events.nr; i++)
		if (session_events(s)->events.v[i]->attr.type == PERF_TYPE_TRACEPOINT)
			add_hits(q, session_events(s)->events.v[i]);
}
