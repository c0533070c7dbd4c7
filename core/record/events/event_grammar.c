/* Parses the argument of -e by recursive descent, with one function per rule of the grammar in event_grammar.h. */
#include "core/record/events/event_grammar.h"

#include <errno.h>

struct parser {
	struct lexer l;
	struct event_tree *out;
	struct event_error *err;
};

static int wrong(struct parser *p, const char *what)
{
	return wrong_at(p->err, p->l.next, xstrdup(what));
}

static bool is_name(const struct parser *p)
{
	return p->l.kind == TOKEN_WORD || p->l.kind == TOKEN_QUOTED;
}

static struct word next_word(struct parser *p)
{
	struct word w = p->l.next;

	lex_advance(&p->l);
	return w;
}

static bool accept(struct parser *p, enum token_kind kind)
{
	if (p->l.kind != kind)
		return false;
	lex_advance(&p->l);
	return true;
}

static int parse_modifiers(struct parser *p, struct word *out)
{
	if (p->l.kind != TOKEN_WORD)
		return wrong(p, "modifiers are missing after ':'");
	*out = next_word(p);
	return 0;
}

static int parse_colon_modifiers(struct parser *p, struct word *out)
{
	return accept(p, TOKEN_COLON) ? parse_modifiers(p, out) : 0;
}

/* ---- terms ---- */

static int parse_term(struct parser *p, struct term_list *out)
{
	struct term_node t = {0};

	if (!is_name(p))
		return wrong(p, "a term is missing");
	t.name = next_word(p);
	if (p->l.kind == TOKEN_EQUALS) {
		lex_advance(&p->l);
		t.value = word_is(t.name, "path") ? lex_path(&p->l) : lex_until(&p->l, ",/");
		t.has_value = true;
		if (!t.value.n)
			return wrong_at(p->err, t.value, xstrdup("a value is missing after '='"));
	}
	vec_push(&out->list, t);
	return 0;
}

static int parse_terms(struct parser *p, struct term_list *out)
{
	int err;

	do
		err = parse_term(p, out);
	while (!err && accept(p, TOKEN_COMMA));
	return err;
}

/* Parses the terms from the first slash to the second. */
static int parse_slashes(struct parser *p, struct event_node *n)
{
	int err;

	if (!accept(p, TOKEN_SLASH))
		return 0;
	if (accept(p, TOKEN_SLASH))
		return 0;
	err = parse_terms(p, &n->terms);
	if (!err && !accept(p, TOKEN_SLASH))
		return wrong(p, "expected ',', or '/' at the end of the terms");
	return err;
}

/* ---- events ---- */

static int parse_pmu(struct parser *p, struct event_node *n)
{
	int err = parse_slashes(p, n);

	n->kind = NODE_TERMS;
	if (err)
		return err;
	if (p->l.kind == TOKEN_WORD) {
		n->modifiers = next_word(p);
		return 0;
	}
	return parse_colon_modifiers(p, &n->modifiers);
}

static int parse_mem(struct parser *p, struct event_node *n)
{
	n->kind = NODE_MEM;
	n->second = lex_until(&p->l, ",/:} ");
	if (!n->second.n)
		return wrong_at(p->err, n->second, xstrdup("an address or symbol is missing after 'mem:'"));
	if (accept(p, TOKEN_SLASH)) {
		if (p->l.kind != TOKEN_WORD)
			return wrong(p, "a length is missing after '/'");
		n->length = next_word(p);
	}
	if (!accept(p, TOKEN_COLON))
		return 0;
	if (p->l.kind != TOKEN_WORD)
		return wrong(p, "an access is missing after ':': letters of r, w and x");
	n->access = next_word(p);
	return parse_colon_modifiers(p, &n->modifiers);
}

static int parse_uprobe(struct parser *p, struct event_node *n)
{
	n->kind = NODE_UPROBE;
	n->name = lex_until(&p->l, ":,} ");
	if (!n->name.n)
		return wrong_at(p->err, n->name, xstrdup("the path of a program is missing after 'u:'"));
	if (!accept(p, TOKEN_COLON))
		return wrong(p, "expected ':' and a function after the path");
	n->second = lex_until(&p->l, ":,} ");
	if (!n->second.n)
		return wrong_at(p->err, n->second, xstrdup("a function is missing after ':'"));
	return parse_colon_modifiers(p, &n->modifiers);
}

