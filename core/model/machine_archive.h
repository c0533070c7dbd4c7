/*
 * Connects a machine with an archive (format: core/perfdata/archive.h): archive_save.c adds what the machine looked up,
 * archive_load.c takes names and code from it.
 * Layer: model
 */
#ifndef CORE_MODEL_MACHINE_ARCHIVE_H
#define CORE_MODEL_MACHINE_ARCHIVE_H

#include "core/perfdata/archive.h"
#include "core/model/machine.h"

struct dso_code;

/* ---- reading ---- */

/* Take what @m's archive has of @dso, which is being loaded; false: nothing. */
bool archived_load(const struct machine *m, struct dso *dso);
/* Its code, with a module at @base; false: it has none of it. */
bool archived_code(const struct dso *dso, uint64_t base, struct dso_code *out);
/* The recording's archive, borrowed; NULL: it has none. */
const struct archive *machine_archive(const struct machine *m);

/* ---- making ---- */

/*
 * Adds the results of @m's lookups since machine_track_lookups(): symbols, lines, code (without @code, only code of files with call
 * chains that was read to check them), jitdumps. Call it after all lookups. The caller adds unwind tables to out->dsos by the
 * number of the dso.
 */
void archive_add_lookups(struct archive *out, struct machine *m);

#endif
