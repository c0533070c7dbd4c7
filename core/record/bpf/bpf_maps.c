/*
 * Prints the maps and variables of a BPF object (--bpf) as text. bpf_maps_json.c prints them as JSON, and bpf_types.c resolves
 * their types.
 */
#include "core/record/bpf/bpf_maps.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/json.h"
#include "core/base/printable.h"
#include "core/base/util.h"
#include "core/base/vec.h"
#include "core/record/bpf/bpf_entries.h"
#include "core/record/bpf/bpf_types.h"

#define BAR		40u		/* columns of the longest bar */
#define MAX_LINES	(1u << 16)	/* lines that are printed of an object's values */
#define MAX_DEPTH	16u		/* structs and arrays within each other */
#define MAX_LABEL	300u		/* bytes */
#define MAX_TEXT	4096u		/* bytes of a value */

/* ---- histograms ---- */

struct entry { uint64_t key, value; };
struct entries { VEC(struct entry) list; bool signed_keys, signed_values; };

static int compare_entries(const void *a, const void *b)
{
	return compare_numbers(((const struct entry *)a)->key, ((const struct entry *)b)->key);
}

static void put_integer(struct buf *out, uint64_t v, bool is_signed)
{
	if (is_signed)
		buf_printf(out, "%20" PRId64 " ", (int64_t)v);
	else
		buf_printf(out, "%20" PRIu64 " ", v);
}

static void put_bar(struct buf *out, uint64_t value, uint64_t most)
{
	buf_fill(out, '#', (size_t)((double)value * BAR / (double)most + 0.999));
	buf_putc(out, '\n');
}

/* Prints a histogram. With @powers, as in bcc's tools, row k is for 2^k to 2^(k+1) - 1, and row 0 for 0 and 1. */
static void put_entries(struct entries *e, bool powers, struct buf *out)
{
	uint64_t most = 1;

	vec_sort(&e->list, compare_entries);
	vec_for(entry, &e->list)
		if (!e->signed_values || (int64_t)entry->value > 0)
			most = MAX(most, entry->value);
	vec_for(entry, &e->list) {
		if (powers && entry->key < 63)
			buf_printf(out, "%20" PRIu64 " -> %-20" PRIu64 " ", entry->key ? UINT64_C(1) << entry->key : 0,
				   (UINT64_C(2) << entry->key) - 1);
		else
			put_integer(out, entry->key, e->signed_keys);
		put_integer(out, entry->value, e->signed_values);
		put_bar(out, entry->value <= most ? entry->value : 0, most);
	}
}

/* ---- values ---- */

/*
 * The object file is not trusted. libbpf has checked its BTF, and the kernel has checked the definitions of its maps. This code
 * limits the depth of nested types, the number of printed lines and the number of bytes that it reads.
 */
struct printer {
	struct buf *out;
	const struct btf *btf;		/* NULL: none */
	unsigned lines;			/* lines that may still be printed */
	uint64_t work;			/* bytes that may still be looked at: false types may hold each other */
	bool powers;			/* the map's name says that its histograms are of powers of two */
};

/* True if one more line may be printed; reports once if there are too many. */
static bool may_print(struct printer *p)
{
	if (!p->lines)
		return false;
	if (!--p->lines)
		buf_printf(p->out, "# more than %u lines: the rest is left out\n", MAX_LINES);
	return p->lines;
}

static void put_bytes(struct buf *out, const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < MIN(size, MAX_TEXT); i++)
		buf_printf(out, "%s%02x", i ? " " : "", data[i]);
	if (size > MAX_TEXT)
		buf_puts(out, " ...");
}

/* Prints the lowest @bits of @v as a value of type @t. */
static void put_number(struct printer *p, const char *label, const struct btf_type *t, uint64_t v, unsigned bits)
{
	const char *name = btf_is_any_enum(t) ? bpf_enum_name(p->btf, t, v) : NULL;

	if (name)
		buf_printf(p->out, "%s %s\n", label, name);
	else if (btf_is_int(t) && (btf_int_encoding(t) & BTF_INT_BOOL))
		buf_printf(p->out, "%s %s\n", label, v ? "true" : "false");
	else if (bpf_may_be_negative(t))
		buf_printf(p->out, "%s %" PRId64 "\n", label, bpf_sign_extend(v, bits));
	else
		buf_printf(p->out, "%s %" PRIu64 "\n", label, v);
}

