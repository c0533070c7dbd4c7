/*
 * Evaluates the expression trees that trace_parse.c makes from a tracepoint's `print fmt`, with the fields of one record. The
 * result is a number or text.
 */
#include "core/tracepoint/trace_expr.h"

#include <string.h>

#include "core/base/buf.h"

void expr_free(struct expr *e)
{
	if (!e)
		return;
	expr_free(e->a);
	expr_free(e->b);
	expr_free(e->c);
	vec_for(s, &e->list)
		free(s->text);
	vec_free(&e->list);
	free(e->text);
	free(e);
}

bool expr_is_text(const struct expr *e)
{
	switch (e->kind) {
	case EXPR_STRING:
	case EXPR_FLAGS:
	case EXPR_SYMBOLIC:
	case EXPR_HEX:
	case EXPR_HEX_STR:
	case EXPR_ARRAY:
	case EXPR_DYNAMIC_STR:
	case EXPR_BITMASK:
	case EXPR_CPUMASK:
		return true;
	case EXPR_COND:
		return expr_is_text(e->b) || expr_is_text(e->c);
	case EXPR_CAST:
		return expr_is_text(e->a);
	case EXPR_FIELD:
		return e->field && e->field->is_array;
	default:
		return false;
	}
}

/*
 * Converts an operand to unsigned int if the other one is an unsigned int: then -1 is not below 0. Only comparisons, / and % need
 * this, because other operators have the same result in 64 bits.
 */
static uint64_t as_unsigned(const struct expr *e, uint64_t v)
{
	bool shows = (e->op >= OP_LT && e->op <= OP_NE) || e->op == OP_DIV || e->op == OP_MOD;

	return e->is_unsigned && shows ? (uint32_t)v : v;
}

static uint64_t binary(const struct expr *e, const struct trace_data *d)
{
	uint64_t a = as_unsigned(e, expr_number(e->a, d)), b = as_unsigned(e, expr_number(e->b, d));
	int64_t sa = (int64_t)a, sb = (int64_t)b;
	bool is_signed = e->is_signed;

	switch (e->op) {
	case OP_MUL: return a * b;
	case OP_DIV: return !b ? 0 : !is_signed ? a / b : sb == -1 ? -a : (uint64_t)(sa / sb);
	case OP_MOD: return !b ? 0 : !is_signed ? a % b : sb == -1 ? 0 : (uint64_t)(sa % sb);
	case OP_ADD: return a + b;
	case OP_SUB: return a - b;
	case OP_SHL: return a << (b & 63);	/* only the low 6 bits of b count, as on x86 and arm64 */
	case OP_SHR: return a >> (b & 63);
	case OP_LT: return is_signed ? sa < sb : a < b;
	case OP_GT: return is_signed ? sa > sb : a > b;
	case OP_LE: return is_signed ? sa <= sb : a <= b;
	case OP_GE: return is_signed ? sa >= sb : a >= b;
	case OP_EQ: return a == b;
	case OP_NE: return a != b;
	case OP_AND: return a & b;
	case OP_XOR: return a ^ b;
	case OP_OR: return a | b;
	default: return 0;
	}
}

static uint64_t cast(uint64_t v, uint64_t size, bool is_signed)
{
	switch (size) {
	case 1: return is_signed ? (uint64_t)(int8_t)v : (uint8_t)v;
	case 2: return is_signed ? (uint64_t)(int16_t)v : (uint16_t)v;
	case 4: return is_signed ? (uint64_t)(int32_t)v : (uint32_t)v;
	default: return v;
	}
}

static uint64_t element(const struct expr *e, const struct trace_data *d)
{
	const struct trace_field *f = e->field;
	uint64_t index = expr_number(e->a, d);
	uint32_t size;
	const uint8_t *p = trace_field_bytes(d, f, &size);

	if (!p || index >= size / f->element_size)
		return 0;
	return trace_number(d, p + index * f->element_size, f->element_size, f->is_signed);
}

uint64_t expr_number(const struct expr *e, const struct trace_data *d)
{
	uint32_t size;

	switch (e->kind) {
	case EXPR_NUMBER:
		return e->number;
	case EXPR_FIELD:
		return trace_field_number(d, e->field);
	case EXPR_ELEMENT:
		return element(e, d);
	case EXPR_UNARY: {
		uint64_t v = expr_number(e->a, d);

		return e->op == OP_NEG ? -v : e->op == OP_COMPL ? ~v : !v;
	}
	case EXPR_BINARY:
		if (e->op == OP_LAND)
			return expr_number(e->a, d) && expr_number(e->b, d);
		if (e->op == OP_LOR)
			return expr_number(e->a, d) || expr_number(e->b, d);
		return binary(e, d);
	case EXPR_COND:
		return expr_number(expr_number(e->a, d) ? e->b : e->c, d);
	case EXPR_CAST:
		return cast(expr_number(e->a, d), e->number, e->sign_extends);
	case EXPR_DYNAMIC_LEN:
		trace_field_bytes(d, e->field, &size);
		return size;
	default:
		return 0;
	}
}

const uint8_t *expr_bytes(const struct expr *e, const struct trace_data *d, uint32_t *size)
{
	*size = 0;
	while (e->kind == EXPR_CAST)
		e = e->a;
	return e->field ? trace_field_bytes(d, e->field, size) : NULL;
}

/* ---- texts ---- */

