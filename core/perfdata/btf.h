/*
 * Reads names of functions from BTF, the kernel's description of types (Documentation/bpf/btf.rst).
 * Layer: perfdata
 */
#ifndef CORE_PERFDATA_BTF_H
#define CORE_PERFDATA_BTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/vec.h"

struct btf_names {		/* = {0}; btf_release() */
	VEC(uint32_t) offsets;	/* of the name of type 1 + i, in strings; 0: not a function */
	const char *strings;	/* borrowed from the BTF; the last byte is 0 */
	uint32_t size;		/* of strings */
};

/* Reads up to the first thing that is damaged or unknown. @swap: the BTF has the other byte order, and is changed by reading. */
void btf_read(struct btf_names *b, const void *btf, size_t size, bool swap);
void btf_release(struct btf_names *b);

/* Borrowed from the BTF; NULL: the type is no function, or is not there. */
const char *btf_function(const struct btf_names *b, uint32_t type);

#endif
