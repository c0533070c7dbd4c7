/* Quotes a text as one word of a shell command line, so that the user can copy a command that prec prints. */
#ifndef CORE_UI_SHELL_WORD_H
#define CORE_UI_SHELL_WORD_H

struct buf;

/* Appends @word quoted for shells: plain, in '...', or as bash's $'...' if it has bytes that terminals do not show. */
void buf_put_shell_word(struct buf *out, const char *word);
/* Appends " OPTION WORD", with the word quoted; nothing if it is NULL. */
void buf_put_option(struct buf *out, const char *option, const char *word);

#endif
