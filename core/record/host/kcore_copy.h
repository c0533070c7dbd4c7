/*
 * Copies the running kernel's code, as perf record --kcore does: to a directory with kallsyms, modules and kcore, a core file with
 * a segment for each range of addresses.
 * Layer: host
 */
#ifndef CORE_RECORD_HOST_KCORE_COPY_H
#define CORE_RECORD_HOST_KCORE_COPY_H

/* Checks that it can be read here. Returns 0, or -1 (printed). */
int kcore_check(void);
/* Make the directory @dir with the three. Returns 0, or -1 (printed). */
int kcore_copy(const char *dir);

#endif
