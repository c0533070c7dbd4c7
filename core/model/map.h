/* Defines a mapped range of addresses of a process or of the kernel, as an MMAP record describes it. */
#ifndef CORE_MODEL_MAP_H
#define CORE_MODEL_MAP_H

#include <stdint.h>

struct dso;

struct map {
	uint64_t start, end;	/* half-open, of the address space */
	uint64_t pgoff;		/* for anonymous memory and the kernel: .start, so that each address is its own offset */
	uint64_t time;		/* the time of the mapping, ns */
	struct dso *dso;	/* NULL: the map is gone (only inside core/model) */
	uint32_t prot, flags, maj, min;
	uint64_t ino, ino_generation;
};

struct ip_span { uint64_t from, to; };	/* half-open */

#endif
