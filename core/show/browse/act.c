/*
 * Looks up the action of a pressed key in the key table (keymap.h) and performs the action on the browser's state (browser.h), for
 * example moves the cursor, adds a filter or opens a prompt. browse.c calls browser_key() for each key.
 */
#include "core/show/browse/browser.h"

#include <stdlib.h>
#include <string.h>

#include "core/ui/fit.h"
#include "core/base/utf8.h"
#include "core/show/browse/function_samples.h"
#include "core/show/browse/keys.h"
#include "core/show/browse/diff_columns.h"
#include "core/read/filter.h"

#define SIDEWAYS 8u		/* columns that one key scrolls */
#define MOST_LEFT 4096u
#define SHORT_NAME 22u		/* columns of a name in a message */

static void undo(struct browser *b)
{
	if (!browser_undo(b))
		browser_say(b, "there is no filter to undo");
}

/* Says so if the row under the cursor has no function, and returns PROFILE_NONE. */
static uint32_t function_here(struct browser *b)
{
	struct view *v = browser_view(b);
	uint32_t function = v->ops->function ? v->ops->function(b, v) : PROFILE_NONE;

	if (function == PROFILE_NONE)
		browser_say(b, "the row under the cursor is not a function");
	return function;
}

/* Writes the function's short name: a message with two of them fits in 80 columns. */
static void put_short(const struct browser *b, uint32_t function, struct buf *out)
{
	const char *name = model_function_name(&b->model, function);

	fit_name(name, strlen(name), SHORT_NAME, out);
}

/* If @function is inlined, this can be the function around it. */
static uint32_t where_code_is(struct browser *b, uint32_t function)
{
	struct function_samples most = { .function = PROFILE_NONE };
	struct buf inlined = {0}, outer = {0};

	if (model_is_inlined(&b->model, function))
		most = function_samples_of(&b->model, &b->selection, function);
	if (most.function == PROFILE_NONE || !most.is_inlined_code)
		return function;
	put_short(b, function, &inlined);
	put_short(b, most.function, &outer);
	browser_say(b, "this is %s: %s is inlined into it", buf_str(&outer), buf_str(&inlined));
	buf_release(&inlined);
	buf_release(&outer);
	return most.function;
}

static void choose(struct browser *b, enum view_id view)
{
	uint32_t function = function_here(b);

	if (function == PROFILE_NONE)
		return;
	if (view != VIEW_SANDWICH && !model_function_name(&b->model, function)) {
		browser_say(b, "no symbol is known there: there is no function to %s",
			    view == VIEW_ANNOTATE ? "annotate" : "show samples of");
		return;
	}
	if (view == VIEW_SANDWICH && !b->input.has_chains) {
		browser_say(b, "no call chains were recorded: callers are not known (record with -g)");
		return;
	}
	b->views[view].chosen = view == VIEW_ANNOTATE ? where_code_is(b, function) : function;
	b->views[view].generation = 0;
	b->views[view].cursor = b->views[view].top = 0;
	browser_show(b, view);
}

static void edit_function(struct browser *b)
{
	uint32_t function = function_here(b);

	if (function == PROFILE_NONE)
		return;
	if (!model_function_name(&b->model, function)) {
		browser_say(b, "no symbol is known there: there is no line of source to open");
		return;
	}
	b->edit.path.len = 0;
	b->edit.function = function;
	b->request = REQUEST_EDIT;
}

/* ---- moving ---- */

static bool move(struct browser *b, enum action action)
{
	struct view *v = browser_view(b);
	size_t last = MAX(view_rows(b, v), 1) - 1;

	switch (action) {
	case ACTION_UP:
		v->cursor -= v->cursor > 0;
		return true;
	case ACTION_DOWN:
		v->cursor = MIN(v->cursor + 1, last);
		return true;
	case ACTION_PAGE_UP:
		v->cursor -= MIN(v->cursor, v->page);
		v->top -= MIN(v->top, v->page);
		return true;
	case ACTION_PAGE_DOWN:
		v->cursor = MIN(v->cursor + v->page, last);
		v->top = MIN(v->top + v->page, last);
		return true;
	case ACTION_HOME:
		v->cursor = 0;
		return true;
	case ACTION_END:
		v->cursor = last;
		return true;
	case ACTION_LEFT:
		v->left -= MIN(v->left, SIDEWAYS);
		return true;
	case ACTION_RIGHT:
		v->left = MIN(v->left + SIDEWAYS, MOST_LEFT);
		return true;
	default:
		return false;
	}
}

/* ---- prompts and menus ---- */

