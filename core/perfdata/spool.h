/* Copies input that cannot be mapped (standard input, a FIFO) to an unlinked temporary file. Layer: perfdata */
#ifndef CORE_PERFDATA_SPOOL_H
#define CORE_PERFDATA_SPOOL_H

#include <stdint.h>

/* Copy @fd to its end into an unlinked file below $TMPDIR or /tmp. Returns its descriptor, owned by the caller, or -errno. */
int spool(int fd);
/* Append @from, to its end, to @to. Returns 0 or -errno. */
int spool_to(int to, int from);

/* Wait until @fd, of which @got bytes have come, has more or ends; meanwhile the progress says so. */
void await_input(int fd, uint64_t got);

#endif
