/*
 * Rows of bytes, each kept once and known by its number.
 * Layer: profile
 */
#ifndef CORE_PROFILE_BLOB_H
#define CORE_PROFILE_BLOB_H

#include "core/base/buf.h"
#include "core/base/hash.h"
#include "core/base/vec.h"

struct blobs {			/* = {0}: empty; blobs_release() */
	struct buf bytes;
	VEC(size_t) ends;	/* of each blob; it begins where the one before ends */
	struct index by_hash;
};

/* The number of the blob of these bytes. */
uint32_t blobs_add(struct blobs *b, const void *bytes, size_t n);
/* Its bytes, borrowed until the next is added. */
const char *blobs_get(const struct blobs *b, uint32_t number, size_t *n);
void blobs_release(struct blobs *b);

#endif
