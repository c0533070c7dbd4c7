/*
 * Finds the jitdumps of a recording: files in which JIT compilers write the code that they make, with names. The compiler maps
 * its dump once, which tells readers its path. perf inject is not needed: each piece of code becomes a map of the process from
 * the time it was made. The dso of the map is the dump, at the offset of the code's bytes, so code that replaced other code at an
 * address has its own name.
 * Source of the format: Linux, tools/perf/Documentation/jitdump-specification.txt.
 * Layer: model
 */
#ifndef CORE_MODEL_JITDUMP_H
#define CORE_MODEL_JITDUMP_H

#include "core/model/map.h"

struct machine;

/*
 * Reads the dump in @map, of process number @process, @pid, unless it was read. If it is missing or damaged, the readable
 * part counts.
 */
void jitdump_mapped(struct machine *m, const struct map *map, uint32_t pid, uint32_t process);

#endif
