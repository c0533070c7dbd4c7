/*
 * jitdump: a file in which a JIT compiler writes the code that it makes, with names. The compiler maps the file once, by which
 * readers find it in the recording. It is read as it is, without perf inject: each piece of code becomes a map of the process from
 * the time on at which it was made. The dso of the map is the dump, and an address in it the offset of the code's bytes, so that
 * code that replaced other code at the same address has its own name.
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
