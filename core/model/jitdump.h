/*
 * Reads the jitdump files to which JIT compilers wrote their compiled code with its symbols. side_band.c calls it for the MMAP
 * record of such a file. jit_code.h parses the contents.
 * Layer: model
 */
#ifndef CORE_MODEL_JITDUMP_H
#define CORE_MODEL_JITDUMP_H

#include "core/model/map.h"

struct machine;

/*
 * Reads the jitdump that @map maps, unless it was read before. @process, @pid: the number and the pid of the process. A damaged
 * jitdump is read up to the damage.
 *
 * A compiler maps its jitdump once, and the MMAP record of this mapping has the path. For the code of each function, a map is added
 * to the process, as if it had mapped the code's bytes from the jitdump when the code was made. So `perf inject --jit` is not
 * needed, and code that replaced other code at an address has its own name.
 */
void jitdump_mapped(struct machine *m, const struct map *map, uint32_t pid, uint32_t process);

#endif
