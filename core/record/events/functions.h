/*
 * Lists the function symbols of an ELF file or of the running kernel, sorted by address. addr_filter.c uses the list to find
 * where a function ends, and whether several functions have the same name.
 */
#ifndef CORE_RECORD_EVENTS_FUNCTIONS_H
#define CORE_RECORD_EVENTS_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/buf.h"
#include "core/base/vec.h"

struct function {
	uint64_t at, end;	/* begin and end: offsets in the ELF file, or addresses in the kernel */
	uint32_t name;		/* offset in functions.names */
	bool global;
};

struct functions {		/* = {0}; functions_release() */
	VEC(struct function) list;	/* by address, then by name; without duplicates */
	struct buf names;
};

/*
 * Reads an ELF file. Returns 0, -errno if the file cannot be read, or -ENOEXEC if it is not ELF. A file without functions gives
 * an empty list, which is not an error.
 */
int functions_of_file(struct functions *out, const char *path);
/* Reads /proc/kallsyms. Returns 0 or -errno; -EPERM means that the addresses are hidden (kptr_restrict). */
int functions_of_kernel(struct functions *out);
void functions_release(struct functions *f);

static inline const char *function_name(const struct functions *all, const struct function *f)
{
	return all->names.data + f->name;
}

#endif
