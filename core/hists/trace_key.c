/*
 * Implements the report columns for tracepoints: single fields of an event, or its whole text ("trace"). core/read/trace_text.h
 * formats the text. detail.c stores the values of each sample.
 */
#include "core/hists/trace_key.h"

#include <string.h>

#include "core/base/buf.h"
#include "core/base/byte_table.h"
#include "core/read/item.h"
#include "core/read/session.h"
#include "core/read/trace_text.h"
#include "core/tracepoint/trace_program.h"
#include "core/tracepoint/tracing_data.h"
#include "core/hists/key.h"
#include "core/hists/key_context.h"

struct trace_key {
	struct key key;
	VEC(const struct trace_field *) fields;	/* by event number; NULL: the event has no such field. Empty: the whole trace */
	const struct trace_field *field;	/* the only one of these; NULL: the whole trace */
	char *name;				/* owned */
};

struct trace_keys {
	const struct session *session;
	VEC(const struct trace_event *) events;	/* by event number; NULL: not a tracepoint, or without a format */
	VEC(struct trace_key *) list;		/* owned */
	bool raw;
	bool drops_text;			/* trace_keys_drop_text() */
};

/*
 * A column's value in a sample's detail (detail.h) is these sizes, the bytes of the field, and the printed text. The column "trace"
 * has no field, so .bytes is 0.
 */
struct sizes { uint32_t bytes, text; };

struct trace_value {
	uint32_t column;
	struct sizes sizes;
	const char *bytes, *text;		/* borrowed from the byte strings of .own */
};

struct trace_values {
	const struct trace_keys *keys;		/* borrowed */
	struct byte_table own;			/* for each value: the number of its column, then the value */
	VEC(uint32_t) numbers;			/* for each detail: nr_columns numbers of values */
	uint32_t nr_columns;
};

/* ---- keys ---- */

struct trace_keys *trace_keys_new(const struct session *s, bool raw)
{
	struct trace_keys *t = xcalloc(1, sizeof(*t));

	t->session = s;
	t->raw = raw;
	vec_for(ev, &session_events(s)->events) {
		bool is = (*ev)->attr.type == PERF_TYPE_TRACEPOINT;

		vec_push(&t->events, is ? tracing_data_event(session_tracing(s), (*ev)->attr.config) : NULL);
	}
	return t;
}

void trace_keys_drop_text(struct trace_keys *t)
{
	t->drops_text = true;
}

void trace_keys_free(struct trace_keys *t)
{
	if (!t)
		return;
	vec_for(k, &t->list) {
		vec_free(&(*k)->fields);
		free((*k)->name);
		free(*k);
	}
	vec_free(&t->list);
	vec_free(&t->events);
	free(t);
}

/* A value's number is its byte string in trace_values.own. */
static struct trace_value value_in_table(const struct trace_values *v, uint64_t number)
{
	struct trace_value value;
	size_t n;
	const char *p = byte_table_get(&v->own, (uint32_t)number, &n);

	memcpy(&value.column, p, sizeof(value.column));
	memcpy(&value.sizes, p + sizeof(value.column), sizeof(value.sizes));
	value.bytes = p + sizeof(value.column) + sizeof(value.sizes);
	value.text = value.bytes + value.sizes.bytes;
	return value;
}

static struct trace_value value_at(const struct key_context *c, uint64_t number)
{
	return value_in_table(c->traces, number);
}

static int text_order(const struct key_context *c, uint64_t a, uint64_t b)
{
	struct trace_value x = value_at(c, a), y = value_at(c, b);

	return compare_bytes(x.text, x.sizes.text, y.text, y.sizes.text);
}

/* Compares bytes as they are in memory, the larger first, as perf does. */
static int field_order(const struct key_context *c, uint64_t a, uint64_t b)
{
	struct trace_value x = value_at(c, a), y = value_at(c, b);

	return compare_bytes(y.bytes, y.sizes.bytes, x.bytes, x.sizes.bytes);
}

static void print_text(const struct key_context *c, uint64_t value, struct buf *out)
{
	struct trace_value x = value_at(c, value);

	buf_put(out, x.text, x.sizes.text);
}

static struct trace_key *add_key(struct trace_keys *t, char *name, const char *title)
{
	struct trace_key *k = xcalloc(1, sizeof(*k));

	k->name = name;
	k->key = (struct key){ .name = name, .title = title, .needs = NEED_TRACE, .print = print_text,
			       .column = (unsigned)t->list.nr + 1 };
	vec_push(&t->list, k);
	return k;
}

static const struct key *find_key(const struct trace_keys *t, const char *name)
{
	vec_for(k, &t->list)
		if (str_eq((*k)->name, name))
			return &(*k)->key;
	return NULL;
}

