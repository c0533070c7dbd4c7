/*
 * A copy of the running kernel's code, as perf record --kcore keeps it beside a recording: a directory with kallsyms, modules
 * and kcore, a core file in which a segment is a range of addresses.
 * Layer: host
 */
#ifndef CORE_RECORD_HOST_KCORE_COPY_H
#define CORE_RECORD_HOST_KCORE_COPY_H

/* Checks that it can be read here. Returns 0, or -1 (printed). */
int kcore_check(void);
/* Make the directory @dir with the three. Returns 0, or -1 (printed). */
int kcore_copy(const char *dir);

#endif
