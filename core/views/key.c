/* The table of sort keys and sums, and the parser of -s and -F. Layer: views */
#include "core/views/key.h"

#include <stdio.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/model/machine.h"
#include "core/model/runqueue.h"

/* ---- keys ---- */

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static uint64_t comm_value(const struct view *v, const struct raw_key *raw, uint32_t spot)
{
	(void)v, (void)spot;
	return raw->comm;
}

static int comm_order(const struct view *v, uint64_t a, uint64_t b)
{
	return strcmp(machine_comm(v->machine, (uint32_t)a), machine_comm(v->machine, (uint32_t)b));
}

static void comm_print(const struct view *v, uint64_t value, struct buf *out)
{
	buf_puts(out, machine_comm(v->machine, (uint32_t)value));
}

static uint64_t dso_value(const struct view *v, const struct raw_key *raw, uint32_t spot)
{
	const struct dso *dso = v->spots->list.v[spot].dso;

	(void)raw;
	return dso ? v->dso_alias.v[dso->number] : SITE_NO_DSO;
}

static const char *dso_name(const struct view *v, uint64_t value)
{
	return value == SITE_NO_DSO ? "[unknown]" : machine_dso(v->machine, (uint32_t)value)->name;
}

int key_dso_order(const struct view *v, uint64_t a, uint64_t b)
{
	if (a == SITE_NO_DSO || b == SITE_NO_DSO)
		return (a == SITE_NO_DSO) - (b == SITE_NO_DSO);
	return strcmp(dso_name(v, a), dso_name(v, b));
}

void key_dso_print(const struct view *v, uint64_t value, struct buf *out)
{
	buf_puts(out, dso_name(v, value));
}

static uint64_t symbol_value(const struct view *v, const struct raw_key *raw, uint32_t spot)
{
	(void)raw;
	return v->spots->list.v[spot].function;
}

static uint64_t line_value(const struct view *v, const struct raw_key *raw, uint32_t spot)
{
	(void)raw;
	return v->spots->list.v[spot].line;
}

static uint64_t file_value(const struct view *v, const struct raw_key *raw, uint32_t spot)
{
	(void)raw;
	return v->spots->list.v[spot].file;
}

static int source_order(const struct view *v, uint64_t a, uint64_t b)
{
	size_t na, nb;
	const char *x = spots_text(v->spots, (uint32_t)a, &na), *y = spots_text(v->spots, (uint32_t)b, &nb);
	int order = memcmp(x, y, MIN(na, nb));

	return order ? order : na < nb ? -1 : na > nb;
}

static void source_print(const struct view *v, uint64_t value, struct buf *out)
{
	size_t n;
	const char *text = spots_text(v->spots, (uint32_t)value, &n);

	buf_put(out, text, n);
}

static int symbol_order(const struct view *v, uint64_t a, uint64_t b)
{
	const char *x = v->spots->list.v[a].name, *y = v->spots->list.v[b].name;

	if (!x || !y)
		return !x - !y;
	return strcmp(x, y);
}

static int symbol_last_order(const struct view *v, uint64_t a, uint64_t b)
{
	return spot_compare(&v->spots->list.v[a], &v->spots->list.v[b]);
}

static void symbol_print(const struct view *v, uint64_t value, struct buf *out)
{
	const struct spot *spot = &v->spots->list.v[value];

	buf_putc(out, '[');
	buf_putc(out, spot->level);
	buf_puts(out, "] ");
	if (spot->name) {
		spot_put_name(spot, out);
		return;
	}
	buf_puts(out, "0x");
	buf_hex0(out, spot->addr, 16);
}

static uint64_t tid_value(const struct view *v, const struct raw_key *raw, uint32_t spot)
{
	(void)v, (void)spot;
	return raw->tid;
}

