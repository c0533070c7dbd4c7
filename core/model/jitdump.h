/*
 * Finds the jitdumps of a recording: the files in which JIT compilers write the code that they make, and its names. A compiler
 * maps its jitdump once, and the MMAP record of this mapping has the path. jit_code.h reads the contents. For each piece of code,
 * a map is added to the process, as if it had mapped the code's bytes from the jitdump when the code was made. So `perf inject
 * --jit` is not needed, and code that replaced other code at an address has its own name. Source of the format: Linux,
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
