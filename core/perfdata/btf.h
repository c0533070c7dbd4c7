/*
 * Reads the names of functions from BTF, the kernel's description of types (Documentation/bpf/btf.rst), to name BPF programs.
 * The BTF comes from perf.data (feature_bpf.c) or from the kernel (core/record/bpf).
 */
#ifndef CORE_PERFDATA_BTF_H
#define CORE_PERFDATA_BTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/vec.h"

struct btf_names {		/* = {0}; btf_release() */
	VEC(uint32_t) offsets;	/* [i]: offset in .strings of the name of type i + 1; 0: not a function */
	const char *strings;	/* borrowed from the BTF; the last byte is 0 */
	uint32_t size;		/* bytes of .strings */
};

/* Reads up to the first damage or unknown kind. @swap: the BTF has the other byte order, and is swapped in place. */
void btf_read(struct btf_names *b, const void *btf, size_t size, bool swap);
void btf_release(struct btf_names *b);

/* The name of a function, borrowed from the BTF; NULL: @type is no function, or does not exist. */
const char *btf_function(const struct btf_names *b, uint32_t type);

#endif
