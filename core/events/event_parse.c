/*
 * -e. The tree keeps the place of each word in the text, so that an error found late still points at it.
 * Layer: events
 */
#include "core/events/event_parse.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/events/tracefs.h"

#define NAME_MAX_COMPARED 32

/* ---- tokens ---- */

enum token_kind { TOKEN_WORD, TOKEN_COMMA, TOKEN_COLON, TOKEN_OTHER, TOKEN_END };

struct token {
	enum token_kind kind;
	size_t from, to;
};

struct parser {
	const char *text;
	struct token next;
	struct event_error *err;
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '-' || c == '_' || c == '.';
}

static void advance(struct parser *p)
{
	size_t at = p->next.to;
	struct token t;

	while (p->text[at] == ' ')
		at++;
	t = (struct token){ .kind = TOKEN_OTHER, .from = at, .to = at + 1 };
	if (!p->text[at]) {
		t.kind = TOKEN_END;
		t.to = at;
	} else if (p->text[at] == ',') {
		t.kind = TOKEN_COMMA;
	} else if (p->text[at] == ':') {
		t.kind = TOKEN_COLON;
	} else if (is_word(p->text[at])) {
		t.kind = TOKEN_WORD;
		while (is_word(p->text[t.to]))
			t.to++;
	}
	p->next = t;
}

static int wrong(struct parser *p, struct token at, char *what)
{
	*p->err = (struct event_error){ .from = at.from, .to = at.to, .what = what };
	return -EINVAL;
}

/* ---- tree ---- */

struct node {
	struct token name, modifiers;	/* modifiers: from == to where there are none */
};

static int parse_modifiers(struct parser *p, struct node *out)
{
	if (p->next.kind != TOKEN_COLON)
		return 0;
	advance(p);
	if (p->next.kind != TOKEN_WORD)
		return wrong(p, p->next, xstrdup("modifiers are missing behind ':'"));
	out->modifiers = p->next;
	advance(p);
	return 0;
}

static int parse_event(struct parser *p, struct node *out)
{
	*out = (struct node){ .name = p->next };
	if (p->next.kind != TOKEN_WORD)
		return wrong(p, p->next, xstrdup("an event's name is missing"));
	advance(p);
	return parse_modifiers(p, out);
}

/* ---- names ---- */

static bool word_is(const struct parser *p, struct token t, const char *name)
{
	return name && strlen(name) == t.to - t.from && !strncmp(p->text + t.from, name, t.to - t.from);
}

static bool find_symbol(const struct parser *p, struct token t, struct event_attr *attr)
{
	for (size_t i = 0; i < nr_event_symbols; i++) {
		const struct event_symbol *s = &event_symbols[i];

		if (!word_is(p, t, s->name) && !word_is(p, t, s->alias))
			continue;
		attr->type = s->type;
		attr->config = s->config;
		return true;
	}
	return false;
}

/* "r1a8": the processor's own number of an event. */
static bool find_raw(const struct parser *p, struct token t, struct event_attr *attr)
{
	const char *s = p->text + t.from;
	size_t n = t.to - t.from;

	if (n < 2 || n > 17 || s[0] != 'r')
		return false;
	for (size_t i = 1; i < n; i++)
		if (!isxdigit((unsigned char)s[i]))
			return false;
	attr->type = PERF_TYPE_RAW;
	attr->config = strtoull(s + 1, NULL, 16);
	return true;
}

/* Generic cache events, in the kernel's order (perf_event_open(2), PERF_TYPE_HW_CACHE). */
static const char *const cache_names[] = { "L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node" };
static const struct { const char *name; unsigned op, result; } cache_ops[] = {
	{ "-loads", 0, 0 }, { "-load-misses", 0, 1 }, { "-stores", 1, 0 }, { "-store-misses", 1, 1 },
	{ "-prefetches", 2, 0 }, { "-prefetch-misses", 2, 1 },
};

static bool find_cache(const struct parser *p, struct token t, struct event_attr *attr)
{
	for (size_t c = 0; c < ARRAY_SIZE(cache_names); c++) {
		struct token rest = t;
		size_t n = strlen(cache_names[c]);

		if (t.to - t.from <= n || strncmp(p->text + t.from, cache_names[c], n))
			continue;
		rest.from += n;
		for (size_t o = 0; o < ARRAY_SIZE(cache_ops); o++) {
			if (!word_is(p, rest, cache_ops[o].name))
				continue;
			attr->type = PERF_TYPE_HW_CACHE;
			attr->config = c | cache_ops[o].op << 8 | cache_ops[o].result << 16;
			return true;
		}
	}
	return false;
}

/* How many letters must be changed, added or left out to turn @a into @b (Levenshtein). */
static size_t distance(const char *a, size_t na, const char *b)
{
	size_t nb = strlen(b), row[NAME_MAX_COMPARED + 1];

	if (na > NAME_MAX_COMPARED || nb > NAME_MAX_COMPARED)
		return SIZE_MAX;
	for (size_t j = 0; j <= nb; j++)
		row[j] = j;
	for (size_t i = 1; i <= na; i++) {
		size_t corner = row[0];

		row[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			size_t change = corner + (a[i - 1] != b[j - 1]);

			corner = row[j];
			row[j] = MIN(change, MIN(row[j], row[j - 1]) + 1);
		}
	}
	return row[nb];
}