static int parse_kprobe(struct parser *p, struct event_node *n)
{
	n->kind = NODE_KPROBE;
	n->second = lex_until(&p->l, ":,} ");
	if (!n->second.n)
		return wrong_at(p->err, n->second, xstrdup("a function of the kernel is missing after ':'"));
	return parse_colon_modifiers(p, &n->modifiers);
}

/* Parses the part after "name:", which is modifiers or the second half of a tracepoint's name. event_resolve.c decides which. */
static int parse_pair(struct parser *p, struct event_node *n)
{
	int err;

	n->kind = NODE_PAIR;
	if (!is_name(p) && word_is(n->name, "uprobe"))
		return wrong(p, "a function of a program is u:PATH:FUNCTION");
	if (!is_name(p))
		return wrong(p, "modifiers are missing after ':'");
	n->second = next_word(p);
	err = parse_slashes(p, n);
	return err ? err : parse_colon_modifiers(p, &n->modifiers);
}

static int parse_named(struct parser *p, struct event_node *n)
{
	n->name = next_word(p);
	if (p->l.kind == TOKEN_SLASH)
		return parse_pmu(p, n);
	if (!accept(p, TOKEN_COLON))
		return 0;
	if (word_is(n->name, "mem"))
		return parse_mem(p, n);
	if (word_is(n->name, "u"))
		return parse_uprobe(p, n);
	if (word_is(n->name, "kprobe") || word_is(n->name, "kretprobe") || word_is(n->name, "p") || word_is(n->name, "r"))
		return parse_kprobe(p, n);
	return parse_pair(p, n);
}

static int parse_event(struct parser *p, uint32_t group)
{
	struct event_node n = { .group = group };
	size_t from = p->l.next.from, to;
	int err;

	if (!is_name(p))
		return wrong(p, "an event's name is missing");
	err = parse_named(p, &n);
	to = p->l.next.from;
	while (to > from && p->l.text[to - 1] == ' ')
		to--;
	n.all = (struct word){ .s = p->l.text + from, .n = to - from, .from = from, .to = to };
	vec_push(&p->out->events, n);
	return err;
}

/* ---- groups ---- */

static int parse_group(struct parser *p, struct word name)
{
	uint32_t number = (uint32_t)p->out->groups.nr;
	struct group_node g = { .name = name };
	int err;

	vec_push(&p->out->groups, g);
	do
		err = parse_event(p, number);
	while (!err && accept(p, TOKEN_COMMA));
	if (err)
		return err;
	if (!accept(p, TOKEN_CLOSE))
		return wrong(p, "expected ',', or '}' at the end of the group");
	return parse_colon_modifiers(p, &p->out->groups.v[number].modifiers);
}

static int parse_item(struct parser *p)
{
	struct lexer before = p->l;
	struct word name = {0};

	if (accept(p, TOKEN_OPEN))
		return parse_group(p, name);
	if (is_name(p)) {
		name = next_word(p);
		if (accept(p, TOKEN_OPEN))
			return parse_group(p, name);
		p->l = before;
	}
	return parse_event(p, NO_GROUP);
}

/* Returns the message on text after an event. After a probe it may be an argument, as a probe that perf probe defines has. */
static const char *message_on_rest(const struct parser *p)
{
	const struct event_node *last = p->out->events.nr ? &p->out->events.v[p->out->events.nr - 1] : NULL;

	if (last && (last->kind == NODE_UPROBE || last->kind == NODE_KPROBE) && p->l.kind == TOKEN_WORD)
		return "expected ',' or the end; a probe has no arguments here: --user-regs records registers, "
		       "and 'perf probe' defines probes with arguments";
	return "expected ',' or the end";
}

int event_tree_parse(struct event_tree *out, const char *text, struct event_error *err)
{
	struct parser p = { .out = out, .err = err };
	int failed;

	*out = (struct event_tree){0};
	lex_begin(&p.l, text);
	do
		failed = parse_item(&p);
	while (!failed && accept(&p, TOKEN_COMMA));
	if (!failed && p.l.kind != TOKEN_END)
		failed = wrong(&p, message_on_rest(&p));
	return failed;
}

void event_tree_release(struct event_tree *t)
{
	vec_for(n, &t->events)
		vec_free(&n->terms.list);
	vec_free(&t->events);
	vec_free(&t->groups);
}

int term_list_parse(struct term_list *out, const char *text)
{
	struct event_error err = {0};
	struct parser p = { .err = &err };
	int failed;

	*out = (struct term_list){0};
	lex_begin(&p.l, text);
	failed = parse_terms(&p, out);
	if (!failed && p.l.kind != TOKEN_END)
		failed = -EINVAL;
	free(err.what);
	return failed;
}
