/*
 * Finds the addresses of the running kernel (/proc/kallsyms, /proc/iomem) and of its modules (/proc/modules). synthesize.c makes
 * MMAP records of them.
 */
#ifndef CORE_RECORD_HOST_KERNEL_MAPS_H
#define CORE_RECORD_HOST_KERNEL_MAPS_H

#include <stdint.h>

#include "core/base/vec.h"

struct kernel_map {
	uint64_t from, to, pgoff;	/* pgoff of the kernel: the address of its reference symbol */
	char *name;			/* owned: "[kernel.kallsyms]_text", or a module's file or "[name]" */
};

struct kernel_maps {
	VEC(struct kernel_map) list;	/* the kernel first; empty if addresses are hidden (kptr_restrict) */
};

void kernel_maps_read(struct kernel_maps *out);
void kernel_maps_release(struct kernel_maps *m);

#endif
