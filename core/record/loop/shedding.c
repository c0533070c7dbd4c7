/*
 * Reduces the user stacks in samples if a ring buffer, or the buffer to which its records are copied (backlog.h), is more than
 * half full. A reduction has a minimum duration, because a busy machine stays busy for a while.
 */
#include "core/record/loop/shedding.h"

#include "core/base/vec.h"

#define HOLD_NS		200000000u	/* shedding lasts at least this long, because a machine that was too busy stays so for a
					 * while */
#define HOLD_MOST_NS	(16ull * HOLD_NS)
#define SOON_NS		1000000000u	/* if stacks must be shed again within this time, shedding had ended too early */

/* Returns how much to shed by the fill alone. Between two marks, the amount of shedding stays as it is. */
static enum stack_shed shed_for(const struct shedding *s, const struct shedding_input *l)
{
	if (l->full || l->fill > l->size / 4 * 3)
		return SHED_ALL;
	if (l->late || l->fill > l->size / 2)
		return MAX(s->shed, SHED_TO_SMALLER);
	return l->fill < l->size / 4 ? SHED_NOTHING : s->shed;
}

enum stack_shed shedding_wanted(struct shedding *s, const struct shedding_input *l)
{
	enum stack_shed wanted = shed_for(s, l);
	uint64_t now = l->now_ns;

	if (wanted > s->shed && s->shed == SHED_NOTHING)
		s->hold_ns = s->back_ns && now - s->back_ns < SOON_NS ? MIN(2 * s->hold_ns, HOLD_MOST_NS) : HOLD_NS;
	if (wanted != SHED_NOTHING) {
		s->since_ns = s->need_ns = now;
		s->need_at = l->at;
	}
	if (wanted != SHED_NOTHING || s->shed == SHED_NOTHING)
		return wanted;
	/* Without new data, room is no sign that the recorder keeps up: a thread that waits for a CPU has no samples. */
	if (l->at == s->need_at)
		s->since_ns = now;
	if (now - s->since_ns < s->hold_ns && now - s->need_ns < HOLD_MOST_NS)
		return s->shed;
	s->back_ns = now;
	return wanted;
}
