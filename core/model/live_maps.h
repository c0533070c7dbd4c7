/*
 * Keeps the current maps of all processes during recording, so that prec record can unwind stacks
 * (core/record/live/live_unwind.c). Readers of a recording use machine.h, which also keeps earlier maps.
 */
#ifndef CORE_MODEL_LIVE_MAPS_H
#define CORE_MODEL_LIVE_MAPS_H

#include "core/base/vec.h"
#include "core/model/map.h"

struct dso;
struct record;

/* A snapshot of the maps of one process. It does not change while a caller holds it. */
struct live_space {
	uint32_t number;	/* each state of the maps has a number of its own */
	uint32_t refs;		/* atomic */
	VEC(struct map) maps;	/* sorted, not overlapping */
};

/* Only one thread may call these functions, except those marked as safe. @monotonic: the recording's clock is CLOCK_MONOTONIC. */
struct live_maps;
struct live_maps *live_maps_new(bool monotonic);
/* Call it when all spaces are released. */
void live_maps_free(struct live_maps *l);

/* True if live_maps_apply() handles records of this type. */
bool live_maps_handles(uint32_t type);
/* Applies a side-band record, in order of time, or ignores an invalid one. Earlier maps and ended processes are forgotten. */
void live_maps_apply(struct live_maps *l, const struct record *rec);

/*
 * Reads new code in the jitdumps that processes have mapped. Returns true if some code is not in the maps yet, because
 * live_maps_space() adds it when it is called with a time at or after that of the code.
 */
bool live_maps_read_jits(struct live_maps *l);
/* The maps of @pid at @time, which may not go back between calls. Release them by live_space_put(). NULL: none are known. */
const struct live_space *live_maps_space(struct live_maps *l, uint32_t pid, uint64_t time);
/* Releases the maps. Safe from any thread. */
void live_space_put(const struct live_space *s);
/* The map that holds @ip, or NULL; *span is set to the addresses around @ip with the same answer. Safe from any thread. */
const struct map *live_space_map(const struct live_space *s, uint64_t ip, struct ip_span *span);

/*
 * Opens the file of a dso, by its path in the process that mapped it or by its path here, if the file has the recorded build id.
 * Reads its segments, but not its symbols; only the vdso's symbols are loaded, too. Does so once; safe from any thread.
 */
void live_dso_load(struct live_maps *l, struct dso *dso);
/* Closes the file, so that the next use looks for it again. No other thread may use the dso or its maps meanwhile. */
void live_dso_unload(struct dso *dso);
/* Copies up to @n bytes of the file that @map has at @ip, after live_dso_load(); returns their number. Safe from any thread. */
size_t live_map_code(const struct map *map, uint64_t ip, void *out, size_t n);

#endif
