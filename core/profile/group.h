/*
 * Which samples fall into one entry. The part of the keys' values that does not depend on an address (comm, cpu,
 * ...) is a *context*, the part that does (dso, symbol) a *group* of spots; both are numbered, and an entry is a
 * pair of them. Callers in a chain share the sample's context and differ in the group, so a chain costs no more
 * than a look at a small table for each frame.
 * Layer: profile
 */
#ifndef CORE_PROFILE_GROUP_H
#define CORE_PROFILE_GROUP_H

#include "core/profile/layout.h"
#include "core/profile/view.h"

struct pair { uint32_t context, group, entry; };	/* entry: its number in its event's list */
struct last_pair { uint32_t context, entry; };

struct groups {			/* groups_init(), groups_release() */
	const struct layout *layout;		/* borrowed */
	const struct view *view;		/* borrowed */
	uint8_t place_in_tuple[MAX_COLUMNS];	/* by position in layout->keys */
	unsigned nr_context_keys, nr_group_keys;
	uint32_t nr_contexts, nr_groups;
	VEC(uint64_t) context_values;		/* of each context: its event, and nr_context_keys values */
	struct index by_context;
	VEC(uint64_t) group_values;		/* nr_group_keys of each group */
	struct index by_group;
	VEC(uint32_t) group_of_spot;
	VEC(struct pair) pairs;
	struct index by_pair;
	VEC(struct last_pair) last;		/* by group: what was asked for last */
};

/* All spots are known and named. */
void groups_init(struct groups *g, const struct layout *layout, const struct view *view);
void groups_release(struct groups *g);

/* The context of samples of @raw; its event is part of it. */
uint32_t groups_context(struct groups *g, const struct raw_key *raw);

uint32_t groups_event(const struct groups *g, uint32_t context);

/*
 * The entry of (@context, the group of @spot); where there is none yet, it becomes number @next and *added is set.
 */
uint32_t groups_entry(struct groups *g, uint32_t context, uint32_t spot, uint32_t next, bool *added);

/* The value of layout->keys[@key] in an entry of (@context, @group). */
uint64_t groups_value(const struct groups *g, uint32_t context, uint32_t group, unsigned key);

#endif
