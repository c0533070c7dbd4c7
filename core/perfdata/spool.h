/*
 * Copies input that cannot be mapped (standard input, a FIFO) to an unlinked temporary file, so that data_file.c can map it like
 * a recording in a file.
 * Layer: perfdata
 */
#ifndef CORE_PERFDATA_SPOOL_H
#define CORE_PERFDATA_SPOOL_H

#include <stdint.h>

/* Copies @fd to its end to an unlinked file in $TMPDIR or /tmp. Returns the file's descriptor, owned by the caller, or -errno. */
int spool(int fd);
/* Appends the rest of @from to @to. Returns 0 or -errno. */
int spool_to(int to, int from);

/* Waits until @fd has more data or ends. Shows progress meanwhile, with @got, the number of bytes that were read before. */
void await_input(int fd, uint64_t got);

#endif