static const struct key *whole_key(struct trace_keys *t)
{
	const struct key *found = find_key(t, "trace");
	struct trace_key *k;

	if (found)
		return found;
	k = add_key(t, xstrdup("trace"), "Trace output");
	k->key.order = text_order;
	k->key.flags = KEY_RAGGED;
	return &k->key;
}

/* The column of one field of one event. */
static const struct key *field_key(struct trace_keys *t, size_t event, const struct trace_field *f)
{
	const struct trace_event *ev = t->events.v[event];
	char *name = xasprintf("%s:%s.%s", ev->system, ev->name, f->name);
	const struct key *found = find_key(t, name);
	unsigned width = f->is_string ? f->size : 2 * f->size + 2;
	struct trace_key *k;

	if (found) {	/* or the same tracepoint was recorded twice */
		free(name);
		t->list.v[found->column - 1]->fields.v[event] = f;
		return found;
	}
	k = add_key(t, name, f->name);
	k->key.order = field_order;
	k->key.flags = KEY_RIGHT | (trace_field_is_integer(f) ? KEY_NUMBER : 0u) | (f->is_signed ? KEY_SIGNED : 0u);
	k->field = f;
	k->key.min_width = MIN(width, 4096);
	for (size_t i = 0; i < t->events.nr; i++)
		vec_push(&k->fields, i == event ? f : NULL);
	return &k->key;
}

/* True if it is the event of "[system:]event". */
static bool event_is(const struct trace_event *ev, const char *word, size_t len)
{
	const char *colon = memchr(word, ':', len);
	size_t n = colon ? (size_t)(colon - word) : 0;

	if (colon) {
		if (strlen(ev->system) != n || memcmp(ev->system, word, n))
			return false;
		word += n + 1;
		len -= n + 1;
	}
	return strlen(ev->name) == len && !memcmp(ev->name, word, len);
}

/* The keys of an event's fields of that name; NULL: of all that are not common. */
static unsigned add_fields(struct trace_keys *t, size_t event, const char *name, const struct key **out, unsigned max)
{
	const struct trace_event *ev = t->events.v[event];
	unsigned nr = 0;

	for (size_t i = name ? 0 : ev->nr_common; i < ev->fields.nr && nr < max; i++)
		if (!name || str_eq(ev->fields.v[i].name, name))
			out[nr++] = field_key(t, event, &ev->fields.v[i]);
	return nr;
}

unsigned trace_keys_find(void *keys, const char *word, size_t len, const struct key **out, unsigned max)
{
	struct trace_keys *t = keys;
	bool all = len == strlen("trace_fields") && !memcmp(word, "trace_fields", len);
	const char *dot = memchr(word, '.', len);
	char *name = all ? NULL : dot ? xstrndup(dot + 1, (size_t)(word + len - dot) - 1) : xstrndup(word, len);
	unsigned nr = 0;

	if (max && !dot && name && str_eq(name, "trace"))
		out[nr++] = whole_key(t);
	for (size_t i = 0; i < t->events.nr; i++)
		if (t->events.v[i] && (!dot || event_is(t->events.v[i], word, (size_t)(dot - word))))
			nr += add_fields(t, i, name && !str_eq(name, "*") ? name : NULL, out + nr, max - nr);
	free(name);
	return nr;
}

bool trace_keys_has(const struct trace_keys *t, const struct key *k, uint32_t event)
{
	const struct trace_key *key = t->list.v[k->column - 1];

	return !key->fields.nr || key->fields.v[event];
}

/* ---- byte strings ---- */

/* The text after "name=" in the trace; NULL: the trace has no such name. */
static const char *value_in(const char *text, const char *name, size_t *len)
{
	size_t n = strlen(name);

	for (const char *p = text; p; p = strchr(p, ' ')) {
		p += *p == ' ';
		if (strncmp(p, name, n) || p[n] != '=')
			continue;
		*len = strcspn(p + n + 1, " ");
		return p + n + 1;
	}
	return NULL;
}

static bool is_number_alone(const struct trace_keys *t, const struct trace_key *k)
{
	return t->drops_text && k->key.flags & KEY_NUMBER;
}

/* True if a key shows text from the print format of the tracepoint. */
static bool wants_whole(const struct trace_keys *t)
{
	vec_for(k, &t->list)
		if (!is_number_alone(t, *k))
			return true;
	return false;
}

static void put_number(const struct trace_field *f, const struct trace_data *d, struct buf *out)
{
	struct sizes sizes = {0};
	const uint8_t *bytes = trace_field_bytes(d, f, &sizes.bytes);

	buf_put(out, &sizes, sizeof(sizes));
	buf_put(out, bytes, sizes.bytes);
}

