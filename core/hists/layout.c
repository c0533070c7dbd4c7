/*
 * Parses the options -s and -F, which choose the columns of a report and the order of its rows. key_table.c finds a column by its
 * name.
 */
#include "core/hists/layout.h"

#include <string.h>

#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/ui/suggest.h"
#include "core/hists/key_table.h"
#include "core/sched/wait_samples.h"

struct named_keys {
	const struct key *v[MAX_COLUMNS];
	unsigned nr;
};

static bool list_has(const struct named_keys *n, const struct key *k)
{
	for (unsigned i = 0; i < n->nr; i++)
		if (n->v[i] == k)
			return true;
	return false;
}

/* Adds a column, unless the list has it. Columns above MAX_COLUMNS are dropped; all tables together hardly have so many. */
static void list_add(struct named_keys *n, const struct key *k)
{
	if (!list_has(n, k) && n->nr < MAX_COLUMNS)
		n->v[n->nr++] = k;
}

/* Adds @k and the rows after it with the same heading; with @alone, only @k. */
static void list_add_parts(struct named_keys *n, const struct key *k, bool alone)
{
	const char *heading = k->heading;

	for (; k < sum_keys.rows + sum_keys.nr && k->heading == heading; k++) {
		list_add(n, k);
		if (alone)
			return;
	}
}

static void list_add_name(struct named_keys *n, const char *name)
{
	list_add(n, key_find(name, strlen(name), false));
}

/* Keys of perf that prec lacks, with the reasons. */
static const struct { const char *name, *why; } missing[] = {
	{ "type", "the types of data are not read; 'symbol_daddr' is the variable" },
	{ "typeoff", "the types of data are not read; 'symbol_daddr' is the variable" },
	{ "typecln", "the types of data are not read; 'symbol_daddr' is the variable" },
	{ "ipc_null", "it is empty with perf, too; script -F +brstackinsn has what ran between branches, for each cycle" },
	{ "ipc_lbr", "script -F +brstackinsn has what ran between branches, for each cycle; -F +ipc of traces" },
};

static int unknown(const char *option, const char *name, size_t len)
{
	struct buf names = {0}, meant = {0};

	for (size_t i = 0; i < ARRAY_SIZE(missing); i++)
		if (strlen(missing[i].name) == len && !memcmp(missing[i].name, name, len))
			return error("%s key '%.*s' is not there: %s", option, (int)len, name, missing[i].why);
	key_names(&names);
	suggest_of_list(&meant, name, len, buf_str(&names));
	error("unknown %s key '%.*s'%s; known are: %s trace trace_fields", option, (int)len, name, buf_str(&meant),
	      buf_str(&names));
	buf_release(&names);
	buf_release(&meant);
	return -1;
}

/* Parses a name that is in no table of columns: a tracepoint's field, or an error. */
static int parse_other(struct named_keys *out, const struct layout_opts *o, const char *option, const char *name, size_t len)
{
	const struct key *found[MAX_COLUMNS];
	unsigned nr = o->find_more ? o->find_more(o->find_more_ctx, name, len, found, MAX_COLUMNS) : 0;

	if (o->skip_unknown)
		return 0;
	for (unsigned i = 0; i < nr; i++)
		list_add(out, found[i]);
	return nr ? 0 : unknown(option, name, len);
}

/* Finds a column by its whole name, else by the beginning of its name. Returns NULL if a tracepoint's field has the name. */
static const struct key *find_named(const struct layout_opts *o, const char *name, size_t len, bool field)
{
	const struct key *k = key_find_whole(name, len, field), *fields[MAX_COLUMNS];

	if (k || (o->find_more && o->find_more(o->find_more_ctx, name, len, fields, MAX_COLUMNS)))
		return k;
	return key_find(name, len, field);
}

static int parse_list(struct named_keys *out, const struct layout_opts *o, const char *option, const char *text)
{
	bool field = str_eq(option, "field");
	int err = 0;

	while (*text && !err) {
		size_t len = strcspn(text, ", ");
		const struct key *k = len ? find_named(o, text, len, field) : NULL;

		if (k && k->heading)
			list_add_parts(out, k, len == strlen(k->name) && !memcmp(k->name, text, len));
		else if (k)
			list_add(out, k);
		else if (len)
			err = parse_other(out, o, option, text, len);
		text += len + (text[len] != '\0');
	}
	return err;
}

static bool list_has_name(const struct named_keys *n, const char *name)
{
	return list_has(n, key_find(name, strlen(name), false));
}

/*
 * Finds columns that come first even without -s: sums with children before own ones, latencies before overheads or after
 * them. With -s latency and no overhead key, shows no overhead column.
 */
static void find_shares(struct named_keys *out, const struct layout_opts *o, const struct named_keys *sort)
{
	bool only = o->latency != LATENCY_FIRST && list_has_name(sort, "latency") && !list_has_name(sort, "overhead");
	bool latency = only || o->latency, first = o->latency == LATENCY_FIRST;

	for (int own = !o->children; own < 2; own++)
		for (int i = 0; i < 2; i++)
			if ((i == 0) == first ? latency : !only)
				list_add_name(out, (i == 0) == first ? (own ? "latency" : "latency_children") :
								       (own ? "overhead" : "overhead_children"));
}

static void add_missing(struct named_keys *n, const struct named_keys *shares, const struct named_keys *sort)
{
	for (unsigned i = 0; i < shares->nr; i++)
		if (!list_has(sort, shares->v[i]))
			list_add(n, shares->v[i]);
}

