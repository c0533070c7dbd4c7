/*
 * Decides which row (entry) of a report a sample belongs to, by the values of its sort keys. named_bucket.c and entry.c call it;
 * key.h describes sort keys.
 *
 * The values of the sort keys that do not depend on an address (comm, cpu, ...) are a *sample tuple*; the values of the other sort
 * keys (dso, symbol, ...) are a *location tuple*. Both kinds are numbered, and an entry is a pair of them. All frames of a call
 * chain share the sample tuple, so the entry of a frame is found by one lookup, among the entries with this sample tuple.
 *
 */
#ifndef CORE_HISTS_TUPLE_H
#define CORE_HISTS_TUPLE_H

#include "core/hists/layout.h"
#include "core/hists/key_context.h"

struct pair { uint32_t sample_tuple, location_tuple, entry; };	/* entry: its number in its event's list */
struct last_pair { uint32_t sample_tuple, entry; };
struct recent_tuple { struct bucket_key key; uint32_t tuple; bool known; };

#define RECENT_TUPLES	1024u

struct tuples {			/* tuples_init(), tuples_release() */
	const struct layout *layout;		/* borrowed */
	const struct key_context *view;		/* borrowed */
	uint8_t position_in_tuple[MAX_COLUMNS];	/* by position in layout->keys: position of its value in the tuple */
	unsigned nr_sample_keys, nr_location_keys;
	uint32_t nr_sample_tuples, nr_location_tuples;
	VEC(uint64_t) sample_values;		/* for each sample tuple: its event, then nr_sample_keys values */
	struct index by_sample_tuple;
	VEC(uint64_t) location_values;		/* for each location tuple: nr_location_keys values */
	struct index by_location_tuple;
	VEC(uint32_t) tuple_of_location;
	VEC(struct pair) pairs;
	struct index by_pair;
	bool has_pairs;				/* it is a part (tuples_part()) with .pairs and .by_pair of its own */
	struct recent_tuple *recent;		/* owned; RECENT_TUPLES by hash of the key */
	VEC(struct last_pair) last;		/* by location tuple: the pair that was looked up last */
};

/* Call it when all locations are known and named. */
void tuples_init(struct tuples *t, const struct layout *layout, const struct key_context *view);
void tuples_release(struct tuples *t);

/* The sample tuple of @bucket, which includes the event. */
uint32_t tuples_of_sample(struct tuples *t, const struct bucket_key *bucket);

uint32_t tuples_event(const struct tuples *t, uint32_t sample_tuple);

/*
 * The entry of (@sample_tuple, the location tuple of @location); if new, it becomes number @next and *added is set.
 */
uint32_t tuples_entry(struct tuples *t, uint32_t sample_tuple, uint32_t location, uint32_t next, bool *added);

/* Makes a part of @t in which a thread finds entries. It shares everything with @t except the pairs; with @pairs, also these. */
void tuples_part(struct tuples *part, const struct tuples *t, bool pairs);
void tuples_part_release(struct tuples *part);
/* Adds the pair (@sample_tuple, @location_tuple), which is new, as number @entry. */
void tuples_note_entry(struct tuples *t, uint32_t sample_tuple, uint32_t location_tuple, uint32_t entry);

/* The value of layout->keys[@key] in an entry of (@sample_tuple, @location_tuple). */
uint64_t tuples_value(const struct tuples *t, uint32_t sample_tuple, uint32_t location_tuple, unsigned key);

#endif
