/*
 * An object may be anybody's. libbpf has checked its BTF, the kernel has made its maps; depth and lines are bounded here.
 * Layer: bpf
 */
#include "core/record/bpf/bpf_maps.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/cpus.h"
#include "core/base/log.h"
#include "core/base/vec.h"

#define BAR		40u		/* columns of the longest bar */
#define MAX_ENTRIES	(1u << 16)	/* of a map */
#define MAX_LINES	(1u << 16)	/* of an object's values */
#define MAX_DEPTH	16u		/* structs and arrays within each other */
#define MAX_LABEL	300u		/* bytes */

static bool is_by_cpu(const struct bpf_map *m)
{
	enum bpf_map_type t = bpf_map__type(m);

	return t == BPF_MAP_TYPE_PERCPU_ARRAY || t == BPF_MAP_TYPE_PERCPU_HASH || t == BPF_MAP_TYPE_LRU_PERCPU_HASH;
}

static bool has_values(const struct bpf_map *m)
{
	enum bpf_map_type t = bpf_map__type(m);

	return is_by_cpu(m) || t == BPF_MAP_TYPE_ARRAY || t == BPF_MAP_TYPE_HASH || t == BPF_MAP_TYPE_LRU_HASH;
}

static uint64_t integer_of(const uint8_t *p, uint32_t size)
{
	uint64_t v = 0;

	for (uint32_t i = 0; i < size; i++)
		v |= (uint64_t)p[__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? i : size - 1 - i] << 8 * i;
	return v;
}

