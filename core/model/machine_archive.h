/*
 * Reads and fills the archive in a recording (core/perfdata/archive.h), so that prec can show the recording on machines without
 * the recorded binaries. archive_save.c fills the archive, and archive_load.c takes symbols and code from it.
 */
#ifndef CORE_MODEL_MACHINE_ARCHIVE_H
#define CORE_MODEL_MACHINE_ARCHIVE_H

#include "core/perfdata/archive.h"
#include "core/model/machine.h"

struct dso_code;

/* .nth of @dso's entry: the number of dsos with the same path and a lower number. */
uint32_t archived_nth(const struct machine *m, const struct dso *dso);

/* ---- reading ---- */

/* Loads @dso from @m's archive: symbols, state, segments, but not its code. Returns false if the archive does not have @dso. */
bool archived_load(const struct machine *m, struct dso *dso);
/* Gets the archived code of @dso; @base is the address of a module. Returns false if the archive has no code of @dso. */
bool archived_code(const struct dso *dso, uint64_t base, struct dso_code *out);
/* The recording's archive, borrowed; NULL: it has none. */
const struct archive *machine_archive(const struct machine *m);

/* ---- making ---- */

/*
 * Adds the results of @m's lookups since machine_track_lookups() to @out: symbols, lines, code that was read, jitdumps. Call it
 * after all lookups. Entry n of out->dsos is for the dso with number n; the caller adds the unwind tables there.
 */
void archive_add_lookups(struct archive *out, struct machine *m);

#endif