static void open_prompt(struct browser *b, enum prompt_kind kind)
{
	const struct browse_filter *text = filters_find(&b->filters, FILTER_TEXT);

	b->prompt.kind = kind;
	b->prompt.text.len = b->prompt.before.len = 0;
	buf_puts(&b->prompt.before, text ? text->text : "");
}

static void filter_typed(struct browser *b)
{
	if (browser_filters_typed(b))
		browser_filter_text(b, buf_str(&b->prompt.text));
}

static void leave_prompt(struct browser *b)
{
	if (browser_filters_typed(b))
		browser_filter_text(b, buf_str(&b->prompt.before));
	b->prompt.kind = PROMPT_NONE;
}

static void search(struct browser *b, bool next)
{
	struct view *v = browser_view(b);

	if (!b->search.len)
		browser_say(b, "nothing was searched for: '/' does");
	else if (!v->ops->search(b, v, next))
		browser_say(b, "'%s' is not there", buf_str(&b->search));
}

static void end_search(struct browser *b, const char *text)
{
	if (browser_view(b)->ops->search) {
		b->search.len = 0;
		buf_puts(&b->search, text);
		if (*text)
			search(b, false);
		return;
	}
	browser_filter_text(b, text);
}

static void end_limit(struct browser *b, const char *text)
{
	char *end;
	double limit = strtod(text, &end);

	if (end == text || (*end && !str_eq(end, "%")) || !(limit >= 0 && limit <= 100)) {
		browser_say(b, "'%s' is no percentage", text);
		return;
	}
	b->min_percent = limit;
	browser_make(b);
}

/* Parses one end of a time range: seconds since the first sample, with or without a +. Without a number *out is @otherwise. */
static bool parse_moment(const struct browser *b, const char **at, uint64_t otherwise, uint64_t *out)
{
	*at += strspn(*at, " ");
	*at += **at == '+';
	*out = otherwise;
	if (**at >= '0' && **at <= '9' &&
	    (filter_parse_seconds(*at, at, out) || __builtin_add_overflow(*out, b->model.d->info.first_time, out)))
		return false;
	*at += strspn(*at, " s");
	return true;
}

/* Filters by the range that was typed: "2,3", "+2,+3", "2.5-3" or "2,", as --time accepts it. */
static void end_time(struct browser *b, const char *text)
{
	uint64_t from, to;
	const char *at = text;
	bool is_range = parse_moment(b, &at, 0, &from) && (*at == ',' || *at == '-');

	at += is_range;
	is_range = is_range && parse_moment(b, &at, UINT64_MAX, &to) && !*at;
	if (!is_range || from > to) {
		browser_say(b, "'%s' is no range of seconds since the first sample: 2,3 or 2.5, or ,1", text);
		return;
	}
	if (!b->model.nr_samples) {
		browser_say(b, "no sample has a time");
		return;
	}
	browser_filter_time(b, from, to);
	browser_leave(b);
}

static void end_prompt(struct browser *b)
{
	enum prompt_kind kind = b->prompt.kind;

	b->prompt.kind = PROMPT_NONE;
	if (kind == PROMPT_SEARCH)
		end_search(b, buf_str(&b->prompt.text));
	else if (kind == PROMPT_TIME)
		end_time(b, buf_str(&b->prompt.text));
	else
		end_limit(b, buf_str(&b->prompt.text));
}

static void drop_character(struct buf *text)
{
	while (text->len && ((unsigned char)text->data[text->len - 1] & 0xc0) == 0x80)
		text->len--;
	text->len -= text->len > 0;
}

static void type(struct browser *b, int key)
{
	if (key == BROWSE_ENTER || key == '\r')
		end_prompt(b);
	else if (key == BROWSE_ESCAPE)
		leave_prompt(b);
	else if (key == BROWSE_BACKSPACE || key == 0x7f || key == 8)
		drop_character(&b->prompt.text), filter_typed(b);
	else if (key >= ' ' && key < KEYS_BEGIN && (key < 0xd800 || key > 0xdfff) && b->prompt.text.len < 1000)
		utf8_put(&b->prompt.text, (uint32_t)key), filter_typed(b);
}

static void act(struct browser *b, enum action action);

static void open_menu(struct browser *b)
{
	size_t nr;
	const struct keymap_row *rows = keymap(&nr);

	b->menu.function = function_here(b);
	if (b->menu.function == PROFILE_NONE)
		return;
	b->menu.rows.nr = b->menu.cursor = 0;
	for (size_t i = 0; i < nr; i++)
		if (rows[i].in_menu && keymap_applies(&rows[i], b->view, browser_kind(b)))
			vec_push(&b->menu.rows, &rows[i]);
	b->menu.is_open = b->menu.rows.nr;
}

