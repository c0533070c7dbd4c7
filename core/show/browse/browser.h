/*
 * Defines the state of the terminal browser, and the interface of its views (view_*.c). act.c changes the state when a key is
 * pressed, draw.c draws it, and browse.c runs the main loop.
 */
#ifndef CORE_SHOW_BROWSE_BROWSER_H
#define CORE_SHOW_BROWSE_BROWSER_H

#include "core/base/buf.h"
#include "core/code/code_lines.h"
#include "core/show/browse/canvas.h"
#include "core/show/browse/compared.h"
#include "core/show/browse/input.h"
#include "core/show/browse/keymap.h"
#include "core/show/browse/tree.h"

struct browser;
struct renumbering;

struct view {
	const struct view_ops *ops;
	size_t cursor, top;	/* .cursor: the row of the cursor; .top: the first row on the screen */
	unsigned left;		/* names are scrolled to the left by so many columns */
	unsigned page;		/* rows that were on the screen when it was last drawn */
	uint64_t generation;	/* the browser's .made when the view was made; 0: it must be made again */
	uint32_t chosen;	/* sandwich, annotate, samples: the function that they show; PROFILE_NONE: none yet */
	void *state;		/* the view's own, of ops->state_size bytes, zeroed */
};

/* All functions may be NULL, except that .name, .command and either .draw or both of .count and .draw_row are required. */
struct view_ops {
	const char *name;
	size_t state_size;
	/* Makes the rows from b->selection; called before the view is shown if the selection has changed. */
	void (*make)(struct browser *b, struct view *v);
	void (*release)(struct view *v);
	size_t (*count)(struct browser *b, const struct view *v);
	void (*draw_titles)(struct browser *b, struct view *v, struct canvas *c, unsigned y);
	void (*draw_row)(struct browser *b, struct view *v, struct canvas *c, unsigned y, size_t row);
	/* Draws the whole view in lines @y to @end - 1, instead of row by row. */
	void (*draw)(struct browser *b, struct view *v, struct canvas *c, unsigned y, unsigned end);
	bool (*act)(struct browser *b, struct view *v, enum action action);
	/* The function of the row under the cursor; PROFILE_NONE: the row is not a function. */
	uint32_t (*function)(struct browser *b, const struct view *v);
	/* Moves the cursor to the first row with b->search, with @next after the cursor; wraps round. False: no row has it. */
	bool (*search)(struct browser *b, struct view *v, bool next);
	/* The profile will be replaced: renumber the functions of the open rows by @r. A call of .make follows. */
	void (*carry)(struct view *v, const struct renumbering *r);
	void (*command)(struct browser *b, struct view *v, struct buf *out);
	/* The most useful keys, for the last line: "KEY WORD\0KEY WORD\0...\0"; of prec diff: .diff_hints. NULL: as of a text. */
	const char *hints, *diff_hints;
};

enum prompt_kind { PROMPT_NONE, PROMPT_SEARCH, PROMPT_LIMIT, PROMPT_TIME };

struct prompt {
	enum prompt_kind kind;
	struct buf text;
	struct buf before;	/* the text filter at the time when the prompt was opened; "": there was none */
};

struct menu { bool is_open; size_t cursor; uint32_t function; VEC(const struct keymap_row *) rows; };

/* Work outside of the browser's state, such as running an editor: a key sets .request, and the loop in browse.c does it. */
enum request {
	REQUEST_NONE, REQUEST_QUIT, REQUEST_ANNOTATE, REQUEST_COPY, REQUEST_PRINT, REQUEST_REDRAW, REQUEST_WRITE, REQUEST_EDIT
};

