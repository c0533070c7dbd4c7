/*
 * Parses the address filters of an Intel PT recording, which limit tracing to some code, such as "filter
 * 0x400/0x100@/usr/bin/ls". If trace ends, sampler.c checks with them whether the program has left the traced code.
 */
#ifndef AUXTRACE_INTEL_PT_FILTER_H
#define AUXTRACE_INTEL_PT_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/vec.h"

struct map;

struct pt_filter {
	uint64_t from, to;	/* half open: addresses, or offsets in the file */
	char *path;		/* owned; NULL: addresses */
	bool stop;		/* tracing stops in this range; otherwise it is on only in this range */
};

struct pt_filters {		/* = {0}; pt_filters_release() */
	VEC(struct pt_filter) list;
	bool only;		/* there are filters other than stops, so only their ranges are traced */
	bool stops;		/* there are stops */
};

/*
 * Parses @n bytes of @text, the string in AUXTRACE_INFO that was given to the kernel, and skips invalid parts. It has "filter
 * START[/SIZE][@FILE]" and "stop ...", separated by commas. START is an address of the kernel or an offset in FILE. (Intel PT does
 * not have "start".) Source: Documentation/admin-guide/perf, "address filters".
 */
void pt_filters_parse(struct pt_filters *f, const char *text, size_t n);
void pt_filters_release(struct pt_filters *f);

/* True if the code at @ip is traced. @map: the map there; NULL: unknown. */
bool pt_filters_trace(const struct pt_filters *f, uint64_t ip, const struct map *map);

#endif
