/*
 * Evaluates the DWARF expressions in call frame information on a stack machine. An expression computes an address, such as the
 * CFA in a PLT stub, from registers and memory.
 */
#include "core/unwind/expression.h"

#include <dwarf.h>

#define STACK_MAX	64
#define STEPS_MAX	512	/* maximum number of executed operations; the longest known expressions have some dozens */

struct evaluation {
	struct bytes program;
	const uint8_t *start;
	const struct unwind_frame *frame;
	const struct arch *arch;
	uint64_t bias;
	const struct memory *memory;
	uint64_t stack[STACK_MAX];
	unsigned nr;
	enum step end;		/* STEP_CALLER until an operation fails */
};

static void push(struct evaluation *e, uint64_t value)
{
	if (e->nr < STACK_MAX)
		e->stack[e->nr++] = frame_truncate(e->arch, value);
	else
		e->end = STEP_BAD;
}

static uint64_t pop(struct evaluation *e)
{
	if (e->nr)
		return e->stack[--e->nr];
	e->end = STEP_BAD;
	return 0;
}

/* Returns the signed number of an address's width that @v stands for. */
static int64_t as_signed(const struct evaluation *e, uint64_t v)
{
	return e->arch->word == 4 ? (int32_t)v : (int64_t)v;
}

static void push_register(struct evaluation *e, uint64_t reg, int64_t offset)
{
	uint64_t value;

	if (frame_reg(e->frame, reg, &value))
		push(e, value + (uint64_t)offset);
	else
		e->end = STEP_BAD;
}

static void dereference(struct evaluation *e, unsigned size)
{
	uint64_t value, addr = pop(e);

	if (e->end != STEP_CALLER)
		return;
	if (!size || size > 8)
		e->end = STEP_BAD;
	else if (!e->memory->read(e->memory->ctx, addr, size, &value))
		e->end = STEP_MEMORY;
	else
		push(e, value);
}

/* Pushes a copy of the value that is @depth below the top of the stack. */
static void pick(struct evaluation *e, unsigned depth)
{
	if (depth < e->nr)
		push(e, e->stack[e->nr - 1 - depth]);
	else
		e->end = STEP_BAD;
}

static void rotate(struct evaluation *e, unsigned n)
{
	uint64_t top;

	if (e->nr < n) {
		e->end = STEP_BAD;
		return;
	}
	top = e->stack[e->nr - 1];
	memmove(&e->stack[e->nr - n + 1], &e->stack[e->nr - n], (n - 1) * sizeof(top));
	e->stack[e->nr - n] = top;
}

static void jump(struct evaluation *e, bool taken)
{
	int64_t by = bytes_signed(&e->program, 2);

	if (!taken)
		return;
	if (by < e->start - e->program.pos || by > e->program.end - e->program.pos)
		e->end = STEP_BAD;
	else
		e->program.pos += by;
}

static bool run_stack(struct evaluation *e, uint8_t op)
{
	switch (op) {
	case DW_OP_dup:
		pick(e, 0);
		return true;
	case DW_OP_drop:
		pop(e);
		return true;
	case DW_OP_over:
		pick(e, 1);
		return true;
	case DW_OP_pick:
		pick(e, bytes_u8(&e->program));
		return true;
	case DW_OP_swap:
		rotate(e, 2);
		return true;
	case DW_OP_rot:
		rotate(e, 3);
		return true;
	case DW_OP_deref:
		dereference(e, e->arch->word);
		return true;
	case DW_OP_deref_size:
		dereference(e, bytes_u8(&e->program));
		return true;
	default:
		return false;
	}
}

static bool run_constant(struct evaluation *e, uint8_t op)
{
	struct bytes *b = &e->program;
	uint64_t reg;

	switch (op) {
	case DW_OP_addr:
		push(e, bytes_number(b, e->arch->word) + e->bias);
		return true;
	case DW_OP_const1u:
	case DW_OP_const2u:
	case DW_OP_const4u:
	case DW_OP_const8u:
		push(e, bytes_number(b, 1u << (op - DW_OP_const1u) / 2));
		return true;
	case DW_OP_const1s:
	case DW_OP_const2s:
	case DW_OP_const4s:
	case DW_OP_const8s:
		push(e, (uint64_t)bytes_signed(b, 1u << (op - DW_OP_const1s) / 2));
		return true;
	case DW_OP_constu:
		push(e, bytes_uleb(b));
		return true;
	case DW_OP_consts:
		push(e, (uint64_t)bytes_sleb(b));
		return true;
	case DW_OP_bregx:
		reg = bytes_uleb(b);
		push_register(e, reg, bytes_sleb(b));
		return true;
	case DW_OP_lit0 ... DW_OP_lit31:
		push(e, op - DW_OP_lit0);
		return true;
	case DW_OP_breg0 ... DW_OP_breg31:
		push_register(e, op - DW_OP_breg0, bytes_sleb(b));
		return true;
	default:
		return false;
	}
}

