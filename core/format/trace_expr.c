/* Parsing and evaluating the expressions of a `print fmt`. Layer: format */
#include "core/format/trace_expr.h"

#include <ctype.h>
#include <string.h>

#include "core/base/buf.h"

/* A format file may be hostile: */
#define MAX_DEPTH	1000	/* of nesting */
#define MAX_OPERANDS	20000	/* of one format, which bounds the depth of the tree */

static struct expr *parse_cond(struct expr_parser *p, int depth);

static struct expr *new_expr(enum expr_kind kind)
{
	struct expr *e = xcalloc(1, sizeof(*e));

	e->kind = kind;
	return e;
}

static void give_up(struct expr_parser *p)
{
	p->bad = true;
	p->at += strlen(p->at);
}

static struct expr *fail(struct expr_parser *p)
{
	give_up(p);
	return new_expr(EXPR_NUMBER);
}

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

/* ---- tokens ---- */

static void blanks(struct expr_parser *p)
{
	while (isspace((unsigned char)*p->at))
		p->at++;
}

bool expr_accept(struct expr_parser *p, char c)
{
	blanks(p);
	if (*p->at != c)
		return false;
	p->at++;
	return true;
}

static void expect(struct expr_parser *p, char c)
{
	if (!expr_accept(p, c))
		give_up(p);
}

static bool is_word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The length of the word at the cursor; 0: none. */
static size_t word(struct expr_parser *p)
{
	size_t n = 0;

	blanks(p);
	if (isdigit((unsigned char)*p->at))
		return 0;
	while (is_word_char(p->at[n]))
		n++;
	return n;
}

static bool accept_word(struct expr_parser *p, const char *w)
{
	size_t n = word(p);

	if (n != strlen(w) || memcmp(p->at, w, n))
		return false;
	p->at += n;
	return true;
}

/* ---- strings ---- */

static char escaped(const char **at)
{
	char c = *(*at)++;

	switch (c) {
	case 'n': return '\n';
	case 't': return '\t';
	case 'r': return '\r';
	case '0': return '\0';
	case '\0': (*at)--; return '\\';
	default: return c;
	}
}

char *expr_parse_string(struct expr_parser *p)
{
	struct buf b = {0};

	blanks(p);
	if (*p->at != '"')
		return NULL;
	while (expr_accept(p, '"')) {
		while (*p->at && *p->at != '"') {
			char c = *p->at++;

			buf_putc(&b, c == '\\' ? escaped(&p->at) : c);
		}
		expect(p, '"');
	}
	buf_str(&b);
	return b.data;
}

/* ---- operands ---- */

static struct expr *parse_number(struct expr_parser *p)
{
	struct expr *e = new_expr(EXPR_NUMBER);
	char *end;

	e->number = strtoull(p->at, &end, 0);
	e->is_signed = e->number <= INT64_MAX;
	for (; *end && strchr("uUlL", *end); end++)
		e->is_signed &= *end != 'u' && *end != 'U';
	p->at = end;
	return e;
}

static struct expr *parse_char(struct expr_parser *p)
{
	struct expr *e = new_expr(EXPR_NUMBER);

	p->at++;
	e->number = (unsigned char)*p->at;
	if (*p->at)
		p->at++;
	if (e->number == '\\')
		e->number = (unsigned char)escaped(&p->at);
	expect(p, '\'');
	return e;
}

static const struct trace_field *parse_field(struct expr_parser *p)
{
	size_t n = word(p);
	char *name = xstrndup(p->at, n);
	const struct trace_field *f = trace_event_field(p->event, name);

	free(name);
	p->at += n;
	if (!f)
		give_up(p);
	return f;
}

/* Behind "REC": ->field or ->field[index]. */
static struct expr *parse_record(struct expr_parser *p, int depth)
{
	struct expr *e = new_expr(EXPR_FIELD), *index;

