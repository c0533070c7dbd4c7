/*
 * A tracepoint's `print fmt`, compiled once: a list of literal pieces and conversions, each conversion with
 * an expression over the record's fields.
 * Layer: format
 */
#ifndef CORE_FORMAT_TRACE_PROGRAM_H
#define CORE_FORMAT_TRACE_PROGRAM_H

#include <stdint.h>

struct buf;
struct trace_data;
struct trace_event;
struct trace_program;

/* What printing asks of its surroundings; every member may be NULL. */
struct trace_names {
	void *ctx;
	/* The kernel function that holds @addr, and how far in; NULL: unknown. */
	const char *(*function)(void *ctx, uint64_t addr, uint64_t *offset);
	/* The kernel's constant string at @addr (tracing data's printk formats); NULL: unknown. */
	const char *(*string)(void *ctx, uint64_t addr);
};

/* Returns 0 and *out (trace_program_free()), or -ENOTSUP for what is beyond it; *out is NULL then. */
int trace_program_compile(struct trace_program **out, const struct trace_event *ev);
void trace_program_free(struct trace_program *p);

/* Append what a hit prints: by its program, or "[FAILED TO PARSE] " and its fields where it has none. Safe for any bytes. */
void trace_event_print(const struct trace_event *ev, const struct trace_data *d, const struct trace_names *names, struct buf *out);
/* "name=value name=value ...", the fields that are not common. */
void trace_fields_print(const struct trace_event *ev, const struct trace_data *d, struct buf *out);

#endif
