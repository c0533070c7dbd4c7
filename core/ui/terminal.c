/* Detects the size of a terminal and whether it shows colours, and writes colours as SGR escape sequences (ECMA-48, 8.3.117). */
#include "core/ui/terminal.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/base/buf.h"

#define HOT_PERCENT	5.0
#define WARM_PERCENT	0.5

static void read_size(struct terminal *out, int fd)
{
	struct winsize size;

	if (ioctl(fd, TIOCGWINSZ, &size))
		return;
	out->width = size.ws_col ? size.ws_col : out->width;
	out->height = size.ws_row ? size.ws_row : out->height;
}

void terminal_detect(struct terminal *out, int fd, const struct terminal_opts *opts)
{
	const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");

	*out = (struct terminal){ .is_terminal = isatty(fd), .width = 80, .height = 24 };
	out->dumb = !term || !*term || str_eq(term, "dumb");
	out->colors = opts->color == COLOR_ALWAYS ||
		      (opts->color == COLOR_AUTO && out->is_terminal && !out->dumb && (!no_color || !*no_color));
	if (out->is_terminal)
		read_size(out, fd);
}

int color_when_parse(enum color_when *out, const char *text)
{
	static const char *const words[] = { [COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never" };

	for (enum color_when w = 0; w < ARRAY_SIZE(words); w++)
		if (str_eq(words[w], text)) {
			*out = w;
			return 0;
		}
	return -1;
}

void put_style(struct buf *out, bool colors, enum style style)
{
	static const char *const sequences[] = {
		[STYLE_PLAIN] = "\033[m", [STYLE_TITLE] = "\033[1m", [STYLE_HOT] = "\033[31m", [STYLE_WARM] = "\033[32m",
		[STYLE_FAINT] = "\033[2m", [STYLE_ALERT] = "\033[33m",
	};

	if (colors)
		buf_puts(out, sequences[style]);
}

enum style style_of_share(double percent)
{
	return percent >= HOT_PERCENT ? STYLE_HOT : percent >= WARM_PERCENT ? STYLE_WARM : STYLE_PLAIN;
}
