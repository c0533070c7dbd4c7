/* Tuples of values, numbered. Layer: hists */
#include "core/hists/tuple.h"

#include <string.h>

#include "core/hists/detail.h"
#include "core/hists/trace_key.h"

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

/* The values of the keys with or without KEY_BY_ADDRESS. */
static void values_of(const struct tuples *g, bool by_address, const struct bucket_key *bucket, uint32_t location, uint64_t *out)
{
	unsigned words = 0;

	for (unsigned i = 0; i < g->layout->nr_keys; i++) {
		const struct key *k = g->layout->keys[i];

		if (!(k->flags & KEY_BY_ADDRESS) != !by_address)
			continue;
		if (k->word)
			*out++ = detail_word(g->view->details, bucket->detail, words++);
		else
			*out++ = k->column ? trace_values_number(g->view->traces, bucket->detail, k) :
					     k->value(g->view, bucket, location);
	}
}

/* The event goes in front of a context's values: equal values of two events are two contexts. */
static uint32_t find_sample_tuple(struct tuples *g, const struct bucket_key *bucket)
{
	uint64_t tuple[MAX_COLUMNS + 1] = { bucket->event }, h;
	unsigned width = g->nr_sample_keys + 1;
	uint32_t found;

	values_of(g, false, bucket, 0, tuple + 1);
	h = hash_tuple(tuple, width, 0);
	found = find_tuple(&g->by_sample_tuple, h, g->sample_values.v, tuple, width);
	if (found != UINT32_MAX)
		return found;
	found = g->nr_sample_tuples++;
	index_add(&g->by_sample_tuple, h, found);
	for (unsigned i = 0; i < width; i++)
		vec_push(&g->sample_values, tuple[i]);
	return found;
}

static struct recent_tuple *recent_of(const struct tuples *g, const struct bucket_key *key)
{
	uint64_t who = (uint64_t)key->comm << 32 | key->tid, what = (uint64_t)key->detail << 32 | key->cpu;

	return &g->recent[hash_pair(who + key->slot, what + key->parent) % RECENT_TUPLES];
}

/* Buckets are many, and of few contexts. */
uint32_t tuples_of_sample(struct tuples *g, const struct bucket_key *bucket)
{
	struct recent_tuple *r = recent_of(g, bucket);

	if (!r->known || memcmp(&r->key, bucket, sizeof(r->key)))
		*r = (struct recent_tuple){ *bucket, find_sample_tuple(g, bucket), true };
	return r->tuple;
}

static uint32_t tuple_of(struct tuples *g, uint32_t location)
{
	uint64_t tuple[MAX_COLUMNS], h;
	uint32_t found;

	values_of(g, true, NULL, location, tuple);
	h = hash_tuple(tuple, g->nr_location_keys, 1);
	found = find_tuple(&g->by_location_tuple, h, g->location_values.v, tuple, g->nr_location_keys);
	if (found != UINT32_MAX)
		return found;
	found = g->nr_location_tuples++;
	index_add(&g->by_location_tuple, h, found);
	for (unsigned i = 0; i < g->nr_location_keys; i++)
		vec_push(&g->location_values, tuple[i]);
	return found;
}

void tuples_init(struct tuples *g, const struct layout *layout, const struct view *view)
{
	size_t nr_locations = MAX(view->locations->list.nr, 1);

	*g = (struct tuples){ .layout = layout, .view = view };
	g->recent = xcalloc(RECENT_TUPLES, sizeof(*g->recent));
	for (unsigned i = 0; i < layout->nr_keys; i++)
		g->position_in_tuple[i] = (uint8_t)(layout->keys[i]->flags & KEY_BY_ADDRESS ? g->nr_location_keys++ :
						 1 + g->nr_sample_keys++);
	vec_reserve(&g->tuple_of_location, nr_locations);
	g->tuple_of_location.nr = nr_locations;
	for (uint32_t location = 0; location < nr_locations; location++)
		g->tuple_of_location.v[location] = location < view->locations->list.nr ? tuple_of(g, location) : 0;
	g->nr_location_tuples = MAX(g->nr_location_tuples, 1);
	vec_reserve(&g->last, g->nr_location_tuples);
	for (uint32_t i = 0; i < g->nr_location_tuples; i++)
		vec_push(&g->last, ((struct last_pair){ NO_CONTEXT, 0 }));
}

void tuples_release(struct tuples *g)
{
	vec_free(&g->sample_values);
	vec_free(&g->location_values);
	vec_free(&g->tuple_of_location);
	vec_free(&g->pairs);
	vec_free(&g->last);
	free(g->recent);
	index_release(&g->by_sample_tuple);
	index_release(&g->by_location_tuple);
	index_release(&g->by_pair);
}

uint32_t tuples_entry(struct tuples *g, uint32_t sample_tuple, uint32_t location, uint32_t next, bool *added)
{
	uint32_t location_tuple = g->tuple_of_location.v[location], pos;
	struct last_pair *last = &g->last.v[location_tuple];
	uint64_t h;

	if (last->sample_tuple == sample_tuple)
		return last->entry;
	h = hash_pair(sample_tuple, location_tuple);
	last->sample_tuple = sample_tuple;
	for (size_t i = index_first(&g->by_pair, h); (pos = index_at(&g->by_pair, i, h)) != INDEX_END; i++) {
		if (pos == INDEX_OTHER || g->pairs.v[pos].sample_tuple != sample_tuple ||
		    g->pairs.v[pos].location_tuple != location_tuple)
			continue;
		return last->entry = g->pairs.v[pos].entry;
	}
	index_add(&g->by_pair, h, (uint32_t)g->pairs.nr);
	vec_push(&g->pairs, ((struct pair){ sample_tuple, location_tuple, next }));
	*added = true;
	return last->entry = next;
}

uint64_t tuples_value(const struct tuples *g, uint32_t sample_tuple, uint32_t location_tuple, unsigned key)
{
	unsigned at = g->position_in_tuple[key];

	if (g->layout->keys[key]->flags & KEY_BY_ADDRESS)
		return g->location_values.v[(size_t)location_tuple * g->nr_location_keys + at];
	return g->sample_values.v[(size_t)sample_tuple * (g->nr_sample_keys + 1) + at];
}

uint32_t tuples_event(const struct tuples *g, uint32_t sample_tuple)
{
	return (uint32_t)g->sample_values.v[(size_t)sample_tuple * (g->nr_sample_keys + 1)];
}
