/*
 * Parses the text of a `print fmt` into expressions: see trace_expr.h.
 * Layer: tracepoint
 */
#ifndef CORE_TRACEPOINT_TRACE_PARSE_H
#define CORE_TRACEPOINT_TRACE_PARSE_H

#include "core/tracepoint/trace_expr.h"

/* Text being parsed; after a failure .bad is set and everything parses as the number 0. */
struct expr_parser {
	const char *at;
	const struct trace_event *event;	/* borrowed */
	bool bad;
	unsigned nr_operands;			/* so far */
};

/* One string literal, or several side by side, with escapes resolved; owned by the caller, NULL if none stands. */
char *expr_parse_string(struct expr_parser *p);
/* An expression up to a comma or the end; owned by the caller: expr_free(). Never NULL. */
struct expr *expr_parse(struct expr_parser *p);
/* Pass blanks, and @c if it is next. */
bool expr_accept(struct expr_parser *p, char c);

#endif
