/* A little-endian perf.data, record or attr turned into what a big-endian machine would have written; all in place. */
#ifndef TESTS_LIB_SWAP_H
#define TESTS_LIB_SWAP_H

#include <stddef.h>
#include <stdint.h>

struct event_attr;

/* @size bytes of perf_event_attr. */
void foreign_attr(uint8_t *p, size_t size);
/* A whole record, whose event has @attr (still native). NULL: no trailer. */
void foreign_record(uint8_t *p, const struct event_attr *attr);
/* A whole file or stream. Without IDENTIFIER all its events have the layout of the first. */
void foreign_file(uint8_t *file, size_t size);

#endif
