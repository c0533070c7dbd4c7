/* Quotes a text as one word of a shell command line, for the commands that prec prints for the user to copy. */
#include "core/ui/shell_word.h"

#include <string.h>

#include "core/base/buf.h"

static bool is_plain(const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,=+@%";

	return *word && !word[strspn(word, plain)];
}

static bool is_ascii(const char *word)
{
	for (; *word; word++)
		if ((unsigned char)*word < ' ' || (unsigned char)*word >= 0x7f)
			return false;
	return true;
}

static void put_escaped(const char *word, struct buf *out)
{
	buf_puts(out, "$'");
	for (; *word; word++) {
		unsigned char c = (unsigned char)*word;

		if (c < ' ' || c >= 0x7f)
			buf_printf(out, "\\%03o", c);	/* always three digits; after \x, shells may take more digits */
		else if (c == '\'' || c == '\\')
			buf_printf(out, "\\%c", c);
		else
			buf_putc(out, (char)c);
	}
	buf_putc(out, '\'');
}

void buf_put_shell_word(struct buf *out, const char *word)
{
	if (!is_ascii(word)) {
		put_escaped(word, out);
		return;
	}
	if (is_plain(word)) {
		buf_puts(out, word);
		return;
	}
	buf_putc(out, '\'');
	for (; *word; word++)
		buf_puts(out, *word == '\'' ? "'\\''" : (char[]){ *word, '\0' });
	buf_putc(out, '\'');
}

void buf_put_option(struct buf *out, const char *option, const char *word)
{
	if (!word)
		return;
	buf_printf(out, " %s ", option);
	buf_put_shell_word(out, word);
}