/* The value in the width of its type: a negative int is 0xffffffff, as perf prints it. */
static uint64_t at_width(const struct expr *e, uint64_t v)
{
	uint32_t size = e->kind == EXPR_FIELD || e->kind == EXPR_ELEMENT ? e->field->element_size : 8;

	return size < 8 ? v & ((1ull << 8 * size) - 1) : v;
}

static void flags_text(const struct expr *e, const struct trace_data *d, struct buf *out)
{
	uint64_t v = at_width(e->a, expr_number(e->a, d));
	bool any = false;

	/* The kernel prints nothing for no flags, whatever the table calls 0 (trace_print_flags_seq()). */
	vec_for(s, &e->list) {
		if (!v)
			break;
		if (!s->value || (v & s->value) != s->value)
			continue;
		if (any)
			buf_puts(out, e->text);
		buf_puts(out, s->text);
		any = true;
		v &= ~s->value;
	}
	if (v) {
		if (any)
			buf_puts(out, e->text);
		buf_puts(out, "0x");
		buf_hex(out, v, 0);
	}
}

static void symbolic_text(const struct expr *e, const struct trace_data *d, struct buf *out)
{
	uint64_t v = expr_number(e->a, d);

	vec_for(s, &e->list)
		if (s->value == v) {
			buf_puts(out, s->text);
			return;
		}
	buf_puts(out, "0x");
	buf_hex(out, at_width(e->a, v), 0);
}

static void hex_text(const struct expr *e, const struct trace_data *d, struct buf *out)
{
	uint32_t size;
	const uint8_t *p = expr_bytes(e->a, d, &size);
	uint64_t n = MIN(expr_number(e->b, d), size);

	for (uint64_t i = 0; p && i < n; i++) {
		if (i && e->kind == EXPR_HEX)
			buf_putc(out, ' ');
		buf_hex0(out, p[i], 2);
	}
}

static void array_text(const struct expr *e, const struct trace_data *d, struct buf *out)
{
	uint32_t size, step = (uint32_t)expr_number(e->c, d);
	const uint8_t *p = expr_bytes(e->a, d, &size);
	uint64_t n = expr_number(e->b, d);

	buf_putc(out, '{');
	for (uint64_t i = 0; p && step && step <= 8 && i < n && (i + 1) * step <= size; i++) {
		buf_puts(out, i ? ",0x" : "0x");
		buf_hex(out, trace_number(d, p + i * step, step, false), 0);
	}
	buf_putc(out, '}');
}

static void bitmask_text(const struct expr *e, const struct trace_data *d, struct buf *out)
{
	uint32_t size;
	const uint8_t *p = trace_field_bytes(d, e->field, &size);
	bool any = false;

	/* Words of 32 bits, most significant first, as the kernel prints a mask. */
	for (uint32_t at = size / 4; p && at-- > 0;) {
		uint64_t v = trace_number(d, p + 4 * at, 4, false);

		if (any)
			buf_putc(out, ',');
		buf_hex0(out, v, 8);
		any = true;
	}
}

void expr_bits_text(const uint8_t *bytes, uint64_t nr_bits, struct buf *out)
{
	bool any = false;

	for (uint64_t i = 0; i < nr_bits; i++) {
		uint64_t from = i;

		while (i < nr_bits && bytes[i / 8] >> i % 8 & 1)
			i++;
		if (i == from)
			continue;
		if (any)
			buf_putc(out, ',');
		any = true;
		buf_dec(out, from, 0);
		if (i - from > 1) {
			buf_putc(out, '-');
			buf_dec(out, i - 1, 0);
		}
	}
}

static void string_text(const uint8_t *p, uint32_t size, size_t max, struct buf *out)
{
	if (p)
		buf_put(out, p, strnlen((const char *)p, MIN(size, max)));
}

/* Appends the text for %s of a number: the kernel's constant string at that address. */
static void pointed_text(uint64_t addr, const struct trace_names *names, struct buf *out)
{
	const char *s = names && names->string ? names->string(names->ctx, addr) : NULL;

	if (s)
		buf_puts(out, s);
	else
		buf_hex(out, addr, 0);
}

void expr_text(const struct expr *e, const struct trace_data *d, const struct trace_names *names, size_t max, struct buf *out)
{
	uint32_t size;
	const uint8_t *p;

	switch (e->kind) {
	case EXPR_STRING:
		buf_put(out, e->text, strnlen(e->text, max));
		break;
	case EXPR_COND:
		expr_text(expr_number(e->a, d) ? e->b : e->c, d, names, max, out);
		break;
	case EXPR_CAST:
		expr_text(e->a, d, names, max, out);
		break;
	case EXPR_FLAGS:
		flags_text(e, d, out);
		break;
	case EXPR_SYMBOLIC:
		symbolic_text(e, d, out);
		break;
	case EXPR_HEX:
	case EXPR_HEX_STR:
		hex_text(e, d, out);
		break;
	case EXPR_ARRAY:
		array_text(e, d, out);
		break;
	case EXPR_BITMASK:
		bitmask_text(e, d, out);
		break;
	case EXPR_CPUMASK:
		p = trace_field_bytes(d, e->field, &size);
		expr_bits_text(p, 8ull * size, out);
		break;
	case EXPR_DYNAMIC_STR:
	case EXPR_DYNAMIC:
		p = trace_field_bytes(d, e->field, &size);
		string_text(p, size, max, out);
		break;
	case EXPR_FIELD:
		if (e->field->is_array) {
			p = trace_field_bytes(d, e->field, &size);
			string_text(p, size, max, out);
			break;
		}
		/* fall through */
	default:
		pointed_text(expr_number(e, d), names, out);
	}
}

/* ---- types ---- */

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
