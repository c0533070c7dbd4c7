/* Copies input that cannot be mapped (standard input, a FIFO) to an unlinked temporary file. Layer: perfdata */
#ifndef CORE_PERFDATA_SPOOL_H
#define CORE_PERFDATA_SPOOL_H

#include <stdint.h>

/* Copies @fd, up to its end, to an unlinked file below $TMPDIR or /tmp. Returns its descriptor, owned by the caller, or -errno. */
int spool(int fd);
/* Append @from, to its end, to @to. Returns 0 or -errno. */
int spool_to(int to, int from);

/* Waits until @fd, of which @got bytes were read, has more data or ends. Shows that as progress. */
void await_input(int fd, uint64_t got);

#endif
