/*
 * Prints records of a tracepoint as the `print fmt` of its format file says. The `print fmt` is compiled once to a list of
 * literal texts and conversions such as %d, each conversion with an expression over the record's fields (trace_expr.h).
 */
#ifndef CORE_TRACEPOINT_TRACE_PROGRAM_H
#define CORE_TRACEPOINT_TRACE_PROGRAM_H

#include <stdint.h>

struct buf;
struct trace_data;
struct trace_event;
struct trace_field;
struct trace_names;

/* Compiles the event's print format. Returns 0. If the format is not supported, returns -ENOTSUP, and the event has no program. */
int trace_event_compile(struct trace_event *ev);
/* Frees the program. Call it before trace_event_free(). */
void trace_event_forget_program(struct trace_event *ev);

/* Appends the text of a hit by the event's program, or "[FAILED TO PARSE] " and the fields. Safe for any bytes. */
void trace_event_print(const struct trace_event *ev, const struct trace_data *d, const struct trace_names *names, struct buf *out);
/* Appends "name=value name=value ...", for the fields that are not common. */
void trace_fields_print(const struct trace_event *ev, const struct trace_data *d, struct buf *out);
/* Appends the value of one field. */
void trace_field_print(const struct trace_field *f, const struct trace_data *d, struct buf *out);

#endif
