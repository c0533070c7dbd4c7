/* Shows a canvas on the terminal and reads keys with ncurses (screen.h). A build without ncurses has browse_none.c instead. */
#define NCURSES_WIDECHAR 1
#include "core/show/browse/screen.h"

#include <curses.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/show/browse/keys.h"

#define ESCAPE_MS 25		/* bytes that follow Esc within this time are part of the same key */

struct screen {
	SCREEN *curses;
	FILE *in, *out;
	bool colors, utf8;
	/* For screen_leave(): another descriptor of the terminal, its modes as they were, and the bytes that restore its screen. */
	int terminal, out_fd;
	struct termios before;
	char farewell[256];
};

/* NULL: terminfo has none. */
static const char *capability(const char *name)
{
	const char *text = tigetstr(name);

	return text == (const char *)-1 ? NULL : text;
}

bool screen_is_possible(void)
{
	bool moves;
	int err;

	if (!isatty(STDOUT_FILENO) || setupterm(NULL, STDOUT_FILENO, &err) != OK)
		return false;
	moves = capability("cup");
	del_curterm(cur_term);
	return moves;
}

/* ---- looks ---- */

/*
 * Text has colours of the terminal's palette, which its user chose to be legible. Boxes (LOOK_FILLED) have black text on .fill256,
 * a light one of 256 colours, or on .fill8, one of the eight colours on which black is legible. .fill8 is 0 for looks that no box
 * has.
 */
static const struct { short color; attr_t attrs, mono; short fill256, fill8; } looks[NR_LOOKS] = {
	[LOOK_PLAIN] = { -1, A_NORMAL, A_NORMAL, 252, COLOR_WHITE },
	[LOOK_TITLE] = { -1, A_BOLD, A_BOLD, 0, 0 },
	[LOOK_HOT] = { COLOR_RED, A_NORMAL, A_BOLD, 0, 0 },
	[LOOK_WARM] = { COLOR_GREEN, A_NORMAL, A_NORMAL, 0, 0 },
	[LOOK_FAINT] = { -1, A_DIM, A_NORMAL, 250, COLOR_WHITE },
	[LOOK_ALERT] = { COLOR_YELLOW, A_NORMAL, A_BOLD, 0, 0 },
	[LOOK_BAR] = { COLOR_CYAN, A_NORMAL, A_UNDERLINE, 215, COLOR_YELLOW },
	[LOOK_OTHER_BAR] = { COLOR_BLUE, A_NORMAL, A_UNDERLINE, 222, COLOR_YELLOW },
	[LOOK_KERNEL_BAR] = { COLOR_CYAN, A_NORMAL, A_UNDERLINE, 110, COLOR_CYAN },
	[LOOK_OTHER_KERNEL_BAR] = { COLOR_CYAN, A_NORMAL, A_UNDERLINE, 153, COLOR_CYAN },
	[LOOK_MORE] = { COLOR_RED, A_NORMAL, A_BOLD, 210, COLOR_RED },
	[LOOK_LESS] = { COLOR_BLUE, A_NORMAL, A_UNDERLINE, 117, COLOR_CYAN },
	[LOOK_FOUND] = { COLOR_MAGENTA, A_BOLD, A_BOLD | A_UNDERLINE, 177, COLOR_MAGENTA },
};

#define BLACK_OF_256	16	/* black in all palettes; COLOR_BLACK may be grey */

static void make_colors(struct screen *s)
{
	s->colors = s->colors && has_colors() && start_color() == OK && use_default_colors() == OK;
	for (short l = 0; s->colors && l < NR_LOOKS; l++)
		if (looks[l].color >= 0)
			init_pair((short)(l + 1), looks[l].color, -1);
	for (short l = 0; s->colors && l < NR_LOOKS; l++)
		if (looks[l].fill8)
			init_pair((short)(NR_LOOKS + l + 1), COLORS >= 256 ? BLACK_OF_256 : COLOR_BLACK,
				  COLORS >= 256 ? looks[l].fill256 : looks[l].fill8);
}

static void set_look(const struct screen *s, uint8_t look)
{
	unsigned kind = look & ~(unsigned)(LOOK_REVERSED | LOOK_FILLED);
	attr_t attrs = s->colors ? looks[kind].attrs : looks[kind].mono;

	if (look & LOOK_FILLED) {	/* at the cursor: black with text in the box's colour; without colours: not filled */
		attrs = (attrs & A_BOLD) | (s->colors ? 0 : A_REVERSE);
		attr_set(look & LOOK_REVERSED ? (attrs ^ A_REVERSE) | A_BOLD : attrs,
			 (short)(s->colors ? NR_LOOKS + kind + 1 : 0), NULL);
		return;
	}
	attr_set(attrs | (look & LOOK_REVERSED ? A_REVERSE : 0),
		 (short)(s->colors && looks[kind].color >= 0 ? kind + 1 : 0), NULL);
}

/* ---- opening ---- */

static void set_modes(struct screen *s)
{
	cbreak();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(ESCAPE_MS);
	make_colors(s);
}

static FILE *open_copy(int fd, const char *mode)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	FILE *f = copy < 0 ? NULL : fdopen(copy, mode);

	if (copy >= 0 && !f)
		close(copy);
	return f;
}

/* Opens the terminal for keys, as standard input may be the recording. */
static FILE *open_keys(void)
{
	return isatty(STDIN_FILENO) ? open_copy(STDIN_FILENO, "r") : fopen("/dev/tty", "re");
}

