/*
 * Iterates over the entries of a BPF map that was loaded with libbpf. The caller gets each entry's present value and its value
 * in the previous iteration, so that it can print only the entries that changed.
 */
#ifndef CORE_RECORD_BPF_BPF_ENTRIES_H
#define CORE_RECORD_BPF_BPF_ENTRIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/vec.h"

struct bpf_map;
struct bpf_memory;
struct btf;

struct map_seen { const struct bpf_map *map; struct bpf_memory *memory; };
struct bpf_maps_seen { VEC(struct map_seen) list; };	/* = {0}; owned, with the memory of each map: bpf_maps_seen_release() */

#define BPF_MOST_ENTRIES	(1u << 16)	/* entries of a map that are visited; the rest is left out */

/* True for maps whose values are printed: arrays and hashes. */
bool bpf_map_has_values(const struct bpf_map *m);
/* True if the map holds global variables that @btf (NULL: none) describes. */
bool bpf_map_has_variables(const struct bpf_map *m, const struct btf *btf);
/* True if an entry has one value for each possible CPU. These values are bpf_map_step() bytes apart. */
bool bpf_map_is_by_cpu(const struct bpf_map *m);
size_t bpf_map_step(const struct bpf_map *m);
/* Returns the number of possible CPUs, or 0 if it is unknown. */
unsigned bpf_possible_cpus(void);

/*
 * A function that gets an entry. @values is the value, or one value for each CPU. @before is the same at the last iteration, or
 * NULL if there was none or it was not kept.
 */
typedef void bpf_take_entry(void *ctx, const uint8_t *key, const uint8_t *values, const uint8_t *before);
/* Calls @take for each entry of the map. *@memory, NULL at first, keeps the values for the next call; NULL: they are not kept. */
void bpf_map_for_each(const struct bpf_map *m, unsigned nr_cpus, struct bpf_memory **memory, bpf_take_entry *take, void *ctx);
/* Returns where the values of the map @m are kept. The pointer is valid until the next call. */
struct bpf_memory **bpf_maps_seen_of(struct bpf_maps_seen *seen, const struct bpf_map *m);
void bpf_maps_seen_release(struct bpf_maps_seen *seen);
/* True if the @size bytes at @p equal those at @before. If @before is NULL, true if they are all 0. */
bool bpf_is_unchanged(const uint8_t *p, const uint8_t *before, size_t size);

#endif
