/*
 * Reads the names of functions from BTF, to name BPF programs. BTF has a header, a list of types, and strings. The kind of a
 * type determines how many bytes follow its first three words.
 */
#include "core/perfdata/btf.h"

#include <linux/btf.h>

#include "core/base/wire.h"

/* Bytes that follow a type's three words: once, and for each of its members. */
static const struct { uint8_t once, each; bool known; } kinds[32] = {
	[1] = { 4, 0, true },		/* INT */
	[2] = { 0, 0, true },		/* PTR */
	[3] = { 12, 0, true },		/* ARRAY */
	[4] = { 0, 12, true },		/* STRUCT */
	[5] = { 0, 12, true },		/* UNION */
	[6] = { 0, 8, true },		/* ENUM */
	[7] = { 0, 0, true },		/* FWD */
	[8] = { 0, 0, true },		/* TYPEDEF */
	[9] = { 0, 0, true },		/* VOLATILE */
	[10] = { 0, 0, true },		/* CONST */
	[11] = { 0, 0, true },		/* RESTRICT */
	[12] = { 0, 0, true },		/* FUNC */
	[13] = { 0, 8, true },		/* FUNC_PROTO */
	[14] = { 4, 0, true },		/* VAR */
	[15] = { 0, 12, true },		/* DATASEC */
	[16] = { 0, 0, true },		/* FLOAT */
	[17] = { 4, 0, true },		/* DECL_TAG */
	[18] = { 0, 0, true },		/* TYPE_TAG */
	[19] = { 0, 12, true },		/* ENUM64 */
};

static struct wire part(const void *p, size_t size, uint64_t at, uint64_t n, bool swap)
{
	struct wire w = wire_reader((const uint8_t *)p + MIN(at, size), MIN(n, size - MIN(at, size)));

	w.swap = swap;
	return w;
}

static void read_types(struct btf_names *b, struct wire *w)
{
	while (wire_left(w) >= 12) {
		uint32_t name, info, size, kind;

		wire_u32(w, &name);
		wire_u32(w, &info);
		wire_u32(w, &size);
		kind = BTF_INFO_KIND(info);
		if (!kinds[kind].known)
			break;
		vec_push(&b->offsets, kind == BTF_KIND_FUNC ? name : 0);
		wire_zeros(w, kinds[kind].once + kinds[kind].each * (uint64_t)BTF_INFO_VLEN(info));
	}
}

void btf_read(struct btf_names *b, const void *btf, size_t size, bool swap)
{
	struct wire w = part(btf, size, 0, size, swap), types, strings;
	uint32_t header, type_off, type_len, str_off, str_len;
	uint16_t magic, version;
	const void *p;

	wire_u16(&w, &magic);
	wire_u16(&w, &version);		/* and flags */
	wire_u32(&w, &header);
	wire_u32(&w, &type_off);
	wire_u32(&w, &type_len);
	wire_u32(&w, &str_off);
	wire_u32(&w, &str_len);
	if (w.bad || magic != BTF_MAGIC)
		return;
	types = part(btf, size, (uint64_t)header + type_off, type_len, swap);
	strings = part(btf, size, (uint64_t)header + str_off, str_len, false);
	wire_bytes(&strings, &p, str_len);
	if (strings.bad || !str_len || ((const char *)p)[str_len - 1])
		return;
	b->strings = p;
	b->size = str_len;
	read_types(b, &types);
}

void btf_release(struct btf_names *b)
{
	vec_free(&b->offsets);
}

const char *btf_function(const struct btf_names *b, uint32_t type)
{
	uint32_t at = type && type <= b->offsets.nr ? b->offsets.v[type - 1] : 0;

	return at && at < b->size && b->strings[at] ? b->strings + at : NULL;
}
