/*
 * Of a recording that does not say on what machine it was made, as those of recorders that were killed do not: which architecture
 * it is of, by the files that were mapped. Layer: model
 */
#ifndef CORE_MODEL_GUESS_ARCH_H
#define CORE_MODEL_GUESS_ARCH_H

struct arch;
struct machine;

/* That of the first program of 64 bits that is here and was mapped, by its build id or inode; NULL: there is none. */
const struct arch *guess_arch(const struct machine *m);

#endif
