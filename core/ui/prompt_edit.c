/*
 * Implements the prompt (prompt.h) with libedit. libedit switches the terminal to a mode in which ^C is an ordinary key, and
 * prompt_new() binds ^C to a function that cancels the line.
 */
#include "core/ui/prompt.h"

#include <ctype.h>
#include <fcntl.h>
#include <histedit.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/log.h"
#include "core/base/new_file.h"
#include "core/base/util.h"

#define HISTORY_LINES	1000
#define MOST_SHOWN	100	/* possible completions that are listed */

struct prompt {
	struct prompt_opts opts;
	EditLine *editor;
	History *history;
	const char *text;		/* borrowed while a line is read */
	char *line;			/* owned */
	bool cancelled;
	sigset_t mask;			/* the signal mask as it was */
};

static struct prompt *prompt_of(EditLine *editor)
{
	void *p = NULL;

	el_get(editor, EL_CLIENTDATA, &p);
	return p;
}

/* libedit's type has no const. */
static char *text_of(EditLine *editor)
{
	return (char *)(uintptr_t)prompt_of(editor)->text;
}

static unsigned char on_cancel(EditLine *editor, int key)
{
	prompt_of(editor)->cancelled = true;
	fputs("^C\n", stdout);
	return CC_NEWLINE;
}

static bool is_of_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '@' || c == '-' || c == '.';
}

static size_t common(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] && tolower((unsigned char)a[n]) == tolower((unsigned char)b[n]))
		n++;
	return n;
}

/* Inserts bytes @from to @to of @word, in lower case after a lower-case letter. */
static void insert(EditLine *editor, const char *word, size_t from, size_t to, bool small)
{
	char *rest = xstrndup(word + from, to - from);

	for (char *c = rest; small && *c; c++)
		*c = (char)tolower((unsigned char)*c);
	el_insertstr(editor, rest);
	free(rest);
}

static unsigned char show_words(const struct prompt *p, const char *typed, size_t len)
{
	size_t nr = 0;

	for (size_t i = 0; i < p->opts.nr_words; i++)
		if (common(typed, p->opts.words[i]) >= len && nr++ < MOST_SHOWN)
			printf("%s%s", nr == 1 ? "\n" : "  ", p->opts.words[i]);
	printf("%s\n", nr > MOST_SHOWN ? "  ..." : "");
	return CC_REDISPLAY;
}

static unsigned char on_complete(EditLine *editor, int key)
{
	const struct prompt *p = prompt_of(editor);
	const LineInfo *at = el_line(editor);
	const char *begin = at->cursor, *first = NULL;
	size_t len, nr = 0, same = 0;
	bool small;
	char *typed;

	while (begin > at->buffer && is_of_word(begin[-1]))
		begin--;
	len = (size_t)(at->cursor - begin);
	if (!len)
		return CC_ERROR;
	typed = xstrndup(begin, len);
	small = islower((unsigned char)typed[len - 1]);
	for (size_t i = 0; i < p->opts.nr_words; i++) {
		const char *word = p->opts.words[i];

		if (common(typed, word) < len)
			continue;
		same = nr++ ? MIN(same, common(first, word)) : strlen(word);
		first = first ? first : word;
	}
	if (same > len)
		insert(editor, first, len, same, small);
	if (nr == 1)
		el_insertstr(editor, " ");
	key = nr == 0 ? CC_ERROR : nr == 1 || same > len ? CC_REFRESH : show_words(p, typed, len);
	free(typed);
	return (unsigned char)key;
}

static void block_interrupts(sigset_t *before)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	pthread_sigmask(SIG_BLOCK, &set, before);
}

struct prompt *prompt_new(const struct prompt_opts *opts)
{
	struct prompt *p = xcalloc(1, sizeof(*p));
	HistEvent event;

	p->opts = *opts;
	block_interrupts(&p->mask);
	setlocale(LC_CTYPE, "");
	p->editor = el_init("prec", stdin, stdout, stderr);
	p->history = history_init();
	if (!p->editor || !p->history)
		die("the terminal cannot be set up for lines");
	el_set(p->editor, EL_CLIENTDATA, p);
	el_set(p->editor, EL_PROMPT, text_of);
	el_set(p->editor, EL_EDITOR, "emacs");
	el_set(p->editor, EL_SETTY, "-d", "-isig", NULL);
	el_set(p->editor, EL_ADDFN, "prec-complete", "complete the word", on_complete);
	el_set(p->editor, EL_ADDFN, "prec-cancel", "begin again", on_cancel);
	el_set(p->editor, EL_BIND, "^I", "prec-complete", NULL);
	el_set(p->editor, EL_BIND, "^C", "prec-cancel", NULL);
	el_set(p->editor, EL_BIND, "^R", "em-inc-search-prev", NULL);
	history(p->history, &event, H_SETSIZE, HISTORY_LINES);
	history(p->history, &event, H_SETUNIQUE, 1);
	el_set(p->editor, EL_HIST, history, p->history);
	if (opts->history)
		history(p->history, &event, H_LOAD, opts->history);
	return p;
}

/* Writes the history into a file that only this user may read, because lines can hold private data. */
static void keep_history(struct prompt *p)
{
	struct new_file file;
	HistEvent event;
	FILE *out;
	int fd, err;

	if (new_file_open(&file, p->opts.history, 0600))
		return;
	fd = fcntl(file.fd, F_DUPFD_CLOEXEC, 0);
	out = fd < 0 ? NULL : fdopen(fd, "w");
	err = out && history(p->history, &event, H_SAVE_FP, out) < 0;
	if (out && !fclose(out) && !err)
		new_file_place(&file);
	new_file_release(&file);
}

void prompt_free(struct prompt *p)
{
	if (!p)
		return;
	if (p->opts.history)
		keep_history(p);
	history_end(p->history);
	el_end(p->editor);
	free(p->line);
	prompt_calm();
	pthread_sigmask(SIG_SETMASK, &p->mask, NULL);
	free(p);
}

enum prompt_got prompt_read(struct prompt *p, const char *text, const char **line)
{
	const char *got;
	HistEvent event;
	int len = 0;

	p->text = text;
	p->cancelled = false;
	el_resize(p->editor);
	got = el_gets(p->editor, &len);
	if (p->cancelled)
		return PROMPT_CANCELLED;
	if (!got || len <= 0)
		return PROMPT_END;
	free(p->line);
	p->line = xstrndup(got, strcspn(got, "\n"));
	if (p->line[strspn(p->line, " \t")])
		history(p->history, &event, H_ENTER, got);
	*line = p->line;
	return PROMPT_LINE;
}
