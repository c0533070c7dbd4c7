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

/* Parses one or more adjacent string literals, with escapes resolved. Owned by the caller; NULL: there is none. */
char *expr_parse_string(struct expr_parser *p);
/* Parses an expression up to a comma or the end. Owned by the caller: expr_free(). Never NULL. */
struct expr *expr_parse(struct expr_parser *p);
/* Skips spaces, and @c if it is next. Returns true if it was. */
bool expr_accept(struct expr_parser *p, char c);

#endif
