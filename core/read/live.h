/*
 * Reads a recording from a pipe while the recorder still writes it, for commands such as `prec script -i -`.
 * core/perfdata/pipe_reader.h reads the pipe, and ordered.c shows the records that have arrived.
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
 * Reads the start of @file's stream, up to the end of its descriptions, into @scan and @machine; all three are borrowed. Returns
 * 0 and *out (live_free()); 1 if the stream must be read to its end first, with nothing released and @scan unchanged; or -1
 * (printed).
 */
int live_begin(struct live **out, struct scan *scan, struct data_file *file, struct machine *machine);
/* Call it before the file, the scan and the machine are freed. */
void live_free(struct live *l);

/*
 * Waits until there is more to show, applies the MMAP, COMM, FORK and similar records up to there, and seals the machine again
 * (machine.h). Each FINISHED_ROUND record gives the time up to which all records have arrived (struct scan: .settled). Records
 * without times are shown when they arrive. If there are no FINISHED_ROUND records, all records are shown at the end. *upto:
 * records up to and including this time may be shown, UINT64_MAX: all. *changed: earlier lookups in the machine are invalid.
 * Returns false at the end of the stream.
 */
bool live_advance(struct live *l, uint64_t *upto, bool *changed);
/* Releases everything before @position, which has been shown. */
void live_release_before(struct live *l, uint64_t position);

#endif
