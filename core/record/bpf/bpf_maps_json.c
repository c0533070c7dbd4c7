/*
 * Prints the maps and variables of a BPF object (--bpf) as JSON, with values as `bpftool map dump -j` prints them. bpf_maps.c
 * prints them as text.
 */
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <inttypes.h>
#include <string.h>

#include "core/base/json.h"
#include "core/record/bpf/bpf_entries.h"
#include "core/record/bpf/bpf_maps.h"
#include "core/record/bpf/bpf_types.h"

#define MAX_VALUES	(1u << 18)	/* values that are printed of an object; the rest is left out, and "cut" says so */
#define MAX_SHORT	256u		/* values that are printed by bpf_value_put_json() */
#define MAX_DEPTH	16u		/* structs and arrays within each other */

/* The object file is not trusted: the depth of types and the number of values are limited, and data without a type are bytes. */
struct printer {
	struct json *out;
	const struct btf *btf;		/* NULL: none */
	unsigned left;			/* values that may still be printed */
	uint64_t work;			/* bytes that may still be looked at: false types may hold each other */
};

static void put_bytes(struct printer *p, const uint8_t *data, size_t size)
{
	json_open(p->out, '[');
	for (size_t i = 0; i < size && p->left; i++, p->left--) {
		char text[8];

		snprintf(text, sizeof(text), "0x%02x", data[i]);
		json_string(p->out, text);
	}
	json_close(p->out, ']');
}

/* Prints the lowest @bits of @v, which may be a bit field, as a value of type @t. */
static void put_number(struct printer *p, const struct btf_type *t, uint64_t v, unsigned bits)
{
	const char *name = btf_is_any_enum(t) ? bpf_enum_name(p->btf, t, v) : NULL;

	if (name)
		json_string(p->out, name);
	else if (btf_is_int(t) && (btf_int_encoding(t) & BTF_INT_BOOL))
		json_bool(p->out, v);
	else if (bpf_may_be_negative(t))
		json_i64(p->out, bpf_sign_extend(v, bits));
	else
		json_u64(p->out, v);
}

/* True if the bytes before the first 0 are printable, and all bytes after it are 0. */
static bool is_text(const uint8_t *data, size_t size)
{
	size_t len = strnlen((const char *)data, size);

	for (size_t i = 0; i < len; i++)
		if (data[i] < ' ' || data[i] >= 0x7f)
			return false;
	return bpf_is_unchanged(data + len, NULL, size - len);
}

static void put_value(struct printer *p, uint32_t type, const uint8_t *data, size_t size, unsigned depth);

static void put_array(struct printer *p, const struct btf_type *t, const uint8_t *data, size_t size, unsigned depth)
{
	const struct btf_array *a = btf_array(t);
	uint32_t type = a->type;
	const struct btf_type *of = bpf_type_resolve(p->btf, &type);
	int64_t each = of ? btf__resolve_size(p->btf, type) : 0;

	if (each <= 0 || (uint64_t)each * a->nelems > size) {
		put_bytes(p, data, size);
		return;
	}
	if (bpf_is_char(p->btf, of) && is_text(data, size)) {
		json_string_n(p->out, (const char *)data, strnlen((const char *)data, size));
		return;
	}
	json_open(p->out, '[');
	for (uint32_t i = 0; i < a->nelems && p->left; i++)
		put_value(p, type, data + (size_t)i * (size_t)each, (size_t)each, depth + 1);
	json_close(p->out, ']');
}

static void put_members(struct printer *p, const struct btf_type *t, const uint8_t *data, size_t size, unsigned depth);

