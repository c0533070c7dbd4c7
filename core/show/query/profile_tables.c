/*
 * Implements the SQL tables "stacks", "frames", "functions", "dsos" and "events" of prec query. Their rows come from the tables
 * of a profile (core/profile/profile.h).
 */
#include "core/show/query/query_impl.h"

#include "core/base/buf.h"

bool query_row_number(const struct query_row *r, int64_t *out)
{
	*out = (int64_t)r->number;
	return true;
}

void query_one_row(struct query *q, uint64_t value, size_t *first, size_t *end)
{
	size_t nr = *end;

	*first = (size_t)MIN(value, nr);
	*end = MIN(*first + 1, nr);
}

/* ---- frames of a profile, for stacks and frames ---- */

static uint32_t frame_symbol(const struct query_row *r, uint32_t frame)
{
	return frame == PROFILE_NONE ? 0 : profile_frame_name(r->profile, frame);
}

static uint32_t frame_dso(const struct query_row *r, uint32_t frame)
{
	uint32_t dso = frame == PROFILE_NONE ? PROFILE_NONE : r->data->functions.v[r->data->frames.v[frame].function].dso;

	return dso == PROFILE_NONE ? 0 : r->data->dsos.v[dso].name;
}

static bool frame_function(const struct query_row *r, uint32_t frame, int64_t *out)
{
	*out = frame == PROFILE_NONE ? 0 : r->data->frames.v[frame].function;
	return frame != PROFILE_NONE;
}

static bool frame_inlined(const struct query_row *r, uint32_t frame, int64_t *out)
{
	*out = frame != PROFILE_NONE && r->data->functions.v[r->data->frames.v[frame].function].inlined;
	return frame != PROFILE_NONE;
}

static uint32_t frame_file(const struct query_row *r, uint32_t frame)
{
	return frame == PROFILE_NONE ? 0 : r->data->frames.v[frame].file;
}

static bool frame_line(const struct query_row *r, uint32_t frame, int64_t *out)
{
	*out = frame == PROFILE_NONE ? 0 : r->data->frames.v[frame].line;
	return *out != 0;
}

/* ---- stacks ---- */

static const struct profile_stack *stack_at(const struct query_row *r) { return r->item; }

/* The number in this recording of the stack with this ID. PROFILE_NONE: the stack is of another recording. */
static uint32_t stack_number(const struct query *q, uint64_t id)
{
	return id >> 32 == q->number ? (uint32_t)id : PROFILE_NONE;
}

static bool stack_id(const struct query_row *r, int64_t *out)
{
	*out = query_stack_id(r, r->number);
	return true;
}

static void stacks_of(struct query *q, uint64_t id, size_t *first, size_t *end)
{
	query_one_row(q, stack_number(q, id), first, end);
}

static bool stack_parent(const struct query_row *r, int64_t *out)
{
	*out = query_stack_id(r, stack_at(r)->parent);
	return r->number != PROFILE_ROOT;
}

static uint32_t stack_symbol(const struct query_row *r) { return frame_symbol(r, stack_at(r)->frame); }
static uint32_t stack_dso(const struct query_row *r) { return frame_dso(r, stack_at(r)->frame); }
static uint32_t stack_file(const struct query_row *r) { return frame_file(r, stack_at(r)->frame); }
static bool stack_line(const struct query_row *r, int64_t *out) { return frame_line(r, stack_at(r)->frame, out); }
static bool stack_function(const struct query_row *r, int64_t *out) { return frame_function(r, stack_at(r)->frame, out); }
static bool stack_inlined(const struct query_row *r, int64_t *out) { return frame_inlined(r, stack_at(r)->frame, out); }

static struct query_list list_stacks(struct query *q) { return QUERY_LIST(&profile_data(q->profile)->stacks); }

static const struct query_column stack_columns[] = {
	{ "id", "of samples.stack; 0: the root, above all", "INTEGER", .number = stack_id },
	{ "parent", "id of the caller's stack", "INTEGER", .number = stack_parent },
	{ "depth", "frames from the outermost to this one", "INTEGER", MEMBER(profile_stack, depth) },
	{ "symbol", "its innermost function", "TEXT", .string = stack_symbol },
	{ "dso", "the file of that", "TEXT", .string = stack_dso },
	{ "file", "source file", "TEXT", .string = stack_file, .parts = PART_LINES },
	{ "line", "line of the call, or of the sample", "INTEGER", .number = stack_line, .parts = PART_LINES },
	{ "inlined", "1: it was inlined into its caller", "INTEGER", .number = stack_inlined },
	{ "function", "id in functions", "INTEGER", .number = stack_function },
};

const struct query_table stacks_table = {
	.name = "stacks", .about = "call stacks as a tree: a row for each", .columns = stack_columns,
	.nr_columns = ARRAY_SIZE(stack_columns), .parts = PART_PROFILE | PART_CODE | PART_STACKS,
	.list = list_stacks, .range = stacks_of,
};