static bool is_integer_size(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/* ---- types ---- */

/* Behind typedefs and qualifiers; NULL: there is none. *id is replaced. */
static const struct btf_type *type_behind(const struct btf *btf, uint32_t *id)
{
	int found = *id ? btf__resolve_type(btf, *id) : 0;

	if (found <= 0)
		return NULL;
	*id = (uint32_t)found;
	return btf__type_by_id(btf, *id);
}

static bool is_char(const struct btf_type *t, const struct btf *btf)
{
	const char *name = btf__name_by_offset(btf, t->name_off);

	return btf_is_int(t) && t->size == 1 && !(btf_int_encoding(t) & BTF_INT_BOOL) &&
	       ((btf_int_encoding(t) & BTF_INT_CHAR) || (name && strstr(name, "char") && !strstr(name, "unsigned")));
}

static bool is_plain_integer(const struct btf_type *t)
{
	return btf_is_int(t) && is_integer_size(t->size) && btf_int_bits(t) == t->size * 8 && !(btf_int_encoding(t) & BTF_INT_BOOL);
}

/* ---- histograms ---- */

struct entry { uint64_t key, value; };
struct entries { VEC(struct entry) list; };

static int compare_entries(const void *a, const void *b)
{
	return compare_numbers(((const struct entry *)a)->key, ((const struct entry *)b)->key);
}

static void put_bar(struct buf *out, uint64_t value, uint64_t most)
{
	buf_fill(out, '#', (size_t)((double)value * BAR / (double)most + 0.999));
	buf_putc(out, '\n');
}

/* With powers of two the key is the exponent: row k is for 2^k to 2^(k+1) - 1, and row 0 for 0 and 1, as in bcc's tools. */
static void put_entries(struct entries *e, bool powers, struct buf *out)
{
	uint64_t most = 1;

	if (e->list.nr)
		qsort(e->list.v, e->list.nr, sizeof(*e->list.v), compare_entries);
	vec_for(entry, &e->list)
		most = MAX(most, entry->value);
	vec_for(entry, &e->list) {
		if (!entry->value)
			continue;
		if (powers && entry->key < 63) {
			uint64_t from = entry->key ? UINT64_C(1) << entry->key : 0;

			buf_printf(out, "%20" PRIu64 " -> %-20" PRIu64 " %20" PRIu64 " ", from,
				   (UINT64_C(2) << entry->key) - 1, entry->value);
		} else {
			buf_printf(out, "%20" PRIu64 " %20" PRIu64 " ", entry->key, entry->value);
		}
		put_bar(out, entry->value, most);
	}
}

/* ---- values ---- */

struct printer {
	struct buf *out, text;		/* where it prints; owned: of short_text() */
	const struct btf *btf;		/* NULL: none */
	struct btf_dump *dump;		/* owned; NULL: none */
	unsigned lines;			/* that may still be printed */
};

static void put_part(void *ctx, const char *format, va_list args)
{
	buf_vprintf(ctx, format, args);
}

/* @p stays where it is: the dump writes to its text. */
static void printer_begin(struct printer *p, const struct bpf_object *object, struct buf *out)
{
	*p = (struct printer){ .out = out, .btf = bpf_object__btf(object), .lines = MAX_LINES };
	if (p->btf)
		p->dump = btf_dump__new(p->btf, put_part, &p->text, NULL);
}

static void printer_end(struct printer *p)
{
	btf_dump__free(p->dump);
	buf_release(&p->text);
}

static bool all_zero(const uint8_t *p, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (p[i])
			return false;
	return true;
}

/* True if one more line may be printed; reports once if there are too many. */
static bool may_print(struct printer *p)
{
	if (!p->lines)
		return false;
	if (!--p->lines)
		buf_printf(p->out, "# more than %u lines: the rest is left out\n", MAX_LINES);
	return p->lines;
}

/* A value on one line, until the next call: as C has it, or as bytes where @type is 0 or there is no BTF. */
static const char *short_text(struct printer *p, uint32_t type, const uint8_t *data, size_t size)
{
	LIBBPF_OPTS(btf_dump_type_data_opts, opts, .compact = true, .skip_names = true);

	p->text.len = 0;
	if (p->dump && type && btf_dump__dump_type_data(p->dump, type, data, size, &opts) >= 0)
		return buf_str(&p->text);
	p->text.len = 0;
	for (size_t i = 0; i < size; i++)
		buf_printf(&p->text, "%s%02x", i ? " " : "", data[i]);
	return buf_str(&p->text);
}

static void put_string(struct printer *p, const char *label, const uint8_t *data, size_t size)
{
	size_t len = strnlen((const char *)data, size);

	buf_printf(p->out, "%s \"", label);
	for (size_t i = 0; i < len; i++)
		if (data[i] < ' ' || data[i] >= 0x7f || data[i] == '"' || data[i] == '\\')
			buf_printf(p->out, "\\x%02x", data[i]);
		else
			buf_putc(p->out, (char)data[i]);
	buf_puts(p->out, "\"\n");
}

static void put_histogram(struct printer *p, const char *label, const struct btf_type *of, uint32_t nr, const uint8_t *data)
{
	struct entries entries = {0};
	bool powers = strstr(label, "log2");

	for (uint32_t i = 0; i < nr; i++) {
		struct entry e = { i, integer_of(data + (size_t)i * of->size, of->size) };

		if (e.value && may_print(p))
			vec_push(&entries.list, e);
	}
	buf_printf(p->out, "%s\n", label);
	put_entries(&entries, powers, p->out);
	vec_free(&entries.list);
}

static void put_value(struct printer *p, const char *label, uint32_t type, const uint8_t *data, size_t size, unsigned depth);

static void put_array(struct printer *p, const char *label, const struct btf_type *t, const uint8_t *data, size_t size,
		      unsigned depth)
{
	const struct btf_array *a = btf_array(t);
	uint32_t type = a->type;
	const struct btf_type *of = type_behind(p->btf, &type);
	int64_t each = of ? btf__resolve_size(p->btf, type) : 0;

	if (each <= 0 || (uint64_t)each * a->nelems > size)
		return;
	if (is_char(of, p->btf)) {
		put_string(p, label, data, size);
	} else if (is_plain_integer(of) && a->nelems > 1) {
		put_histogram(p, label, of, a->nelems, data);
	} else {
		for (uint32_t i = 0; i < a->nelems && p->lines; i++) {
			char part[MAX_LABEL];

			snprintf(part, sizeof(part), "%.250s[%u]", label, i);
			put_value(p, part, type, data + (size_t)i * (size_t)each, (size_t)each, depth + 1);
		}
	}
}

static void put_members(struct printer *p, const char *label, const struct btf_type *t, const uint8_t *data, size_t size,
			unsigned depth)
{
	for (uint16_t i = 0; i < btf_vlen(t) && p->lines; i++) {
		const struct btf_member *m = btf_members(t) + i;
		const char *name = btf__name_by_offset(p->btf, m->name_off);
		uint32_t at = btf_member_bit_offset(t, i) / 8;
		int64_t its = btf__resolve_size(p->btf, m->type);
		char part[MAX_LABEL];

		if (its <= 0 || at > size || (uint64_t)its > size - at)
			continue;
		snprintf(part, sizeof(part), "%.150s%s%.100s", label, *label && name && *name ? "." : "", name ? name : "");
		put_value(p, part, m->type, data + at, (size_t)its, depth + 1);
	}
}

static bool has_bitfields(const struct btf_type *t)
{
	for (uint16_t i = 0; i < btf_vlen(t); i++)
		if (btf_member_bitfield_size(t, i))
			return true;
	return false;
}

/* Line by line by member; structs with bit fields, unions and all else on one line. @size bytes are at @data. */
static void put_value(struct printer *p, const char *label, uint32_t type, const uint8_t *data, size_t size, unsigned depth)
{
	const struct btf_type *t = p->btf ? type_behind(p->btf, &type) : NULL;

	if (all_zero(data, size) || !may_print(p))
		return;
	if (t && depth < MAX_DEPTH && btf_is_array(t)) {
		put_array(p, label, t, data, size, depth);
	} else if (t && depth < MAX_DEPTH && btf_is_struct(t) && !has_bitfields(t)) {
		put_members(p, label, t, data, size, depth);
	} else {
		buf_printf(p->out, "%s %s\n", label, short_text(p, t ? type : 0, data, size));
	}
}

/* ---- maps ---- */

typedef void take_entry(void *ctx, const uint8_t *key, const uint8_t *values);

/* Values of a map by CPU lie a multiple of 8 bytes apart. */
static void for_each_entry(const struct bpf_map *m, unsigned nr_cpus, take_entry *take, void *ctx)
{
	size_t key_size = bpf_map__key_size(m), step = round_up(bpf_map__value_size(m), 8);
	uint8_t *key = xcalloc(2, key_size), *before = key + key_size, *values = xcalloc(is_by_cpu(m) ? nr_cpus : 1, step);
	int fd = bpf_map__fd(m), err = bpf_map_get_next_key(fd, NULL, key);

	for (uint32_t i = 0; !err && i < MAX_ENTRIES; i++) {
		if (!bpf_map_lookup_elem(fd, key, values))
			take(ctx, key, values);
		memcpy(before, key, key_size);
		err = bpf_map_get_next_key(fd, before, key);
	}
	free(key);
	free(values);
}

struct of_map {
	struct printer *p;
	const struct bpf_map *map;
	struct entries sums;		/* of integers by integers */
	unsigned nr_cpus;		/* values of an entry */
};

static bool is_integers(const struct bpf_map *m)
{
	return is_integer_size(bpf_map__key_size(m)) && is_integer_size(bpf_map__value_size(m));
}

static void add_integers(void *ctx, const uint8_t *key, const uint8_t *values)
{
	struct of_map *of = ctx;
	struct entry e = { .key = integer_of(key, bpf_map__key_size(of->map)) };

	for (unsigned k = 0; k < of->nr_cpus; k++)
		e.value += integer_of(values + 8 * k, bpf_map__value_size(of->map));
	vec_push(&of->sums.list, e);
}

static void put_entry(void *ctx, const uint8_t *key, const uint8_t *values)
{
	struct of_map *of = ctx;
	size_t size = bpf_map__value_size(of->map), step = round_up(size, 8);
	char *name = xasprintf("[%.250s]", short_text(of->p, bpf_map__btf_key_type_id(of->map), key, bpf_map__key_size(of->map)));

	for (unsigned k = 0; k < of->nr_cpus; k++) {
		char label[MAX_LABEL];

		snprintf(label, sizeof(label), is_by_cpu(of->map) ? "%s CPU %u" : "%s", name, k);
		put_value(of->p, label, bpf_map__btf_value_type_id(of->map), values + k * step, size, 0);
	}
	free(name);
}

/* The variables of a section: the value of its only entry. */
static void put_variables(void *ctx, const uint8_t *key, const uint8_t *values)
{
	const struct of_map *of = ctx;
	const struct btf_type *section = btf__type_by_id(of->p->btf, bpf_map__btf_value_type_id(of->map));
	size_t size = bpf_map__value_size(of->map);

	(void)key;
	for (uint16_t i = 0; section && btf_is_datasec(section) && i < btf_vlen(section); i++) {
		const struct btf_var_secinfo *v = btf_var_secinfos(section) + i;
		const struct btf_type *t = btf__type_by_id(of->p->btf, v->type);

		if (t && v->offset <= size && v->size <= size - v->offset)
			put_value(of->p, btf__name_by_offset(of->p->btf, t->name_off), t->type, values + v->offset, v->size, 0);
	}
}

static unsigned nr_possible_cpus(void)
{
	struct cpus all;
	unsigned nr;

	if (cpus_possible(&all))
		return 0;
	nr = (unsigned)all.list.nr;
	cpus_release(&all);
	return nr;
}

static void put_map(struct printer *p, const struct bpf_map *m, unsigned nr_cpus)
{
	struct of_map of = { .p = p, .map = m, .nr_cpus = is_by_cpu(m) ? nr_cpus : 1 };
	size_t begin = p->out->len, after;

	buf_printf(p->out, "# Map %s%s\n", bpf_map__name(m), is_by_cpu(m) && is_integers(m) ? ", all CPUs" : "");
	if (bpf_map__is_internal(m)) {
		after = p->out->len;
		for_each_entry(m, nr_cpus, put_variables, &of);
		if (p->out->len == after) {
			p->out->len = begin;
			return;
		}
	} else if (is_integers(m)) {
		buf_puts(p->out, "#                Key                Value\n");
		for_each_entry(m, nr_cpus, add_integers, &of);
		put_entries(&of.sums, strstr(bpf_map__name(m), "log2"), p->out);
	} else {
		for_each_entry(m, nr_cpus, put_entry, &of);
	}
	buf_putc(p->out, '\n');
	vec_free(&of.sums.list);
}

void bpf_maps_put(const struct bpf_object *object, struct buf *out)
{
	unsigned nr_cpus = nr_possible_cpus();
	struct bpf_map *m;
	struct printer p;

	printer_begin(&p, object, out);
	bpf_object__for_each_map(m, object) {
		if (bpf_map__is_internal(m) && (!p.btf || !bpf_map__btf_value_type_id(m)))
			continue;
		if (has_values(m) && (nr_cpus || !is_by_cpu(m)))
			put_map(&p, m, nr_cpus);
		else if (bpf_map__type(m) != BPF_MAP_TYPE_RINGBUF && bpf_map__type(m) != BPF_MAP_TYPE_PERF_EVENT_ARRAY)
			buf_printf(out, "# Map %s\n# is of a kind that is not shown (%s)\n\n", bpf_map__name(m),
				   libbpf_bpf_map_type_str(bpf_map__type(m)) ?: "unknown");
	}
	printer_end(&p);
}

/* ---- variables ---- */

struct variable {
	const char *name;		/* borrowed from the BTF */
	uint32_t type, size;
	uint8_t *data;			/* borrowed from the map: its value before the object is loaded */
};

typedef bool take_variable(void *ctx, const struct variable *v);

/* Until one is taken (true). */
static bool for_each_variable(struct bpf_object *object, take_variable *take, void *ctx)
{
	const struct btf *btf = bpf_object__btf(object);
	struct bpf_map *m;

	bpf_object__for_each_map(m, object) {
		uint32_t id = btf && bpf_map__is_internal(m) ? bpf_map__btf_value_type_id(m) : 0;
		const struct btf_type *section = id ? btf__type_by_id(btf, id) : NULL;
		size_t size;
		uint8_t *data = (uint8_t *)bpf_map__initial_value(m, &size);

		for (uint16_t i = 0; data && section && btf_is_datasec(section) && i < btf_vlen(section); i++) {
			const struct btf_var_secinfo *s = btf_var_secinfos(section) + i;
			const struct btf_type *t = btf__type_by_id(btf, s->type);
			struct variable v;

			if (!t || s->offset > size || s->size > size - s->offset)
				continue;
			v = (struct variable){ btf__name_by_offset(btf, t->name_off), t->type, s->size, data + s->offset };
			if (v.name && *v.name && take(ctx, &v))
				return true;
		}
	}
	return false;
}

static bool add_name(void *ctx, const struct variable *v)
{
	struct buf *names = ctx;

	buf_printf(names, "%s%s", names->len ? ", " : "", v->name);
	return false;
}

struct wanted { const char *name; size_t len; struct variable found; };

static bool is_wanted(void *ctx, const struct variable *v)
{
	struct wanted *w = ctx;

	if (strlen(v->name) != w->len || memcmp(v->name, w->name, w->len))
		return false;
	w->found = *v;
	return true;
}

static bool enum_value(const struct btf *btf, const struct btf_type *t, const char *text, int64_t *out)
{
	for (uint16_t i = 0; i < btf_vlen(t); i++) {
		bool wide = btf_is_enum64(t);
		uint32_t name = wide ? btf_enum64(t)[i].name_off : btf_enum(t)[i].name_off;
		const char *its = btf__name_by_offset(btf, name);

		if (its && str_eq(its, text)) {
			*out = wide ? (int64_t)btf_enum64_value(btf_enum64(t) + i) : (int64_t)btf_enum(t)[i].val;
			return true;
		}
	}
	return false;
}

/* @text as a number of @size bytes; negative ones of signed types only. */
static bool number_fits(const char *text, uint32_t size, bool is_signed, int64_t *out)
{
	unsigned bits = size * 8;
	char *end;

	if (!*text)
		return false;
	errno = 0;
	if (is_signed) {
		long long v = strtoll(text, &end, 0);

		*out = v;
		return !errno && !*end && (bits == 64 || (v >= -(INT64_C(1) << (bits - 1)) && v < INT64_C(1) << (bits - 1)));
	}
	*out = (int64_t)strtoull(text, &end, 0);
	return !errno && !*end && *text != '-' && (bits == 64 || !((uint64_t)*out >> bits));
}

/* NULL, or what values there may be. */
static const char *value_of(const struct btf *btf, const struct variable *v, const char *text, int64_t *out)
{
	uint32_t type = v->type;
	const struct btf_type *t = type_behind(btf, &type);
	bool is_signed;

	if (!t || !(btf_is_int(t) || btf_is_any_enum(t)) || t->size != v->size || !is_integer_size(v->size))
		return "only integers, bools and enums can be set";
	if (btf_is_any_enum(t))
		return enum_value(btf, t, text, out) || number_fits(text, v->size, true, out) ? NULL :
			"a name of the enum is wanted";
	if (btf_int_encoding(t) & BTF_INT_BOOL) {
		*out = str_eq(text, "true") || str_eq(text, "1");
		return *out || str_eq(text, "false") || str_eq(text, "0") ? NULL : "true or false is wanted";
	}
	is_signed = btf_int_encoding(t) & BTF_INT_SIGNED;
	if (number_fits(text, v->size, is_signed, out))
		return NULL;
	return is_signed ? "a number that its signed integer can hold is wanted" :
			   "a number that its unsigned integer can hold is wanted";
}

static int refuse_name(struct bpf_object *object, const struct wanted *w, const char *path)
{
	struct buf names = {0};

	for_each_variable(object, add_name, &names);
	error("option '--bpf-set': '%s' has no variable '%.*s'; it has: %s", path, (int)w->len, w->name,
	      names.len ? buf_str(&names) : "none that its BTF describes");
	buf_release(&names);
	return -1;
}

int bpf_variable_set(struct bpf_object *object, const char *setting, const char *path)
{
	const char *value = strchr(setting, '='), *why;
	struct wanted w = { .name = setting, .len = value ? (size_t)(value - setting) : 0 };
	int64_t number;

	if (!w.len)
		return error("option '--bpf-set': '%s' is not NAME=VALUE", setting);
	if (!for_each_variable(object, is_wanted, &w))
		return refuse_name(object, &w, path);
	why = value_of(bpf_object__btf(object), &w.found, value + 1, &number);
	if (why)
		return error("option '--bpf-set': '%s' does not fit '%s' of '%s': %s", value + 1, w.found.name, path, why);
	for (uint32_t i = 0; i < w.found.size; i++)
		w.found.data[__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? i : w.found.size - 1 - i] =
			(uint8_t)((uint64_t)number >> 8 * i);
	return 0;
}
