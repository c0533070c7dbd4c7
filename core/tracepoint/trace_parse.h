/*
 * Parses the C expressions in a tracepoint's `print fmt` into trees (trace_expr.h). trace_program.c calls it for each argument
 * of the format.
 */
#ifndef CORE_TRACEPOINT_TRACE_PARSE_H
#define CORE_TRACEPOINT_TRACE_PARSE_H

#include "core/tracepoint/trace_expr.h"

/* Text being parsed; after a failure .bad is set and everything parses as the number 0. */
struct expr_parser {
	const char *at;
	const struct trace_event *event;	/* borrowed */
	bool bad;
	unsigned nr_operands;			/* the number of operands parsed so far */
};

/* Parses adjacent string literals, with their escapes. Owned by the caller; NULL: there is none. */
char *expr_parse_string(struct expr_parser *p);
/* Parses an expression up to a comma or the end of the text. Never returns NULL. Owned by the caller: expr_free(). */
struct expr *expr_parse(struct expr_parser *p);
/* Skips spaces, and then @c if it comes next. Returns true if it did. */
bool expr_accept(struct expr_parser *p, char c);

#endif
