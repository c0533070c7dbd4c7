/*
 * Loads the symbols of a dso (a mapped file). load.c calls the loader of the dso's kind, such as load_kernel.c for the kernel
 * and its modules. candidate.c opens ELF files and checks their build ids.
 */
#ifndef CORE_MODEL_LOAD_H
#define CORE_MODEL_LOAD_H

#include "core/model/machine_state.h"

#define DEBUG_DIR "/usr/lib/debug"	/* where distributions put debug files */

/* A copy of @s, owned by the caller; NULL for NULL. */
static inline char *copy_of(const char *s)
{
	return s ? xstrdup(s) : NULL;
}

bool same_build_id(const struct build_id *recorded, const struct build_id *found);
/* The build id as a path, "xx/yyyy"; NULL: unknown. Owned by the caller. */
char *build_id_path(const struct build_id *id);
/* @path below the directory of --symfs. Owned by the caller. */
char *below_symfs(const struct machine *m, const char *path);
/* perf's cache: ~/.debug/.build-id/xx/yyyy/@leaf. Owned by the caller; NULL without an id or a home. */
char *cache_path(const struct build_id *id, const char *leaf);
/*
 * Opens @path (taken over; NULL: nothing to try) if it is an ELF file with the dso's build id, and passes the path to *used.
 * Otherwise returns NULL; a different build id sets dso->state to DSO_CHANGED.
 */
struct elf_file *open_candidate(struct dso *dso, char *path, const char **used);
/* Closes @e, which open_candidate() has opened, and frees *used. Returns NULL. */
struct elf_file *drop_candidate(struct elf_file *e, const char **used);
/* As open_candidate(), but the file must have a .symtab. */
struct elf_file *open_with_symbols(struct dso *dso, char *path, const char **used);
/* Opens the file that was mapped; *used as above. NULL: it is not on this machine. */
struct elf_file *open_image(const struct machine *m, struct dso *dso, const char **used);
bool has_dwarf(const struct elf_file *e);

/* The kcore of the recorded kernel, found at the first call; NULL: there is none. Safe from any thread. */
const struct kcore *machine_kcore(struct machine *m);
/* Makes a file in memory with a copy of this process's 64-bit vdso. Returns a descriptor, owned by the caller, or -errno. */
int open_own_vdso(void);
/* The kallsyms for the kernel and its modules, read once; NULL if no file can be used. Safe from any thread. */
const struct kallsyms *use_kallsyms(struct machine *m);
/* True if the running kernel is the recorded one. @kernel may be NULL. */
bool is_running_kernel(const struct machine *m, const struct dso *kernel);
/* The directory of perf's cache with kcores of the kernel with build id @id. Owned and NULL as for cache_path(). */
char *kcore_cache_path(const struct build_id *id);
/* Opens the kernel's vmlinux, from perf's cache or an installed one; *used as above. NULL: there is none. */
struct elf_file *open_installed_vmlinux(const struct machine *m, struct dso *kernel, const char **used);
/* The distance between the kernel's recorded address and that in @vmlinux (KASLR). */
uint64_t vmlinux_relocation(const struct elf_file *vmlinux, const struct dso *kernel);

/* Takes the symbols of @dso, a kernel, from the vmlinux at @path. Returns NULL, or an error text: " cannot be used as vmlinux". */
const char *load_vmlinux_of(const struct machine *m, struct dso *dso, const char *path);
/* Load the symbols of the kernel, or of a module. If none are found, dso->state is DSO_NOT_FOUND or a more exact state. */
void load_kernel(struct machine *m, struct dso *dso);
void load_module(struct machine *m, struct dso *dso);
/* The same for a guest's kernel, or for a module of it. */
void load_guest(struct machine *m, struct dso *dso);

#endif
