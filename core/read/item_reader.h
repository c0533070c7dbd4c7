/*
 * Turns the bytes of a record into an item, with its event, its body and its thread.
 * Layer: read
 */
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

#define ITEM_SLOTS	16	/* as many items a reader can hold at a time */

/* For one worker. */
struct item_reader {
	const struct session *session;
	struct context_cache *cache;
	struct unwinder *unwinder;	/* NULL: none was needed yet */
	unsigned unwind;		/* frames of user space that are unwound at most; 0: chains stay as recorded */
	struct item_slot {
		struct record record;
		const struct sample_layout *layout;	/* of the sample in .record; NULL: there is none */
		struct item item;
		struct task_context context;	/* of the sample */
		struct unwound chain;	/* of the sample, where its user space was unwound */
		struct frame_words shown;	/* of its chain, where not all are */
	} slots[ITEM_SLOTS];
	struct damage damaged;		/* samples refused: these, */
	uint64_t no_event;		/* and those of no known event */
	uint64_t no_user;		/* whose chains lack the user part that was to come */
	struct chain_cuts cuts;
};

/*
 * @unwind: to the recorded chain of a sample with a copy of its user stack, PERF_CONTEXT_USER and up to so many frames
 * of user space are added; 0: chains stay as recorded.
 */
void item_reader_init(struct item_reader *r, const struct session *s, unsigned unwind);
/* Add what was refused and what is missing to @counts. */
void item_reader_count(const struct item_reader *r, struct session_counts *counts);
void item_reader_release(struct item_reader *r);
/*
 * The record at @position as an item, borrowed until the next call for the same @slot (below ITEM_SLOTS); NULL for one
 * that is unknown or damaged (a damaged sample is counted, other damage was when the file was scanned).
 */
const struct item *item_read(struct item_reader *r, unsigned slot, const uint8_t *record, uint64_t position);
/* Counts damage in a whole @record in its chunk, a sample of @event that is not wanted. Uses slot 0. */
void item_pass_over(struct item_reader *r, const struct event *event, const uint8_t *record, uint64_t position);

#endif
