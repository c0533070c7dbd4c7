/*
 * Prints the event counts that the CPU recorded with each branch of a branch stack (record -j any,counter), for the column brcntr
 * of prec script. Also prints a legend that explains the letters in this column.
 */
#ifndef CORE_SHOW_SCRIPT_BRANCH_COUNTERS_H
#define CORE_SHOW_SCRIPT_BRANCH_COUNTERS_H

#include <stdint.h>

struct buf;
struct event;
struct event_table;
struct features;

/* Checks that an event of @events is counted by branch; 0 or -1 (printed). */
int branch_counters_check(const struct event_table *events);
/* Appends the legend: which letter stands for which event. */
void branch_counters_put_legend(const struct event_table *events, struct buf *out);
/* Bits of each count in a branch's word; 0: the recording does not say. */
unsigned branch_counters_width(const struct features *features);
/* Appends the counts in @word, of a branch in a sample of @event: a letter per count; '+' if a count fills its @width bits. */
void branch_counters_put(const struct event_table *events, const struct event *event, unsigned width, uint64_t word,
			 struct buf *out);

#endif