	blanks(p);
	if (p->at[0] != '-' || p->at[1] != '>') {
		expr_free(e);
		return fail(p);
	}
	p->at += 2;
	e->field = parse_field(p);
	if (p->bad || !expr_accept(p, '['))
		return e;
	index = parse_cond(p, depth);
	expect(p, ']');
	e->kind = EXPR_ELEMENT;
	e->a = index;
	return e;
}

/* The { value, "text" }, ... of a table; a terminating { -1, NULL } adds nothing. */
static void parse_list(struct expr_parser *p, struct expr *e, int depth)
{
	static const struct trace_data none;

	while (!p->bad && expr_accept(p, ',')) {
		struct expr *value;
		char *text;

		if (!expr_accept(p, '{')) {
			give_up(p);
			return;
		}
		value = parse_cond(p, depth);
		expect(p, ',');
		text = expr_parse_string(p);
		if (!text)
			expr_free(parse_cond(p, depth));	/* NULL, 0, ((void *)0): the end of the table */
		else if (value->unknown)
			free(text);				/* no value is known to be this one */
		else
			vec_push(&e->list, (struct expr_symbol){ expr_number(value, &none), text });
		expr_free(value);
		expect(p, '}');
	}
}

static struct expr *parse_table(struct expr_parser *p, enum expr_kind kind, int depth)
{
	struct expr *e = new_expr(kind);

	e->a = parse_cond(p, depth);
	if (kind == EXPR_FLAGS) {
		expect(p, ',');
		e->text = expr_parse_string(p);
		if (!e->text)
			give_up(p);
	}
	parse_list(p, e, depth);
	expect(p, ')');
	return e;
}

static struct expr *parse_arguments(struct expr_parser *p, enum expr_kind kind, int nr, int depth)
{
	struct expr *e = new_expr(kind);
	struct expr **args[] = { &e->a, &e->b, &e->c };

	for (int i = 0; i < nr; i++) {
		if (i)
			expect(p, ',');
		*args[i] = parse_cond(p, depth);
	}
	expect(p, ')');
	return e;
}

static struct expr *parse_dynamic(struct expr_parser *p, enum expr_kind kind)
{
	struct expr *e = new_expr(kind);

	e->field = parse_field(p);
	expect(p, ')');
	return e;
}

/* __builtin_expect(x, likely): x. */
static struct expr *parse_expected(struct expr_parser *p, int depth)
{
	struct expr *e = parse_arguments(p, EXPR_CAST, 2, depth), *x = e->a;

	e->a = NULL;
	expr_free(e);
	return x ? x : fail(p);
}

/* Names that older kernels left in their formats (include/linux/interrupt.h, hrtimer.h; the same since 2.6.30). */
static const struct { const char *name; uint8_t value; } constants[] = {
	{ "HI_SOFTIRQ", 0 }, { "TIMER_SOFTIRQ", 1 }, { "NET_TX_SOFTIRQ", 2 }, { "NET_RX_SOFTIRQ", 3 },
	{ "BLOCK_SOFTIRQ", 4 }, { "BLOCK_IOPOLL_SOFTIRQ", 5 }, { "IRQ_POLL_SOFTIRQ", 5 }, { "TASKLET_SOFTIRQ", 6 },
	{ "SCHED_SOFTIRQ", 7 }, { "HRTIMER_SOFTIRQ", 8 }, { "RCU_SOFTIRQ", 9 }, { "HRTIMER_NORESTART", 0 },
	{ "HRTIMER_RESTART", 1 }, { "true", 1 }, { "false", 0 },
};

/* A constant of the kernel's; one whose value the format does not tell is 0, and in a table the value of nothing. */
static struct expr *parse_constant(struct expr_parser *p)
{
	struct expr *e;
	size_t n;

	for (size_t i = 0; i < ARRAY_SIZE(constants); i++) {
		if (!accept_word(p, constants[i].name))
			continue;
		e = new_expr(EXPR_NUMBER);
		e->number = constants[i].value;
		e->is_signed = true;
		return e;
	}
	n = word(p);
	if (!n || p->at[n] == '(')
		return fail(p);
	p->at += n;
	e = new_expr(EXPR_NUMBER);
	e->unknown = true;
	return e;
}

