/*
 * jitdump: what a JIT compiler tells of the code that it makes, in a file that it maps once, so that its name is in the recording.
 * Read as it is, without perf inject: each piece of code becomes a map of the process from its time on, of a dso that is the dump,
 * in which an address is the offset of the code's bytes. So code that replaced other code at the same address has its own name.
 * Source of the format: Linux, tools/perf/Documentation/jitdump-specification.txt.
 * Layer: model
 */
#ifndef CORE_MODEL_JITDUMP_H
#define CORE_MODEL_JITDUMP_H

#include "core/model/map.h"

struct machine;

/*
 * Process number @process, @pid, mapped the dump of @map, whose dso it is: read it, unless it was. Where it is not there or
 * damaged, what could be read counts.
 */
void jitdump_mapped(struct machine *m, const struct map *map, uint32_t pid, uint32_t process);

#endif
