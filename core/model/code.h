/*
 * Reads the code at an address, for everything that decodes instructions. A program's code comes from the mapped file, which is
 * found like its symbols (load.h), never from a file with another build id. For the kernel and its modules these are tried in
 * order: the given vmlinux, a kcore (kcore.h), an installed vmlinux, the files of the modules. TEXT_POKE records add later
 * changes.
 * Layer: model
 */
#ifndef CORE_MODEL_CODE_H
#define CORE_MODEL_CODE_H

#include <stddef.h>
#include <stdint.h>

struct addr_location;
struct machine;

/*
 * Copy up to @n bytes of the code at @ip in @space to @out; returns how many, 0: there is none. Fewer need not mean that none
 * follow. Safe from any thread, and after the first time for a file without a lock.
 */
size_t code_at(const struct machine *m, uint32_t space, uint64_t ip, void *out, size_t n);

/* The same for who can do without it: that it is missing becomes no finding. */
size_t code_if_known(const struct machine *m, uint32_t space, uint64_t ip, void *out, size_t n);

struct dso_code;
/* The bytes at what a note of @c (code_image.h) says; returns how many. */
size_t code_noted(const struct dso_code *c, uint64_t at, void *out, size_t n);

/* In which mode, as struct arch's insn() has it, the code at @l is; its dso is loaded. */
unsigned insn_mode_of(const struct addr_location *l);

#endif
