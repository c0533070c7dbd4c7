/*
 * Sets global variables (--bpf-set) in the initial contents of the maps of a BPF object, before the object is loaded. Checks
 * offsets and sizes in the object's BTF, because the object file is not trusted.
 */
#include "core/record/bpf/bpf_variables.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/record/bpf/bpf_types.h"

struct variable {
	const char *name;		/* borrowed from the BTF */
	uint32_t type, size;
	uint8_t *data;			/* borrowed from the map: the initial value of the variable */
};

typedef bool take_variable(void *ctx, const struct variable *v);

/* Calls @take for each variable until one call returns true. Returns whether one did. */
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

/* Parses @text as a number that fits into @size bytes. It may be negative only if the type is signed. */
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

/* Parses @text as a value of the variable's type. Returns NULL, or the error, which says which values are allowed. */
static const char *value_of(const struct btf *btf, const struct variable *v, const char *text, int64_t *out)
{
	uint32_t type = v->type;
	const struct btf_type *t = bpf_type_resolve(btf, &type);
	bool is_signed;

	if (!t || !(btf_is_int(t) || btf_is_any_enum(t)) || t->size != v->size || !bpf_is_integer_size(v->size))
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
