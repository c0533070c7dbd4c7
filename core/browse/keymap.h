/*
 * Which key does what. One table dispatches keys, fills the menu and prints the help.
 * Layer: browse
 */
#ifndef CORE_BROWSE_KEYMAP_H
#define CORE_BROWSE_KEYMAP_H

#include <stdbool.h>
#include <stddef.h>

struct buf;

enum view_id {
	VIEW_FUNCTIONS, VIEW_SANDWICH, VIEW_TREE, VIEW_FLAME, VIEW_TIMELINE, VIEW_THREADS, VIEW_ANNOTATE, VIEW_SAMPLES,
	VIEW_FINDINGS, VIEW_HEADER, VIEW_HELP, NR_VIEWS,
};

enum action {
	ACTION_NONE,
	/* moving */
	ACTION_UP, ACTION_DOWN, ACTION_PAGE_UP, ACTION_PAGE_DOWN, ACTION_HOME, ACTION_END, ACTION_LEFT, ACTION_RIGHT,
	/* rows */
	ACTION_ENTER, ACTION_OPEN, ACTION_OPEN_BELOW, ACTION_OPEN_ALL, ACTION_CLOSE_ALL, ACTION_TURN, ACTION_OWN, ACTION_MARK,
	/* views */
	ACTION_SANDWICH, ACTION_ANNOTATE, ACTION_SAMPLES, ACTION_FUNCTIONS, ACTION_TREE, ACTION_FLAME, ACTION_TIMELINE,
	ACTION_THREADS, ACTION_FINDINGS, ACTION_HEADER, ACTION_HELP,
	/* what is shown */
	ACTION_DSO, ACTION_THREAD, ACTION_KERNEL, ACTION_SYMBOL, ACTION_SEARCH, ACTION_NEXT, ACTION_UNDO, ACTION_EVENT,
	ACTION_EVENT_BACK, ACTION_RELATIVE, ACTION_LIMIT, ACTION_VERBOSE, ACTION_TITLES,
	/* the rest */
	ACTION_MENU, ACTION_COMMAND, ACTION_PRINT, ACTION_BACK, ACTION_QUIT, ACTION_REDRAW,
	NR_ACTIONS,
};

#define MAX_KEYS 4

struct keymap_row {
	enum action action;
	int keys[MAX_KEYS];	/* 0 ends them */
	const char *shown;	/* the keys for people */
	const char *help;
	unsigned views;		/* bits 1 << enum view_id where it is of use; 0: everywhere */
	bool in_menu;		/* it concerns the row, and stands in its menu */
};

/* What @key does in @view; ACTION_NONE: nothing. */
enum action keymap_find(int key, enum view_id view);
/* All rows, in the order of the help. */
const struct keymap_row *keymap(size_t *nr);
bool keymap_applies(const struct keymap_row *row, enum view_id view);

#endif
