/* Shows the browser's list of functions, sorted by their samples. A row opens to show the callers or callees of its function. */
#include "core/show/browse/command.h"
#include "core/show/browse/outline.h"
#include "core/show/browse/diff_columns.h"
#include "core/show/browse/views.h"

#define MIN_DSO_WIDTH	9u	/* "[unknown]" */
#define MAX_DSO_WIDTH	24u
#define MIN_WIDTH_WITH_DSO	72u	/* columns of the screen, below which files have no column */
#define WIDTH_BESIDE	28u	/* columns of one share, an amount, and the gaps */
#define SHARE_WIDTH	9u

/* Returns the columns of the widest name in the first rows, at most the width of the screen. */
static size_t widest_name(struct browser *b, const struct outline *o)
{
	struct buf name = {0};
	size_t width = 0;

	for (size_t i = 0; i < MIN(o->roots.list.nr, b->height); i++) {
		name.len = 0;
		model_put_function(&b->model, o->roots.list.v[i]->function, &name);
		width = MAX(width, MIN(name.len, b->width));
	}
	buf_release(&name);
	return width;
}

/* Returns the width of the column of files. If the functions' names do not fit next to it, files are shortened first. */
static unsigned dso_width(struct browser *b, const struct outline *o)
{
	size_t width = MIN_DSO_WIDTH, used = WIDTH_BESIDE + (o->both ? SHARE_WIDTH : 0) + widest_name(b, o);

	if (b->width < MIN_WIDTH_WITH_DSO)
		return 0;
	vec_for(row, &o->roots.list)
		width = MAX(width, strlen(model_function_dso(&b->model, (*row)->function)));
	width = MIN(width, MAX(MIN_DSO_WIDTH, MIN(MAX_DSO_WIDTH, b->width / 6)));
	return (unsigned)MIN(width, MAX(MIN_DSO_WIDTH, b->width > used ? b->width - used : 0));
}

static void open_hottest(struct browser *b, struct outline *o)
{
	if (b->opens_hottest && o->roots.list.nr) {
		o->hottest = o->roots.list.v[0];
		outline_open_hottest(b, o->roots.list.v[0], b->height / 3);
	}
	b->opens_hottest = false;
}

static void make(struct browser *b, struct view *v)
{
	struct outline *o = v->state;

	outline_clear(o);
	o->differences = b->input.compared;
	if (o->differences)
		diff_columns_functions(&o->roots, b);
	else
		tree_functions(&o->roots, &b->model, &b->selection, b->own, b->direction);
	o->both = !b->own;
	o->dso_width = dso_width(b, o);
	open_hottest(b, o);
	outline_reopen(o, b);
	outline_list(b, v);
}

/* Changes between callers and callees. Callees need samples counted with callees: a function's own samples have none. */
static void turn(struct browser *b, struct view *v)
{
	if (b->own) {
		browser_say(b, "where samples are taken nothing is called: callees are shown after '%c'",
			    b->input.compared ? 'b' : 'o');
		return;
	}
	b->direction = b->direction == CALLERS ? CALLEES : CALLERS;
	browser_say(b, b->direction == CALLERS ? "rows open to callers" : "rows open to callees");
	make(b, v);
}

static void order(struct browser *b, struct view *v)
{
	if (!b->input.has_chains) {
		browser_say(b, "no call chains were recorded: samples are of functions themselves (record with -g)");
		return;
	}
	b->own = !b->own;
	b->direction = b->own ? CALLERS : b->direction;
	browser_say(b, b->own ? "ordered by samples in the function itself" : "ordered by samples with those of callees");
	make(b, v);
}

static bool act(struct browser *b, struct view *v, enum action action)
{
	switch (action) {
	case ACTION_TURN:
		turn(b, v);
		return true;
	case ACTION_OWN:
		order(b, v);
		return true;
	case ACTION_SIDES:
		diff_columns_order(&((struct outline *)v->state)->roots, b);
		return outline_act(b, v, action, outline_list);
	default:
		return outline_act(b, v, action, outline_list);
	}
}

static void command(struct browser *b, struct view *v, struct buf *out)
{
	const struct outline *o = v->state;
	uint32_t only = PROFILE_NONE;
	unsigned open = 0;

	vec_for(row, &o->roots.list)
		if ((*row)->open)
			only = open++ || *row == o->hottest ? PROFILE_NONE : (*row)->function;
	command_put_functions(b, open, only, out);
}

const struct view_ops view_functions = {
	.name = "functions", .state_size = sizeof(struct outline), .make = make, .release = outline_release,
	.count = outline_count, .draw_titles = outline_draw_titles, .draw_row = outline_draw_row, .act = act,
	.function = outline_function, .carry = outline_carry, .command = command,
	.hints = "g flame\0b callers\0t thread\0T time\0Enter name, menu\0a annotate\0o order\0/ find\0+ open\0",
	.diff_hints = "Enter name, menu\0+ callers\0c call tree\0g flame graph\0x A, B\0",
};