static const struct expr_function {
	const char *name;
	enum expr_kind kind;
	int nr_args;		/* 0: the name of a field, -1: a table */
} functions[] = {
	{ "__print_flags", EXPR_FLAGS, -1 },
	{ "__print_flags_u64", EXPR_FLAGS, -1 },
	{ "__print_symbolic", EXPR_SYMBOLIC, -1 },
	{ "__print_symbolic_u64", EXPR_SYMBOLIC, -1 },
	{ "__print_hex", EXPR_HEX, 2 },
	{ "__print_hex_str", EXPR_HEX_STR, 2 },
	{ "__print_array", EXPR_ARRAY, 3 },
	{ "__get_str", EXPR_DYNAMIC_STR, 0 },
	{ "__get_rel_str", EXPR_DYNAMIC_STR, 0 },
	{ "__get_dynamic_array", EXPR_DYNAMIC, 0 },
	{ "__get_rel_dynamic_array", EXPR_DYNAMIC, 0 },
	{ "__get_dynamic_array_len", EXPR_DYNAMIC_LEN, 0 },
	{ "__get_rel_dynamic_array_len", EXPR_DYNAMIC_LEN, 0 },
	{ "__get_bitmask", EXPR_BITMASK, 0 },
	{ "__get_rel_bitmask", EXPR_BITMASK, 0 },
	{ "__get_cpumask", EXPR_CPUMASK, 0 },
	{ "__get_rel_cpumask", EXPR_CPUMASK, 0 },
	{ "__get_sockaddr", EXPR_DYNAMIC, 0 },
	{ "__get_rel_sockaddr", EXPR_DYNAMIC, 0 },
};

static struct expr *parse_call(struct expr_parser *p, int depth)
{
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		const struct expr_function *f = &functions[i];

		if (!accept_word(p, f->name))
			continue;
		expect(p, '(');
		if (f->nr_args < 0)
			return parse_table(p, f->kind, depth);
		return f->nr_args ? parse_arguments(p, f->kind, f->nr_args, depth) : parse_dynamic(p, f->kind);
	}
	if (accept_word(p, "__builtin_expect")) {
		expect(p, '(');
		return parse_expected(p, depth);
	}
	return parse_constant(p);
}

/* ---- types ---- */

struct type { uint8_t size; bool is_signed; };	/* size 0: unknown, the value stays as it is */

static const struct { const char *name; struct type type; } types[] = {
	{ "u8", { 1, false } }, { "__u8", { 1, false } }, { "uint8_t", { 1, false } }, { "s8", { 1, true } },
	{ "u16", { 2, false } }, { "__u16", { 2, false } }, { "uint16_t", { 2, false } }, { "s16", { 2, true } },
	{ "u32", { 4, false } }, { "__u32", { 4, false } }, { "uint32_t", { 4, false } }, { "uint", { 4, false } },
	{ "s32", { 4, true } }, { "int32_t", { 4, true } }, { "gfp_t", { 4, false } }, { "__kernel_rwf_t", { 4, true } },
	{ "u64", { 8, false } }, { "__u64", { 8, false } }, { "uint64_t", { 8, false } }, { "s64", { 8, true } },
	{ "int64_t", { 8, true } }, { "loff_t", { 8, true } }, { "size_t", { 8, false } }, { "bool", { 1, false } },
};

/* Does an operand follow a parenthesis? Then what stood in it was a type, though one of an unknown name. */
static bool operand_follows(struct expr_parser *p)
{
	blanks(p);
	return is_word_char(*p->at) || (*p->at && strchr("(\"'~", *p->at));
}

