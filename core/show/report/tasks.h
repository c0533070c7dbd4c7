/* Processes and threads as a tree, and each process's maps, for report --tasks and --mmaps. Layer: report */
#ifndef CORE_SHOW_REPORT_TASKS_H
#define CORE_SHOW_REPORT_TASKS_H

#include <stdbool.h>
#include <stdint.h>

struct buf;
struct session;

/*
 * Append a line for each life of a thread, below the thread that started it, in the order in which they began; @maps: after the
 * first line of a process also what it had mapped in the end. Pids and tids are decimal, addresses hexadecimal.
 */
void tasks_print(struct session *s, bool maps, struct buf *out);

/*
 * The same for people: a line for all of one name below those of one name, with the CPU time in samples of @event (or its count),
 * how long they lived, and how many they are. Tasks that ran before, without samples and children, are only counted.
 */
struct event;
void tasks_print_groups(struct session *s, const struct event *event, struct buf *out);

/*
 * Append a line for each group of processes of one name that has, with the processes it started, at least 1 % of the samples of
 * @event, a number of @profile's: share, time or count, the sum of the lives, the name. Processes stand below those that started
 * them.
 */
struct profile;
void tasks_print_brief(struct session *s, const struct profile *profile, uint32_t event, struct buf *out);

#endif