static void move_menu(struct browser *b, int key)
{
	switch (keymap_find(key, b->view, browser_kind(b))) {
	case ACTION_UP:
		b->menu.cursor -= b->menu.cursor > 0;
		return;
	case ACTION_DOWN:
		b->menu.cursor = MIN(b->menu.cursor + 1, b->menu.rows.nr - 1);
		return;
	case ACTION_ENTER:
		b->menu.is_open = false;
		act(b, b->menu.rows.v[b->menu.cursor]->action);
		return;
	case ACTION_BACK:
	case ACTION_QUIT:
	case ACTION_MENU:
	case ACTION_UNDO:
		b->menu.is_open = false;
		return;
	default:
		break;
	}
	/* The keys of the menu's rows work in the menu, too. */
	vec_for(row, &b->menu.rows)
		if ((*row)->action == keymap_find(key, b->view, browser_kind(b))) {
			b->menu.is_open = false;
			act(b, (*row)->action);
			return;
		}
}

/* ---- actions ---- */

static void next_event(struct browser *b, bool back)
{
	uint32_t next = browser_next_event(b, back);

	if (next == b->event) {
		browser_say(b, "no other event has samples");
		return;
	}
	b->event = next;
	browser_select(b);
}

static void filter_dso(struct browser *b)
{
	uint32_t function = function_here(b);

	if (function == PROFILE_NONE)
		return;
	if (function >= b->model.unknown || b->model.d->functions.v[function].dso == PROFILE_NONE)
		browser_say(b, "nothing is mapped there: there is no file to select");
	else
		browser_filter(b, FILTER_DSO, 0, model_function_dso(&b->model, function));
}

static void filter_symbol(struct browser *b)
{
	uint32_t function = function_here(b);
	const char *name = function == PROFILE_NONE ? NULL : model_function_name(&b->model, function);

	if (name)
		browser_filter(b, FILTER_SYMBOL, 0, name);
	else if (function != PROFILE_NONE)
		browser_say(b, "no symbol is known there: there is no function to select");
}

static void filter_kernel(struct browser *b)
{
	for (size_t i = 0; i < b->model.d->dsos.nr; i++)
		if (b->model.d->dsos.v[i].kind == PROFILE_DSO_KERNEL) {
			browser_filter(b, FILTER_DSO, 0, profile_string(b->model.profile, b->model.d->dsos.v[i].name));
			return;
		}
	browser_say(b, "no sample is in the kernel");
}

/* Removes the filter by thread, or if there is none, shows the list of threads to choose from. */
static void filter_thread(struct browser *b)
{
	const struct browse_filter *f = filters_find(&b->filters, FILTER_THREAD);

	if (f)
		browser_filter(b, FILTER_THREAD, f->tid, NULL);
	else
		browser_show(b, VIEW_THREADS);
}

static void show_command(struct browser *b)
{
	struct view *v = browser_view(b);

	b->command.len = 0;
	v->ops->command(b, v, &b->command);
	b->request = REQUEST_COPY;
}

static void back(struct browser *b, enum action action)
{
	if (browser_leave(b))
		return;
	if (action == ACTION_QUIT)
		b->request = REQUEST_QUIT;
	else if (b->filters.list.nr)
		undo(b);
	else
		browser_say(b, "q quits");
}

static void show(struct browser *b, enum view_id view)
{
	if (view == VIEW_FUNCTIONS) {
		b->before.nr = 0;
		browser_open(b, view);
	} else {
		browser_show(b, view);
	}
}

static void change(struct browser *b, enum action action)
{
	switch (action) {
	case ACTION_RELATIVE:
		b->relative = !b->relative;
		if (!b->relative && browser_event(b)->nr_filtered && filters_find(&b->filters, FILTER_TIME))
			b->relative = true;	/* the times of the samples that options left out are unknown */
		browser_say(b, b->relative ? "percents of what passes the filters" : "percents of all samples");
		browser_make(b);
		break;
	case ACTION_VERBOSE:
		b->verbose = !b->verbose;
		browser_say(b, b->verbose ? "files are shown in call chains, too" : "files are not shown in call chains");
		break;
	case ACTION_TITLES:
		b->no_titles = !b->no_titles;
		break;
	case ACTION_CLOCK:
		b->clock = !b->clock;
		break;
	default:
		break;
	}
}

