/*
 * The running kernel's kallsyms and vdso, saved below ~/.debug as perf does, by build id. A recording gets its names from
 * them when another kernel runs, or on another machine with the folder.
 * Layer: loop
 */
#ifndef CORE_RECORD_LOOP_KERNEL_NAMES_H
#define CORE_RECORD_LOOP_KERNEL_NAMES_H

/*
 * Saves them, once a boot: the addresses of the kernel and its modules change with each. If the kernel hides its addresses,
 * or there is no room, nothing is saved, and debug messages say why.
 */
void kernel_names_keep(void);

#endif
