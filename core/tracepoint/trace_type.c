/*
 * Finds the C type of an operation in a tracepoint's `print fmt`: whether it is signed, and whether it has 64 bits. The printed
 * value depends on both (trace_type.h).
 * Layer: tracepoint
 */
#include "core/tracepoint/trace_type.h"

#include "core/tracepoint/trace_expr.h"

/* True if the value may be below 0. An unsigned 64-bit operand makes the whole operation unsigned. */
static bool is_signed(const struct expr *e)
{
	switch (e->kind) {
	case EXPR_NUMBER:
	case EXPR_CAST:
	case EXPR_BINARY:
		return e->is_signed;
	case EXPR_UNARY:
		return is_signed(e->a);
	case EXPR_COND:
		return is_signed(e->b) && is_signed(e->c);
	case EXPR_FIELD:
	case EXPR_ELEMENT:
		return e->field->is_signed || e->field->element_size < 8;
	default:
		return true;
	}
}

static bool gives_bool(enum expr_op op)
{
	return (op >= OP_LT && op <= OP_NE) || (op >= OP_LAND && op <= OP_NOT);
}

/* True if the expression's type in C has 64 bits. Types shorter than int are promoted to int. */
static bool is_wide(const struct expr *e)
{
	switch (e->kind) {
	case EXPR_NUMBER:
	case EXPR_BINARY:
		return e->is_wide;
	case EXPR_FIELD:
	case EXPR_ELEMENT:
		return e->field->element_size > 4;
	case EXPR_CAST:
		return !e->number || e->number > 4;
	case EXPR_UNARY:
		return !gives_bool(e->op) && is_wide(e->a);
	case EXPR_COND:
		return is_wide(e->b) || is_wide(e->c);
	default:
		return e->kind != EXPR_DYNAMIC_LEN;
	}
}

/* For expressions of 32-bit types: true if the type is unsigned. */
static bool is_unsigned(const struct expr *e)
{
	switch (e->kind) {
	case EXPR_NUMBER:
		return e->is_unsigned;
	case EXPR_FIELD:
	case EXPR_ELEMENT:
		return e->field->element_size == 4 && !e->field->is_signed;
	case EXPR_CAST:
		return e->number == 4 && !e->sign_extends;
	case EXPR_UNARY:
		return !gives_bool(e->op) && is_unsigned(e->a);
	case EXPR_BINARY:
		return !gives_bool(e->op) && e->is_unsigned;
	case EXPR_COND:
		return is_unsigned(e->b) || is_unsigned(e->c);
	default:
		return false;
	}
}

void expr_find_type(struct expr *e)
{
	bool left_only = e->op == OP_SHL || e->op == OP_SHR;
	bool wide = is_wide(e->a) || (!left_only && is_wide(e->b));

	e->is_signed = is_signed(e->a) && (left_only || is_signed(e->b));
	e->is_wide = wide && !gives_bool(e->op);
	e->is_unsigned = !wide && (is_unsigned(e->a) || (!left_only && is_unsigned(e->b)));
}