/* Append the names that are @limit letters away or that begin with the word. */
static void list_near(const struct parser *p, struct token t, struct buf *out)
{
	const char *word = p->text + t.from;
	size_t n = t.to - t.from, limit = MAX(n / 3, 1);
	const char *separator = "; did you mean ";

	for (size_t i = 0; i < nr_event_symbols; i++) {
		const char *names[] = { event_symbols[i].name, event_symbols[i].alias };

		for (size_t k = 0; k < 2; k++) {
			if (!names[k])
				continue;
			if (distance(word, n, names[k]) > limit && (n < 3 || strncmp(names[k], word, n)))
				continue;
			buf_printf(out, "%s%s", separator, names[k]);
			separator = ", ";
		}
	}
	if (separator[0] == ',')
		buf_putc(out, '?');
}

static int unknown_name(struct parser *p, struct token t)
{
	struct buf what = {0};

	buf_printf(&what, "unknown event '%.*s'", (int)(t.to - t.from), p->text + t.from);
	list_near(p, t, &what);
	buf_str(&what);
	return wrong(p, t, what.data);
}

/* ---- modifiers ---- */

/* u, k, h name the levels that count; the first of them leaves all others out. */
static void only_level(struct event_request *r, char level)
{
	if (!r->excludes) {
		r->attr.exclude_user = r->attr.exclude_kernel = r->attr.exclude_hv = 1;
		r->excludes = true;
	}
	if (level == 'u')
		r->attr.exclude_user = 0;
	else if (level == 'k')
		r->attr.exclude_kernel = 0;
	else
		r->attr.exclude_hv = 0;
}

/* G and H name guests and the host; without either, guests are left out. */
static void only_machine(struct event_request *r, char machine)
{
	if (!r->machines)
		r->attr.exclude_guest = r->attr.exclude_host = 1;
	r->machines = true;
	if (machine == 'G')
		r->attr.exclude_guest = 0;
	else
		r->attr.exclude_host = 0;
}

static int apply_modifier(struct event_request *r, char c)
{
	switch (c) {
	case 'u': case 'k': case 'h':
		only_level(r, c);
		return 0;
	case 'p':
		if (r->attr.precise_ip == 3)
			return -ERANGE;
		r->attr.precise_ip++;
		return 0;
	case 'P':
		r->precise_max = true;
		return 0;
	case 'G': case 'H':
		only_machine(r, c);
		return 0;
	case 'I':
		r->attr.exclude_idle = 1;
		return 0;
	case 'S':
		r->sampled_read = true;
		return 0;
	case 'D':
		r->attr.pinned = 1;
		return 0;
	}
	return -EINVAL;
}

static int apply_modifiers(struct parser *p, struct event_request *r, struct token t)
{
	for (size_t i = t.from; i < t.to; i++) {
		struct token at = { .from = i, .to = i + 1 };
		int err = apply_modifier(r, p->text[i]);

		if (err == -ERANGE)
			return wrong(p, at, xstrdup("at most three 'p' can be given"));
		if (err)
			return wrong(p, at, xasprintf("unknown modifier '%c'; there are u k h p P G H I S D", p->text[i]));
	}
	return 0;
}

/* ---- tracepoints ---- */

static bool is_pattern(char c)
{
	return is_word(c) || (c && strchr("*?[]!^", c));
}

static bool find_name(const struct parser *p, struct token t, struct event_attr *attr)
{
	return find_symbol(p, t, attr) || find_raw(p, t, attr) || find_cache(p, t, attr);
}

/* Nothing but letters that are modifiers: behind an unknown name they hardly are a tracepoint's. */
static bool looks_like_modifiers(const struct parser *p, size_t from, size_t to)
{
	return strspn(p->text + from, "ukhpPGHISD") >= to - from;
}

/* "system:event" next, and the system is no event's name: @out covers both. */
static bool at_tracepoint(const struct parser *p, struct token *out)
{
	size_t colon = p->next.from, end;
	struct event_attr attr;

	while (is_pattern(p->text[colon]))
		colon++;
	if (colon == p->next.from || p->text[colon] != ':')
		return false;
	for (end = colon + 1; is_pattern(p->text[end]); end++)
		;
	*out = (struct token){ .kind = TOKEN_WORD, .from = p->next.from, .to = colon };
	if (end == colon + 1 || looks_like_modifiers(p, colon + 1, end) || find_name(p, *out, &attr))
		return false;
	out->to = end;
	return true;
}

static int add_tracepoints(struct parser *p, struct token modifiers, const struct tracepoints *found,
			   struct event_requests *out)
{
	struct event_request r = { .attr = { .size = ATTR_SIZE_VER7, .type = PERF_TYPE_TRACEPOINT } };
	int err = apply_modifiers(p, &r, modifiers);