struct browser {		/* browser_init(), browser_release() */
	const struct browse_opts *opts;	/* borrowed */
	struct browse_input input;	/* .profile NULL: it is still being read, and only the help can be shown */
	struct model model;
	uint32_t event;
	struct browse_filters filters;
	struct selection selection;
	const struct browse_difference *difference;	/* prec diff: how the selected samples compare; borrowed; NULL: unknown */
	uint32_t *difference_rows;	/* by function: 1 + the index of its row in .difference; 0: it has no row */
	uint64_t hidden;		/* periods of the functions that FILTER_TEXT hides */
	uint32_t nr_shown, nr_functions;	/* .nr_functions have samples; .nr_shown of them pass FILTER_TEXT */
	bool opens_hottest;	/* the next list of functions has its hottest path open */
	bool own, relative, verbose, no_titles;
	bool clock;			/* the samples view has times of the recorder's clock; else times since the first sample */
	bool inverted;			/* flame graph and call tree begin at the sampled functions, with their callers below */
	enum direction direction;	/* functions view: rows open to callers, or to callees */
	double min_percent;		/* rows with a smaller share are left out */
	struct view views[NR_VIEWS];
	enum view_id view;
	VEC(enum view_id) before;	/* views to go back to; the most recent is last */
	struct prompt prompt;
	struct menu menu;
	struct buf message;		/* shown in the last line until the next key */
	struct buf search;
	struct buf command;		/* the command line of key y, shown until the next key */
	/* .selected counts selections, and .made other changes. Data that remember an older counter are made again. */
	uint64_t selected, made;
	struct {			/* the code of .function, annotated by a thread of browse.c */
		struct buf text;
		struct code_lines lines;
		uint32_t function;
		uint64_t selected, serial;	/* .serial: the number of answers to REQUEST_ANNOTATE so far */
	} annotated;
	/* The source line that REQUEST_EDIT opens. If .path is empty, browse.c finds a line of .function. */
	struct { struct buf path; uint32_t line, function; } edit;
	bool is_annotating, source_between;	/* .source_between: never show source next to the instructions */
	enum request request;
	unsigned width, height;
	unsigned age;			/* prec top: the profile was read so many seconds ago; the title has it from 2 on */
};

static inline enum keymap_of browser_kind(const struct browser *b)
{
	return b->opts->compares ? OF_DIFF : b->opts->watches ? OF_TOP : OF_REPORT;
}

/* @views: by enum view_id; borrowed. */
void browser_init(struct browser *b, const struct browse_opts *opts, const struct view_ops *const *views);
void browser_release(struct browser *b);
/* Copies @input, whose profile must have events, and takes over @model, which is made from its profile. */
void browser_load(struct browser *b, const struct browse_input *input, const struct model *model);
void browser_resize(struct browser *b, unsigned width, unsigned height);
/*
 * Answers REQUEST_ANNOTATE. @text is the code of @function, annotated with the samples of selection number @selected (.selected).
 * NULL: there is no code. Takes over *@lines, the source places of its lines. If the selection has changed since, the request is
 * repeated.
 */
void browser_annotated(struct browser *b, uint32_t function, uint64_t selected, const struct buf *text, struct code_lines *lines);

/* act.c. @key: a character or an enum browse_key; other numbers are ignored. b->request holds the action that the loop must do. */
void browser_key(struct browser *b, int key);
/* draw.c. Draws the whole screen. @doing: the work that a thread does meanwhile, for the last line; NULL: none. */
void browser_draw(struct browser *b, struct canvas *c, const char *doing);
/* Appends all rows of the view as text, for REQUEST_PRINT. */
void browser_print(struct browser *b, struct buf *out);

struct view *browser_view(struct browser *b);
/* Shows @view, and remembers the present view for browser_leave(). */
void browser_show(struct browser *b, enum view_id view);
/* Like browser_show(), but browser_leave() does not return to the view before. */
void browser_open(struct browser *b, enum view_id view);
/* Returns to the view before. False: this was the first view. */
bool browser_leave(struct browser *b);
void browser_select(struct browser *b);
/* Makes the views again after a change that does not select other samples, such as another percentage limit. */
void browser_make(struct browser *b);
/* False: there is no filter. */
bool browser_undo(struct browser *b);
/* Puts a filter on the stack, or removes it if it is there already. @text is copied. */
void browser_filter(struct browser *b, enum filter_kind kind, uint32_t tid, const char *text);
/* Shows only rows whose symbol contains @text; "": all. */
void browser_filter_text(struct browser *b, const char *text);
/* True if text typed at the search prompt filters rows; else the view searches for it. */
bool browser_filters_typed(struct browser *b);
void browser_filter_time(struct browser *b, uint64_t from, uint64_t to);
void browser_say(struct browser *b, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* @period as a percentage of the event's samples, or with .relative of the samples that pass the filters. */
double browser_percent(const struct browser *b, uint64_t period);
/* The period that b->min_percent stands for. */
uint64_t browser_least(const struct browser *b);
const struct profile_event *browser_event(const struct browser *b);
/* The next event that has samples, with @back the previous, wrapping round; the shown one if no other has any. */
uint32_t browser_next_event(const struct browser *b, bool back);
/* Appends @period in the event's unit: "1.02 s", "12.3 M". */
void browser_put_amount(const struct browser *b, uint64_t period, struct buf *out);
/* Moves the cursor into the list, and scrolls so that it is on the screen of @page rows. */
void view_follow(struct browser *b, struct view *v, unsigned page);
void view_put_cursor_on(struct browser *b, struct view *v, uint32_t function);
/* The number of rows; 0 before the profile is read, except for the help. */
size_t view_rows(struct browser *b, const struct view *v);

#endif
