/*
 * The code that ran: the bytes at an address, for all that decodes instructions. Those of a program are in the file that was
 * mapped, found as its symbols are (load.h): never in one with another build id. Those of the kernel and of its modules are, in
 * this order, in the vmlinux that was given, in a kcore (kcore.h), in a vmlinux that is installed, in the modules' files.
 * TEXT_POKE records say what changed, and when.
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

/* In which mode, as struct arch's insn() has it, the code at @p is; its dso is loaded. */
unsigned insn_mode_of(const struct addr_location *p);

#endif
