/*
 * Reads the kernel's code from the memory of the running kernel (/proc/kcore), or from a copy that perf record --kcore has made.
 * The copy is a directory with the files kcore, kallsyms and modules. kcore is an ELF file whose program headers give the
 * address of each part. It holds the code as the kernel had patched it, and the modules at their addresses.
 *
 * A kcore is used only where it agrees with the recording. For code of the kernel, kallsyms must have the recorded reference
 * symbol (such as _text) at its recorded address. For a module, the list of modules must have it at its address. For other code
 * that the kernel made (BPF), kallsyms must have its name at its address.
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
