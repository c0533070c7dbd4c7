/* Sets global variables of a BPF object by name, as its BTF describes them, before the object is loaded. Layer: bpf */
#ifndef CORE_RECORD_BPF_BPF_VARIABLES_H
#define CORE_RECORD_BPF_BPF_VARIABLES_H

struct bpf_object;

/*
 * Set the global variable of @setting, "NAME=VALUE", in @object, which is open and not loaded yet: an integer (decimal, 0x or
 * negative), a bool (true, false, 0, 1) or an enum (a name of it, or a number). Returns 0, or -1: an error with @path was printed,
 * and the names that there are if there is no such name.
 */
int bpf_variable_set(struct bpf_object *object, const char *setting, const char *path);

#endif
