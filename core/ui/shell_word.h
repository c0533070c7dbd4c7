/*
 * Quotes a text for the shell, so that a person can copy it into a command line as one word.
 * Layer: ui
 */
#ifndef CORE_UI_SHELL_WORD_H
#define CORE_UI_SHELL_WORD_H

struct buf;

/* Appends @word quoted for shells: plain, in '...', or as bash's $'...' if it has bytes that terminals do not show. */
void buf_put_shell_word(struct buf *out, const char *word);

#endif
