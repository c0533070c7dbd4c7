/* Splits the argument of -e into tokens, for the parser in event_grammar.c. */
#include "core/record/events/event_lex.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/util.h"

static bool in_word(char c)
{
	return c && (isalnum((unsigned char)c) || strchr("-_.*?[]!~%+@|<>$", c));
}

static enum token_kind kind_of(char c)
{
	switch (c) {
	case '\0': return TOKEN_END;
	case ',': return TOKEN_COMMA;
	case ':': return TOKEN_COLON;
	case '/': return TOKEN_SLASH;
	case '{': return TOKEN_OPEN;
	case '}': return TOKEN_CLOSE;
	case '=': return TOKEN_EQUALS;
	}
	return in_word(c) ? TOKEN_WORD : TOKEN_OTHER;
}

static struct word word_of(const struct lexer *l, size_t from, size_t to)
{
	return (struct word){ .s = l->text + from, .n = to - from, .from = from, .to = to };
}

/* Takes the text between quotes as a token. False if the closing quote is missing, which is an unexpected token. */
static bool quoted(struct lexer *l, size_t at)
{
	char quote = l->text[at];
	const char *end = quote == '\'' || quote == '"' ? strchr(l->text + at + 1, quote) : NULL;

	if (!end)
		return false;
	l->kind = TOKEN_QUOTED;
	l->next = word_of(l, at + 1, (size_t)(end - l->text));
	l->at = (size_t)(end - l->text) + 1;
	return true;
}

void lex_advance(struct lexer *l)
{
	size_t from = l->at, to;

	while (isspace((unsigned char)l->text[from]))
		from++;
	if (quoted(l, from))
		return;
	l->kind = kind_of(l->text[from]);
	to = from + (l->kind != TOKEN_END);
	while (l->kind == TOKEN_WORD && in_word(l->text[to]))
		to++;
	l->next = word_of(l, from, to);
	l->at = to;
}

void lex_begin(struct lexer *l, const char *text)
{
	*l = (struct lexer){ .text = text };
	lex_advance(l);
}

static struct word make_word(struct lexer *l, size_t to)
{
	size_t from = l->next.from;
	struct word w;

	l->at = to;
	while (to > from && isspace((unsigned char)l->text[to - 1]))
		to--;
	w = word_of(l, from, to);
	lex_advance(l);
	return w;
}

struct word lex_until(struct lexer *l, const char *ends)
{
	struct word w = l->next;

	if (l->kind != TOKEN_QUOTED)
		return make_word(l, w.from + strcspn(l->text + w.from, ends));
	lex_advance(l);
	return w;
}

struct word lex_path(struct lexer *l)
{
	size_t to = l->next.from;
	struct word w = l->next;

	if (l->kind == TOKEN_QUOTED) {
		lex_advance(l);
		return w;
	}
	for (; l->text[to] && l->text[to] != ','; to++)
		if (l->text[to] == '/' && strchr(",:} ", l->text[to + 1]))
			break;
	return make_word(l, to);
}

bool word_is(struct word w, const char *s)
{
	return strlen(s) == w.n && !memcmp(w.s, s, w.n);
}

char *word_dup(struct word w)
{
	return xstrndup(w.s, w.n);
}

int word_number(struct word w, unsigned long long *out)
{
	char digits[32], *end;

	if (!w.n || w.n >= sizeof(digits) || !isdigit((unsigned char)w.s[0]))
		return -EINVAL;
	memcpy(digits, w.s, w.n);
	digits[w.n] = '\0';
	errno = 0;
	*out = strtoull(digits, &end, 0);
	return *end || errno ? -EINVAL : 0;
}

int wrong_at(struct event_error *err, struct word at, char *what)
{
	*err = (struct event_error){ .from = at.from, .to = at.to, .what = what };
	return -EINVAL;
}
