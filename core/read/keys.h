/*
 * Collects a sort key (time, position in the recording) for each record, and sorts these keys. ordered.c then reads the records
 * in order of time.
 */
#ifndef CORE_READ_KEYS_H
#define CORE_READ_KEYS_H

#include "core/read/order.h"

struct ordered_pass;
struct session;

struct key_list {			/* {0} before the first keys_gather() */
	struct order_key *keys;		/* owned: free() */
	size_t nr;
	size_t nr_chunks;		/* number of chunks that were read */
	uint64_t time;			/* the time of the last record in these chunks that has one */
};

/*
 * The times of a chunk, so that only some keys of a large recording must be in memory. .least: the earliest time of its records (in
 * file order: the number of the chunk). .before: the time of the last record before the chunk that has a time.
 */
struct chunk_span { uint64_t least, before; uint32_t chunk; };

/* The spans of all chunks, ordered by .least; owned by the caller: free(). */
struct chunk_span *keys_spans(const struct session *s, const struct ordered_pass *pass);
/* Adds the keys of the chunks of @nr spans. NULL, 0: of the chunks that arrived since the last call. */
void keys_gather(struct key_list *out, struct session *s, const struct ordered_pass *pass, void *ctx,
		 const struct chunk_span *spans, size_t nr);
/* The number of keys with an earlier time than @time, which come first in the list. */
size_t keys_before(const struct key_list *l, uint64_t time);

#endif
