/* Sets global variables of a BPF object by name (--bpf-set), as the object's BTF describes them, before the object is loaded. */
#ifndef CORE_RECORD_BPF_BPF_VARIABLES_H
#define CORE_RECORD_BPF_BPF_VARIABLES_H

struct bpf_object;

/*
 * Sets the global variable of @setting, "NAME=VALUE", in @object, which is open and not loaded yet. VALUE is an integer
 * (decimal, 0x or negative), a bool (true, false, 0, 1) or an enum (one of its names, or a number). Returns 0, or -1 after
 * printing an error with @path. If there is no such name, the error lists the names that there are.
 */
int bpf_variable_set(struct bpf_object *object, const char *setting, const char *path);

#endif
