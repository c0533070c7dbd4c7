/*
 * The session's inside, for the files of this folder.
 * Layer: flow
 */
#ifndef CORE_FLOW_SESSION_IMPL_H
#define CORE_FLOW_SESSION_IMPL_H

#include "core/flow/scan.h"

struct session {
	struct data_file *file;		/* owned */
	struct machine *machine;	/* owned */
	struct scan scan;		/* what the first pass found */
	unsigned jobs;
	bool header_only;
};

/* A worker's hands: turns records into items. */
struct item_reader {
	const struct session *session;
	struct where_cache *cache;
	struct record record;
	struct item item;
	uint64_t damaged, no_event;	/* samples refused */
};

void item_reader_init(struct item_reader *r, const struct session *s);
void item_reader_release(struct item_reader *r);
/*
 * The record at @position as an item, borrowed until the next call; NULL for one that is unknown or damaged
 * (a damaged sample is counted, other damage was when the file was scanned).
 */
const struct item *item_read(struct item_reader *r, const uint8_t *record, uint64_t position);

/* Visit the records of a chunk: for (each = {0}; chunk_next(chunk, &each);) each.record, each.header */
struct chunk_cursor { uint32_t at, next; const uint8_t *record; struct record_header header; };

static inline bool chunk_next(const struct chunk *c, struct chunk_cursor *each)
{
	if (each->next >= c->size)
		return false;
	each->at = each->next;
	each->record = c->data + each->at;
	__builtin_memcpy(&each->header, each->record, sizeof(each->header));
	each->next += each->header.size;
	return true;
}

#endif
