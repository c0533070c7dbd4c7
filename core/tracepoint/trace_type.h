/* Finds the type of an operation by C's usual arithmetic conversions. Layer: tracepoint */
#ifndef CORE_TRACEPOINT_TRACE_TYPE_H
#define CORE_TRACEPOINT_TRACE_TYPE_H

struct expr;

/*
 * Sets .is_signed, .is_wide and .is_unsigned of a BINARY by its operands and the usual arithmetic conversions (C11 6.3.1.8): both
 * operands become the wider type; a shift has the type of its left operand.
 */
void expr_find_type(struct expr *e);

#endif
