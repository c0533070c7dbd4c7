/*
 * Looks up the symbol and source line of each address in buckets and in their call chains, and counts the samples without a
 * symbol. A bucket is a sum of samples that are equal for the report (bucket.h). naming.h shows the order of the calls.
 */
#include "core/hists/naming.h"

#include "core/hists/bucket.h"
#include "core/model/interpreter.h"
#include "core/model/machine.h"
#include "core/read/filter.h"
#include "core/read/session.h"

#define ROOT 0u

enum location_mark {
	MARK_FILTERED	= 1,	/* the filter leaves its samples out */
	MARK_NAMELESS	= 2,
	MARK_MADE	= 4,	/* the name is made from the start address: location.made */
	MARK_INTERPRETER = 8,
};

static bool *find_interpreters(const struct machine *m)
{
	uint32_t nr = machine_nr_dsos(m);
	bool *found = xcalloc(MAX(nr, 1), sizeof(*found));

	for (uint32_t i = 0; i < nr; i++)
		found[i] = is_interpreter(machine_dso(m, i));
	return found;
}

static void mark_locations(struct naming *n, const struct machine *m)
{
	const struct filter *filter = filter_has_names(n->opts.filter) ? n->opts.filter : NULL;
	bool *interpreter = find_interpreters(m);

	n->marks = xmalloc(MAX(n->locations->list.nr, 1));
	for (size_t i = 0; i < n->locations->list.nr; i++) {
		const struct location *l = &n->locations->list.v[i];

		n->marks[i] = (uint8_t)((filter && !filter_names(filter, l->dso, l->name) ? MARK_FILTERED : 0) |
					(l->name ? 0 : MARK_NAMELESS) | (l->made ? MARK_MADE : 0) |
					(l->dso && interpreter[l->dso->number] ? MARK_INTERPRETER : 0));
	}
	free(interpreter);
}

void naming_make(struct naming *n, const struct session *s)
{
	const struct machine *m = session_machine(s);

	if (n->opts.dsos)
		locations_of_files(n->locations, m);
	else
		locations_resolve(n->locations, &n->buckets->addr_keys, m, &n->opts.lookup);
	mark_locations(n, m);
	chain_breaks_find(&n->breaks, n->buckets, session_events(s), m, n->locations->broken);
}

uint32_t naming_frame(const struct naming *n, uint32_t caller, uint32_t addr_key, push_frame_fn *push, void *ctx)
{
	const struct named_addr_key *a = &n->locations->addr_keys.v[addr_key];
	uint32_t frame;

	/* Replaces a frame that cannot be a caller, and all its callers, by one frame, so that shares add up. */
	if (n->locations->broken[addr_key])
		return push(ctx, ROOT, n->locations->broken_location);
	if (n->opts.hide_unresolved && n->marks[a->location] & MARK_NAMELESS)
		return caller;
	frame = push(ctx, caller, a->frame);
	for (uint32_t i = a->nr_inlines; i-- > 0;)
		frame = push(ctx, frame, n->locations->inlines.v[a->inlines + i]);
	return frame;
}

struct bucket_place naming_place(const struct naming *n, const struct bucket *bucket)
{
	uint32_t location = 0;

	if (n->opts.names) {
		const struct named_addr_key *a =
			&n->locations->addr_keys.v[n->opts.branches ? bucket->key.to : bucket->addr_key];

		return (struct bucket_place){ a->own, a->location };
	}
	if (n->opts.dsos && bucket->key.dso != DSO_NONE)
		location = bucket->key.dso + 1;
	return (struct bucket_place){ location, location };
}

/* Counts @bucket if it lacks a name or is in an interpreter. False: it is left out. */
static bool count_name(struct naming *n, const struct bucket *bucket, const struct location *location, unsigned marks)
{
	struct event_total *total = &n->buckets->totals.v[bucket->key.event];

	if (marks & MARK_INTERPRETER)
		dso_counts_add(&n->counts->interpreted, location->dso, bucket->nr);
	if (!(marks & (MARK_NAMELESS | MARK_MADE)))
		return true;
	unresolved_counts_add(&n->counts->unresolved, bucket, location);
	if (marks & MARK_MADE || !n->opts.hide_unresolved)
		return true;
	total->nr -= bucket->nr;
	total->period -= bucket->period;
	return false;
}

enum bucket_fate naming_count(struct naming *n, const struct bucket *bucket, const struct bucket_place *place, bool is_out)
{
	struct event_total *total = &n->buckets->totals.v[bucket->key.event];
	unsigned marks = n->opts.names ? n->marks[place->location] : 0;

	if (is_out || (marks & MARK_FILTERED && n->marks[place->symbol] & MARK_FILTERED)) {
		total->nr_out += bucket->nr;
		add_saturated(&total->period_out, bucket->period);
		return BUCKET_FILTERED;
	}
	n->counts->nr_samples += bucket->nr;
	chain_breaks_count(&n->breaks, bucket);
	if (marks && !count_name(n, bucket, &n->locations->list.v[place->location], marks))
		return BUCKET_HIDDEN;
	return BUCKET_COUNTS;
}

void naming_finish(struct naming *n)
{
	chain_breaks_sum(&n->breaks, &n->counts->chains);
	dso_counts_sort(&n->counts->unresolved.files);
	dso_counts_sort(&n->counts->interpreted);
}

void naming_release(struct naming *n)
{
	chain_breaks_release(&n->breaks);
	free(n->marks);
}
