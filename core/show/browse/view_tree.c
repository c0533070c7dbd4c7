/*
 * Shows the browser's call tree, from the outermost callers to their callees. A key inverts the tree: it then begins at the
 * functions in which samples were taken, and opens to their callers.
 */
#include "core/show/browse/command.h"
#include "core/show/browse/outline.h"
#include "core/show/browse/views.h"

static void make(struct browser *b, struct view *v)
{
	struct outline *o = v->state;

	outline_clear(o);
	tree_roots(&o->roots, &b->model, &b->selection, b->inverted ? CALLERS : CALLEES);
	if (o->roots.list.nr == 1)
		o->roots.list.v[0]->open = true;
	outline_reopen(o, b);
	outline_list(b, v);
}

static bool act(struct browser *b, struct view *v, enum action action)
{
	if (action == ACTION_SIDES)
		tree_sort(&((struct outline *)v->state)->roots, &b->model, &b->selection);
	if (action != ACTION_TURN)
		return outline_act(b, v, action, outline_list);
	b->inverted = !b->inverted;
	b->views[VIEW_FLAME].generation = 0;
	v->cursor = v->top = 0;
	make(b, v);
	return true;
}

const struct view_ops view_tree = {
	.name = "call tree", .state_size = sizeof(struct outline), .make = make, .release = outline_release,
	.count = outline_count, .draw_titles = outline_draw_titles, .draw_row = outline_draw_row, .act = act,
	.function = outline_function, .carry = outline_carry, .command = command_put_tree,
	.hints = "r inverted\0b callers\0t thread\0T time\0Enter name, menu\0+ open\0E open all\0a annotate\0",
	.diff_hints = "Enter name, menu\0+ open\0x A, B\0r inverted\0",
};
