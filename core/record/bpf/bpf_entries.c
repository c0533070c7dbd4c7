/*
 * Iterates over the entries of a BPF map, and keeps a copy of each value, so that the next iteration shows which values have
 * changed. bpf_maps.c prints the entries as text, and bpf_maps_json.c as JSON.
 */
#include "core/record/bpf/bpf_entries.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/byte_table.h"
#include "core/base/cpus.h"
#include "core/base/util.h"
#include "core/base/vec.h"

struct bpf_memory {
	struct byte_table keys;
	VEC(uint8_t *) values;		/* owned, and each value, too: by the number of the key */
};

bool bpf_map_is_by_cpu(const struct bpf_map *m)
{
	enum bpf_map_type t = bpf_map__type(m);

	return t == BPF_MAP_TYPE_PERCPU_ARRAY || t == BPF_MAP_TYPE_PERCPU_HASH || t == BPF_MAP_TYPE_LRU_PERCPU_HASH;
}

bool bpf_map_has_values(const struct bpf_map *m)
{
	enum bpf_map_type t = bpf_map__type(m);

	return bpf_map_is_by_cpu(m) || t == BPF_MAP_TYPE_ARRAY || t == BPF_MAP_TYPE_HASH || t == BPF_MAP_TYPE_LRU_HASH;
}

bool bpf_map_has_variables(const struct bpf_map *m, const struct btf *btf)
{
	return bpf_map__is_internal(m) && btf && bpf_map__btf_value_type_id(m);
}

size_t bpf_map_step(const struct bpf_map *m)
{
	return round_up(bpf_map__value_size(m), 8);
}

unsigned bpf_possible_cpus(void)
{
	struct cpus all;
	unsigned nr;

	if (cpus_possible(&all))
		return 0;
	nr = (unsigned)all.list.nr;
	cpus_release(&all);
	return nr;
}

bool bpf_is_unchanged(const uint8_t *p, const uint8_t *before, size_t size)
{
	if (before)
		return !memcmp(p, before, size);
	for (size_t i = 0; i < size; i++)
		if (p[i])
			return false;
	return true;
}

/* Returns the memory for the last values of @key. *known: @key was there before. */
static uint8_t *place_of(struct bpf_memory *m, const uint8_t *key, size_t key_size, size_t size, bool *known)
{
	uint32_t number = byte_table_add(&m->keys, key, key_size);

	*known = number < m->values.nr;
	if (!*known)
		vec_push(&m->values, xcalloc(1, size));
	return m->values.v[number];
}

void bpf_map_for_each(const struct bpf_map *m, unsigned nr_cpus, struct bpf_memory **memory, bpf_take_entry *take, void *ctx)
{
	size_t key_size = bpf_map__key_size(m), size = bpf_map_step(m) * (bpf_map_is_by_cpu(m) ? nr_cpus : 1);
	uint8_t *key = xcalloc(2, key_size), *last = key + key_size, *values = xcalloc(1, size);
	int fd = bpf_map__fd(m), err = bpf_map_get_next_key(fd, NULL, key);

	if (memory && !*memory)
		*memory = xcalloc(1, sizeof(**memory));
	for (uint32_t i = 0; !err && i < BPF_MOST_ENTRIES; i++) {
		if (!bpf_map_lookup_elem(fd, key, values)) {
			bool known = false;
			uint8_t *place = memory ? place_of(*memory, key, key_size, size, &known) : NULL;

			take(ctx, key, values, known ? place : NULL);
			if (place)
				memcpy(place, values, size);
		}
		memcpy(last, key, key_size);
		err = bpf_map_get_next_key(fd, last, key);
	}
	free(key);
	free(values);
}

struct bpf_memory **bpf_maps_seen_of(struct bpf_maps_seen *seen, const struct bpf_map *m)
{
	vec_for(s, &seen->list)
		if (s->map == m)
			return &s->memory;
	vec_push(&seen->list, (struct map_seen){ .map = m });
	return &seen->list.v[seen->list.nr - 1].memory;
}

static void memory_free(struct bpf_memory *m)
{
	if (!m)
		return;
	byte_table_release(&m->keys);
	vec_for(values, &m->values)
		free(*values);
	vec_free(&m->values);
	free(m);
}

void bpf_maps_seen_release(struct bpf_maps_seen *seen)
{
	vec_for(s, &seen->list)
		memory_free(s->memory);
	vec_free(&seen->list);
}
