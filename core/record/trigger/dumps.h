/*
 * Decides which triggers (option --on) cause a dump, and when it is written. A dump is an output file with the records before a
 * trigger. core/record/loop/switch_output.c writes it.
 */
#ifndef CORE_RECORD_TRIGGER_DUMPS_H
#define CORE_RECORD_TRIGGER_DUMPS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/vec.h"
#include "core/record/trigger/trigger.h"

struct buf;
struct features;

/* The reasons for which a trigger has no dump of its own, and counts as missed. */
enum dump_missed {
	MISSED_SHARED,			/* it came before the dump of another ended, which contains it */
	MISSED_PAUSE,			/* it came within --pause after a dump */
	MISSED_SAVING,			/* it came while trace was being saved, and tracing was off */
	MISSED_LATE,			/* the data before it were overwritten before the recorder read them */
	MISSED_MOST,			/* it came after the last dump that --at-most allows */
	MISSED_LOST,			/* the ring buffer of the trigger's event had no room for it */
	NR_MISSED
};

struct dumps {				/* dumps_release(); = {0} except .o: no triggers so far */
	const struct trigger_opts *o;	/* borrowed */
	uint64_t seen, dumped, missed[NR_MISSED];
	VEC(struct trigger_hit) queue;	/* from .first on: triggers that are neither dumped nor missed yet */
	size_t first;
	uint64_t end, end_mono_ns;	/* end of the last dump, by the recording's clock and CLOCK_MONOTONIC; 0: unknown */
	VEC(struct trigger_hit) here;	/* at most DUMPS_TOLD triggers whose dumps are in the current file */
};

#define DUMPS_TOLD	1000

/* Queues the triggers in @hits, and empties @hits. */
void dumps_see(struct dumps *d, struct trigger_hits *hits);
/* Returns the next trigger to dump, borrowed until the next call, and when it is due (CLOCK_MONOTONIC); NULL: none is left. */
const struct trigger_hit *dumps_next(struct dumps *d, uint64_t *due_ns);
/*
 * Returns the end of the trigger's dump, by the clock of the recording (the trigger's time plus --after): later records do not
 * belong to the dump. UINT64_MAX: unknown.
 */
uint64_t dumps_until(const struct dumps *d, const struct trigger_hit *hit);
/* True if the next dump is the last one that --at-most allows. */
bool dumps_is_last(const struct dumps *d);
/* Ends a dump. @exact: records after dumps_until() are kept for the next. Otherwise all read so far were in this one. */
void dumps_done(struct dumps *d, bool exact);
/* Count the next trigger, or all queued triggers, as missed for the reason @why. */
void dumps_miss(struct dumps *d, enum dump_missed why);
void dumps_miss_all(struct dumps *d, enum dump_missed why);

/* Appends a summary such as "3 triggers: 2 dumped, 1 missed (in the dump of another)". */
void dumps_put(const struct dumps *d, struct buf *out);
/* Fills the header section about the dumps of this file, and forgets them. */
void dumps_feature(struct dumps *d, struct features *f);
void dumps_release(struct dumps *d);

#endif
