/*
 * Finds the jitdumps of a recording, the files in which JIT compilers write the code that they make, with names. A compiler maps
 * its jitdump once, and the MMAP record of this mapping has the path. `perf inject --jit` is not needed, because prec makes a
 * map of the process for each piece of code, from the time at which the code was made. The dso of this map is the jitdump, at
 * the offset of the code's bytes. So code that replaced other code at an address has its own name. Source of the format: Linux,
 * tools/perf/Documentation/jitdump-specification.txt.
 * Layer: model
 */
#ifndef CORE_MODEL_JITDUMP_H
#define CORE_MODEL_JITDUMP_H

#include "core/model/map.h"

struct machine;

/*
 * Reads the jitdump that @map maps, unless it was read before. @process, @pid: the number and the pid of the process. A damaged
 * jitdump is read up to the damage.
 */
void jitdump_mapped(struct machine *m, const struct map *map, uint32_t pid, uint32_t process);

#endif
