/*
 * Resolves the BTF types of variables and map values, and reads integers of these types. bpf_maps.c, bpf_maps_json.c and
 * bpf_variables.c use it.
 */
#include "core/record/bpf/bpf_types.h"

#include <string.h>

bool bpf_is_integer_size(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

uint64_t bpf_integer_of(const uint8_t *p, uint32_t size)
{
	uint64_t v = 0;

	for (uint32_t i = 0; i < size; i++)
		v |= (uint64_t)p[__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? i : size - 1 - i] << 8 * i;
	return v;
}

int64_t bpf_signed_of(const uint8_t *p, uint32_t size)
{
	return bpf_sign_extend(bpf_integer_of(p, size), 8 * size);
}

int64_t bpf_sign_extend(uint64_t v, unsigned bits)
{
	return bits && bits < 64 ? (int64_t)(v << (64 - bits)) >> (64 - bits) : (int64_t)v;
}

uint64_t bpf_bits_of(const uint8_t *data, size_t size, uint32_t at, uint32_t bits)
{
	uint64_t v = 0;

	for (uint32_t i = 0; i < bits && i < 64 && (at + i) / 8 < size; i++)
		v |= (uint64_t)(data[(at + i) / 8] >> (at + i) % 8 & 1) << i;
	return v;
}

bool bpf_is_number(const struct btf_type *t)
{
	return (btf_is_int(t) || btf_is_any_enum(t)) && bpf_is_integer_size(t->size);
}

bool bpf_may_be_negative(const struct btf_type *t)
{
	return bpf_is_signed(t) || (btf_is_any_enum(t) && btf_kflag(t));
}

const struct btf_type *bpf_type_resolve(const struct btf *btf, uint32_t *id)
{
	int found = *id ? btf__resolve_type(btf, *id) : 0;

	if (found <= 0)
		return NULL;
	*id = (uint32_t)found;
	return btf__type_by_id(btf, *id);
}

bool bpf_is_char(const struct btf *btf, const struct btf_type *t)
{
	const char *name = btf__name_by_offset(btf, t->name_off);

	return btf_is_int(t) && t->size == 1 && !(btf_int_encoding(t) & BTF_INT_BOOL) &&
	       ((btf_int_encoding(t) & BTF_INT_CHAR) || (name && strstr(name, "char") && !strstr(name, "unsigned")));
}

bool bpf_is_plain_integer(const struct btf_type *t)
{
	return btf_is_int(t) && bpf_is_integer_size(t->size) && btf_int_bits(t) == t->size * 8 &&
	       !(btf_int_encoding(t) & BTF_INT_BOOL);
}

bool bpf_is_signed(const struct btf_type *t)
{
	return btf_is_int(t) && (btf_int_encoding(t) & BTF_INT_SIGNED);
}

const char *bpf_enum_name(const struct btf *btf, const struct btf_type *t, uint64_t value)
{
	for (uint16_t i = 0; i < btf_vlen(t); i++) {
		bool wide = btf_is_enum64(t);
		uint64_t its = wide ? btf_enum64_value(btf_enum64(t) + i) : (uint32_t)btf_enum(t)[i].val;

		if (its == (wide ? value : (uint32_t)value))
			return btf__name_by_offset(btf, wide ? btf_enum64(t)[i].name_off : btf_enum(t)[i].name_off);
	}
	return NULL;
}
