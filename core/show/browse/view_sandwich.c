/* Shows the browser's sandwich view of one function: its callers in the upper part, and its callees in the lower part. */
#include "core/show/browse/command.h"
#include "core/show/browse/outline.h"
#include "core/show/browse/views.h"

/* Lists the rows. .roots has two: the function as the root of its callers, and the function as the root of its callees. */
static void list(struct browser *b, struct view *v)
{
	struct outline *o = v->state;
	struct tree_row *to_callers = o->roots.list.v[0], *to_callees = o->roots.list.v[1];

	o->lines.nr = 0;
	vec_push(&o->lines, ((struct outline_line){ .title = "callers" }));
	vec_for(row, &to_callers->rows)
		if ((*row)->sum.period >= browser_least(b))
			outline_add(o, b, *row);
	vec_push(&o->lines, ((struct outline_line){ .title = "function" }));
	vec_push(&o->lines, ((struct outline_line){ .row = to_callees }));
	vec_push(&o->lines, ((struct outline_line){ .title = "callees" }));
	vec_for(row, &to_callees->rows)
		if ((*row)->sum.period >= browser_least(b))
			outline_add(o, b, *row);
}

static void make(struct browser *b, struct view *v)
{
	struct outline *o = v->state;

	outline_clear(o);
	vec_push(&o->roots.list, tree_function(&b->selection, v->chosen, false, CALLERS));
	vec_push(&o->roots.list, tree_function(&b->selection, v->chosen, false, CALLEES));
	vec_for(row, &o->roots.list) {
		tree_make_rows(*row, &b->model, &b->selection, 0);
		(*row)->open = true;
	}
	outline_reopen(o, b);
	o->both = true;
	list(b, v);
	for (size_t i = 0; i < o->lines.nr; i++)
		if (o->lines.v[i].row == o->roots.list.v[1])
			v->cursor = i;
}

/* Opens and closes rows, but the two roots stay open. */
static bool act(struct browser *b, struct view *v, enum action action)
{
	struct outline *o = v->state;
	bool done = outline_act(b, v, action, list);

	vec_for(row, &o->roots.list)
		(*row)->open = true;
	return done;
}

const struct view_ops view_sandwich = {
	.name = "callers and callees", .state_size = sizeof(struct outline), .make = make, .release = outline_release,
	.count = outline_count, .draw_titles = outline_draw_titles, .draw_row = outline_draw_row, .act = act,
	.function = outline_function, .carry = outline_carry, .command = command_put_sandwich,
	.hints = "a annotate\0t thread\0T time\0Enter name, menu\0+ open\0",
	.diff_hints = "Enter name, menu\0+ open\0x A, B\0",
};
