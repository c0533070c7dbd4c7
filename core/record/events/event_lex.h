/*
 * Tokens of the language of -e. A word keeps its position in the user's text, so that an error found late still points at it.
 * Layer: events
 */
#ifndef CORE_RECORD_EVENTS_EVENT_LEX_H
#define CORE_RECORD_EVENTS_EVENT_LEX_H

#include <stdbool.h>
#include <stddef.h>

/* The place of an error: bytes [from, to) of the text. */
struct event_error {
	size_t from, to;
	char *what;		/* owned */
};

struct word {
	const char *s;		/* borrowed from the text; not NUL-terminated */
	size_t n;
	size_t from, to;	/* where the user wrote it; from == to: at the end */
};

enum token_kind {
	TOKEN_WORD, TOKEN_QUOTED, TOKEN_COMMA, TOKEN_COLON, TOKEN_SLASH, TOKEN_OPEN, TOKEN_CLOSE, TOKEN_EQUALS,
	TOKEN_OTHER, TOKEN_END
};

struct lexer {
	const char *text;
	size_t at;		/* after the token .next */
	enum token_kind kind;	/* of .next */
	struct word next;	/* of a quoted one: the text between the quotes */
};

/* Begin at the first token of @text. */
void lex_begin(struct lexer *l, const char *text);
void lex_advance(struct lexer *l);
/*
 * Reads the text from the current token on as one word, up to one of @ends, the end of the text, or, in a value, a slash, which
 * ends the terms; trailing blanks are dropped. A quoted word is taken as it is. Moves on to the token after it.
 */
struct word lex_until(struct lexer *l, const char *ends);
/* The same for a path: a slash ends it only before a comma, a colon, "}" or the end. */
struct word lex_path(struct lexer *l);

bool word_is(struct word w, const char *s);
/* A copy, owned by the caller. */
char *word_dup(struct word w);
/* A number as C writes it: 0x1f, 31; all of the word. Returns 0 or -EINVAL. */
int word_number(struct word w, unsigned long long *out);

/* Fills @err with the position of @at, and with @what, which it takes over. Returns -EINVAL. */
int wrong_at(struct event_error *err, struct word at, char *what);

#endif