/* The type named by words up to ')': at the cursor, which ends behind it. False: it is no type. */
static bool parse_type(struct expr_parser *p, struct type *out)
{
	const char *start = p->at;
	bool is_unsigned = false, any = false, sure = false;
	uint8_t size = 0, longs = 0;
	size_t n;

	*out = (struct type){0};
	while ((n = word(p))) {
		char name[64];

		if (n >= sizeof(name) || (n == 3 && !memcmp(p->at, "REC", 3)) || p->at[n] == '(')
			break;
		memcpy(name, p->at, n);
		name[n] = '\0';
		p->at += n;
		any = true;
		is_unsigned |= str_eq(name, "unsigned");
		sure |= str_eq(name, "struct") || str_eq(name, "enum") || str_eq(name, "const") || str_eq(name, "void");
		longs += str_eq(name, "long");
		if (str_eq(name, "int") || (str_eq(name, "unsigned") && !size))
			size = MAX(size, 4);
		else if (str_eq(name, "short"))
			size = 2;
		else if (str_eq(name, "char"))
			size = 1;
		for (size_t i = 0; i < ARRAY_SIZE(types); i++)
			if (str_eq(types[i].name, name))
				*out = types[i].type;
	}
	if (!out->size)
		*out = (struct type){ longs ? 8 : size, !is_unsigned };
	sure |= out->size || is_unsigned;
	while (any && expr_accept(p, '*')) {
		*out = (struct type){0};
		sure = true;
	}
	if (any && expr_accept(p, ')') && (sure || operand_follows(p)))
		return true;
	p->at = start;
	return false;
}

/* Of C's rules only the one that shows: 64 bits without a sign make all of an operation so. */
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

static struct expr *parse_unary(struct expr_parser *p, int depth);

static struct expr *parse_sizeof(struct expr_parser *p)
{
	struct expr *e = new_expr(EXPR_NUMBER);
	struct type type;

	if (!expr_accept(p, '(') || !parse_type(p, &type)) {
		expr_free(e);
		return fail(p);
	}
	e->number = type.size ? type.size : 8;
	return e;
}

/* Behind '(': a cast of what follows, or an expression in parentheses. */
static struct expr *parse_parenthesis(struct expr_parser *p, int depth)
{
	struct expr *e;
	struct type type;

	if (parse_type(p, &type)) {
		e = new_expr(EXPR_CAST);
		e->number = type.size;
		e->is_signed = type.is_signed || (type.size && type.size < 8);
		e->sign_extends = type.is_signed;
		e->a = parse_unary(p, depth);
		return e;
	}
	e = parse_cond(p, depth);
	expect(p, ')');
	return e;
}

/* REC, or (REC) as a macro's argument. */
static bool accept_record(struct expr_parser *p)
{
	const char *start = p->at;

	if (accept_word(p, "REC"))
		return true;
	if (expr_accept(p, '(') && accept_word(p, "REC") && expr_accept(p, ')'))
		return true;
	p->at = start;
	return false;
}

static struct expr *parse_operand(struct expr_parser *p, int depth)
{
	struct expr *e;
	char *text;

	blanks(p);
	if (isdigit((unsigned char)*p->at))
		return parse_number(p);
	if (*p->at == '\'')
		return parse_char(p);
	text = expr_parse_string(p);
	if (text) {
		e = new_expr(EXPR_STRING);
		e->text = text;
		return e;
	}
	if (accept_record(p))
		return parse_record(p, depth);
	if (expr_accept(p, '('))
		return parse_parenthesis(p, depth);
	if (accept_word(p, "sizeof"))
		return parse_sizeof(p);
	return parse_call(p, depth);
}

static struct expr *parse_unary(struct expr_parser *p, int depth)
{
	static const struct { char c; enum expr_op op; } ops[] = { { '-', OP_NEG }, { '~', OP_COMPL }, { '!', OP_NOT } };
	struct expr *e;

	if (depth > MAX_DEPTH || p->bad || ++p->nr_operands > MAX_OPERANDS)
		return fail(p);
	for (size_t i = 0; i < ARRAY_SIZE(ops); i++) {
		if (!expr_accept(p, ops[i].c))
			continue;
		e = new_expr(EXPR_UNARY);
		e->op = ops[i].op;
		e->a = parse_unary(p, depth + 1);
		return e;
	}
	expr_accept(p, '+');
	return parse_operand(p, depth + 1);
}

