/*
 * Splits the argument of -e into tokens. Each word keeps its position in the user's text, so that an error that is found later
 * can still point at it.
 */
#ifndef CORE_RECORD_EVENTS_EVENT_LEX_H
#define CORE_RECORD_EVENTS_EVENT_LEX_H

#include <stdbool.h>
#include <stddef.h>

/* The place of an error: bytes [from, to) of the text. */
struct event_error {
	size_t from, to;
	char *what;		/* owned: the message */
};

struct word {
	const char *s;		/* borrowed from the text; not NUL-terminated */
	size_t n;
	size_t from, to;	/* its bytes [from, to) in the user's text; equal: the end of the text */
};

enum token_kind {
	TOKEN_WORD, TOKEN_QUOTED, TOKEN_COMMA, TOKEN_COLON, TOKEN_SLASH, TOKEN_OPEN, TOKEN_CLOSE, TOKEN_EQUALS,
	TOKEN_OTHER, TOKEN_END
};

struct lexer {
	const char *text;
	size_t at;		/* offset of the text after .next */
	enum token_kind kind;	/* of .next */
	struct word next;	/* the current token; if it is quoted, without the quotes */
};

/* Begin at the first token of @text. */
void lex_begin(struct lexer *l, const char *text);
void lex_advance(struct lexer *l);
/*
 * Reads the text from the current token on as one word, and moves on to the token after it. The word ends before one of @ends or
 * at the end of the text. Trailing blanks are dropped. A quoted word is taken as it is.
 */
struct word lex_until(struct lexer *l, const char *ends);
/* As lex_until(), for a path: it ends at a comma, or at a slash before a comma, colon, "}", blank or the end. */
struct word lex_path(struct lexer *l);

bool word_is(struct word w, const char *s);
/* Returns a copy with a NUL at the end, owned by the caller. */
char *word_dup(struct word w);
/* Parses the whole word as a number in C's notation, such as 0x1f or 31. Returns 0 or -EINVAL. */
int word_number(struct word w, unsigned long long *out);

/* Fills @err with the position of @at, and with @what, which it takes over. Returns -EINVAL. */
int wrong_at(struct event_error *err, struct word at, char *what);

#endif
