/*
 * Parses a filter of samples by recursive descent, with one function per rule of the grammar in sample_filter.h. The result is a
 * list of nodes in postfix order: a node comes after its operands.
 */
#include "core/record/events/sample_filter.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#define MAX_NESTING	100u	/* parentheses within each other */

struct parser {
	struct sample_filter *out;
	const char *text, *at;
	unsigned nesting;
	char *why;		/* NULL: nothing is wrong */
};

#define TERMS "ip, pid, tid, cpu, period, addr, uid, gid, cgroup"
static const char *const term_names[NR_FILTER_TERMS] = { "ip", "pid", "tid", "cpu", "period", "addr", "uid", "gid", "cgroup" };

/* Terms of perf that prec lacks: the kernel has them only in its internal form of a sample, which is not stable. */
static const char *const other_terms[] = {
	"id", "time", "txn", "weight", "weight1", "weight2", "weight3", "ins_lat", "retire_lat", "p_stage_cyc", "phys_addr",
	"code_pgsz", "data_pgsz", "mem_op", "mem_lvl", "mem_snoop", "mem_remote", "mem_lock", "mem_dtlb", "mem_blk", "mem_hops",
};

/* A longer operator comes before the one with which it begins. */
static const struct { const char *text; uint8_t operator; } operators[] = {
	{ "==", FILTER_EQ }, { "!=", FILTER_NE }, { "<=", FILTER_LE }, { ">=", FILTER_GE }, { "<", FILTER_LT }, { ">", FILTER_GT },
	{ "&", FILTER_BITS },
};

static void skip_blanks(struct parser *p)
{
	p->at += strspn(p->at, " \t\n");
}

static uint32_t fail(struct parser *p, char *why)
{
	if (p->why)
		free(why);
	else
		p->why = why;
	return 0;
}

static uint32_t fail_here(struct parser *p, const char *wanted)
{
	return fail(p, xasprintf("%s is expected at '%s'", wanted, *p->at ? p->at : "the end"));
}

static uint32_t add_node(struct parser *p, struct filter_node n)
{
	if (p->out->nodes.nr >= FILTER_MAX_NODES)
		return fail(p, xasprintf("it has more than %u parts", FILTER_MAX_NODES));
	vec_push(&p->out->nodes, n);
	return (uint32_t)p->out->nodes.nr - 1;
}

/* Skips @token if it comes next. "&" is not taken from "&&". */
static bool accept(struct parser *p, const char *token)
{
	size_t n = strlen(token);

	skip_blanks(p);
	if (strncmp(p->at, token, n) || (str_eq(token, "&") && p->at[1] == '&'))
		return false;
	p->at += n;
	return true;
}

/* ---- a test ---- */

static uint32_t refuse_term(struct parser *p, const char *word, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(other_terms); i++)
		if (strlen(other_terms[i]) == n && !strncmp(other_terms[i], word, n))
			return fail(p, xasprintf("term '%.*s' cannot be filtered by while recording: prec script shows it "
						 "of each sample (terms: " TERMS ")", (int)n, word));
	return fail_here(p, "a term (" TERMS ")");
}

static bool parse_term(struct parser *p, uint8_t *term)
{
	size_t n = 0;

	skip_blanks(p);
	while (isalnum((unsigned char)p->at[n]) || p->at[n] == '_')
		n++;
	for (uint8_t i = 0; i < NR_FILTER_TERMS; i++)
		if (strlen(term_names[i]) == n && !strncmp(p->at, term_names[i], n)) {
			p->at += n;
			*term = i;
			return true;
		}
	refuse_term(p, p->at, n);
	return false;
}

static bool parse_operator(struct parser *p, uint8_t *operator)
{
	for (size_t i = 0; i < ARRAY_SIZE(operators); i++)
		if (accept(p, operators[i].text)) {
			*operator = operators[i].operator;
			return true;
		}
	fail_here(p, "an operator (== != < <= > >= &)");
	return false;
}

static bool parse_number(struct parser *p, uint64_t *value)
{
	const char *digits;
	unsigned shift;
	char *end;

	skip_blanks(p);
	digits = p->at;
	errno = 0;
	*value = strtoull(digits, &end, str_starts(digits, "0x") ? 16 : 10);
	shift = *end == 'K' || *end == 'k' ? 10 : *end == 'M' || *end == 'm' ? 20 : *end == 'G' || *end == 'g' ? 30 : 0;
	if (!isdigit((unsigned char)*digits) || errno || *value > UINT64_MAX >> shift || isalnum((unsigned char)end[shift > 0])) {
		fail_here(p, "a number of 64 bits");
		return false;
	}
	*value <<= shift;
	p->at = end + (shift > 0);
	return true;
}

static uint32_t parse_test(struct parser *p)
{
	struct filter_node n = { .kind = FILTER_TEST };

	return parse_term(p, &n.term) && parse_operator(p, &n.operator) && parse_number(p, &n.value) ? add_node(p, n) : 0;
}

/* ---- what joins them ---- */

static uint32_t parse_list(struct parser *p);

static uint32_t parse_one(struct parser *p)
{
	uint32_t inner;

	if (!accept(p, "("))
		return parse_test(p);
	if (++p->nesting > MAX_NESTING)
		return fail(p, xasprintf("its parentheses are nested more than %u deep", MAX_NESTING));
	inner = parse_list(p);
	p->nesting--;
	return p->why || accept(p, ")") ? inner : fail_here(p, "')'");
}

static uint32_t parse_joined(struct parser *p, const char *token, enum filter_node_kind kind, uint32_t (*part)(struct parser *p))
{
	uint32_t left = part(p);

	while (!p->why && accept(p, token)) {
		uint32_t right = part(p);

		if (!p->why)
			left = add_node(p, (struct filter_node){ .kind = (uint8_t)kind, .left = left, .right = right });
	}
	return left;
}

static uint32_t parse_all(struct parser *p) { return parse_joined(p, "&&", FILTER_AND, parse_one); }
static uint32_t parse_any(struct parser *p) { return parse_joined(p, "||", FILTER_OR, parse_all); }
static uint32_t parse_list(struct parser *p) { return parse_joined(p, ",", FILTER_AND, parse_any); }

int sample_filter_parse(struct sample_filter *out, const char *text, char **why)
{
	struct parser p = { .out = out, .text = text, .at = text };

	*out = (struct sample_filter){0};
	parse_list(&p);
	skip_blanks(&p);
	if (!p.why && *p.at)
		fail_here(&p, "'&&', '||', ',' or the end");
	*why = p.why;
	if (p.why)
		vec_free(&out->nodes);
	return p.why ? -EINVAL : 0;
}

bool filter_is_of_addresses(const char *text)
{
	static const char *const words[] = { "filter", "start", "stop", "tracestop" };
	size_t n;

	text += strspn(text, " \t,");
	n = strcspn(text, " \t");
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strlen(words[i]) == n && !strncmp(text, words[i], n))
			return true;
	return false;
}
