/*
 * Saves the running kernel's kallsyms and vdso below ~/.debug by build id, as perf does. With this folder a recording can be
 * symbolized while another kernel runs, or on another machine.
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
