/* Implements wire.h, the cursor that reads, writes and measures the fields of perf.data records. */
#include "core/base/wire.h"

#include <string.h>

#include "core/base/util.h"

/* Passes @n bytes. Returns NULL if fewer are left, or when measuring. */
static uint8_t *next_bytes(struct wire *w, uint64_t n)
{
	uint8_t *p = w->pos;

	if (w->mode == WIRE_SIZE) {
		w->size += n;
		return NULL;
	}
	if (w->bad || (size_t)(w->end - w->pos) < n) {
		w->bad = true;
		return NULL;
	}
	w->size += n;
	w->pos += n;
	return p;
}

#define WIRE_NUMBER(name, type, swapped)				\
void name(struct wire *w, type *v)					\
{									\
	uint8_t *p = next_bytes(w, sizeof(type));			\
									\
	if (w->mode == WIRE_READ) {					\
		*v = 0;							\
		if (p)							\
			memcpy(v, p, sizeof(type));			\
		if (w->swap) {						\
			*v = swapped(*v);				\
			if (p)						\
				memcpy(p, v, sizeof(type));		\
		}							\
	} else if (p) {							\
		memcpy(p, v, sizeof(type));				\
	}								\
}

WIRE_NUMBER(wire_any_u64, uint64_t, __builtin_bswap64)
WIRE_NUMBER(wire_any_u32, uint32_t, __builtin_bswap32)
WIRE_NUMBER(wire_u16, uint16_t, __builtin_bswap16)
WIRE_NUMBER(wire_u8, uint8_t, )

void wire_bytes(struct wire *w, const void **v, uint64_t n)
{
	uint8_t *p = next_bytes(w, n);

	if (w->mode == WIRE_READ)
		*v = p;
	else if (p && n)
		memcpy(p, *v, n);
}

void wire_copy(struct wire *w, void *array, size_t n)
{
	uint8_t *p = next_bytes(w, n);

	if (w->mode == WIRE_READ && p)
		memcpy(array, p, n);
	else if (w->mode == WIRE_READ)
		memset(array, 0, n);
	else if (p)
		memcpy(p, array, n);
}

void wire_zeros(struct wire *w, uint64_t n)
{
	uint8_t *p = next_bytes(w, n);

	if (w->mode == WIRE_WRITE && p)
		memset(p, 0, n);
}

uint64_t wire_count(struct wire *w, uint64_t nr, size_t least)
{
	wire_u64(w, &nr);
	if (w->mode == WIRE_READ && nr > wire_left(w) / least)
		w->bad = true;
	return w->bad ? 0 : nr;
}

void wire_words(struct wire *w, struct words *v, uint64_t nr)
{
	uint8_t *p;
	uint64_t u;

	if (nr > UINT64_MAX / 8) {
		w->bad = true;
		nr = 0;
	}
	p = next_bytes(w, nr * 8);
	if (w->mode == WIRE_WRITE && p && nr)
		memcpy(p, v->data, nr * 8);
	if (w->mode != WIRE_READ)
		return;
	v->nr = p ? nr : 0;
	v->data = p;
	for (uint64_t i = 0; w->swap && i < v->nr; i++) {
		u = __builtin_bswap64(words_at(v, i));
		memcpy(p + 8 * i, &u, 8);
	}
}

void wire_string(struct wire *w, const char **s)
{
	const void *p;
	size_t n;

	if (w->mode == WIRE_READ) {
		n = strnlen((const char *)w->pos, wire_left(w));
		if (n == wire_left(w))
			w->bad = true;
		*s = w->bad ? "" : (const char *)w->pos;
		n = w->bad ? 0 : MIN(round_up(n + 1, 8), wire_left(w));
		wire_bytes(w, &p, n);
		return;
	}
	n = strlen(*s) + 1;
	p = *s;
	wire_bytes(w, &p, n);
	wire_align(w, 8);
}

void wire_align(struct wire *w, size_t to)
{
	wire_zeros(w, round_up(w->size, to) - w->size);
}
