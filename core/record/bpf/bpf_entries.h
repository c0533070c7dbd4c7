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

/* True for maps whose values are printed: arrays and hashes. */
bool bpf_map_has_values(const struct bpf_map *m);
/* True if the map holds global variables that @btf (NULL: none) describes. */
bool bpf_map_has_variables(const struct bpf_map *m, const struct btf *btf);
/* True if an entry has a value for each possible CPU; they are bpf_map_step() bytes apart. */
bool bpf_map_is_by_cpu(const struct bpf_map *m);
size_t bpf_map_step(const struct bpf_map *m);
/* 0: unknown. */
unsigned bpf_possible_cpus(void);

/* @values: one per CPU, or one; @before: those at the last iteration; NULL: there was none, or not wanted. */
typedef void bpf_take_entry(void *ctx, const uint8_t *key, const uint8_t *values, const uint8_t *before);
/* Calls @take for each entry. @memory: keeps this map's values for the next call, *memory is NULL at first; NULL: not kept. */
void bpf_map_for_each(const struct bpf_map *m, unsigned nr_cpus, struct bpf_memory **memory, bpf_take_entry *take, void *ctx);
/* No map of the object was seen yet. Owned by the caller. */
struct bpf_maps_seen *bpf_maps_seen_new(void);
/* The memory of @m, valid until the next call. */
struct bpf_memory **bpf_maps_seen_of(struct bpf_maps_seen *seen, const struct bpf_map *m);
void bpf_maps_seen_free(struct bpf_maps_seen *seen);
/* True if the @size bytes at @p equal those at @before, or are all 0 if that is NULL. */
bool bpf_is_unchanged(const uint8_t *p, const uint8_t *before, size_t size);

#endif
