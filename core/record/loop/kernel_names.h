/*
 * Saves the running kernel's kallsyms and vdso below ~/.debug by build id, as perf does. With the copies a recording can be
 * symbolized while another kernel runs, or on another machine.
 */
#ifndef CORE_RECORD_LOOP_KERNEL_NAMES_H
#define CORE_RECORD_LOOP_KERNEL_NAMES_H

/*
 * Saves kallsyms and the vdso once per boot, because the addresses of the kernel and its modules change with each boot. If the
 * kernel hides its addresses, or there is no room, nothing is saved, and debug messages give the reason.
 */
void kernel_names_keep(void);

#endif
