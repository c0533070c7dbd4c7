/*
 * Finds the row (entry) of a report for a sample. A row is identified by two numbers: one for the values of sort keys that depend
 * on a code address (dso, symbol), and one for the other values (comm, cpu).
 */
#include "core/hists/tuple.h"

#include <string.h>

#include "core/hists/detail.h"

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
	index_for(pos, index, h)
		if (!width || !memcmp(all + (size_t)pos * width, tuple, width * sizeof(*tuple)))
			return pos;
	return UINT32_MAX;
}

/* Stores the values of the keys with KEY_BY_ADDRESS, or else of those without it. */
static void values_of(const struct tuples *t, bool by_address, const struct bucket_key *bucket, uint32_t location, uint64_t *out)
{
	unsigned words = 0;

	for (unsigned i = 0; i < t->layout->nr_keys; i++) {
		const struct key *k = t->layout->keys[i];

		if (!(k->flags & KEY_BY_ADDRESS) == !by_address)
			*out++ = detail_value(t->view, k, bucket, location, &words);
	}
}

/* The event comes before the values of a sample tuple: equal values of two events are two tuples. */
static uint32_t find_sample_tuple(struct tuples *t, const struct bucket_key *bucket)
{
	uint64_t tuple[MAX_COLUMNS + 1] = { bucket->event }, h;
	unsigned width = t->nr_sample_keys + 1;
	uint32_t found;

	values_of(t, false, bucket, 0, tuple + 1);
	h = hash_tuple(tuple, width, 0);
	found = find_tuple(&t->by_sample_tuple, h, t->sample_values.v, tuple, width);
	if (found != UINT32_MAX)
		return found;
	found = t->nr_sample_tuples++;
	index_add(&t->by_sample_tuple, h, found);
	for (unsigned i = 0; i < width; i++)
		vec_push(&t->sample_values, tuple[i]);
	return found;
}

static struct recent_tuple *recent_of(const struct tuples *t, const struct bucket_key *key)
{
	uint64_t who = (uint64_t)key->comm << 32 | key->tid, what = (uint64_t)key->detail << 32 | key->cpu;

	return &t->recent[hash_pair(who + key->slot, what + key->parent) % RECENT_TUPLES];
}

/* There are many buckets, but few sample tuples, so a cache helps. */
uint32_t tuples_of_sample(struct tuples *t, const struct bucket_key *bucket)
{
	struct recent_tuple *r = recent_of(t, bucket);

	if (!r->known || memcmp(&r->key, bucket, sizeof(r->key)))
		*r = (struct recent_tuple){ *bucket, find_sample_tuple(t, bucket), true };
	return r->tuple;
}

static uint32_t tuple_of(struct tuples *t, uint32_t location)
{
	uint64_t tuple[MAX_COLUMNS], h;
	uint32_t found;

	values_of(t, true, NULL, location, tuple);
	h = hash_tuple(tuple, t->nr_location_keys, 1);
	found = find_tuple(&t->by_location_tuple, h, t->location_values.v, tuple, t->nr_location_keys);
	if (found != UINT32_MAX)
		return found;
	found = t->nr_location_tuples++;
	index_add(&t->by_location_tuple, h, found);
	for (unsigned i = 0; i < t->nr_location_keys; i++)
		vec_push(&t->location_values, tuple[i]);
	return found;
}

static void forget_last(struct tuples *t)
{
	vec_reserve(&t->last, t->nr_location_tuples);
	for (uint32_t i = 0; i < t->nr_location_tuples; i++)
		vec_push(&t->last, ((struct last_pair){ NO_CONTEXT, 0 }));
}

void tuples_init(struct tuples *t, const struct layout *layout, const struct key_context *view)
{
	size_t nr_locations = MAX(view->locations->list.nr, 1);

	*t = (struct tuples){ .layout = layout, .view = view };
	t->recent = xcalloc(RECENT_TUPLES, sizeof(*t->recent));
	for (unsigned i = 0; i < layout->nr_keys; i++)
		t->position_in_tuple[i] = (uint8_t)(layout->keys[i]->flags & KEY_BY_ADDRESS ? t->nr_location_keys++ :
						 1 + t->nr_sample_keys++);
	vec_reserve(&t->tuple_of_location, nr_locations);
	t->tuple_of_location.nr = nr_locations;
	for (uint32_t location = 0; location < nr_locations; location++)
		t->tuple_of_location.v[location] = location < view->locations->list.nr ? tuple_of(t, location) : 0;
	t->nr_location_tuples = MAX(t->nr_location_tuples, 1);
	forget_last(t);
}

void tuples_release(struct tuples *t)
{
	vec_free(&t->sample_values);
	vec_free(&t->location_values);
	vec_free(&t->tuple_of_location);
	vec_free(&t->pairs);
	vec_free(&t->last);
	free(t->recent);
	index_release(&t->by_sample_tuple);
	index_release(&t->by_location_tuple);
	index_release(&t->by_pair);
}

void tuples_note_entry(struct tuples *t, uint32_t sample_tuple, uint32_t location_tuple, uint32_t entry)
{
	index_add(&t->by_pair, hash_pair(sample_tuple, location_tuple), (uint32_t)t->pairs.nr);
	vec_push(&t->pairs, ((struct pair){ sample_tuple, location_tuple, entry }));
}

uint32_t tuples_entry(struct tuples *t, uint32_t sample_tuple, uint32_t location, uint32_t next, bool *added)
{
	uint32_t location_tuple = t->tuple_of_location.v[location];
	struct last_pair *last = &t->last.v[location_tuple];
	uint64_t h;

	if (last->sample_tuple == sample_tuple)
		return last->entry;
	h = hash_pair(sample_tuple, location_tuple);
	last->sample_tuple = sample_tuple;
	index_for(pos, &t->by_pair, h)
		if (t->pairs.v[pos].sample_tuple == sample_tuple && t->pairs.v[pos].location_tuple == location_tuple)
			return last->entry = t->pairs.v[pos].entry;
	tuples_note_entry(t, sample_tuple, location_tuple, next);
	*added = true;
	return last->entry = next;
}

void tuples_part(struct tuples *part, const struct tuples *t, bool pairs)
{
	*part = *t;
	part->last.v = NULL;
	part->last.nr = part->last.cap = 0;
	part->has_pairs = !pairs;
	forget_last(part);
	if (pairs)
		return;
	part->pairs.v = NULL;
	part->pairs.nr = part->pairs.cap = 0;
	part->by_pair = (struct index){0};
}

void tuples_part_release(struct tuples *part)
{
	vec_free(&part->last);
	if (!part->has_pairs)
		return;
	vec_free(&part->pairs);
	index_release(&part->by_pair);
}

uint64_t tuples_value(const struct tuples *t, uint32_t sample_tuple, uint32_t location_tuple, unsigned key)
{
	unsigned at = t->position_in_tuple[key];

	if (t->layout->keys[key]->flags & KEY_BY_ADDRESS)
		return t->location_values.v[(size_t)location_tuple * t->nr_location_keys + at];
	return t->sample_values.v[(size_t)sample_tuple * (t->nr_sample_keys + 1) + at];
}

uint32_t tuples_event(const struct tuples *t, uint32_t sample_tuple)
{
	return (uint32_t)t->sample_values.v[(size_t)sample_tuple * (t->nr_sample_keys + 1)];
}
