/*
 * Reads a copy of the kernel's memory, or the memory of the running kernel: a directory with kcore (an ELF file whose program
 * headers say what is at which address), kallsyms and modules, as perf record --kcore makes it. It holds the code as the kernel
 * had patched it, and the modules at their addresses.
 *
 * It is used only as far as it agrees with the recording: for the kernel, if kallsyms has the reference symbol at its recorded
 * address; for a module, if the list of modules has it at its address; for other code that the kernel made, if kallsyms has its
 * name at its address.
 * Layer: model
 */
#ifndef CORE_MODEL_KCORE_H
#define CORE_MODEL_KCORE_H

#include "core/binary/kallsyms.h"
#include "core/binary/code_image.h"

struct dso;
struct map;

struct kcore_module { const char *name; uint64_t start; };	/* "ext4", in .text */

struct kcore {
	char *dir;			/* owned; NULL: there is none to use */
	struct code_image image;
	struct kallsyms names;
	VEC(struct kcore_module) modules;
	char *text;			/* owned: of the modules' list */
};

/*
 * Opens the kcore in @dir (taken over) if it exists and its kernel is at the recorded address of @kernel (NULL: unknown); *k
 * is {0}. Returns true if it is open.
 */
bool kcore_open(struct kcore *k, char *dir, const struct dso *kernel);
/* True if it has the code of @map, which is of the kernel or a module. */
bool kcore_has(const struct kcore *k, const struct map *map);
void kcore_release(struct kcore *k);

#endif
