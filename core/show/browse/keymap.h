/*
 * Maps each key of the terminal browser to its action. The browser finds the action of a pressed key in a table (keymap.c), and
 * prints its menu and its help text from the same table.
 */
#ifndef CORE_SHOW_BROWSE_KEYMAP_H
#define CORE_SHOW_BROWSE_KEYMAP_H

#include <stdbool.h>
#include <stddef.h>

/*
 * VIEW(id, name, ...): VIEW_id of enum view_id, ACTION_id that shows it, and the struct view_ops view_name. The rest is the row of
 * its key in the table (struct keymap_row), after the action.
 */
#define BROWSE_VIEWS(VIEW) \
	VIEW(SANDWICH, sandwich, { 'b' }, "b", "the function between its callers and its callees", WITH_FUNCTION, true) \
	VIEW(ANNOTATE, annotate, { 'a' }, "a", "the function's instructions and lines", WITH_FUNCTION, true, OF_ONE) \
	VIEW(SAMPLES, samples, { 'S' }, "S", "the samples that were taken in the function, one by one", WITH_FUNCTION, true, \
	     OF_ONE) \
	VIEW(FUNCTIONS, functions, { 'f' }, "f", "view: functions", 0) \
	VIEW(TREE, tree, { 'c' }, "c", "view: call tree", 0) \
	VIEW(FLAME, flame, { 'g' }, "g", "view: flame graph", 0) \
	VIEW(TIMELINE, timeline, { 'T' }, "T", "view: timeline, samples by thread", 0, true, OF_ONE) \
	VIEW(THREADS, threads, { 'p' }, "p", "view: threads", 0, ONE) \
	VIEW(PROCESSES, processes, { 'W' }, "W", "view: processes of the whole recording, below those that started them", 0, \
	     .of = OF_REPORT) \
	VIEW(FINDINGS, findings, { 'w' }, "w", "view: findings, what is wrong with the profile", 0, .of = OF_FILES) \
	VIEW(HEADER, header, { 'i' }, "i", "view: header of the recording", 0) \
	VIEW(HELP, help, { '?', 'h' }, "?, h", "view: this help", 0)

#define VIEW(id, name, ...) VIEW_##id,
enum view_id { BROWSE_VIEWS(VIEW) NR_VIEWS };
#undef VIEW

enum action {
	ACTION_NONE,
	ACTION_UP, ACTION_DOWN, ACTION_PAGE_UP, ACTION_PAGE_DOWN, ACTION_HOME, ACTION_END, ACTION_LEFT, ACTION_RIGHT,
	ACTION_ENTER, ACTION_OPEN, ACTION_OPEN_BELOW, ACTION_OPEN_ALL, ACTION_CLOSE_ALL, ACTION_TURN, ACTION_OWN, ACTION_MARK,
	ACTION_RANGE, ACTION_HOTTEST, ACTION_COOLER, ACTION_HOTTER, ACTION_EDIT, ACTION_BESIDE,
	/* views, in the order of enum view_id: ACTION_SANDWICH ... */
#define VIEW(id, name, ...) ACTION_##id,
	BROWSE_VIEWS(VIEW)
#undef VIEW
	ACTION_DSO, ACTION_THREAD, ACTION_KERNEL, ACTION_SYMBOL, ACTION_SEARCH, ACTION_NEXT, ACTION_UNDO, ACTION_EVENT,
	ACTION_EVENT_BACK, ACTION_RELATIVE, ACTION_LIMIT, ACTION_VERBOSE, ACTION_TITLES, ACTION_CLOCK,
	ACTION_SIDES,
	ACTION_MENU, ACTION_COMMAND, ACTION_PRINT, ACTION_WRITE, ACTION_BACK, ACTION_QUIT, ACTION_REDRAW,
	NR_ACTIONS,
};

static inline bool keymap_shows(enum action action, enum view_id *view)
{
	*view = (enum view_id)(action - ACTION_SANDWICH);
	return action >= ACTION_SANDWICH && action < ACTION_SANDWICH + NR_VIEWS;
}

#define MAX_KEYS 12

/* The browsers of prec report, prec diff and prec top. A row of the table has bits for one or several of them; 0: for all. */
enum keymap_of { OF_REPORT = 1, OF_DIFF = 2, OF_TOP = 4 };

struct keymap_row {
	enum action action;
	int keys[MAX_KEYS];	/* 0 ends them */
	const char *shown;	/* the keys, as the help shows them */
	const char *help;
	unsigned views;		/* bits 1 << enum view_id: the views in which the keys work; 0: all */
	bool in_menu;		/* the action is in the menu of the row under the cursor */
	enum keymap_of of;
};

/* The action of @key in @view, in browsers of the kind @kind. ACTION_NONE: the key has no action there. */
enum action keymap_find(int key, enum view_id view, enum keymap_of kind);
/* The first row that has @key in any view; NULL: no row has it. */
const struct keymap_row *keymap_elsewhere(int key, enum keymap_of kind);
const struct keymap_row *keymap(size_t *nr);
/* keymap_has(): true if browsers of this kind have the row; keymap_applies(): true if it works in @view, too. */
bool keymap_has(const struct keymap_row *row, enum keymap_of kind);
bool keymap_applies(const struct keymap_row *row, enum view_id view, enum keymap_of kind);

#endif