/* ---- frames: each stack from the innermost frame to the outermost ---- */

static struct query_list list_frames(struct query *q)
{
	const struct profile_data *d = profile_data(q->profile);

	if (!q->frame_starts) {
		q->frame_starts = xcalloc(d->stacks.nr + 1, sizeof(*q->frame_starts));
		for (size_t i = 0; i < d->stacks.nr; i++)
			q->frame_starts[i + 1] = q->frame_starts[i] + d->stacks.v[i].depth;
	}
	return (struct query_list){ q->frame_starts, q->frame_starts[d->stacks.nr], 0 };
}

static void frames_of(struct query *q, uint64_t id, size_t *first, size_t *end)
{
	size_t nr = profile_data(q->profile)->stacks.nr, stack = stack_number(q, id);

	*first = stack < nr ? q->frame_starts[stack] : 0;
	*end = stack < nr ? q->frame_starts[stack + 1] : 0;
}

static uint32_t stack_of_row(const struct query_row *r)
{
	const size_t *starts = r->query->frame_starts;
	size_t low = 0, high = r->data->stacks.nr;

	while (low + 1 < high) {
		size_t middle = low + (high - low) / 2;

		if (starts[middle] <= r->number)
			low = middle;
		else
			high = middle;
	}
	return (uint32_t)low;
}

static bool frame_stack(const struct query_row *r, int64_t *out)
{
	*out = query_stack_id(r, stack_of_row(r));
	return true;
}

static bool frame_level(const struct query_row *r, int64_t *out)
{
	*out = (int64_t)(r->number - r->query->frame_starts[stack_of_row(r)]);
	return true;
}

static uint32_t node_of_row(const struct query_row *r)
{
	uint32_t stack = stack_of_row(r);

	for (size_t up = r->number - r->query->frame_starts[stack]; up; up--)
		stack = r->data->stacks.v[stack].parent;
	return stack;
}

static bool frame_node(const struct query_row *r, int64_t *out)
{
	*out = query_stack_id(r, node_of_row(r));
	return true;
}

static uint32_t frame_of(const struct query_row *r)
{
	return r->data->stacks.v[node_of_row(r)].frame;
}

static uint32_t row_symbol(const struct query_row *r) { return frame_symbol(r, frame_of(r)); }
static uint32_t row_dso(const struct query_row *r) { return frame_dso(r, frame_of(r)); }
static uint32_t row_file(const struct query_row *r) { return frame_file(r, frame_of(r)); }
static bool row_line(const struct query_row *r, int64_t *out) { return frame_line(r, frame_of(r), out); }
static bool row_function(const struct query_row *r, int64_t *out) { return frame_function(r, frame_of(r), out); }
static bool row_inlined(const struct query_row *r, int64_t *out) { return frame_inlined(r, frame_of(r), out); }

static const struct query_column frame_columns[] = {
	{ "stack", "of samples.stack", "INTEGER", .number = frame_stack },
	{ "level", "0: the innermost frame, 1: its caller, and so on", "INTEGER", .number = frame_level },
	{ "symbol", "the function; [broken]: callers are missing from here on", "TEXT", .string = row_symbol },
	{ "dso", "the file of its code", "TEXT", .string = row_dso },
	{ "file", "source file", "TEXT", .string = row_file, .parts = PART_LINES },
	{ "line", "line of the call, or of the sample", "INTEGER", .number = row_line, .parts = PART_LINES },
	{ "inlined", "1: it was inlined into its caller", "INTEGER", .number = row_inlined },
	{ "function", "id in functions", "INTEGER", .number = row_function },
	{ "node", "id in stacks of the stack that ends in this frame", "INTEGER", .number = frame_node },
};

const struct query_table frames_table = {
	.name = "frames", .about = "each frame of each stack, from the innermost", .columns = frame_columns,
	.nr_columns = ARRAY_SIZE(frame_columns), .parts = PART_PROFILE | PART_CODE | PART_STACKS,
	.list = list_frames, .range = frames_of,
};

/* ---- functions ---- */

static const struct profile_function *function_at(const struct query_row *r) { return r->item; }

static uint32_t function_dso(const struct query_row *r)
{
	uint32_t dso = function_at(r)->dso;

	return dso == PROFILE_NONE ? 0 : r->data->dsos.v[dso].name;
}

static bool function_address(const struct query_row *r, int64_t *out)
{
	*out = (int64_t)function_at(r)->address;
	return !function_at(r)->inlined;
}

static void put_level(const struct query_row *r, sqlite3_context *out)
{
	sqlite3_result_text(out, &function_at(r)->level, 1, SQLITE_TRANSIENT);
}

static struct query_list list_functions(struct query *q) { return QUERY_LIST(&profile_data(q->profile)->functions); }

