/* What one worker has summed up, and how all workers' parts become one. Layer: hists */
#ifndef CORE_HISTS_BUCKET_PART_H
#define CORE_HISTS_BUCKET_PART_H

#include "core/hists/bucket.h"

struct bucket_part {		/* bucket_parts_unite() */
	struct bucket_table table;
	struct addr_key_table addr_keys;
	struct chain_table chains;
	struct byte_table details;
	struct spill moments;
};

static inline void bucket_add(struct bucket *b, const struct bucket *other)
{
	add_saturated(&b->period, other->period);
	b->nr += other->nr;
	if (other->ip < b->ip || (other->ip == b->ip && other->space < b->space)) {
		b->ip = other->ip;
		b->space = other->space;
	}
}

/* Field by field: loading words that were just stored as halves would wait for the stores. */
static inline uint64_t bucket_hash(const struct bucket_key *k)
{
	return hash_u64(k->at * 0x9e3779b97f4a7c15 + k->slot * 0xd6e8feb86659fd93 +
			((uint64_t)k->event << 32 | k->comm) * 0xc2b2ae3d27d4eb4f +
			((uint64_t)k->tid << 32 | k->owner) * 0x165667b19e3779f9 +
			((uint64_t)k->chain << 32 | k->cpu) * 0xff51afd7ed558ccd +
			((uint64_t)k->detail << 32 | k->cgroup) * 0xc4ceb9fe1a85ec53 +
			((uint64_t)k->queue << 32 | k->mode) * 0x9fb21c651e98df25);
}

/* All of the @nr @parts, whose memory it takes, into @out; @needs as bucket_opts.needs. Numbers in @out are in no certain order. */
void bucket_parts_unite(struct buckets *out, struct bucket_part *parts, size_t nr, unsigned needs, unsigned jobs);

#endif