static bool run_unary(struct evaluation *e, uint8_t op)
{
	uint64_t v;

	switch (op) {
	case DW_OP_abs:
		v = pop(e);
		push(e, as_signed(e, v) < 0 ? -v : v);
		return true;
	case DW_OP_neg:
		push(e, -pop(e));
		return true;
	case DW_OP_not:
		push(e, ~pop(e));
		return true;
	case DW_OP_plus_uconst:
		v = pop(e);
		push(e, v + bytes_uleb(&e->program));
		return true;
	case DW_OP_skip:
		jump(e, true);
		return true;
	case DW_OP_bra:
		jump(e, pop(e));
		return true;
	case DW_OP_nop:
		return true;
	default:
		return false;
	}
}

static uint64_t divide(struct evaluation *e, int64_t a, int64_t b)
{
	if (!b || (b == -1 && a == INT64_MIN)) {
		e->end = STEP_BAD;
		return 0;
	}
	return (uint64_t)(a / b);
}

static uint64_t shift(struct evaluation *e, uint8_t op, uint64_t a, uint64_t by)
{
	if (op == DW_OP_shra)
		return (uint64_t)(as_signed(e, a) >> MIN(by, 63));
	if (by > 63)
		return 0;
	return op == DW_OP_shl ? a << by : a >> by;
}

static uint64_t compare(uint8_t op, int64_t a, int64_t b)
{
	switch (op) {
	case DW_OP_eq:
		return a == b;
	case DW_OP_ge:
		return a >= b;
	case DW_OP_gt:
		return a > b;
	case DW_OP_le:
		return a <= b;
	case DW_OP_lt:
		return a < b;
	default:
		return a != b;
	}
}

static void run_binary(struct evaluation *e, uint8_t op)
{
	uint64_t b = pop(e), a = pop(e);

	switch (op) {
	case DW_OP_and:
		push(e, a & b);
		break;
	case DW_OP_or:
		push(e, a | b);
		break;
	case DW_OP_xor:
		push(e, a ^ b);
		break;
	case DW_OP_plus:
		push(e, a + b);
		break;
	case DW_OP_minus:
		push(e, a - b);
		break;
	case DW_OP_mul:
		push(e, a * b);
		break;
	case DW_OP_div:
		push(e, divide(e, as_signed(e, a), as_signed(e, b)));
		break;
	case DW_OP_mod:
		e->end = b ? e->end : STEP_BAD;
		push(e, b ? a % b : 0);
		break;
	case DW_OP_shl:
	case DW_OP_shr:
	case DW_OP_shra:
		push(e, shift(e, op, a, b));
		break;
	case DW_OP_eq ... DW_OP_ne:
		push(e, compare(op, as_signed(e, a), as_signed(e, b)));
		break;
	default:
		e->end = STEP_BAD;
	}
}

enum step expression_run(struct bytes program, const struct unwind_frame *f, const struct arch *arch, uint64_t bias,
			 const struct memory *m, const uint64_t *first, uint64_t *value)
{
	struct evaluation e = {
		.program = program, .start = program.pos, .frame = f, .arch = arch, .bias = bias, .memory = m, .end = STEP_CALLER,
	};

	if (first)
		push(&e, *first);
	for (unsigned steps = 0; bytes_left(&e.program) && e.end == STEP_CALLER; steps++) {
		uint8_t op = bytes_u8(&e.program);

		if (!run_stack(&e, op) && !run_constant(&e, op) && !run_unary(&e, op))
			run_binary(&e, op);
		if (e.program.bad || steps >= STEPS_MAX)
			e.end = STEP_BAD;
	}
	*value = pop(&e);
	return e.end;
}
