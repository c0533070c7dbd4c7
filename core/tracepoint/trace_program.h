/*
 * A tracepoint's `print fmt`, compiled once: a list of literal pieces and conversions, each conversion with an expression over
 * the record's fields.
 * Layer: tracepoint
 */
#ifndef CORE_TRACEPOINT_TRACE_PROGRAM_H
#define CORE_TRACEPOINT_TRACE_PROGRAM_H

#include <stdint.h>

struct buf;
struct trace_data;
struct trace_event;
struct trace_field;
struct trace_names;

/* Compile the event's print format. Returns 0, or -ENOTSUP for what is beyond it; the event has no program then. */
int trace_event_compile(struct trace_event *ev);
/* Undo it, before trace_event_free(). */
void trace_event_forget_program(struct trace_event *ev);

/* Append what a hit prints: by its program, or "[FAILED TO PARSE] " and its fields if it has none. Safe for any bytes. */
void trace_event_print(const struct trace_event *ev, const struct trace_data *d, const struct trace_names *names, struct buf *out);
/* "name=value name=value ...", the fields that are not common. */
void trace_fields_print(const struct trace_event *ev, const struct trace_data *d, struct buf *out);
/* The value of one. */
void trace_field_print(const struct trace_field *f, const struct trace_data *d, struct buf *out);

#endif
