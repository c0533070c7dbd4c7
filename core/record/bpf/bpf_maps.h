/* Prints the maps and the global variables of the BPF objects that --bpf loaded, with the types that their BTF describes. */
#ifndef CORE_RECORD_BPF_BPF_MAPS_H
#define CORE_RECORD_BPF_BPF_MAPS_H

#include <stddef.h>
#include <stdint.h>

#define BPF_MOST_WORK	(UINT64_C(1) << 30)	/* bytes of an object's values that are looked at; the rest is not printed */

struct bpf_maps_seen;
struct bpf_object;
struct btf;
struct buf;
struct json;

/*
 * Appends the maps and variables to @out. Maps from integers to integers, and arrays of integers, are printed as histograms.
 * Other values are printed by member, or as bytes if BTF does not describe them. Values that are 0 are left out; with @seen
 * (else NULL), values that did not change since the last call with @seen are left out instead. Integers that a map has by CPU
 * are summed up; other values are listed by CPU. Ring buffers and perf event arrays are left out.
 */
void bpf_maps_put(const struct bpf_object *object, struct bpf_maps_seen *seen, struct buf *out);
/*
 * Like bpf_maps_put(), as a JSON array of maps: {"name", "type", "variables": {name: value}} or {..., "entries": [{"key",
 * "value"}]}, and by CPU {"key", "values": [{"cpu", "value"}]}. An entry whose value is 0 or did not change is left out. All
 * other entries are printed whole.
 */
void bpf_maps_put_json(const struct bpf_object *object, struct bpf_maps_seen *seen, struct json *out);
/* Prints one value, or the beginning of a large one, as JSON. @type is a type of @btf, which may be NULL. */
void bpf_value_put_json(struct json *out, const struct btf *btf, uint32_t type, const uint8_t *data, size_t size);
/* Appends one value in the form of bpf_maps_put(). */
void bpf_value_put(struct buf *out, const struct btf *btf, uint32_t type, const uint8_t *data, size_t size);

#endif