static void append(struct named_keys *n, const struct named_keys *more)
{
	for (unsigned i = 0; i < more->nr; i++)
		list_add(n, more->v[i]);
}

static void add_extra_sums(struct named_keys *columns, const struct layout_opts *o)
{
	if (o->cpu_utilization) {
		list_add_name(columns, "overhead_sys");
		list_add_name(columns, "overhead_us");
	}
	if (o->nr_samples)
		list_add_name(columns, "sample");
	if (o->total_period)
		list_add_name(columns, "period");
}

/* Parses the keys of -s. If it begins with '+', the defaults come before them. */
static int parse_sort(struct named_keys *out, const struct layout_opts *o)
{
	const char *defaults = o->defaults ? o->defaults : "comm,dso,symbol";
	const char *sort = o->sort;
	int err = 0;

	if (!sort || *sort == '+')
		err = parse_list(out, o, "sort", defaults);
	return err || !sort ? err : parse_list(out, o, "sort", sort + (*sort == '+'));
}

/* Copies the keys of @list. With @order, copies only keys that affect the order of rows. As in perf, parts of a total do not. */
static void copy_keys(const struct key **out, unsigned *nr, const struct named_keys *list, bool children, bool order)
{
	for (unsigned i = 0; i < list->nr; i++)
		if ((children || !(list->v[i]->flags & KEY_CHILDREN)) &&
		    (!order || !(list->v[i]->heading || list->v[i]->flags & KEY_NO_ORDER)))
			out[(*nr)++] = list->v[i];
}

/* Sets .keys to the columns that are sort keys. */
static void find_keys(struct layout *l)
{
	for (unsigned i = 0; i < l->nr_columns; i++)
		if (!key_is_sum(l->columns[i]))
			l->keys[l->nr_keys++] = l->columns[i];
}

static int parse_strict(struct named_keys *columns, struct named_keys *order, const struct layout_opts *o)
{
	struct named_keys sort = {0};

	if (parse_list(columns, o, "field", o->fields) || (o->sort && parse_sort(&sort, o)))
		return -1;
	append(order, &sort);
	append(order, columns);
	append(columns, &sort);
	return columns->nr || o->skip_unknown ? 0 : error("the list of fields is empty");
}

/*
 * Overheads are the first columns. Their position in -s affects only the order of rows. The columns that -F adds
 * come next, as in perf, then the group keys of -s.
 */
static int parse_default(struct named_keys *columns, struct named_keys *order, const struct layout_opts *o)
{
	struct named_keys sort = {0}, fields = {0}, asked, shares = {0};

	if (parse_sort(&sort, o) || (o->fields && parse_list(&fields, o, "field", o->fields + 1)))
		return -1;
	asked = sort;
	append(&asked, &fields);
	find_shares(&shares, o, &asked);
	add_missing(order, &shares, &asked);
	append(order, &asked);
	append(columns, &shares);
	add_extra_sums(columns, o);
	append(columns, &fields);
	append(columns, &sort);
	return 0;
}

int layout_parse(struct layout *out, const struct layout_opts *o)
{
	bool strict = o->fields && *o->fields != '+';
	struct named_keys columns = {0}, order = {0};

	*out = (struct layout){ .self = o->children && !strict };
	if (strict ? parse_strict(&columns, &order, o) : parse_default(&columns, &order, o))
		return -1;
	copy_keys(out->columns, &out->nr_columns, &columns, o->children, false);
	copy_keys(out->order, &out->nr_order, &order, o->children, true);
	find_keys(out);
	if (!o->branch_sums && layout_needs(out) & NEED_BRANCH_SUMS)
		return error("callchain_branch_* are of call chains that begin with branches: prec report --branch-history "
			     "(or -g branch) --no-children has them");
	out->symbol_first = !strict && o->sort && str_starts(o->sort, "sym");
	return 0;
}

unsigned layout_needs(const struct layout *l)
{
	unsigned needs = 0;

	for (unsigned i = 0; i < l->nr_columns; i++)
		needs |= l->columns[i]->needs;
	return needs;
}

bool layout_has(const struct layout *l, const char *name)
{
	for (unsigned i = 0; i < l->nr_keys; i++)
		if (str_eq(l->keys[i]->name, name))
			return true;
	return false;
}

bool layout_has_flag(const struct layout *l, unsigned flags)
{
	for (unsigned i = 0; i < l->nr_keys; i++)
		if (l->keys[i]->flags & flags)
			return true;
	return false;
}

void layout_split_waits(const struct layout *l, struct session *s)
{
	bool holders = layout_has(l, WAIT_KEY_HOLDER);

	if (holders || layout_has(l, WAIT_KEY_LOCK) || layout_has(l, "reason") || layout_has(l, "state"))
		session_split_waits(s, holders);
}

void layout_drop(struct layout *l, const char *name)
{
	const struct key *k = key_find(name, strlen(name), false);
	unsigned nr = 0, others = 0;

	for (unsigned i = 0; i < l->nr_columns; i++)
		others += !key_is_sum(l->columns[i]) && l->columns[i] != k;
	if (!others)
		return;
	for (unsigned i = 0; i < l->nr_columns; i++)
		if (l->columns[i] != k)
			l->columns[nr++] = l->columns[i];
	l->nr_columns = nr;
}
