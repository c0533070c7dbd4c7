/* Turns the bytes of a record into an item (item.h), which has the record's event, its decoded fields and its thread. */
#ifndef CORE_READ_ITEM_READER_H
#define CORE_READ_ITEM_READER_H

#include "core/read/counts.h"
#include "core/read/item.h"
#include "core/read/native_frames.h"
#include "core/perfdata/record.h"
#include "core/model/machine.h"
#include "core/unwind/unwinder.h"

struct session;
struct context_cache;

#define ITEM_SLOTS	16	/* number of items that a reader can hold at a time */

/* For one worker. */
struct item_reader {
	const struct session *session;
	struct context_cache *cache;
	struct unwinder *unwinder;	/* NULL: none was needed yet */
	unsigned unwind;		/* as the argument of item_reader_init() */
	struct item_slot {
		struct record record;
		const struct sample_layout *layout;	/* the layout of the sample in .record; NULL: no sample */
		struct item item;
		struct task_context context;	/* of the sample */
		struct unwound chain;	/* the call chain of the sample, if it differs from the recorded one */
		struct frame_words shown;	/* the shown frames of the chain, if not all are shown */
	} slots[ITEM_SLOTS];
	struct damage damaged;		/* damaged samples, which are left out */
	uint64_t no_event;		/* samples of unknown events, which are left out, too */
	uint64_t no_user;		/* samples whose chains lack the deferred user part */
	struct chain_cuts cuts;
};

/*
 * @unwind: if a sample has a copy of its user stack, add PERF_CONTEXT_USER and up to this many frames of user space to its
 * recorded chain; 0: only complete deferred chains, and leave other chains as recorded.
 */
void item_reader_init(struct item_reader *r, const struct session *s, unsigned unwind);
/* Adds the numbers of rejected samples and missing chains to @counts. */
void item_reader_count(const struct item_reader *r, struct session_counts *counts);
void item_reader_release(struct item_reader *r);
/*
 * Returns the record at @position as an item, borrowed until the next call for the same @slot (below ITEM_SLOTS); NULL if it is
 * unknown or damaged. Damaged samples are counted here, other damaged records in the first pass.
 */
const struct item *item_read(struct item_reader *r, unsigned slot, const uint8_t *record, uint64_t position);
/* Reads a sample of @event that is not wanted, only to count damage and cut chains. Uses slot 0. */
void item_pass_over(struct item_reader *r, const struct event *event, const uint8_t *record, uint64_t position);

/* The start of a recorded chain's user part, with its marker; the chain's end if there is none. */
uint64_t chain_user_part(const struct words *chain);

#endif
