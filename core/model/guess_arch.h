/*
 * Guesses the architecture of a recording from the files that its processes mapped. core/read/session.c calls it if the header
 * has no architecture, as after the recorder was killed.
 * Layer: model
 */
#ifndef CORE_MODEL_GUESS_ARCH_H
#define CORE_MODEL_GUESS_ARCH_H

struct arch;
struct machine;

/* The architecture of the first mapped 64-bit file that still has its recorded build id or inode; NULL: no file has. */
const struct arch *guess_arch(const struct machine *m);

#endif
