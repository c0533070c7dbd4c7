/*
 * The kernel's memory as it was kept beside the recording, or is: a directory with kcore (an ELF file whose program headers
 * tell what is where), kallsyms and modules, as perf record --kcore makes it. It is the code as the kernel had patched it,
 * with its modules where they were.
 *
 * It is believed as far as its lists agree with the recording: of the kernel's own code if the symbol whose address was
 * recorded has that address in kallsyms; of a module's if modules has it at its address; of other code that the
 * kernel made if kallsyms has its name at its address.
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
/* True if it has the code of @map, of the kernel or of a module. */
bool kcore_has(const struct kcore *k, const struct map *map);
void kcore_release(struct kcore *k);

#endif
