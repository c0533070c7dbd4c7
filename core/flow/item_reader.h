/*
 * From a record's bytes to an item: its event, its body, whose it is.
 * Layer: flow
 */
#ifndef CORE_FLOW_ITEM_READER_H
#define CORE_FLOW_ITEM_READER_H

#include "core/flow/counts.h"
#include "core/flow/item.h"
#include "core/format/record.h"
#include "core/model/machine.h"

struct session;
struct where_cache;

#define ITEM_SLOTS	16	/* as many items a reader can hold at a time */

/* Belongs to one worker. */
struct item_reader {
	const struct session *session;
	struct where_cache *cache;
	struct item_slot {
		struct record record;
		const struct sample_layout *layout;	/* of the sample in .record; NULL: there is none */
		struct item item;
		struct where where;	/* of the sample */
	} slots[ITEM_SLOTS];
	struct damage damaged;		/* samples refused: these, */
	uint64_t no_event;		/* and those of no known event */
};

void item_reader_init(struct item_reader *r, const struct session *s);
void item_reader_release(struct item_reader *r);
/*
 * The record at @position as an item, borrowed until the next call for the same @slot (below ITEM_SLOTS); NULL for one
 * that is unknown or damaged (a damaged sample is counted, other damage was when the file was scanned).
 */
const struct item *item_read(struct item_reader *r, unsigned slot, const uint8_t *record, uint64_t position);

#endif
