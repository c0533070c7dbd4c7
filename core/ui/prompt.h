/*
 * Reads lines that the user types at the prompt of prec query. prompt_edit.c uses libedit for editing, history and completion. In a
 * build without libedit, prompt_none.c has only the editing of the terminal driver.
 */
#ifndef CORE_UI_PROMPT_H
#define CORE_UI_PROMPT_H

#include <stdbool.h>
#include <stddef.h>

struct prompt;

struct prompt_opts {
	const char *const *words;	/* for completion, sorted case-insensitively; borrowed, as the next */
	size_t nr_words;
	const char *history;		/* the file that stores the lines; NULL: none */
};

/* Blocks SIGINT until prompt_free(), which writes the history: ^C stops a command that asks prompt_interrupted(), and not prec. */
struct prompt *prompt_new(const struct prompt_opts *opts);
void prompt_free(struct prompt *p);

enum prompt_got { PROMPT_LINE, PROMPT_CANCELLED, PROMPT_END };

/* Prompts with @text. *line: the line without its newline, until the next call. PROMPT_CANCELLED: by ^C. PROMPT_END: by ^D. */
enum prompt_got prompt_read(struct prompt *p, const char *text, const char **line);

/* True after ^C until prompt_calm(): the current work should stop. Safe from any thread. */
bool prompt_interrupted(void);
void prompt_calm(void);

#endif