static void put_string(struct printer *p, const char *label, const uint8_t *data, size_t size)
{
	size_t len = strnlen((const char *)data, MIN(size, MAX_TEXT));

	buf_printf(p->out, "%s \"", label);
	for (size_t i = 0; i < len; i++)
		if (data[i] < ' ' || data[i] >= 0x7f || data[i] == '"' || data[i] == '\\')
			buf_printf(p->out, "\\x%02x", data[i]);
		else
			buf_putc(p->out, (char)data[i]);
	buf_puts(p->out, "\"\n");
}

static void put_histogram(struct printer *p, const char *label, const struct btf_type *of, uint32_t nr, const uint8_t *data,
			  const uint8_t *before)
{
	struct entries entries = { .signed_values = bpf_is_signed(of) };

	for (uint32_t i = 0; i < nr; i++) {
		const uint8_t *at = data + (size_t)i * of->size;

		if (bpf_is_unchanged(at, before ? before + (size_t)i * of->size : NULL, of->size) || !may_print(p))
			continue;
		vec_push(&entries.list, (struct entry){ i, entries.signed_values ? (uint64_t)bpf_signed_of(at, of->size) :
									      bpf_integer_of(at, of->size) });
	}
	buf_printf(p->out, "%s\n", label);
	put_entries(&entries, p->powers || strstr(label, "log2"), p->out);
	vec_free(&entries.list);
}

/* A value, and the bytes that it had at the last call, if only changes are printed (else .before is NULL). */
struct value { uint32_t type; const uint8_t *data, *before; size_t size; };

/* Returns the part of the value that begins at byte @at and has @size bytes. */
static struct value value_within(const struct value *v, uint32_t type, size_t at, size_t size)
{
	return (struct value){ type, v->data + at, v->before ? v->before + at : NULL, size };
}

static void put_value(struct printer *p, const char *label, struct value v, unsigned depth);

static void put_array(struct printer *p, const char *label, const struct btf_type *t, const struct value *v, unsigned depth)
{
	const struct btf_array *a = btf_array(t);
	uint32_t type = a->type;
	const struct btf_type *of = bpf_type_resolve(p->btf, &type);
	int64_t each = of ? btf__resolve_size(p->btf, type) : 0;

	if (each <= 0 || (uint64_t)each * a->nelems > v->size)
		return;
	if (bpf_is_char(p->btf, of)) {
		put_string(p, label, v->data, v->size);
	} else if (bpf_is_plain_integer(of) && a->nelems > 1) {
		put_histogram(p, label, of, a->nelems, v->data, v->before);
	} else {
		for (uint32_t i = 0; i < a->nelems && p->lines; i++) {
			char part[MAX_LABEL];

			snprintf(part, sizeof(part), "%.250s[%u]", label, i);
			put_value(p, part, value_within(v, type, (size_t)i * (size_t)each, (size_t)each), depth + 1);
		}
	}
}

static void put_bit_field(struct printer *p, const char *label, uint32_t type, const struct value *v, uint32_t at, uint32_t bits)
{
	const struct btf_type *t = bpf_type_resolve(p->btf, &type);
	uint64_t now = bpf_bits_of(v->data, v->size, at, bits);
	uint64_t before = v->before ? bpf_bits_of(v->before, v->size, at, bits) : 0;

	if (t && bpf_is_number(t) && bits <= 64 && now != before && may_print(p))
		put_number(p, label, t, now, bits);
}

