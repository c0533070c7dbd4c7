/*
 * Defines a cursor over the bytes of a perf.data record. The same function reads, writes or measures the fields of a record,
 * depending on the cursor's mode. core/perfdata/record.c has such a function for each record type.
 */
#ifndef CORE_BASE_WIRE_H
#define CORE_BASE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wire_mode { WIRE_READ, WIRE_WRITE, WIRE_SIZE };

/*
 * A function lists the fields of a record by calls such as wire_u64(), which read, write or measure as .mode says. A call that
 * would pass the end sets .bad; from then on reads return zeros, and the bytes are not changed. With .swap, each field is also
 * swapped *in the buffer*, so that one pass over a private copy makes a native record.
 */
struct wire {
	enum wire_mode mode;
	bool swap;		/* WIRE_READ: the buffer has the other byte order */
	bool bad;		/* ran past the end, or a count cannot be true */
	uint8_t *pos, *end;	/* unused by WIRE_SIZE */
	size_t size;		/* bytes passed so far */
};

struct words {			/* @nr u64 in a record, at any alignment: words_at() */
	uint64_t nr;
	const uint8_t *data;	/* borrowed from the record */
};

static inline struct wire wire_reader(const void *p, size_t n)
{
	uint8_t *pos = (uint8_t *)(uintptr_t)p;	/* only written to with .swap */

	return (struct wire){ .mode = WIRE_READ, .pos = pos, .end = n ? pos + n : pos };
}

static inline struct wire wire_writer(void *p, size_t n)
{
	return (struct wire){ .mode = WIRE_WRITE, .pos = p, .end = (uint8_t *)p + n };
}

static inline bool wire_reading(const struct wire *w)
{
	return w->mode == WIRE_READ;
}

static inline size_t wire_left(const struct wire *w)
{
	return w->bad || w->mode == WIRE_SIZE ? 0 : (size_t)(w->end - w->pos);
}

void wire_any_u64(struct wire *w, uint64_t *v);
void wire_any_u32(struct wire *w, uint32_t *v);

/* Reading without a swap is inline, because a pass over all samples spends most of its time there. */
#define WIRE_INLINE(name, type)								\
static inline void wire_##name(struct wire *w, type *v)					\
{											\
	if (w->mode != WIRE_READ || w->swap || w->bad || (size_t)(w->end - w->pos) < sizeof(type)) { \
		wire_any_##name(w, v);							\
		return;									\
	}										\
	__builtin_memcpy(v, w->pos, sizeof(type));					\
	w->pos += sizeof(type);								\
	w->size += sizeof(type);							\
}
WIRE_INLINE(u64, uint64_t)
WIRE_INLINE(u32, uint32_t)
#undef WIRE_INLINE

void wire_u16(struct wire *w, uint16_t *v);
void wire_u8(struct wire *w, uint8_t *v);
/* Passes @n bytes that have no byte order. On reading, *v is borrowed from the buffer; NULL: fewer bytes are left. */
void wire_bytes(struct wire *w, const void **v, uint64_t n);
/* Pass @n bytes, copied into or out of @array. */
void wire_copy(struct wire *w, void *array, size_t n);
/* Pass @n bytes without a meaning: reading skips them, and writing writes zeros. */
void wire_zeros(struct wire *w, uint64_t n);
/* Pass a list's length as u64. If so many items of at least @least bytes do not fit into the rest, reading sets .bad, returns 0. */
uint64_t wire_count(struct wire *w, uint64_t nr, size_t least);
/* Pass @nr u64; on reading, .data is borrowed from the buffer and .nr is set. */
void wire_words(struct wire *w, struct words *v, uint64_t nr);
/* Pass a string with its NUL, padded to 8 bytes. A string that is read is borrowed. If it has no NUL before the end, sets .bad. */
void wire_string(struct wire *w, const char **s);
/* Skip to the next multiple of @to (a power of two), counted from the start; writes zeros. */
void wire_align(struct wire *w, size_t to);

static inline uint64_t words_at(const struct words *v, uint64_t i)
{
	uint64_t u;

	__builtin_memcpy(&u, v->data + 8 * i, 8);
	return u;
}

#endif