	if (err)
		return err;
	r.one_of_many = found->list.nr > 1;
	vec_for(f, &found->list) {
		r.attr.config = f->id;
		r.name = xasprintf("%s%s%.*s", f->name, modifiers.to > modifiers.from ? ":" : "",
				   (int)(modifiers.to - modifiers.from), p->text + modifiers.from);
		vec_push(&out->list, r);
	}
	return 0;
}

static int parse_tracepoints(struct parser *p, struct token t, struct event_requests *out)
{
	struct tracepoints found = {0};
	struct node n = { .name = t };
	char *pattern = xstrndup(p->text + t.from, t.to - t.from), *why;
	int err = tracepoints_find(&found, pattern, &why);

	free(pattern);
	if (err < 0)
		return wrong(p, t, why);
	p->next.to = t.to;
	advance(p);
	err = parse_modifiers(p, &n);
	if (!err)
		err = add_tracepoints(p, n.modifiers, &found, out);
	tracepoints_release(&found);
	return err;
}

/* ---- together ---- */

static int resolve(struct parser *p, const struct node *n, struct event_request *r)
{
	size_t end = MAX(n->name.to, n->modifiers.to);
	int err;

	*r = (struct event_request){ .attr = { .size = ATTR_SIZE_VER7, .exclude_guest = 1 } };
	if (!find_name(p, n->name, &r->attr))
		return unknown_name(p, n->name);
	err = apply_modifiers(p, r, n->modifiers);
	if (!err)
		r->name = xstrndup(p->text + n->name.from, end - n->name.from);
	return err;
}

static void drop_from(struct event_requests *r, size_t nr)
{
	while (r->list.nr > nr) {
		struct event_request *last = &r->list.v[--r->list.nr];

		free(last->name);
		free(last->filter);
	}
}

/* One event, or the tracepoints of one pattern. */
static int parse_one(struct parser *p, struct event_requests *out)
{
	struct event_request r = {0};
	struct token t;
	struct node n;
	int err;

	if (at_tracepoint(p, &t))
		return parse_tracepoints(p, t, out);
	err = parse_event(p, &n);
	if (!err)
		err = resolve(p, &n, &r);
	if (!err)
		vec_push(&out->list, r);
	return err;
}

int event_parse(struct event_requests *out, const char *text, struct event_error *err)
{
	struct parser p = { .text = text, .err = err };
	size_t nr_before = out->list.nr;
	int failed;

	advance(&p);
	for (;;) {
		failed = parse_one(&p, out);
		if (failed)
			break;
		if (p.next.kind == TOKEN_END) {
			out->last = nr_before;
			return 0;
		}
		if (p.next.kind != TOKEN_COMMA) {
			failed = wrong(&p, p.next, xstrdup("expected ',' or the end"));
			break;
		}
		advance(&p);
	}
	drop_from(out, nr_before);
	return failed;
}

int event_error_print(const char *text, struct event_error *err)
{
	struct buf b = {0};

	buf_printf(&b, "%s\n    %s\n    ", err->what, text);
	buf_fill(&b, ' ', err->from);
	buf_putc(&b, '^');
	if (err->to > err->from + 1)
		buf_fill(&b, '~', err->to - err->from - 1);
	error("%s", buf_str(&b));
	buf_release(&b);
	free(err->what);
	err->what = NULL;
	return -1;
}

void event_default(struct event_requests *out)
{
	struct event_request r = { .precise_max = true };

	r.attr.size = ATTR_SIZE_VER7;
	r.attr.exclude_guest = 1;
	r.attr.type = PERF_TYPE_HARDWARE;
	r.attr.config = PERF_COUNT_HW_CPU_CYCLES;
	r.name = xstrdup("cycles:P");
	vec_push(&out->list, r);
}

void event_requests_release(struct event_requests *r)
{
	drop_from(r, 0);
	vec_free(&r->list);
}

int event_requests_filter(struct event_requests *r, const char *filter)
{
	if (r->last == r->list.nr)
		return -EINVAL;
	for (size_t i = r->last; i < r->list.nr; i++)
		if (!event_is_tracepoint(&r->list.v[i].attr))
			return -EINVAL;
	for (size_t i = r->last; i < r->list.nr; i++) {
		struct event_request *e = &r->list.v[i];
		char *before = e->filter;

		e->filter = before ? xasprintf("(%s) && (%s)", before, filter) : xstrdup(filter);
		free(before);
	}
	return 0;
}

bool event_is_tracepoint(const struct event_attr *attr)
{
	return attr->type == PERF_TYPE_TRACEPOINT;
}

bool event_requests_any_tracepoint(const struct event_requests *r)
{
	vec_for(e, &r->list)
		if (event_is_tracepoint(&e->attr))
			return true;
	return false;
}

bool event_is_clock(const struct event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
	       (attr->config == PERF_COUNT_SW_CPU_CLOCK || attr->config == PERF_COUNT_SW_TASK_CLOCK);
}