static void put_field(const struct trace_field *f, const struct trace_data *d, const char *whole, struct buf *out)
{
	struct sizes sizes = {0};
	size_t at = out->len, len;
	const uint8_t *bytes = trace_field_bytes(d, f, &sizes.bytes);
	const char *said = value_in(whole, f->name, &len);

	buf_put(out, &sizes, sizeof(sizes));
	buf_put(out, bytes, sizes.bytes);
	if (said)
		buf_put(out, said, len);
	else
		trace_field_print(f, d, out);
	sizes.text = (uint32_t)(out->len - at - sizeof(sizes) - sizes.bytes);
	memcpy(out->data + at, &sizes, sizeof(sizes));
}

/* True if @text is @number in decimal, with or without leading zeros. */
static bool is_decimal(const char *text, size_t len, uint64_t number)
{
	uint64_t value = 0;

	for (size_t i = 0; i < len; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		value = 10 * value + (uint64_t)(text[i] - '0');
	}
	return len && value == number;
}

/* Writes all fields by name, as perf does: a number that @whole has in decimal is as wide as there. */
static void put_raw(const struct trace_event *ev, const struct trace_data *d, const char *whole, struct buf *out)
{
	for (size_t i = ev->nr_common; i < ev->fields.nr; i++) {
		const struct trace_field *f = &ev->fields.v[i];
		size_t len;
		const char *said = value_in(whole, f->name, &len);

		buf_printf(out, "%s%s=", i > ev->nr_common ? " " : "", f->name);
		if (said && !f->is_array && !f->is_string && is_decimal(said, len, trace_field_number(d, f)))
			buf_put(out, said, len);
		else
			trace_field_print(f, d, out);
	}
}

static void put_whole(const char *whole, struct buf *out)
{
	struct sizes sizes = { .text = (uint32_t)strlen(whole) };

	buf_put(out, &sizes, sizeof(sizes));
	buf_put(out, whole, sizes.text);
}

void trace_keys_put(const struct trace_keys *t, const struct item *item, struct buf *out)
{
	const struct trace_event *ev = t->events.v[item->event->number];
	const struct trace_data d = session_trace_data(t->session, item->sample);
	struct buf whole = {0}, fields = {0};

	if (ev && wants_whole(t))
		trace_text_put(t->session, ev, item, NULL, &whole);
	if (ev && t->raw)
		put_raw(ev, &d, buf_str(&whole), &fields);
	vec_for(k, &t->list) {
		const struct trace_field *f = (*k)->fields.nr ? (*k)->fields.v[item->event->number] : NULL;

		if (f && is_number_alone(t, *k))
			put_number(f, &d, out);
		else if (f)
			put_field(f, &d, buf_str(&whole), out);
		else
			put_whole((*k)->fields.nr ? "" : buf_str(t->raw ? &fields : &whole), out);
	}
	buf_release(&whole);
	buf_release(&fields);
}

/* ---- values ---- */

static void split_fields(struct trace_values *v, const char *p, struct buf *value)
{
	for (uint32_t column = 0; column < v->nr_columns; column++) {
		struct sizes sizes;
		size_t n;

		memcpy(&sizes, p, sizeof(sizes));
		n = sizeof(sizes) + sizes.bytes + sizes.text;
		value->len = 0;
		buf_put(value, &column, sizeof(column));
		buf_put(value, p, n);
		vec_push(&v->numbers, byte_table_add(&v->own, value->data, value->len));
		p += n;
	}
}

struct trace_values *trace_values_new(const struct trace_keys *t, const struct byte_table *details, size_t offset)
{
	struct trace_values *v = xcalloc(1, sizeof(*v));
	struct buf value = {0};
	size_t n;

	v->keys = t;
	v->nr_columns = (uint32_t)t->list.nr;
	for (uint32_t i = 0; i < details->ends.nr; i++)
		split_fields(v, byte_table_get(details, i, &n) + offset, &value);
	buf_release(&value);
	return v;
}

void trace_values_free(struct trace_values *v)
{
	if (!v)
		return;
	byte_table_release(&v->own);
	vec_free(&v->numbers);
	free(v);
}

uint64_t trace_values_number(const struct trace_values *v, uint32_t detail, const struct key *k)
{
	return v->numbers.v[(size_t)detail * v->nr_columns + k->column - 1];
}

bool trace_values_integer(const struct trace_values *v, const struct key *k, uint64_t number, uint64_t *out)
{
	const struct trace_field *f = v->keys->list.v[k->column - 1]->field;
	const struct trace_value value = value_in_table(v, number);
	const struct trace_data d = session_trace_data(v->keys->session, &(struct sample){ 0 });

	if (value.sizes.bytes != f->size)
		return false;
	*out = trace_number(&d, (const uint8_t *)value.bytes, f->size, f->is_signed);
	return true;
}