static const struct query_column function_columns[] = {
	{ "id", "of samples.function", "INTEGER", .number = query_row_number },
	{ "symbol", "its name", "TEXT", MEMBER(profile_function, name), .rule = RULE_STRING },
	{ "dso", "the file of its code", "TEXT", .string = function_dso },
	{ "address", "where it begins; without a symbol the lone address", QUERY_ADDRESS_TYPE, .number = function_address },
	{ "size", "bytes", "INTEGER", MEMBER(profile_function, size), .rule = RULE_NOT_0 },
	{ "level", "k kernel, . user, g guest kernel, u guest user, H hypervisor", "TEXT", .put = put_level },
	{ "inlined", "1: it stands in another's code", "INTEGER", MEMBER(profile_function, inlined) },
	{ "dso_id", "id in dsos", "INTEGER", MEMBER(profile_function, dso), .rule = RULE_NUMBER },
};

const struct query_table functions_table = {
	.name = "functions", .about = "functions that samples or stacks have", .columns = function_columns,
	.nr_columns = ARRAY_SIZE(function_columns), .parts = PART_PROFILE | PART_CODE | PART_STACKS,
	.list = list_functions, .range = query_one_row,
};

/* ---- dsos ---- */

static const struct profile_dso *dso_at(const struct query_row *r) { return r->item; }

static void put_kind(const struct query_row *r, sqlite3_context *out)
{
	put_static_text(out, profile_dso_kind_name(dso_at(r)->kind));
}

static void put_build_id(const struct query_row *r, sqlite3_context *out)
{
	const struct build_id *id = &dso_at(r)->build_id;
	struct buf text = {0};

	if (!id->size)
		return;
	for (unsigned i = 0; i < id->size; i++)
		buf_hex0(&text, id->data[i], 2);
	sqlite3_result_text(out, text.data, (int)text.len, SQLITE_TRANSIENT);
	buf_release(&text);
}

static struct query_list list_dsos(struct query *q) { return QUERY_LIST(&profile_data(q->profile)->dsos); }

static const struct query_column dso_columns[] = {
	{ "id", "of functions.dso_id", "INTEGER", .number = query_row_number },
	{ "name", "as in samples.dso", "TEXT", MEMBER(profile_dso, name), .rule = RULE_STRING },
	{ "path", "as recorded", "TEXT", MEMBER(profile_dso, path), .rule = RULE_STRING },
	{ "kind", "user, kernel, module, vdso, bpf, anon, unknown", "TEXT", .put = put_kind },
	{ "build_id", "hexadecimal", "TEXT", .put = put_build_id },
};

const struct query_table dsos_table = {
	.name = "dsos", .about = "files of code that samples or stacks have", .columns = dso_columns,
	.nr_columns = ARRAY_SIZE(dso_columns), .parts = PART_PROFILE | PART_CODE | PART_STACKS,
	.list = list_dsos, .range = query_one_row,
};

/* ---- events ---- */

static const struct profile_event *event_at(const struct query_row *r) { return r->item; }

static void put_unit(const struct query_row *r, sqlite3_context *out)
{
	put_static_text(out, profile_unit_name(event_at(r)->unit));
}

static bool event_frequency(const struct query_row *r, int64_t *out)
{
	*out = (int64_t)event_at(r)->rate;
	return event_at(r)->by_frequency && *out;
}

static bool event_interval(const struct query_row *r, int64_t *out)
{
	*out = (int64_t)event_at(r)->rate;
	return !event_at(r)->by_frequency && *out;
}

static bool event_shown(const struct query_row *r, int64_t *out)
{
	*out = !event_at(r)->source;
	return true;
}

static struct query_list list_events(struct query *q) { return QUERY_LIST(&profile_data(q->profile)->events); }

static const struct query_column event_columns[] = {
	{ "id", "its place", "INTEGER", .number = query_row_number },
	{ "name", "as in samples.event", "TEXT", MEMBER(profile_event, name), .rule = RULE_STRING },
	{ "unit", "of periods: ns of a clock, count", "TEXT", .put = put_unit },
	{ "samples", "how many", "INTEGER", MEMBER(profile_event, nr) },
	{ "period", "the sum of their periods", "INTEGER", MEMBER(profile_event, period) },
	{ "frequency", "samples a second that were asked for (record -F)", "INTEGER", .number = event_frequency },
	{ "interval", "events from one sample to the next (record -c)", "INTEGER", .number = event_interval },
	{ "shown", "1: report shows it; 0: other events are made of it, as waits are of switches", "INTEGER",
	  .number = event_shown },
};

const struct query_table events_table = {
	.name = "events", .about = "recorded events", .columns = event_columns,
	.nr_columns = ARRAY_SIZE(event_columns), .parts = PART_PROFILE, .list = list_events, .range = query_one_row,
};
