/*
 * Finds the C type of an operation, such as a division, in a tracepoint's `print fmt`, by C's usual arithmetic conversions. With
 * this type, prec prints the same value as the kernel. trace_parse.c calls it.
 * Layer: tracepoint
 */
#ifndef CORE_TRACEPOINT_TRACE_TYPE_H
#define CORE_TRACEPOINT_TRACE_TYPE_H

struct expr;

/*
 * Sets .is_signed, .is_wide and .is_unsigned of an expression of kind BINARY, by its operands and the usual arithmetic
 * conversions (C11 6.3.1.8). Both operands become the wider type. A shift has the type of its left operand.
 */
void expr_find_type(struct expr *e);

#endif
