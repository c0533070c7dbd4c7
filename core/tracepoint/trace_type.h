/* Finds the type of an operation by C's usual arithmetic conversions. Layer: tracepoint */
#ifndef CORE_TRACEPOINT_TRACE_TYPE_H
#define CORE_TRACEPOINT_TRACE_TYPE_H

struct expr;

/*
 * Set .is_signed, .is_wide and .is_unsigned of a BINARY whose operands are there, by the usual arithmetic conversions
 * (C11 6.3.1.8): both become the wider type; a shift has the type of what is shifted.
 */
void expr_find_type(struct expr *e);

#endif
