/*
 * Reads the counts of opened events, and how many samples of each event the kernel lost or a BPF filter (--filter) dropped.
 * core/record/loop/counting.c prints the counts, and losses.c writes the losses to the perf.data.
 */
#include "core/record/open/event_set_impl.h"

#include <unistd.h>

#include "core/perfdata/read_format.h"

/* Returns the index of the count of event @id in the @nr words (of a group: after the number of members), or @nr. */
static size_t find_count(uint64_t id, const struct read_layout *read, const uint64_t *words, size_t nr)
{
	for (size_t at = read->values; at + read->step <= nr; at += read->step)
		if (!read->group || words[at + read->id] == id)
			return at;
	return nr;
}

/* Adds the count, the times and the lost samples of @fd to @e. @words has room for @max words. */
static void add_counts(const struct event_set *s, struct opened *e, int fd, uint64_t *words, size_t max)
{
	struct read_layout l = read_layout_of(s->table.events.v[e->event]->attr.read_format);
	ssize_t n = read(fd, words, max * sizeof(*words));
	size_t nr = n > 0 ? (size_t)n / sizeof(*words) : 0, at, skip = MIN(nr, (size_t)l.group);
	const uint64_t *members = words + skip;

	nr -= skip;
	at = find_count(e->id, &l, members, nr);
	if (at == nr)
		return;
	e->count += members[at];
	if (l.enabled != READ_NONE && l.running != READ_NONE) {
		e->enabled += members[l.enabled];
		e->running += members[l.running];
	}
	if (l.lost != READ_NONE)
		e->lost += members[at + l.lost];
}

void event_set_count_lost(struct event_set *s)
{
	size_t max = 3 + 3 * s->table.events.nr;
	uint64_t *words = xcalloc(max, sizeof(*words));

	vec_for(e, &s->opened) {
		uint64_t count = e->count, lost = e->lost, enabled = e->enabled, running = e->running;

		e->count = e->lost = e->enabled = e->running = 0;
		add_counts(s, e, e->fd, words, max);
		for (uint32_t i = 0; i < e->used; i++)
			add_counts(s, e, e->stack_variants.v[i].fd, words, max);
		for (size_t i = 0; i < NR_SHED; i++)
			if (e->shed_fds[i] >= 0)
				add_counts(s, e, e->shed_fds[i], words, max);
		/* A counter that can no longer be read keeps its value. */
		e->count = MAX(e->count, count);
		e->lost = MAX(e->lost, lost);
		e->enabled = MAX(e->enabled, enabled);
		e->running = MAX(e->running, running);
	}
	free(words);
}

static struct opened *first_at(struct event_set *s, uint32_t event, int cpu)
{
	struct opened *first = NULL;

	vec_for(e, &s->opened) {
		if (e->event != event)
			continue;
		if (e->place.cpu == cpu)
			return e;
		first = first ? first : e;
	}
	return first;
}

void event_set_count_dropped(struct event_set *s)
{
	vec_for(e, &s->opened)
		e->dropped = 0;
	vec_for(f, &s->filters) {
		unsigned nr;
		uint64_t *counts = filter_program_dropped(&f->program, &nr);

		for (unsigned cpu = 0; counts && cpu < nr; cpu++) {
			struct opened *e = counts[cpu] ? first_at(s, f->event, (int)cpu) : NULL;

			if (e)
				e->dropped += counts[cpu];
		}
		free(counts);
	}
}
