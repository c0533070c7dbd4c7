/*
 * Parses the C expressions in a tracepoint's `print fmt` into trees (trace_expr.h), by recursive descent. Depth and size are
 * limited, because a perf.data file may be malicious.
 */
#include "core/tracepoint/trace_parse.h"

#include <ctype.h>
#include <string.h>

#include "core/base/buf.h"

/* A format file may be hostile: */
#define MAX_DEPTH	1000	/* maximum depth of nesting */
#define MAX_OPERANDS	20000	/* maximum operands of one format; this limits the depth of the tree, too */

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

/* Returns the length of the word at the cursor, or 0 if there is none. */
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
	e->is_wide = e->number > UINT32_MAX || (e->number > INT32_MAX && *p->at != '0');
	e->is_unsigned = e->number > INT32_MAX;
	for (; *end && strchr("uUlL", *end); end++) {
		e->is_signed &= *end != 'u' && *end != 'U';
		e->is_unsigned |= *end == 'u' || *end == 'U';
		e->is_wide |= *end == 'l' || *end == 'L';
	}
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

/* After "REC": ->field or ->field[index]. */
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
			free(text);				/* marks an unknown value */
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

/* Parses a constant of the kernel. If its value is unknown, it counts as 0, and matches nothing in a table. */
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

struct type { uint8_t size; bool is_signed; };	/* size 0: unknown, so a cast does not change the value */

static const struct { const char *name; struct type type; } types[] = {
	{ "u8", { 1, false } }, { "__u8", { 1, false } }, { "uint8_t", { 1, false } }, { "s8", { 1, true } },
	{ "u16", { 2, false } }, { "__u16", { 2, false } }, { "uint16_t", { 2, false } }, { "s16", { 2, true } },
	{ "u32", { 4, false } }, { "__u32", { 4, false } }, { "uint32_t", { 4, false } }, { "uint", { 4, false } },
	{ "s32", { 4, true } }, { "int32_t", { 4, true } }, { "gfp_t", { 4, false } }, { "__kernel_rwf_t", { 4, true } },
	{ "u64", { 8, false } }, { "__u64", { 8, false } }, { "uint64_t", { 8, false } }, { "s64", { 8, true } },
	{ "int64_t", { 8, true } }, { "loff_t", { 8, true } }, { "size_t", { 8, false } }, { "bool", { 1, false } },
};

/* True if an operand follows a parenthesis. The parenthesis held a type then, even if the name is unknown. */
static bool operand_follows(struct expr_parser *p)
{
	blanks(p);
	return is_word_char(*p->at) || (*p->at && strchr("(\"'~", *p->at));
}

/* Parses the words up to ')' as a type, and moves the cursor after it. Returns false if the words are no type. */
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

/* After '(': a cast of what follows, or an expression in parentheses. */
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
	/* longer ones first if one begins another */
	{ "<<", OP_SHL, 8 }, { ">>", OP_SHR, 8 }, { "<=", OP_LE, 7 }, { ">=", OP_GE, 7 }, { "==", OP_EQ, 6 },
	{ "!=", OP_NE, 6 }, { "&&", OP_LAND, 2 }, { "||", OP_LOR, 1 }, { "*", OP_MUL, 10 }, { "/", OP_DIV, 10 },
	{ "%", OP_MOD, 10 }, { "+", OP_ADD, 9 }, { "-", OP_SUB, 9 }, { "<", OP_LT, 7 }, { ">", OP_GT, 7 },
	{ "&", OP_AND, 5 }, { "^", OP_XOR, 4 }, { "|", OP_OR, 3 },
};

/* Returns the operator at the cursor that has at least @level, or -1 if there is none. */
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
		if (!p->bad)
			expr_find_type(e);
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
