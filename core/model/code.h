/*
 * Reads the machine code at an address, for all callers that decode instructions: annotation, hardware trace and unwinding.
 * core/binary/code_image.h holds the code of a file.
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
 *
 * If the recording has an archive with the code (machine_archive.h), the code comes from there. Otherwise, the code of a program
 * comes from the mapped file, which is found like its symbols (load.h). The code of the kernel comes from the first of these that
 * has it: the file of --vmlinux, a kcore (kcore.h), an installed vmlinux. The code of a module comes from a kcore, or else from the
 * module's file. A file with another build id is never used. Changes of the kernel's code in TEXT_POKE records are applied
 * (poke.h).
 */
size_t code_at(const struct machine *m, uint32_t space, uint64_t ip, void *out, size_t n);

/* The same for callers that can do without the code: if it is missing, no finding is added. */
size_t code_if_known(const struct machine *m, uint32_t space, uint64_t ip, void *out, size_t n);

struct dso_code;
/* Copies the @n bytes at .at of a note of @c (struct code_note in code_image.h). Returns the number of bytes. */
size_t code_noted(const struct dso_code *c, uint64_t at, void *out, size_t n);

/* The instruction mode of the code at @l, for insn() of struct arch: 64, 32, or 16 for Thumb. The dso must be loaded. */
unsigned insn_mode_of(const struct addr_location *l);

#endif
