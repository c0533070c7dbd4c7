/*
 * Copies the running kernel's code, as perf record --kcore does. The copy is a directory with three files: kallsyms, modules,
 * and kcore, an ELF core file with a segment for each range of addresses.
 */
#ifndef CORE_RECORD_HOST_KCORE_COPY_H
#define CORE_RECORD_HOST_KCORE_COPY_H

/* Checks that this user can read /proc/kcore. Returns 0, or -1 after printing an error. */
int kcore_check(void);
/* Makes the directory @dir with the three files. Returns 0, or -1 after printing an error. */
int kcore_copy(const char *dir);

#endif
