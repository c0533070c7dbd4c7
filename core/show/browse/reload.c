/*
 * Replaces the profile in the browser of prec top with a newer profile of the same program. Function numbers differ between
 * profiles, so open rows find their functions by name, file and address (JIT code: without address).
 */
#include "core/show/browse/reload.h"

#include <string.h>

/* ---- the same functions ---- */

static bool is_same(const struct renumbering *r, uint32_t a, uint32_t b)
{
	const struct profile_function *before = &r->before->d->functions.v[a], *now = &r->now->d->functions.v[b];
	const char *name = model_function_name(r->before, a), *other = model_function_name(r->now, b);
	bool may_move = before->level == 'j' && name;

	return (before->address == now->address || may_move) && before->inlined == now->inlined && !name == !other &&
	       (!name || str_eq(name, other)) && str_eq(model_function_dso(r->before, a), model_function_dso(r->now, b));
}

uint32_t renumbered(const struct renumbering *r, uint32_t function)
{
	if (function == r->before->unknown)
		return r->now->unknown;
	for (uint32_t f = 0; function < r->before->unknown && f < r->now->unknown; f++)
		if (is_same(r, function, f))
			return f;
	return PROFILE_NONE;
}

/* ---- the state ---- */

bool browser_may_reload(const struct browser *b)
{
	switch (b->view) {
	case VIEW_ANNOTATE: case VIEW_SAMPLES: case VIEW_FINDINGS: case VIEW_HEADER: case VIEW_PROCESSES: case VIEW_HELP:
		return false;
	default:
		return b->prompt.kind == PROMPT_NONE && !b->menu.is_open && !b->command.len &&
		       !filters_find(&b->filters, FILTER_TIME);
	}
}

static uint32_t same_event(const struct renumbering *r, uint32_t event)
{
	const char *name = profile_string(r->before->profile, r->before->d->events.v[event].name);

	for (uint32_t e = 0; e < r->now->d->events.nr; e++)
		if (str_eq(profile_string(r->now->profile, r->now->d->events.v[e].name), name))
			return e;
	return 0;
}

/* Leaves views of a function that has no samples in the new profile. */
static void leave_lost_views(struct browser *b)
{
	bool lost = false;

	vec_for(view, &b->before)
		lost |= *view == VIEW_SANDWICH && b->views[VIEW_SANDWICH].chosen == PROFILE_NONE;
	if (!lost && (b->view != VIEW_SANDWICH || b->views[VIEW_SANDWICH].chosen != PROFILE_NONE))
		return;
	b->before.nr = 0;
	b->view = VIEW_FUNCTIONS;
	browser_say(b, "the function has no samples any more");
}

static void carry_views(struct browser *b, const struct renumbering *r)
{
	for (enum view_id i = 0; i < NR_VIEWS; i++) {
		struct view *v = &b->views[i];

		if (v->ops->carry)
			v->ops->carry(v, r);
		if (v->chosen != PROFILE_NONE)
			v->chosen = renumbered(r, v->chosen);
		v->generation = 0;
	}
	b->annotated.function = PROFILE_NONE;
}

void browser_reload(struct browser *b, const struct browse_input *input, const struct model *model)
{
	struct model before = b->model;
	const struct renumbering r = { &before, model };
	struct view *v = browser_view(b);
	/* A cursor in the first row stays there, to show what is hottest. */
	uint32_t at_cursor = v->cursor && v->generation && v->ops->function ? v->ops->function(b, v) : PROFILE_NONE;

	carry_views(b, &r);
	at_cursor = at_cursor == PROFILE_NONE ? PROFILE_NONE : renumbered(&r, at_cursor);
	selection_release(&b->selection);
	b->selection = (struct selection){ .shown = SHOWN_ALL };
	b->event = same_event(&r, b->event);
	b->input = *input;
	b->model = *model;
	leave_lost_views(b);
	browser_select(b);
	if (at_cursor != PROFILE_NONE && v == browser_view(b))
		view_put_cursor_on(b, v, at_cursor);
	model_release(&before);
}
