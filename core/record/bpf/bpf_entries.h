/* Iterates over the entries of a BPF map of a loaded object, with the values that they had at the last iteration. Layer: bpf */
#ifndef CORE_RECORD_BPF_BPF_ENTRIES_H
#define CORE_RECORD_BPF_BPF_ENTRIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bpf_map;
struct bpf_maps_seen;
struct bpf_memory;
struct btf;

#define BPF_MOST_ENTRIES	(1u << 16)	/* of a map; more are left out */

/* Maps of values that are to be shown: arrays and hashes. */
bool bpf_map_has_values(const struct bpf_map *m);
/* One of variables, which @btf (NULL: none) describes. */
bool bpf_map_has_variables(const struct bpf_map *m, const struct btf *btf);
/* An entry has a value for each possible CPU; they lie bpf_map_step() bytes apart. */
bool bpf_map_is_by_cpu(const struct bpf_map *m);
size_t bpf_map_step(const struct bpf_map *m);
/* 0: unknown. */
unsigned bpf_possible_cpus(void);

/* @values: as many as there are CPUs, or one; @before: the same when they were last seen; NULL: never, or not wanted. */
typedef void bpf_take_entry(void *ctx, const uint8_t *key, const uint8_t *values, const uint8_t *before);
/* @memory: of this map, and no other, *memory being NULL at first; or NULL: nothing is to be remembered. */
void bpf_map_for_each(const struct bpf_map *m, unsigned nr_cpus, struct bpf_memory **memory, bpf_take_entry *take, void *ctx);
/* No map of the object was seen yet. Owned by the caller. */
struct bpf_maps_seen *bpf_maps_seen_new(void);
/* The memory of @m, until the next map is asked for. */
struct bpf_memory **bpf_maps_seen_of(struct bpf_maps_seen *seen, const struct bpf_map *m);
void bpf_maps_seen_free(struct bpf_maps_seen *seen);
/* The @size bytes at @p are those at @before, or all 0 if that is NULL. */
bool bpf_is_unchanged(const uint8_t *p, const uint8_t *before, size_t size);

#endif
