/*
 * Opens a kcore, an ELF file with the kernel's memory, if it is of the recorded kernel: /proc/kcore, or the copy that prec record
 * --kcore makes. code.c reads machine code from it, and load_kcore.c chooses the directory.
 */
#ifndef CORE_MODEL_KCORE_H
#define CORE_MODEL_KCORE_H

#include "core/binary/kallsyms.h"
#include "core/binary/code_image.h"

struct dso;
struct map;

struct kcore_module { const char *name; uint64_t start; };	/* .name: "ext4", in kcore.text; .start: its address */

/*
 * A kcore holds the code as the kernel had patched it, and the modules at their addresses. The directory of a kcore also has the
 * kernel's symbols (the file kallsyms) and the list of its modules (the file modules).
 */
struct kcore {
	char *dir;			/* owned; NULL: no kcore is open */
	struct code_image image;
	struct kallsyms names;
	VEC(struct kcore_module) modules;
	char *text;			/* the text of the file modules, owned */
};

/*
 * Opens the kcore in @dir (taken over) if it exists and its kernel is at the recorded address of @kernel (NULL: unknown): its
 * kallsyms must have the reference symbol (such as _text) at the recorded address. If no reference symbol was recorded, the
 * directory is trusted. *k must be {0}. Returns true if the kcore is open.
 */
bool kcore_open(struct kcore *k, char *dir, const struct dso *kernel);
/*
 * True if @k has the code of @map, which is a map of the kernel, a module or a BPF program. The list of modules must have the
 * module at the recorded address, and kallsyms the name of the BPF program at the recorded address.
 */
bool kcore_has(const struct kcore *k, const struct map *map);
void kcore_release(struct kcore *k);

#endif
