/* Prints the maps and the global variables of a loaded BPF object, as its BTF describes them. Layer: bpf */
#ifndef CORE_RECORD_BPF_BPF_MAPS_H
#define CORE_RECORD_BPF_BPF_MAPS_H

#include <stddef.h>
#include <stdint.h>

#define BPF_MOST_WORK	(UINT64_C(1) << 30)	/* bytes of values that are looked at, of an object */

struct bpf_maps_seen;
struct bpf_object;
struct btf;
struct buf;
struct json;

/*
 * Appends it to @out: integers by integers and arrays of integers as histograms, other values by member; values that BTF does not
 * describe as bytes. Values that are 0 are left out, or with @seen (else NULL) those that did not change since the last call with
 * it. Integers that a map has by CPU are summed up; other values are listed by CPU. Ring buffers are left out.
 */
void bpf_maps_put(const struct bpf_object *object, struct bpf_maps_seen *seen, struct buf *out);
/*
 * The same as an array of maps, {"name", "type", "variables": {name: value}} or {..., "entries": [{"key", "value"}]}; by CPU
 * {"key", "values": [{"cpu", "value"}]}. An entry whose value is 0, or did not change, is left out; others are whole.
 */
void bpf_maps_put_json(const struct bpf_object *object, struct bpf_maps_seen *seen, struct json *out);
/* One value of a type of @btf (NULL: none), @size bytes at @data; of a large one, only its beginning. */
void bpf_value_put_json(struct json *out, const struct btf *btf, uint32_t type, const uint8_t *data, size_t size);
/* Appends one value in the form of bpf_maps_put(). */
void bpf_value_put(struct buf *out, const struct btf *btf, uint32_t type, const uint8_t *data, size_t size);

#endif