static int compare_tids(const void *a, const void *b)
{
	const struct task_name *x = a, *y = b;

	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static void tid_print(const struct view *v, uint64_t value, struct buf *out)
{
	const struct task_name wanted = { .tid = (uint32_t)value };
	const struct task_name *found = v->tasks.nr ? bsearch(&wanted, v->tasks.v, v->tasks.nr, sizeof(wanted),
							      compare_tids) : NULL;

	buf_int(out, (int32_t)value, 7);
	buf_putc(out, ':');
	if (found) {
		buf_puts(out, machine_comm(v->machine, found->comm));
		return;
	}
	buf_putc(out, ':');
	buf_int(out, (int32_t)value, 0);
}

static uint64_t cpu_value(const struct view *v, const struct raw_key *raw, uint32_t spot)
{
	(void)v, (void)spot;
	return raw->cpu;
}

static void cpu_print(const struct view *v, uint64_t value, struct buf *out)
{
	(void)v;
	if (value == RAW_NO_CPU)
		buf_puts(out, "-001");
	else
		buf_dec0(out, value, 3);
}

static uint64_t cgroup_value(const struct view *v, const struct raw_key *raw, uint32_t spot)
{
	(void)v, (void)spot;
	return raw->cgroup;
}

/* As perf: by their ids. */
static int cgroup_order(const struct view *v, uint64_t a, uint64_t b)
{
	if (a == CGROUP_NONE || b == CGROUP_NONE || a == CGROUP_UNKNOWN || b == CGROUP_UNKNOWN)
		return compare_numbers(a, b);
	return compare_numbers(machine_cgroup_id(v->machine, (uint32_t)a), machine_cgroup_id(v->machine, (uint32_t)b));
}

static void cgroup_print(const struct view *v, uint64_t value, struct buf *out)
{
	buf_puts(out, value == CGROUP_NONE ? "N/A" : value == CGROUP_UNKNOWN ? "unknown" :
		      machine_cgroup_path(v->machine, (uint32_t)value));
}

static uint64_t queue_value(const struct view *v, const struct raw_key *raw, uint32_t spot)
{
	(void)v, (void)spot;
	return raw->queue;
}

static void queue_print(const struct view *v, uint64_t value, struct buf *out)
{
	(void)v;
	if (value == RUNQUEUE_UNKNOWN)
		buf_puts(out, "-1");
	else
		buf_dec(out, value, 0);
}

static uint64_t time_value(const struct view *v, const struct raw_key *raw, uint32_t spot)
{
	(void)v, (void)spot;
	return raw->slot;
}

static void time_print(const struct view *v, uint64_t value, struct buf *out)
{
	uint64_t us = value * v->slot_ns / 1000;

	buf_dec(out, us / 1000000, 0);
	buf_putc(out, '.');
	buf_dec0(out, us % 1000000, 6);
}

/* ---- sums ---- */

static uint64_t sum_period(const struct sums *s) { return s->period; }
static uint64_t sum_children(const struct sums *s) { return s->children; }
static uint64_t sum_nr(const struct sums *s) { return s->nr; }
static uint64_t sum_sys(const struct sums *s) { return s->period_sys; }
static uint64_t sum_us(const struct sums *s) { return s->period_us; }

static const struct key keys[] = {
	{ "overhead", NULL, "Overhead", 0, KEY_RIGHT | KEY_PERCENT, 8, .sum = sum_period },
	{ "overhead_sys", NULL, "sys", RAW_MODE, KEY_RIGHT | KEY_PERCENT, 8, .sum = sum_sys },
	{ "overhead_us", NULL, "usr", RAW_MODE, KEY_RIGHT | KEY_PERCENT, 8, .sum = sum_us },
	{ "overhead_children", NULL, "Children", RAW_CHAIN, KEY_RIGHT | KEY_PERCENT | KEY_CHILDREN, 8,
	  .sum = sum_children },
	{ "sample", NULL, "Samples", 0, KEY_RIGHT, 12, .sum = sum_nr },
	{ "period", NULL, "Period", 0, KEY_RIGHT, 12, .sum = sum_period },
	{ "pid", "tid", "    Pid:Command", RAW_TID, 0, 15, .value = tid_value, .print = tid_print },
	{ "comm", NULL, "Command", RAW_COMM, 0, 7, .value = comm_value, .order = comm_order, .print = comm_print },
	{ "dso", NULL, "Shared Object", RAW_DSO, KEY_BY_PLACE, 13, .unnamed_width = 16,
	  .value = dso_value, .order = key_dso_order, .print = key_dso_print },
	{ "symbol", NULL, "Symbol", RAW_PLACE, KEY_BY_PLACE | KEY_RAGGED, 6, .value = symbol_value, .order = symbol_order,
	  .last_order = symbol_last_order, .print = symbol_print },
	{ "srcline", NULL, "Source:Line", RAW_PLACE, KEY_BY_PLACE, 11, .value = line_value, .order = source_order,
	  .print = source_print },
	{ "srcfile", NULL, "Source File", RAW_PLACE, KEY_BY_PLACE, 11, .value = file_value, .order = source_order,
	  .print = source_print },
	{ "cpu", NULL, "CPU", RAW_CPU, KEY_RIGHT, 3, .value = cpu_value, .print = cpu_print },
	{ "cgroup", NULL, "Cgroup", RAW_CGROUP, 0, 6, .value = cgroup_value, .order = cgroup_order, .print = cgroup_print },
	{ "runqlen", NULL, "Runqlen", RAW_QUEUE, KEY_RIGHT, 7, .value = queue_value, .print = queue_print },
	{ "time", NULL, "Time", RAW_TIME, 0, 12, .value = time_value, .print = time_print },
};

const struct key *key_find(const char *name, size_t len)
{
	for (const struct key *k = keys; k < keys + ARRAY_SIZE(keys); k++)
		if ((strlen(k->name) == len && !memcmp(k->name, name, len)) ||
		    (k->alias && strlen(k->alias) == len && !memcmp(k->alias, name, len)))
			return k;
	for (const struct key *k = keys; len >= 3 && k < keys + ARRAY_SIZE(keys); k++)
		if (k->value && !strncmp(k->name, name, len))
			return k;
	return NULL;
}

void key_names(struct buf *out)
{
	for (const struct key *k = keys; k < keys + ARRAY_SIZE(keys); k++) {
		if (k != keys)
			buf_putc(out, ' ');
		buf_puts(out, k->name);
		if (k->alias)
			buf_printf(out, " %s", k->alias);
	}
}

int key_order(const struct key *k, const struct view *v, uint64_t a, uint64_t b)
{
	if (a == b)
		return 0;
	return k->order ? k->order(v, a, b) : compare_numbers(a, b);
}

int key_last_order(const struct key *k, const struct view *v, uint64_t a, uint64_t b)
{
	if (a == b)
		return 0;
	return k->last_order ? k->last_order(v, a, b) : key_order(k, v, a, b);
}

/* ---- the view ---- */

/* Interned names: equal pointers. */
static int compare_dso_names(const void *a, const void *b)
{
	const struct dso *x = *(const struct dso *const *)a, *y = *(const struct dso *const *)b;

	if (x->name != y->name)
		return (uintptr_t)x->name < (uintptr_t)y->name ? -1 : 1;
	return compare_numbers(x->number, y->number);
}

static void alias_dsos(struct view *v)
{
	uint32_t nr = machine_nr_dsos(v->machine), first = 0;
	const struct dso **dsos = xmalloc(MAX(nr, 1) * sizeof(*dsos));

	for (uint32_t i = 0; i < nr; i++)
		dsos[i] = machine_dso(v->machine, i);
	qsort(dsos, nr, sizeof(*dsos), compare_dso_names);
	vec_reserve(&v->dso_alias, nr);
	v->dso_alias.nr = nr;
	for (uint32_t i = 0; i < nr; i++) {
		if (dsos[i]->name != dsos[first]->name)
			first = i;
		v->dso_alias.v[dsos[i]->number] = dsos[first]->number;
	}
	free(dsos);
}

/* Lives of one tid in order, the last one first. */
static int compare_lives(const void *a, const void *b)
{
	const struct thread *x = *(const struct thread *const *)a, *y = *(const struct thread *const *)b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	if (x->from != y->from)
		return x->from > y->from ? -1 : 1;
	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

static void name_tasks(struct view *v)
{
	uint32_t nr = machine_nr_threads(v->machine);
	const struct thread **lives = xmalloc(MAX(nr, 1) * sizeof(*lives));
	struct where_cache *cache = where_cache_new(v->machine);

	for (uint32_t i = 0; i < nr; i++)
		lives[i] = machine_thread(v->machine, i);
	qsort(lives, nr, sizeof(*lives), compare_lives);
	for (uint32_t i = 0; i < nr; i++) {
		const struct thread *t = lives[i];

		if (v->tasks.nr && v->tasks.v[v->tasks.nr - 1].tid == t->tid)
			continue;
		vec_push(&v->tasks, ((struct task_name){
			t->tid, machine_where(cache, t->pid, t->tid, t->to - (t->to > t->from))->comm_number }));
	}
	where_cache_free(cache);
	free(lives);
}

void view_init(struct view *v, const struct machine *m, const struct spots *spots, uint64_t slot_ns)
{
	*v = (struct view){ .machine = m, .spots = spots, .slot_ns = slot_ns };
	alias_dsos(v);
	name_tasks(v);
}

void view_release(struct view *v)
{
	vec_free(&v->dso_alias);
	vec_free(&v->tasks);
}

/* ---- -s and -F ---- */

struct key_list {
	const struct key *v[MAX_COLUMNS];
	unsigned nr;
};

static bool list_has(const struct key_list *l, const struct key *k)
{
	for (unsigned i = 0; i < l->nr; i++)
		if (l->v[i] == k)
			return true;
	return false;
}

/* Twice the same column says nothing more. There are fewer rows in keys[] than MAX_COLUMNS; what is more is left out. */
static void list_add(struct key_list *l, const struct key *k)
{
	_Static_assert(ARRAY_SIZE(keys) <= MAX_COLUMNS, "a list may hold every key");
	if (!list_has(l, k) && l->nr < MAX_COLUMNS)
		l->v[l->nr++] = k;
}

static void list_add_name(struct key_list *l, const char *name)
{
	list_add(l, key_find(name, strlen(name)));
}

static int unknown(const char *option, const char *name, size_t len, const char *more)
{
	struct buf names = {0};

	key_names(&names);
	error("unknown %s key '%.*s'; known are: %s%s%s trace trace_fields", option, (int)len,
	      name, buf_str(&names), more ? " " : "", more ? more : "");
	buf_release(&names);
	return -1;
}

/* A name that keys[] does not have. */
static int parse_other(struct key_list *out, const struct layout_opts *o, const char *option, const char *name, size_t len)
{
	const struct key *found[MAX_COLUMNS];
	unsigned nr = o->more ? o->more(o->more_ctx, name, len, found, MAX_COLUMNS) : 0;

	if (o->lenient)
		return 0;
	for (unsigned i = 0; i < nr; i++)
		list_add(out, found[i]);
	return nr ? 0 : unknown(option, name, len, o->more_names);
}

static int parse_list(struct key_list *out, const struct layout_opts *o, const char *option, const char *text)
{
	int err = 0;

	while (*text && !err) {
		size_t len = strcspn(text, ", ");
		const struct key *k = len ? key_find(text, len) : NULL;

		if (k)
			list_add(out, k);
		else if (len)
			err = parse_other(out, o, option, text, len);
		text += len + (text[len] != '\0');
	}
	return err;
}

/* The overheads come first unless @named has them somewhere. */
static void add_overheads(struct key_list *l, const struct key_list *named, bool children)
{
	const struct key *overhead = key_find("overhead", 8), *acc = key_find("overhead_children", 17);

	if (children && !list_has(named, acc))
		list_add(l, acc);
	if (!list_has(named, overhead))
		list_add(l, overhead);
}

static void append(struct key_list *l, const struct key_list *more)
{
	for (unsigned i = 0; i < more->nr; i++)
		list_add(l, more->v[i]);
}

static void add_extra_sums(struct key_list *columns, const struct layout_opts *o)
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

/* The keys that -s asks for: its own, or with '+' the defaults and its own. */
static int parse_sort(struct key_list *out, const struct layout_opts *o)
{
	const char *defaults = o->defaults ? o->defaults : "comm,dso,symbol";
	const char *sort = o->sort;
	int err = 0;

	if (!sort || *sort == '+')
		err = parse_list(out, o, "sort", defaults);
	return err || !sort ? err : parse_list(out, o, "sort", sort + (*sort == '+'));
}

static void copy_keys(const struct key **out, unsigned *nr, const struct key_list *list, bool children)
{
	for (unsigned i = 0; i < list->nr; i++)
		if (children || !(list->v[i]->flags & KEY_CHILDREN))
			out[(*nr)++] = list->v[i];
}

/* What groups, of the columns and of what is sorted by. */
static void find_keys(struct layout *l)
{
	for (unsigned i = 0; i < l->nr_columns; i++)
		if (l->columns[i]->value)
			l->keys[l->nr_keys++] = l->columns[i];
}

static int parse_strict(struct key_list *columns, struct key_list *order, const struct layout_opts *o)
{
	struct key_list sort = {0};

	if (parse_list(columns, o, "field", o->fields) || (o->sort && parse_sort(&sort, o)))
		return -1;
	append(order, &sort);
	append(order, columns);
	append(columns, &sort);
	return columns->nr || o->lenient ? 0 : error("the list of fields is empty");
}

/* Overheads are the first columns, wherever -s has them, which says what they mean for the order. */
static int parse_default(struct key_list *columns, struct key_list *order, const struct layout_opts *o)
{
	const struct key_list none = {0};
	struct key_list sort = {0}, fields = {0};

	if (parse_sort(&sort, o) || (o->fields && parse_list(&fields, o, "field", o->fields + 1)))
		return -1;
	append(&sort, &fields);
	add_overheads(order, &sort, o->children);
	append(order, &sort);
	add_overheads(columns, &none, o->children);
	add_extra_sums(columns, o);
	append(columns, &sort);
	return 0;
}

int layout_parse(struct layout *out, const struct layout_opts *o)
{
	bool strict = o->fields && *o->fields != '+';
	struct key_list columns = {0}, order = {0};

	*out = (struct layout){ .self = o->children && !strict };
	if (strict ? parse_strict(&columns, &order, o) : parse_default(&columns, &order, o))
		return -1;
	copy_keys(out->columns, &out->nr_columns, &columns, o->children);
	copy_keys(out->order, &out->nr_order, &order, o->children);
	find_keys(out);
	out->by_symbol = !strict && o->sort && str_starts(o->sort, "sym");
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

void layout_drop(struct layout *l, const char *name)
{
	const struct key *k = key_find(name, strlen(name));
	unsigned nr = 0, others = 0;

	for (unsigned i = 0; i < l->nr_columns; i++)
		others += l->columns[i]->value && l->columns[i] != k;
	if (!others)
		return;
	for (unsigned i = 0; i < l->nr_columns; i++)
		if (l->columns[i] != k)
			l->columns[nr++] = l->columns[i];
	l->nr_columns = nr;
}
