/*
 * Implements the prompt (prompt.h) in a build without libedit. The terminal driver edits the line, and ^C at the prompt ends the
 * program.
 */
#include "core/ui/prompt.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/util.h"

struct prompt {
	char *line;			/* owned */
	size_t size;
	sigset_t mask, interrupt;	/* .mask: the signal mask as it was; .interrupt: SIGINT alone */
};

struct prompt *prompt_new(const struct prompt_opts *opts)
{
	struct prompt *p = xcalloc(1, sizeof(*p));

	sigemptyset(&p->interrupt);
	sigaddset(&p->interrupt, SIGINT);
	pthread_sigmask(SIG_BLOCK, &p->interrupt, &p->mask);
	return p;
}

void prompt_free(struct prompt *p)
{
	if (!p)
		return;
	prompt_calm();
	pthread_sigmask(SIG_SETMASK, &p->mask, NULL);
	free(p->line);
	free(p);
}

enum prompt_got prompt_read(struct prompt *p, const char *text, const char **line)
{
	ssize_t len;

	fputs(text, stdout);
	fflush(stdout);
	pthread_sigmask(SIG_UNBLOCK, &p->interrupt, NULL);
	len = getline(&p->line, &p->size, stdin);
	pthread_sigmask(SIG_BLOCK, &p->interrupt, NULL);
	if (len <= 0)
		return PROMPT_END;
	p->line[strcspn(p->line, "\n")] = '\0';
	*line = p->line;
	return PROMPT_LINE;
}
