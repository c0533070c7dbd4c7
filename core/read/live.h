/*
 * Reads a stream while it is written. Records are read as they arrive. The end of each of the recorder's rounds gives the time up
 * to which all records have arrived (struct scan: .settled). Up to that time the side band is applied, the machine is sealed, and
 * the second pass may show the records. Data that no pass needs any more are released.
 *
 * Records without times are shown at once; without FINISHED_ROUND records, all are shown at the end.
 * Layer: read
 */
#ifndef CORE_READ_LIVE_H
#define CORE_READ_LIVE_H

#include <stdbool.h>
#include <stdint.h>

struct data_file;
struct live;
struct machine;
struct scan;

/*
 * Takes in the beginning of @file's stream, up to the end of its descriptions, into @scan and @machine; all three are
 * borrowed. Returns 0 and *out (live_free()); 1: it can only be shown as a whole, nothing was released, and @scan is as
 * before; -1 (printed).
 */
int live_begin(struct live **out, struct scan *scan, struct data_file *file, struct machine *machine);
/* Before what it borrows. */
void live_free(struct live *l);

/*
 * Wait until there is more to show, and apply the side band up to there. Returns whether there may be more later; all that
 * has come may be shown if not.
 */
bool live_advance(struct live *l);
/* Up to which time, which belongs to it, records may be shown; UINT64_MAX: all. */
uint64_t live_upto(const struct live *l);
/* True if the last live_advance() made earlier lookups invalid. */
bool live_machine_changed(const struct live *l);
/* Everything before @position was shown. */
void live_release_before(struct live *l, uint64_t position);

#endif
