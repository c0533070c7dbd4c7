/*
 * Declares the sort keys for the process, thread, cgroup, CPU and time of a sample, and for the number of threads that waited for
 * the CPU. key_table.c finds them by name.
 * Layer: hists
 */
#ifndef CORE_HISTS_TASK_KEY_H
#define CORE_HISTS_TASK_KEY_H

struct key_table;

extern const struct key_table task_keys;

#endif
