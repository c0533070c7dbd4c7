/*
 * Reads the code at an address, for all parts of prec that decode instructions. The code of a program comes from the mapped file,
 * which is found like its symbols (load.h). A file with another build id is never used. Code of the kernel and its modules comes
 * from the first of these sources that has the code: the file of --vmlinux, a copy of the kernel's memory (kcore.h), an installed
 * vmlinux, the files of the modules. TEXT_POKE records add later changes.
 * Layer: model
 */
#ifndef CORE_MODEL_CODE_H
#define CORE_MODEL_CODE_H

#include <stddef.h>
#include <stdint.h>

struct addr_location;
struct machine;

/*
 * Copies up to @n bytes of the code at @ip in @space to @out. Returns the number of bytes, 0 if there is none; more may follow
 * even if it is less than @n. Safe from any thread; takes a lock only at the first lookup in a file.
 */
size_t code_at(const struct machine *m, uint32_t space, uint64_t ip, void *out, size_t n);

/* The same for callers that can do without the code: if it is missing, no finding is added. */
size_t code_if_known(const struct machine *m, uint32_t space, uint64_t ip, void *out, size_t n);

struct dso_code;
/* Copies the bytes of a note of @c (code_image.h), which is at @at; returns their number. */
size_t code_noted(const struct dso_code *c, uint64_t at, void *out, size_t n);

/* The mode of the code at @l, as insn() of struct arch takes it. Its dso must be loaded. */
unsigned insn_mode_of(const struct addr_location *l);

#endif
