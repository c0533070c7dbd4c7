/*
 * Finds the unused end of the user stack copy in a sample (PERF_SAMPLE_STACK_USER), so that backlog.c need not copy these bytes
 * from the ring buffer.
 * Layer: open
 */
#ifndef CORE_RECORD_OPEN_STACK_HOLE_H
#define CORE_RECORD_OPEN_STACK_HOLE_H

#include <stdint.h>

struct event_table;
struct sample_layout;

/* The layouts of samples as the kernel writes them into ring buffers. */
struct ring_layouts {
	const struct event_table *events;	/* borrowed */
	const struct sample_layout *recorded;	/* borrowed: by event number */
};

/* The copy always has the requested size, and the kernel does not write the bytes after the end of the stack. */
struct stack_hole { uint32_t from, to; };	/* bytes [.from, .to) of the record; equal: there is no hole */

/* Finds the unused end of the stack in the sample @record of @size bytes. */
struct stack_hole stack_hole_of(const struct ring_layouts *r, const uint8_t *record, uint16_t size);

#endif
