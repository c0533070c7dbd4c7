/*
 * Evaluates the C expressions in the `print fmt` of a tracepoint's format file, such as REC->flags & 1, with the fields of one
 * record. prec supports the part of C that the kernel's tracepoints use. trace_parse.h parses them.
 */
#ifndef CORE_TRACEPOINT_TRACE_EXPR_H
#define CORE_TRACEPOINT_TRACE_EXPR_H

#include "core/tracepoint/tracepoint.h"

struct buf;

enum expr_kind {
	EXPR_NUMBER,		/* .number */
	EXPR_STRING,		/* .text */
	EXPR_FIELD,		/* REC->f: .field */
	EXPR_ELEMENT,		/* REC->f[a] */
	EXPR_UNARY,		/* .op a: - ~ ! */
	EXPR_BINARY,		/* a .op b */
	EXPR_COND,		/* a ? b : c */
	EXPR_CAST,		/* (type)a: .number bytes, .is_signed */
	EXPR_FLAGS,		/* __print_flags(a, .text, list) */
	EXPR_SYMBOLIC,		/* __print_symbolic(a, list) */
	EXPR_HEX,		/* __print_hex(a, b) */
	EXPR_HEX_STR,		/* __print_hex_str(a, b) */
	EXPR_ARRAY,		/* __print_array(a, b, c) */
	EXPR_DYNAMIC_STR,	/* __get_str(.field) */
	EXPR_DYNAMIC,		/* __get_dynamic_array(.field) */
	EXPR_DYNAMIC_LEN,	/* __get_dynamic_array_len(.field) */
	EXPR_BITMASK,		/* __get_bitmask(.field): words in hexadecimal */
	EXPR_CPUMASK,		/* __get_cpumask(.field): "0-3,8" */
};

enum expr_op { OP_MUL, OP_DIV, OP_MOD, OP_ADD, OP_SUB, OP_SHL, OP_SHR, OP_LT, OP_GT, OP_LE, OP_GE, OP_EQ, OP_NE,
	       OP_AND, OP_XOR, OP_OR, OP_LAND, OP_LOR, OP_NOT, OP_NEG, OP_COMPL };

struct expr_symbol { uint64_t value; char *text; };	/* text owned */

struct expr {
	enum expr_kind kind;
	enum expr_op op;
	bool is_signed;
	bool is_wide;				/* NUMBER, BINARY: the type has 64 bits */
	bool is_unsigned;			/* NUMBER: an unsigned int; BINARY: its operands are converted to it, as in C */
	bool sign_extends;			/* CAST: to a signed type */
	bool unknown;				/* NUMBER: a constant known by name only; 0 within an expression */
	uint64_t number;
	char *text;				/* owned */
	const struct trace_field *field;	/* borrowed from the event */
	struct expr *a, *b, *c;			/* owned */
	VEC(struct expr_symbol) list;
};

void expr_free(struct expr *e);

/*
 * Sets .is_signed, .is_wide and .is_unsigned of an expression of kind BINARY, by its operands and the usual arithmetic
 * conversions (C11 6.3.1.8). Both operands become the wider type. A shift has the type of its left operand.
 */
void expr_find_type(struct expr *e);
/* True if the expression is a text, not a number. */
bool expr_is_text(const struct expr *e);
uint64_t expr_number(const struct expr *e, const struct trace_data *d);
/* Appends the text of @e. At most @max bytes of a plain string are appended. */
void expr_text(const struct expr *e, const struct trace_data *d, const struct trace_names *names, size_t max, struct buf *out);
/* Appends the numbers of the set bits among @nr_bits in the form "0-3,8". The lowest bit of a byte comes first. */
void expr_bits_text(const uint8_t *bytes, uint64_t nr_bits, struct buf *out);
/* Returns the bytes of an array field or dynamic array, or NULL if @e is neither. */
const uint8_t *expr_bytes(const struct expr *e, const struct trace_data *d, uint32_t *size);

#endif
