/*
 * Prints the processes and threads of a recording as a tree, each below its parent. prec report --tasks and --mmaps print the
 * full tree. prec summary, and --tasks on a terminal, print a shorter one.
 */
#ifndef CORE_SHOW_REPORT_TASKS_H
#define CORE_SHOW_REPORT_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct session;

/*
 * Appends a line for each thread, below the thread that started it, in order of their starts; a reused tid has several lines.
 * @maps: a process's first line is followed by its maps at its end. Pids and tids are decimal, addresses hexadecimal.
 */
void tasks_print(struct session *s, bool maps, struct buf *out);

/*
 * Prints the tree for people. Tasks of one name below parents of one name share a line, with the CPU time in samples of @event (or
 * its count), their lifetime and their number. Tasks from before the recording without samples and children are only counted.
 */
struct event;
void tasks_print_groups(struct session *s, const struct event *event, struct buf *out);

/*
 * Appends a line of titles, and a line for each group of processes of one name that has, with its descendants, at least 1 % of the
 * samples of @event, a number in @profile: share, time or count, sum of lifetimes, name. A process is below the process that
 * started it. Returns the number of groups with fewer samples, which have no line.
 */
struct profile;
size_t tasks_print_brief(struct session *s, const struct profile *profile, uint32_t event, struct buf *out);

#endif
