/* Tuples of values, numbered. Layer: profile */
#include "core/profile/group.h"

#include <string.h>

#include "core/profile/detail.h"
#include "core/profile/trace_key.h"

#define NO_CONTEXT UINT32_MAX

static uint64_t hash_tuple(const uint64_t *values, unsigned nr, uint64_t h)
{
	for (unsigned i = 0; i < nr; i++)
		h = hash_pair(h, values[i]);
	return h;
}

/* The number of the tuple among @nr_tuples of @width values at @all, or UINT32_MAX. */
static uint32_t find_tuple(const struct index *index, uint64_t h, const uint64_t *all, const uint64_t *tuple,
			   unsigned width)
{
	uint32_t pos;

	for (size_t i = index_first(index, h); (pos = index_at(index, i, h)) != INDEX_END; i++)
		if (pos != INDEX_OTHER && (!width || !memcmp(all + (size_t)pos * width, tuple, width * sizeof(*tuple))))
			return pos;
	return UINT32_MAX;
}

/* The values of the keys with or without KEY_BY_PLACE. */
static void values_of(const struct groups *g, bool by_place, const struct raw_key *raw, uint32_t spot, uint64_t *out)
{
	unsigned words = 0;

	for (unsigned i = 0; i < g->layout->nr_keys; i++) {
		const struct key *k = g->layout->keys[i];

		if (!(k->flags & KEY_BY_PLACE) != !by_place)
			continue;
		if (k->word)
			*out++ = detail_word(g->view->details, raw->detail, words++);
		else
			*out++ = k->column ? trace_values_number(g->view->traces, raw->detail, k) :
					     k->value(g->view, raw, spot);
	}
}

/* The event goes in front of a context's values: equal values of two events are two contexts. */
uint32_t groups_context(struct groups *g, const struct raw_key *raw)
{
	uint64_t tuple[MAX_COLUMNS + 1] = { raw->event }, h;
	unsigned width = g->nr_context_keys + 1;
	uint32_t found;

	values_of(g, false, raw, 0, tuple + 1);
	h = hash_tuple(tuple, width, 0);
	found = find_tuple(&g->by_context, h, g->context_values.v, tuple, width);
	if (found != UINT32_MAX)
		return found;
	found = g->nr_contexts++;
	index_add(&g->by_context, h, found);
	for (unsigned i = 0; i < width; i++)
		vec_push(&g->context_values, tuple[i]);
	return found;
}

static uint32_t group_of(struct groups *g, uint32_t spot)
{
	uint64_t tuple[MAX_COLUMNS], h;
	uint32_t found;

	values_of(g, true, NULL, spot, tuple);
	h = hash_tuple(tuple, g->nr_group_keys, 1);
	found = find_tuple(&g->by_group, h, g->group_values.v, tuple, g->nr_group_keys);
	if (found != UINT32_MAX)
		return found;
	found = g->nr_groups++;
	index_add(&g->by_group, h, found);
	for (unsigned i = 0; i < g->nr_group_keys; i++)
		vec_push(&g->group_values, tuple[i]);
	return found;
}

void groups_init(struct groups *g, const struct layout *layout, const struct view *view)
{
	size_t nr_spots = MAX(view->spots->list.nr, 1);

	*g = (struct groups){ .layout = layout, .view = view };
	for (unsigned i = 0; i < layout->nr_keys; i++)
		g->place_in_tuple[i] = (uint8_t)(layout->keys[i]->flags & KEY_BY_PLACE ? g->nr_group_keys++ :
						 1 + g->nr_context_keys++);
	vec_reserve(&g->group_of_spot, nr_spots);
	g->group_of_spot.nr = nr_spots;
	for (uint32_t spot = 0; spot < nr_spots; spot++)
		g->group_of_spot.v[spot] = spot < view->spots->list.nr ? group_of(g, spot) : 0;
	g->nr_groups = MAX(g->nr_groups, 1);
	vec_reserve(&g->last, g->nr_groups);
	for (uint32_t i = 0; i < g->nr_groups; i++)
		vec_push(&g->last, ((struct last_pair){ NO_CONTEXT, 0 }));
}

void groups_release(struct groups *g)
{
	vec_free(&g->context_values);
	vec_free(&g->group_values);
	vec_free(&g->group_of_spot);
	vec_free(&g->pairs);
	vec_free(&g->last);
	index_release(&g->by_context);
	index_release(&g->by_group);
	index_release(&g->by_pair);
}

uint32_t groups_entry(struct groups *g, uint32_t context, uint32_t spot, uint32_t next, bool *added)
{
	uint32_t group = g->group_of_spot.v[spot], pos;
	struct last_pair *last = &g->last.v[group];
	uint64_t h;

	if (last->context == context)
		return last->entry;
	h = hash_pair(context, group);
	last->context = context;
	for (size_t i = index_first(&g->by_pair, h); (pos = index_at(&g->by_pair, i, h)) != INDEX_END; i++) {
		if (pos == INDEX_OTHER || g->pairs.v[pos].context != context || g->pairs.v[pos].group != group)
			continue;
		return last->entry = g->pairs.v[pos].entry;
	}
	index_add(&g->by_pair, h, (uint32_t)g->pairs.nr);
	vec_push(&g->pairs, ((struct pair){ context, group, next }));
	*added = true;
	return last->entry = next;
}

uint64_t groups_value(const struct groups *g, uint32_t context, uint32_t group, unsigned key)
{
	unsigned at = g->place_in_tuple[key];

	if (g->layout->keys[key]->flags & KEY_BY_PLACE)
		return g->group_values.v[(size_t)group * g->nr_group_keys + at];
	return g->context_values.v[(size_t)context * (g->nr_context_keys + 1) + at];
}

uint32_t groups_event(const struct groups *g, uint32_t context)
{
	return (uint32_t)g->context_values.v[(size_t)context * (g->nr_context_keys + 1)];
}
