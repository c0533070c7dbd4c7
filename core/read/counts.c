/*
 * Adds up the counts of records that the worker threads have made, each in its own parts of the recording, such as counts of lost
 * or damaged records.
 */
#include "core/read/counts.h"

static void add_by_event(struct session_counts *to, const struct session_counts *from)
{
	session_counts_extend(to, from->samples_by_event.nr);
	for (size_t i = 0; i < from->samples_by_event.nr; i++)
		to->samples_by_event.v[i] += from->samples_by_event.v[i];
	while (to->lost_by_event.nr < from->lost_by_event.nr)
		vec_push(&to->lost_by_event, 0);
	for (size_t i = 0; i < from->lost_by_event.nr; i++)
		to->lost_by_event.v[i] += from->lost_by_event.v[i];
}

void session_counts_add(struct session_counts *to, const struct session_counts *from)
{
	for (size_t i = 0; i < RECORD_MAX; i++)
		to->by_type[i] += from->by_type[i];
	to->unknown += from->unknown;
	damage_merge(&to->damaged, &from->damaged);
	to->no_event += from->no_event;
	to->no_user += from->no_user;
	chain_cuts_merge(&to->cuts, &from->cuts);
	to->lost += from->lost;
	to->lost_samples += from->lost_samples;
	to->filtered_samples += from->filtered_samples;
	to->throttled += from->throttled;
	to->cut_maps += from->cut_maps;
	add_by_event(to, from);
	to->first_time = MIN(to->first_time, from->first_time);
	to->last_time = MAX(to->last_time, from->last_time);
	to->bytes += from->bytes;
	if (!to->half.bytes)
		to->half = from->half;
}

void session_counts_release(struct session_counts *c)
{
	chain_cuts_release(&c->cuts);
	vec_free(&c->samples_by_event);
	vec_free(&c->lost_by_event);
}