/* ---- binary operators, by precedence ---- */

static const struct { const char *text; enum expr_op op; int level; } binary_ops[] = {
	/* longer ones first where one begins another */
	{ "<<", OP_SHL, 8 }, { ">>", OP_SHR, 8 }, { "<=", OP_LE, 7 }, { ">=", OP_GE, 7 }, { "==", OP_EQ, 6 },
	{ "!=", OP_NE, 6 }, { "&&", OP_LAND, 2 }, { "||", OP_LOR, 1 }, { "*", OP_MUL, 10 }, { "/", OP_DIV, 10 },
	{ "%", OP_MOD, 10 }, { "+", OP_ADD, 9 }, { "-", OP_SUB, 9 }, { "<", OP_LT, 7 }, { ">", OP_GT, 7 },
	{ "&", OP_AND, 5 }, { "^", OP_XOR, 4 }, { "|", OP_OR, 3 },
};

/* The operator at the cursor of at least @level; -1: none. */
static int next_operator(struct expr_parser *p, int level)
{
	blanks(p);
	for (size_t i = 0; i < ARRAY_SIZE(binary_ops); i++)
		if (str_starts(p->at, binary_ops[i].text))
			return binary_ops[i].level >= level ? (int)i : -1;
	return -1;
}

static struct expr *parse_binary(struct expr_parser *p, int level, int depth)
{
	struct expr *left = parse_unary(p, depth + 1);
	int i;

	while (!p->bad && (i = next_operator(p, level)) >= 0) {
		struct expr *e = new_expr(EXPR_BINARY);

		p->at += strlen(binary_ops[i].text);
		e->op = binary_ops[i].op;
		e->a = left;
		e->b = parse_binary(p, binary_ops[i].level + 1, depth + 1);
		e->is_signed = !p->bad && is_signed(e->a) && is_signed(e->b);
		left = e;
	}
	return left;
}

static struct expr *parse_cond(struct expr_parser *p, int depth)
{
	struct expr *e = parse_binary(p, 1, depth + 1), *cond;

	if (p->bad || !expr_accept(p, '?'))
		return e;
	cond = new_expr(EXPR_COND);
	cond->a = e;
	cond->b = parse_cond(p, depth + 1);
	expect(p, ':');
	cond->c = parse_cond(p, depth + 1);
	return cond;
}

struct expr *expr_parse(struct expr_parser *p)
{
	return parse_cond(p, 0);
}

/* ---- values ---- */

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

static uint64_t binary(enum expr_op op, uint64_t a, uint64_t b, bool is_signed)
{
	int64_t sa = (int64_t)a, sb = (int64_t)b;

	switch (op) {
	case OP_MUL: return a * b;
	case OP_DIV: return !b ? 0 : !is_signed ? a / b : sb == -1 ? -a : (uint64_t)(sa / sb);
	case OP_MOD: return !b ? 0 : !is_signed ? a % b : sb == -1 ? 0 : (uint64_t)(sa % sb);
	case OP_ADD: return a + b;
	case OP_SUB: return a - b;
	case OP_SHL: return a << (b & 63);	/* as x86 and arm64 shift */
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
		return binary(e->op, expr_number(e->a, d), expr_number(e->b, d), e->is_signed);
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

/* The value at the width of what holds it: a negative int is 0xffffffff, as perf prints it. */
static uint64_t at_width(const struct expr *e, uint64_t v)
{
	uint32_t size = e->kind == EXPR_FIELD || e->kind == EXPR_ELEMENT ? e->field->element_size : 8;

	return size < 8 ? v & ((1ull << 8 * size) - 1) : v;
}

static void flags_text(const struct expr *e, const struct trace_data *d, struct buf *out)
{
	uint64_t v = at_width(e->a, expr_number(e->a, d));
	bool any = false;

	if (!v) {
		vec_for(s, &e->list)
			if (!s->value) {
				buf_puts(out, s->text);
				return;
			}
	}
	vec_for(s, &e->list) {
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

/* A %s of a number: the kernel's constant string at that address. */
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
