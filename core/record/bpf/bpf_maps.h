/*
 * Variables and maps of a BPF object as its BTF describes them: set by name before the object is loaded, printed afterwards.
 * Layer: bpf
 */
#ifndef CORE_RECORD_BPF_BPF_MAPS_H
#define CORE_RECORD_BPF_BPF_MAPS_H

struct bpf_object;
struct buf;

/*
 * Set the global variable of @setting, "NAME=VALUE", in @object, which is open and not loaded yet: an integer (decimal, 0x or
 * negative), a bool (true, false, 0, 1) or an enum (a name of it, or a number). Returns 0, or -1: an error with @path was printed,
 * and the names that there are if there is no such name.
 */
int bpf_variable_set(struct bpf_object *object, const char *setting, const char *path);

/*
 * Appends the contents of the maps of @object, which is loaded, and of its global variables, to @out: integers by integers
 * and arrays of integers as histograms, other values by member; values that BTF does not describe as bytes. Values that are 0
 * are left out. Integers that a map has by CPU are summed up; other values are listed by CPU. Ring buffers are left out.
 */
void bpf_maps_put(const struct bpf_object *object, struct buf *out);

#endif
