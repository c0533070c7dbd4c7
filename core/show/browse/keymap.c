/* Defines the table of the browser's keys. A row has the keys, the action, the help text and the views in which the keys work. */
#include "core/show/browse/keymap.h"

#include "core/base/util.h"
#include "core/show/browse/keys.h"

#define IN(view)	(1u << VIEW_##view)
#define ROWS		(IN(FUNCTIONS) | IN(SANDWICH) | IN(TREE))
#define WITH_FUNCTION	(ROWS | IN(FLAME))
#define TURNS		(IN(FUNCTIONS) | IN(TREE) | IN(FLAME))
#define ALL_BUT_CODE	((IN(HELP) << 1) - 1 - IN(ANNOTATE))	/* the annotate view shows all events */
#define TEXTS		(IN(ANNOTATE) | IN(FINDINGS) | IN(HEADER) | IN(PROCESSES) | IN(HELP))

#define CONTROL(c)	((c) & 0x1f)
#define OF_ONE		(OF_REPORT | OF_TOP)
#define OF_FILES	(OF_REPORT | OF_DIFF)
#define ONE		.of = OF_ONE

static const struct keymap_row rows[] = {
	{ ACTION_UP, { BROWSE_UP }, "Up", "the row above", 0 },
	{ ACTION_DOWN, { BROWSE_DOWN, 'j' }, "Down, j", "the row below", 0 },
	{ ACTION_PAGE_UP, { BROWSE_PAGE_UP, CONTROL('b') }, "PageUp", "a screen up; timeline: ten columns to the left", 0 },
	{ ACTION_PAGE_DOWN, { BROWSE_PAGE_DOWN, CONTROL('f') }, "PageDown",
	  "a screen down; timeline: ten columns to the right", 0 },
	{ ACTION_HOME, { BROWSE_HOME }, "Home", "the first row", 0 },
	{ ACTION_END, { BROWSE_END }, "End", "the last row", 0 },
	{ ACTION_LEFT, { BROWSE_LEFT, '<' }, "Left", "scroll names back; in flame graph and timeline: to the left", 0 },
	{ ACTION_RIGHT, { BROWSE_RIGHT, '>' }, "Right", "scroll names sideways; in flame graph and timeline: to the right", 0 },

	{ ACTION_ENTER, { BROWSE_ENTER, '\r' }, "Enter",
	  "the menu of the row, with its whole name; threads: only this one; flame graph: zoom; "
	  "timeline: only the range, in the view before", 0 },
	{ ACTION_OPEN, { '+', ' ' }, "+, Space",
	  "open or close the row: callers or callees; of a sample its call chain; of a command its threads",
	  ROWS | IN(SAMPLES) | IN(THREADS), true },
	{ ACTION_OPEN_BELOW, { 'e' }, "e", "open the row and all below it, or close it", ROWS, true },
	{ ACTION_OPEN_ALL, { 'E' }, "E", "open all rows", ROWS | IN(SAMPLES) | IN(THREADS) },
	{ ACTION_CLOSE_ALL, { 'C' }, "C", "close all rows", ROWS | IN(SAMPLES) | IN(THREADS) },
	{ ACTION_TURN, { 'r' }, "r", "callees instead of callers, and back; tree and flame graph: inverted", TURNS },
	{ ACTION_OWN, { 'o' }, "o", "order by samples in the function itself, or with all that it calls", IN(FUNCTIONS), ONE },
	{ ACTION_HOTTEST, { 'H' }, "H", "annotate: the hottest line", IN(ANNOTATE), ONE },
	{ ACTION_COOLER, { BROWSE_TAB }, "Tab", "annotate: the next hottest line", IN(ANNOTATE), ONE },
	{ ACTION_HOTTER, { BROWSE_BACKTAB }, "Shift-Tab", "annotate: the next hotter line", IN(ANNOTATE), ONE },
	{ ACTION_EDIT, { 'O' }, "O", "annotate: open the editor, VISUAL or EDITOR, at the line of source", IN(ANNOTATE), ONE },
	{ ACTION_BESIDE, { 's' }, "s",
	  "annotate: source beside the instructions, from 120 columns on, or between them", IN(ANNOTATE), ONE },
	{ ACTION_MARK, { 'v' }, "v", "timeline: a range begins here", IN(TIMELINE), ONE },
	{ ACTION_RANGE, { '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '+', ',' }, "0-9, +",
	  "timeline: type a range of seconds since the first sample, as 2,3 or +2,+3; Enter takes it", IN(TIMELINE), ONE },

	{ ACTION_EDIT, { 'O' }, "O", "open the editor at the function's line with most samples", WITH_FUNCTION, true, OF_ONE },
#define VIEW(id, name, ...) { ACTION_##id, __VA_ARGS__ },
	BROWSE_VIEWS(VIEW)
#undef VIEW
	{ ACTION_WRITE, { 'w' }, "w", "write a recording of the last minute: prec-top.N.data", 0, .of = OF_TOP },

	{ ACTION_DSO, { 'd' }, "d", "only samples in the row's file, or all again", WITH_FUNCTION, true },
	{ ACTION_SYMBOL, { 's' }, "s", "only samples in the row's function, or all again", WITH_FUNCTION, true },
	{ ACTION_THREAD, { 't' }, "t", "only the row's thread, or all again; elsewhere: choose one", 0, true, OF_ONE },
	{ ACTION_KERNEL, { 'k' }, "k", "only samples in the kernel, or all again", 0 },
	{ ACTION_SEARCH, { '/' }, "/",
	  "only functions whose name contains a text, as it is typed; flame graph and texts: search",
	  IN(FUNCTIONS) | IN(TREE) | IN(FLAME) | TEXTS },
	{ ACTION_NEXT, { 'n' }, "n", "the next place where the text is", IN(FLAME) | TEXTS },
	{ ACTION_UNDO, { BROWSE_BACKSPACE, CONTROL('h'), 0x7f }, "Backspace", "undo the last filter", 0 },
	{ ACTION_EVENT, { BROWSE_TAB }, "Tab", "the next event", ALL_BUT_CODE },
	{ ACTION_EVENT_BACK, { BROWSE_BACKTAB }, "Shift-Tab", "the event before", ALL_BUT_CODE },
	{ ACTION_RELATIVE, { 'F' }, "F", "percents of what passes the filters, or of all samples", 0, ONE },
	{ ACTION_LIMIT, { 'L' }, "L", "leave out rows below a percentage", 0, ONE },
	{ ACTION_VERBOSE, { 'V' }, "V", "show files in call chains, too", ROWS },
	{ ACTION_TITLES, { 'H' }, "H", "titles of columns, or none", ROWS | IN(TIMELINE) | IN(THREADS) | IN(SAMPLES) },
	{ ACTION_CLOCK, { 'A' }, "A", "times of the recorder's clock, or since the first sample", IN(SAMPLES), ONE },

	{ ACTION_SIDES, { 'x' }, "x", "the difference, A alone, B alone: rows are ordered and bars are wide by it", 0,
	  .of = OF_DIFF },

	{ ACTION_MENU, { 'm' }, "m", "the menu of the row, with its whole name", 0 },
	{ ACTION_COMMAND, { 'y' }, "y", "show and copy the command that prints the same", 0, .of = OF_FILES },
	{ ACTION_PRINT, { 'P' }, "P", "write the rows to the file prec.hist.N", 0 },
	{ ACTION_BACK, { BROWSE_ESCAPE }, "Esc", "back to the view before; in the first: undo the last filter", 0 },
	{ ACTION_QUIT, { 'q' }, "q", "back to the view before; in the first: quit. Ctrl-C quits at once", 0 },
	{ ACTION_REDRAW, { CONTROL('l') }, "Ctrl-L", "draw the screen again", 0 },
};

const struct keymap_row *keymap(size_t *nr)
{
	*nr = ARRAY_SIZE(rows);
	return rows;
}

const struct keymap_row *keymap_elsewhere(int key, enum keymap_of kind)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (unsigned k = 0; k < MAX_KEYS && rows[i].keys[k]; k++)
			if (rows[i].keys[k] == key && keymap_has(&rows[i], kind))
				return &rows[i];
	return NULL;
}

bool keymap_has(const struct keymap_row *row, enum keymap_of kind)
{
	return !row->of || row->of & kind;
}

bool keymap_applies(const struct keymap_row *row, enum view_id view, enum keymap_of kind)
{
	return keymap_has(row, kind) && (!row->views || row->views & 1u << view);
}

enum action keymap_find(int key, enum view_id view, enum keymap_of kind)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (unsigned k = 0; k < MAX_KEYS && rows[i].keys[k]; k++)
			if (rows[i].keys[k] == key && keymap_applies(&rows[i], view, kind))
				return rows[i].action;
	return ACTION_NONE;
}