/* Appends a string of the terminal's capabilities, without the delays ("$<20>") that old terminals needed. */
static void add_farewell(struct screen *s, const char *name)
{
	const char *text = capability(name);
	size_t len = strlen(s->farewell), n = text ? strcspn(text, "$") : 0;

	if (n && len + n < sizeof(s->farewell))
		memcpy(s->farewell + len, text, n);
}

/* Stores the bytes that endwin() would write, for places where endwin() must not be called. */
static void prepare_farewell(struct screen *s)
{
	static const char *const names[] = { "sgr0", "op", "cnorm", "rmkx", "ed", "rmcup" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		add_farewell(s, names[i]);
}

static void release(struct screen *s)
{
	if (s->terminal >= 0)
		close(s->terminal);
	if (s->in)
		fclose(s->in);
	if (s->out)
		fclose(s->out);
	free(s);
}

struct screen *screen_open(bool colors)
{
	struct screen *s = xcalloc(1, sizeof(*s));

	setlocale(LC_CTYPE, "");
	s->colors = colors;
	s->utf8 = str_eq(nl_langinfo(CODESET), "UTF-8");
	s->in = open_keys();
	s->out = open_copy(STDOUT_FILENO, "w");
	s->terminal = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (s->in && s->out && s->terminal >= 0 && !tcgetattr(s->terminal, &s->before))
		s->curses = newterm(NULL, s->out, s->in);
	if (!s->curses) {
		release(s);
		return NULL;
	}
	set_term(s->curses);
	set_modes(s);
	s->out_fd = fileno(s->out);
	prepare_farewell(s);
	return s;
}

bool screen_is_ours(const struct screen *s)
{
	return tcgetpgrp(s->terminal) == getpgrp();
}

void screen_leave(struct screen *s)
{
	ssize_t n;

	if (!s || !screen_is_ours(s))
		return;
	close(s->out_fd);
	n = write(s->terminal, s->farewell, strlen(s->farewell));
	(void)n;
	tcsetattr(s->terminal, TCSANOW, &s->before);
}

/* Does nothing in the background, because tcsetattr() in endwin() would stop the program by SIGTTOU (termios(3)). */
void screen_suspend(struct screen *s)
{
	if (screen_is_ours(s))
		endwin();
}

void screen_resume(struct screen *s)
{
	(void)s;
	reset_prog_mode();
	keypad(stdscr, TRUE);
	clearok(curscr, TRUE);
}

void screen_close(struct screen *s)
{
	if (!s)
		return;
	screen_suspend(s);
	delscreen(s->curses);
	release(s);
}

/* ---- showing ---- */

void screen_resize(struct screen *s, struct canvas *c)
{
	struct winsize size;

	if (!ioctl(fileno(s->out), TIOCGWINSZ, &size) && size.ws_col && size.ws_row &&
	    (size.ws_col != COLS || size.ws_row != LINES))
		resizeterm(size.ws_row, size.ws_col);
	c->utf8 = s->utf8;
	canvas_resize(c, (unsigned)MAX(COLS, 1), (unsigned)MAX(LINES, 1));
}

static void show_line(struct screen *s, const struct canvas *c, unsigned y)
{
	const struct cell *cells = c->cells + (size_t)y * c->width;

	move((int)y, 0);
	for (unsigned x = 0; x < c->width; x++) {
		wchar_t character = (wchar_t)cells[x].character;

		if (!character)
			continue;
		if (!x || cells[x].look != cells[x - 1].look)
			set_look(s, cells[x].look);
		addnwstr(&character, 1);
	}
}

void screen_show(struct screen *s, const struct canvas *c)
{
	bool typing = c->cursor_x >= 0 && c->cursor_y >= 0;

	for (unsigned y = 0; y < c->height; y++)
		show_line(s, c, y);
	curs_set(typing);
	if (typing)
		move(c->cursor_y, c->cursor_x);
	refresh();
}

void screen_spoil(struct screen *s)
{
	(void)s;
	clearok(curscr, TRUE);
}

/* ---- keys ---- */

int screen_fd(const struct screen *s)
{
	return fileno(s->in);
}

static int key_of(wint_t code)
{
	static const struct { int curses, key; } keys[] = {
		{ KEY_UP, BROWSE_UP }, { KEY_DOWN, BROWSE_DOWN }, { KEY_LEFT, BROWSE_LEFT }, { KEY_RIGHT, BROWSE_RIGHT },
		{ KEY_PPAGE, BROWSE_PAGE_UP }, { KEY_NPAGE, BROWSE_PAGE_DOWN }, { KEY_HOME, BROWSE_HOME }, { KEY_END, BROWSE_END },
		{ KEY_BACKSPACE, BROWSE_BACKSPACE }, { KEY_BTAB, BROWSE_BACKTAB }, { KEY_ENTER, BROWSE_ENTER },
	};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if ((wint_t)keys[i].curses == code)
			return keys[i].key;
	return 0;
}

int screen_key(struct screen *s)
{
	wint_t code;
	int kind = get_wch(&code);

	(void)s;
	if (kind == ERR)
		return -1;
	return kind == KEY_CODE_YES ? key_of(code) : code == '\r' ? BROWSE_ENTER : (int)code;
}

void screen_copy(struct screen *s, const char *text)
{
	struct buf out = {0};

	buf_puts(&out, "\033]52;c;");
	buf_put_base64(&out, text, strlen(text));
	buf_puts(&out, "\a");
	fwrite(out.data, 1, out.len, s->out);
	fflush(s->out);
	buf_release(&out);
}