/* Members of an unnamed member are printed as members of the outer type. */
static void put_member(struct printer *p, const struct btf_type *t, uint16_t i, const uint8_t *data, size_t size, unsigned depth)
{
	const struct btf_member *m = btf_members(t) + i;
	const char *name = btf__name_by_offset(p->btf, m->name_off);
	uint32_t bit = btf_member_bit_offset(t, i), bits = btf_member_bitfield_size(t, i), type = m->type;
	const struct btf_type *of = bpf_type_resolve(p->btf, &type);
	int64_t its = of ? btf__resolve_size(p->btf, type) : 0;

	if (its <= 0 || bit / 8 > size || (!bits && (uint64_t)its > size - bit / 8))
		return;
	if ((!name || !*name) && btf_is_composite(of) && depth < MAX_DEPTH) {
		p->left--;
		put_members(p, of, data + bit / 8, (size_t)its, depth + 1);
		return;
	}
	json_key(p->out, name ? name : "");
	if (bits && bits <= 64 && bpf_is_number(of) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
		put_number(p, of, bpf_bits_of(data, size, bit, bits), bits);
	else
		put_value(p, type, data + bit / 8, MIN((size_t)its, size - bit / 8), depth + 1);
}

static void put_members(struct printer *p, const struct btf_type *t, const uint8_t *data, size_t size, unsigned depth)
{
	for (uint16_t i = 0; i < btf_vlen(t) && p->left; i++)
		put_member(p, t, i, data, size, depth);
}

static void put_value(struct printer *p, uint32_t type, const uint8_t *data, size_t size, unsigned depth)
{
	const struct btf_type *t = p->btf ? bpf_type_resolve(p->btf, &type) : NULL;

	if (size > p->work)
		p->left = 0;
	p->left -= p->left > 0;
	p->work -= MIN(size, p->work);
	if (t && bpf_is_number(t) && t->size == size) {
		put_number(p, t, bpf_integer_of(data, t->size), 8 * t->size);
	} else if (t && btf_is_ptr(t) && size == 8) {
		char text[24];

		snprintf(text, sizeof(text), "0x%" PRIx64, bpf_integer_of(data, 8));
		json_string(p->out, text);
	} else if (t && btf_is_array(t) && depth < MAX_DEPTH) {
		put_array(p, t, data, size, depth);
	} else if (t && btf_is_composite(t) && depth < MAX_DEPTH) {
		json_open(p->out, '{');
		put_members(p, t, data, size, depth);
		json_close(p->out, '}');
	} else {
		put_bytes(p, data, size);
	}
}

void bpf_value_put_json(struct json *out, const struct btf *btf, uint32_t type, const uint8_t *data, size_t size)
{
	struct printer p = { .out = out, .btf = btf, .left = MAX_SHORT, .work = BPF_MOST_WORK };

	put_value(&p, type, data, size, 0);
}

/* ---- maps ---- */

struct of_map {
	struct printer *p;
	const struct bpf_map *map;
	unsigned nr_cpus;		/* number of values of an entry */
};

static void put_variables(void *ctx, const uint8_t *key, const uint8_t *values, const uint8_t *before)
{
	const struct of_map *of = ctx;
	const struct btf_type *section = btf__type_by_id(of->p->btf, bpf_map__btf_value_type_id(of->map));
	size_t size = bpf_map__value_size(of->map);

	for (uint16_t i = 0; section && btf_is_datasec(section) && i < btf_vlen(section) && of->p->left; i++) {
		const struct btf_var_secinfo *v = btf_var_secinfos(section) + i;
		const struct btf_type *t = btf__type_by_id(of->p->btf, v->type);

		if (!t || v->offset > size || v->size > size - v->offset ||
		    bpf_is_unchanged(values + v->offset, before ? before + v->offset : NULL, v->size))
			continue;
		json_key(of->p->out, btf__name_by_offset(of->p->btf, t->name_off) ?: "?");
		put_value(of->p, t->type, values + v->offset, v->size, 0);
	}
}

static void put_by_cpu(const struct of_map *of, const uint8_t *values)
{
	json_key_open(of->p->out, "values", '[');
	for (unsigned k = 0; k < of->nr_cpus && of->p->left; k++) {
		json_open(of->p->out, '{');
		json_key_u64(of->p->out, "cpu", k);
		json_key(of->p->out, "value");
		put_value(of->p, bpf_map__btf_value_type_id(of->map), values + k * bpf_map_step(of->map),
			  bpf_map__value_size(of->map), 0);
		json_close(of->p->out, '}');
	}
	json_close(of->p->out, ']');
}

static void put_entry(void *ctx, const uint8_t *key, const uint8_t *values, const uint8_t *before)
{
	const struct of_map *of = ctx;

	if (!of->p->left || bpf_is_unchanged(values, before, bpf_map_step(of->map) * of->nr_cpus))
		return;
	json_open(of->p->out, '{');
	json_key(of->p->out, "key");
	put_value(of->p, bpf_map__btf_key_type_id(of->map), key, bpf_map__key_size(of->map), 0);
	if (bpf_map_is_by_cpu(of->map)) {
		put_by_cpu(of, values);
	} else {
		json_key(of->p->out, "value");
		put_value(of->p, bpf_map__btf_value_type_id(of->map), values, bpf_map__value_size(of->map), 0);
	}
	json_close(of->p->out, '}');
}

static void put_map(struct printer *p, const struct bpf_map *m, unsigned nr_cpus, struct bpf_memory **memory)
{
	struct of_map of = { .p = p, .map = m, .nr_cpus = bpf_map_is_by_cpu(m) ? nr_cpus : 1 };
	bool variables = bpf_map_has_variables(m, p->btf);

	json_open(p->out, '{');
	json_key_string(p->out, "name", bpf_map__name(m));
	json_key_string(p->out, "type", libbpf_bpf_map_type_str(bpf_map__type(m)) ?: "unknown");
	if (bpf_map_has_values(m) && of.nr_cpus) {
		json_key(p->out, variables ? "variables" : "entries");
		json_open(p->out, variables ? '{' : '[');
		bpf_map_for_each(m, nr_cpus, memory, variables ? put_variables : put_entry, &of);
		json_close(p->out, variables ? '}' : ']');
	}
	if (!p->left) {
		json_key_bool(p->out, "cut", true);
	}
	json_close(p->out, '}');
}

void bpf_maps_put_json(const struct bpf_object *object, struct bpf_maps_seen *seen, struct json *out)
{
	struct printer p = { .out = out, .btf = bpf_object__btf(object), .left = MAX_VALUES, .work = BPF_MOST_WORK };
	unsigned nr_cpus = bpf_possible_cpus();
	struct bpf_map *m;

	json_open(out, '[');
	bpf_object__for_each_map(m, object)
		put_map(&p, m, nr_cpus, seen ? bpf_maps_seen_of(seen, m) : NULL);
	json_close(out, ']');
}
