/*
 * The names that the running kernel tells of itself, kept below ~/.debug as perf keeps them, by build id: its kallsyms and its
 * vdso. A recording is named by them when another kernel runs, or on another machine that has the folder.
 * Layer: record
 */
#ifndef CORE_RECORD_KERNEL_NAMES_H
#define CORE_RECORD_KERNEL_NAMES_H

/*
 * Keep them, once a boot: where the kernel and its modules lie changes with each. Where the kernel hides its addresses, or there is
 * no room, nothing is kept, and debug messages say why.
 */
void kernel_names_keep(void);

#endif
