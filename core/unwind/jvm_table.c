/*
 * Collects the blocks of HotSpot (Java) code in which samples were taken, and stores each block and each name once. Encodes them
 * as a table for perf.data (core/model/java.h). jvm_code.c finds the code.
 */
#include "core/unwind/jvm_table.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/hash.h"
#include "core/base/util.h"
#include "core/base/vec.h"
#include "core/model/java.h"
#include "core/model/python.h"

#define BYTES_MAX	(64u << 20)	/* maximum size of the written table */

/* A range of code with inlined methods: .nr names in jvm_table.inlined, from index .at on. */
struct place { uint32_t offset, size, nr; size_t at; };

struct code {
	struct jvm_identity id;
	uint64_t time;
	uint32_t pid, name;
	VEC(struct place) places;
};

struct jvm_table {
	pthread_mutex_t lock;
	VEC(struct code) codes;
	struct index by_id;
	struct buf names;		/* one after the other, each with its NUL */
	VEC(uint32_t) name_at;		/* offset in .names, by the number of a name */
	struct index by_name;
	VEC(uint32_t) inlined;		/* numbers of names: the lists that places refer to */
	uint64_t bytes;
};

struct jvm_table *jvm_table_new(void)
{
	struct jvm_table *t = xcalloc(1, sizeof(*t));

	pthread_mutex_init(&t->lock, NULL);
	return t;
}

void jvm_table_free(struct jvm_table *t)
{
	if (!t)
		return;
	vec_for(code, &t->codes)
		vec_free(&code->places);
	vec_free(&t->codes);
	index_release(&t->by_id);
	buf_release(&t->names);
	vec_free(&t->name_at);
	index_release(&t->by_name);
	vec_free(&t->inlined);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

static uint32_t number_of(struct jvm_table *t, const char *name)
{
	size_t n = strlen(name) + 1;
	uint64_t h = hash_bytes(name, n);

	index_for(pos, &t->by_name, h)
		if (str_eq(t->names.data + t->name_at.v[pos], name))
			return pos;
	index_add(&t->by_name, h, (uint32_t)t->name_at.nr);
	vec_push(&t->name_at, (uint32_t)t->names.len);
	buf_put(&t->names, name, n);
	t->bytes += n;
	return (uint32_t)t->name_at.nr - 1;
}

static bool is_same(const struct jvm_identity *a, const struct jvm_identity *b)
{
	return a->begin == b->begin && a->end == b->end && a->name == b->name && a->method == b->method && a->id == b->id &&
	       a->frame == b->frame;
}

static uint32_t find_code(const struct jvm_table *t, uint32_t pid, const struct jvm_identity *id, uint64_t h)
{
	index_for(pos, &t->by_id, h)
		if (t->codes.v[pos].pid == pid && is_same(&t->codes.v[pos].id, id))
			return pos;
	return JVM_NO_CODE;
}

uint32_t jvm_table_code(struct jvm_table *t, uint32_t pid, const struct jvm_identity *id, const char *name, uint64_t time)
{
	uint64_t h = hash_pair(id->begin, (uint64_t)id->id << 32 | pid);
	uint32_t number;

	pthread_mutex_lock(&t->lock);
	number = find_code(t, pid, id, h);
	if (number == JVM_NO_CODE && t->bytes < BYTES_MAX) {
		number = (uint32_t)t->codes.nr;
		index_add(&t->by_id, h, number);
		vec_push(&t->codes, (struct code){ .id = *id, .time = time, .pid = pid, .name = number_of(t, name) });
		t->bytes += JAVA_CODE_SIZE;
	}
	pthread_mutex_unlock(&t->lock);
	if (number != JVM_NO_CODE)
		jvm_table_earlier(t, number, time);
	return number;
}

void jvm_table_earlier(struct jvm_table *t, uint32_t code, uint64_t time)
{
	pthread_mutex_lock(&t->lock);
	t->codes.v[code].time = MIN(t->codes.v[code].time, time);
	pthread_mutex_unlock(&t->lock);
}

/* True if @code has a place at @offset: another worker may have added it. */
static bool has_place(const struct code *code, uint32_t offset)
{
	vec_for(place, &code->places)
		if (place->offset == offset)
			return true;
	return false;
}

void jvm_table_inlined(struct jvm_table *t, uint32_t code, uint32_t offset, uint32_t size, const char *const *names, size_t nr)
{
	pthread_mutex_lock(&t->lock);
	if (t->bytes < BYTES_MAX && !has_place(&t->codes.v[code], offset)) {
		vec_push(&t->codes.v[code].places, (struct place){ offset, size, (uint32_t)nr, t->inlined.nr });
		for (size_t i = 0; i < nr; i++)
			vec_push(&t->inlined, number_of(t, names[i]));
		t->bytes += JAVA_PLACE_SIZE + nr * sizeof(uint32_t);
	}
	pthread_mutex_unlock(&t->lock);
}

uint64_t jvm_table_method(struct jvm_table *t, const char *name)
{
	uint64_t address = 0;

	pthread_mutex_lock(&t->lock);
	if (t->bytes < BYTES_MAX)
		address = JAVA_BASE + PYTHON_IN_LOOP + 2 * (number_of(t, name) + 1ull) + 1;
	pthread_mutex_unlock(&t->lock);
	return address;
}

/* ---- writing ---- */

static void put_u32(struct buf *out, uint32_t v)
{
	buf_put(out, &v, sizeof(v));
}

static void put_u64(struct buf *out, uint64_t v)
{
	buf_put(out, &v, sizeof(v));
}

ORDER(compare_places, struct place, compare_numbers(a->offset, b->offset))

static void put_code(struct jvm_table *t, struct code *code, struct buf *out)
{
	put_u64(out, code->time);
	put_u64(out, code->id.begin);
	put_u32(out, code->pid);
	put_u32(out, (uint32_t)(code->id.end - code->id.begin));
	put_u32(out, code->name);
	put_u32(out, (uint32_t)code->places.nr);
	vec_sort(&code->places, compare_places);
	vec_for(place, &code->places) {
		put_u32(out, place->offset);
		put_u32(out, place->size);
		put_u32(out, place->nr);
		buf_put(out, t->inlined.v + place->at, place->nr * sizeof(*t->inlined.v));
	}
}

static int compare_codes(const void *pa, const void *pb)
{
	const struct code *const *a = pa, *const *b = pb;

	return (*a)->time != (*b)->time ? compare_numbers((*a)->time, (*b)->time) : compare_numbers((*a)->id.id, (*b)->id.id);
}

void jvm_table_write(struct jvm_table *t, struct buf *out)
{
	VEC(struct code *) by_time = {0};

	pthread_mutex_lock(&t->lock);
	vec_for(code, &t->codes)
		vec_push(&by_time, code);
	vec_sort(&by_time, compare_codes);
	if (t->name_at.nr) {
		put_u32(out, JAVA_TABLE_VERSION);
		put_u32(out, (uint32_t)t->name_at.nr);
		buf_put(out, t->names.data, t->names.len);
		put_u32(out, (uint32_t)by_time.nr);
	}
	vec_for(code, &by_time)
		put_code(t, *code, out);
	pthread_mutex_unlock(&t->lock);
	vec_free(&by_time);
}

uint64_t jvm_table_bytes(struct jvm_table *t)
{
	uint64_t bytes;

	pthread_mutex_lock(&t->lock);
	bytes = t->bytes;
	pthread_mutex_unlock(&t->lock);
	return bytes;
}