static void act(struct browser *b, enum action action)
{
	struct view *v = browser_view(b);
	enum view_id view;

	if (action == ACTION_SIDES)
		diff_columns_turn(b);
	if (v->ops->act && v->ops->act(b, v, action))
		return;
	if (move(b, action))
		return;
	switch (action) {
	case ACTION_ENTER: case ACTION_MENU:
		open_menu(b);
		break;
	case ACTION_SANDWICH:
		choose(b, VIEW_SANDWICH);
		break;
	case ACTION_ANNOTATE:
		choose(b, VIEW_ANNOTATE);
		break;
	case ACTION_SAMPLES:
		choose(b, VIEW_SAMPLES);
		break;
	case ACTION_EDIT:
		edit_function(b);
		break;
	case ACTION_DSO:
		filter_dso(b);
		break;
	case ACTION_SYMBOL:
		filter_symbol(b);
		break;
	case ACTION_KERNEL:
		filter_kernel(b);
		break;
	case ACTION_THREAD:
		filter_thread(b);
		break;
	case ACTION_SEARCH:
		open_prompt(b, PROMPT_SEARCH);
		break;
	case ACTION_LIMIT:
		open_prompt(b, PROMPT_LIMIT);
		break;
	case ACTION_RANGE:
		open_prompt(b, PROMPT_TIME);
		break;
	case ACTION_NEXT:
		search(b, true);
		break;
	case ACTION_UNDO:
		undo(b);
		break;
	case ACTION_EVENT: case ACTION_EVENT_BACK:
		next_event(b, action == ACTION_EVENT_BACK);
		break;
	case ACTION_RELATIVE: case ACTION_VERBOSE: case ACTION_TITLES: case ACTION_CLOCK:
		change(b, action);
		break;
	case ACTION_COMMAND:
		show_command(b);
		break;
	case ACTION_PRINT:
		b->request = REQUEST_PRINT;
		break;
	case ACTION_WRITE:
		b->request = REQUEST_WRITE;
		break;
	case ACTION_BACK: case ACTION_QUIT:
		back(b, action);
		break;
	default:
		if (keymap_shows(action, &view))
			show(b, view);
		break;
	}
}

/* While the profile is being read, only the keys for the help and for quitting work. */
static void act_unloaded(struct browser *b, enum action action)
{
	if (action == ACTION_HELP)
		browser_open(b, VIEW_HELP);
	else if (b->view == VIEW_HELP && (action == ACTION_BACK || action == ACTION_QUIT))
		browser_open(b, VIEW_FUNCTIONS);
	else if (action == ACTION_QUIT)
		b->request = REQUEST_QUIT;
	else if (b->view == VIEW_HELP)
		move(b, action);
}

/* Says in which other views the key works, or that it works in no view. */
static void say_where(struct browser *b, int key)
{
	const struct keymap_row *row = keymap_elsewhere(key, browser_kind(b));
	struct buf where = {0};

	if (!row) {
		browser_say(b, "this key does nothing here: ? shows the keys");
		return;
	}
	for (enum view_id v = 0; v < NR_VIEWS; v++)
		if (keymap_applies(row, v, browser_kind(b)))
			buf_printf(&where, "%s%s", where.len ? ", " : "", b->views[v].ops->name);
	browser_say(b, "%s (%s) is a key of: %s", row->shown, row->help, buf_str(&where));
	buf_release(&where);
}

void browser_key(struct browser *b, int key)
{
	enum action action = keymap_find(key, b->view, browser_kind(b));
	bool was_typing = b->prompt.kind != PROMPT_NONE, had_message = b->message.len && !was_typing && !b->menu.is_open;

	b->request = REQUEST_NONE;
	if (action == ACTION_REDRAW) {		/* works in prompts and menus, too */
		b->request = REQUEST_REDRAW;
		return;
	}
	b->message.len = 0;
	if (b->command.len) {		/* any key removes it; these keys do nothing else */
		b->command.len = 0;
		if (action == ACTION_BACK || action == ACTION_QUIT || action == ACTION_COMMAND || action == ACTION_ENTER)
			return;
	}
	if (had_message && action == ACTION_QUIT)	/* q first removes the message */
		return;
	if (!b->input.profile)
		act_unloaded(b, action);
	else if (b->prompt.kind != PROMPT_NONE)
		type(b, key);
	else if (b->menu.is_open)
		move_menu(b, key);
	else if (action == ACTION_NONE)
		say_where(b, key);
	else
		act(b, action);
	if (action == ACTION_RANGE && !was_typing && b->prompt.kind == PROMPT_TIME)
		type(b, key);		/* the digit that opened the prompt is part of its text */
}