/* Prints all members; of a union, too, as the one in use is not known. */
static void put_members(struct printer *p, const char *label, const struct btf_type *t, const struct value *v, unsigned depth)
{
	for (uint16_t i = 0; i < btf_vlen(t) && p->lines; i++) {
		const struct btf_member *m = btf_members(t) + i;
		const char *name = btf__name_by_offset(p->btf, m->name_off);
		uint32_t at = btf_member_bit_offset(t, i), bits = btf_member_bitfield_size(t, i);
		int64_t its = btf__resolve_size(p->btf, m->type);
		char part[MAX_LABEL];

		snprintf(part, sizeof(part), "%.150s%s%.100s", label, *label && name && *name ? "." : "", name ? name : "");
		if (bits && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
			put_bit_field(p, part, m->type, v, at, bits);
		else if (its > 0 && at / 8 <= v->size && (uint64_t)its <= v->size - at / 8)
			put_value(p, part, value_within(v, m->type, at / 8, (size_t)its), depth + 1);
	}
}

static void put_value(struct printer *p, const char *label, struct value v, unsigned depth)
{
	const struct btf_type *t = p->btf ? bpf_type_resolve(p->btf, &v.type) : NULL;

	if (v.size > p->work)
		p->work = p->lines = 0;
	p->work -= MIN(v.size, p->work);
	if (!p->lines || bpf_is_unchanged(v.data, v.before, v.size) || !may_print(p))
		return;
	if (t && depth < MAX_DEPTH && btf_is_array(t)) {
		put_array(p, label, t, &v, depth);
	} else if (t && depth < MAX_DEPTH && btf_is_composite(t)) {
		put_members(p, label, t, &v, depth);
	} else if (t && bpf_is_number(t) && t->size == v.size) {
		put_number(p, label, t, bpf_integer_of(v.data, t->size), 8 * t->size);
	} else if (t && btf_is_ptr(t) && v.size == 8) {
		buf_printf(p->out, "%s 0x%" PRIx64 "\n", label, bpf_integer_of(v.data, 8));
	} else {
		buf_printf(p->out, "%s ", label);
		put_bytes(p->out, v.data, v.size);
		buf_putc(p->out, '\n');
	}
}

/* Returns a key as text on one line; owned by the caller. */
static char *key_text(const struct printer *p, const struct bpf_map *m, const uint8_t *key)
{
	uint32_t type = bpf_map__btf_key_type_id(m), id = type;
	struct buf text = {0};
	struct json j = { .out = &text };

	buf_putc(&text, '[');
	if (p->btf && bpf_type_resolve(p->btf, &id))
		bpf_value_put_json(&j, p->btf, type, key, bpf_map__key_size(m));
	else
		put_bytes(&text, key, bpf_map__key_size(m));
	buf_putc(&text, ']');
	buf_str(&text);
	return text.data;
}

/* ---- maps ---- */

struct of_map {
	struct printer *p;
	const struct bpf_map *map;
	struct entries sums;		/* entries of a map from integers to integers, each summed up over the CPUs */
	unsigned nr_cpus;		/* number of values of an entry */
};

/* True if the type is a plain integer of @size bytes. */
static bool is_integer(const struct btf *btf, uint32_t type, uint32_t size, bool *is_signed)
{
	const struct btf_type *t = btf ? bpf_type_resolve(btf, &type) : NULL;

	*is_signed = t && bpf_is_signed(t);
	return t && bpf_is_plain_integer(t) && t->size == size;
}

static bool is_integers(const struct printer *p, const struct bpf_map *m, struct entries *out)
{
	return is_integer(p->btf, bpf_map__btf_key_type_id(m), bpf_map__key_size(m), &out->signed_keys) &&
	       is_integer(p->btf, bpf_map__btf_value_type_id(m), bpf_map__value_size(m), &out->signed_values);
}

static uint64_t sum_by_cpu(const struct of_map *of, const uint8_t *values)
{
	uint32_t size = bpf_map__value_size(of->map);
	bool is_signed = of->sums.signed_values;
	uint64_t sum = 0;

	for (unsigned k = 0; k < of->nr_cpus; k++)
		sum += is_signed ? (uint64_t)bpf_signed_of(values + 8 * k, size) : bpf_integer_of(values + 8 * k, size);
	return sum;
}

static void add_integers(void *ctx, const uint8_t *key, const uint8_t *values, const uint8_t *before)
{
	struct of_map *of = ctx;
	uint32_t size = bpf_map__key_size(of->map);
	struct entry e = { of->sums.signed_keys ? (uint64_t)bpf_signed_of(key, size) : bpf_integer_of(key, size),
			   sum_by_cpu(of, values) };

	if (e.value != (before ? sum_by_cpu(of, before) : 0))
		vec_push(&of->sums.list, e);
}

static void put_entry(void *ctx, const uint8_t *key, const uint8_t *values, const uint8_t *before)
{
	struct of_map *of = ctx;
	size_t size = bpf_map__value_size(of->map), step = bpf_map_step(of->map);
	char *name = key_text(of->p, of->map, key);

	for (unsigned k = 0; k < of->nr_cpus; k++) {
		struct value v = {
			bpf_map__btf_value_type_id(of->map), values + k * step, before ? before + k * step : NULL, size,
		};
		char label[MAX_LABEL];

		snprintf(label, sizeof(label), bpf_map_is_by_cpu(of->map) ? "%.250s CPU %u" : "%.250s", name, k);
		put_value(of->p, label, v, 0);
	}
	free(name);
}

/* Prints the variables of a section of the object: the members of its map's only value. */
static void put_variables(void *ctx, const uint8_t *key, const uint8_t *values, const uint8_t *before)
{
	const struct of_map *of = ctx;
	const struct btf_type *section = btf__type_by_id(of->p->btf, bpf_map__btf_value_type_id(of->map));
	struct value all = { 0, values, before, bpf_map__value_size(of->map) };

	for (uint16_t i = 0; section && btf_is_datasec(section) && i < btf_vlen(section); i++) {
		const struct btf_var_secinfo *v = btf_var_secinfos(section) + i;
		const struct btf_type *t = btf__type_by_id(of->p->btf, v->type);

		if (t && v->offset <= all.size && v->size <= all.size - v->offset)
			put_value(of->p, btf__name_by_offset(of->p->btf, t->name_off) ?: "?",
				  value_within(&all, t->type, v->offset, v->size), 0);
	}
}

/* Prints a map below a heading, which is removed if no line follows and only variables or changes are printed. */
static void put_map(struct printer *p, const struct bpf_map *m, unsigned nr_cpus, struct bpf_memory **memory)
{
	struct of_map of = { .p = p, .map = m, .nr_cpus = bpf_map_is_by_cpu(m) ? nr_cpus : 1 };
	size_t begin = p->out->len, after;
	bool integers = is_integers(p, m, &of.sums);

	p->powers = strstr(bpf_map__name(m), "log2");
	buf_printf(p->out, "# Map %s%s\n", bpf_map__name(m), bpf_map_is_by_cpu(m) && integers ? ", all CPUs" : "");
	if (integers)
		buf_puts(p->out, "#                Key                Value\n");
	after = p->out->len;
	bpf_map_for_each(m, nr_cpus, memory, bpf_map_has_variables(m, p->btf) ? put_variables :
			 integers ? add_integers : put_entry, &of);
	put_entries(&of.sums, p->powers, p->out);
	if (p->out->len == after && (memory || bpf_map__is_internal(m)))
		p->out->len = begin;
	else
		buf_putc(p->out, '\n');
	vec_free(&of.sums.list);
}

static bool is_output(const struct bpf_map *m)
{
	return bpf_map__type(m) == BPF_MAP_TYPE_RINGBUF || bpf_map__type(m) == BPF_MAP_TYPE_PERF_EVENT_ARRAY;
}

void bpf_value_put(struct buf *out, const struct btf *btf, uint32_t type, const uint8_t *data, size_t size)
{
	struct printer p = { .out = out, .btf = btf, .lines = MAX_LINES, .work = BPF_MOST_WORK };

	put_value(&p, "", (struct value){ type, data, NULL, size }, 0);
}

void bpf_maps_put(const struct bpf_object *object, struct bpf_maps_seen *seen, struct buf *out)
{
	unsigned nr_cpus = bpf_possible_cpus();
	size_t begin = out->len;
	struct bpf_map *m;
	struct printer p = { .out = out, .btf = bpf_object__btf(object), .lines = MAX_LINES, .work = BPF_MOST_WORK };

	bpf_object__for_each_map(m, object) {
		if (bpf_map_has_values(m) && (nr_cpus || !bpf_map_is_by_cpu(m)))
			put_map(&p, m, nr_cpus, seen ? bpf_maps_seen_of(seen, m) : NULL);
		else if (!is_output(m))
			buf_printf(out, "# Map %s\n# is of a kind that is not shown (%s)\n\n", bpf_map__name(m),
				   libbpf_bpf_map_type_str(bpf_map__type(m)) ?: "unknown");
	}
	buf_escape_from(out, begin, "\n");
}
