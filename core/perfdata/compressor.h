/*
 * Compresses records into PERF_RECORD_COMPRESSED records that perf 6.1 can read. The compressed records of one file share one
 * zstd stream. data_writer.c calls it.
 */
#ifndef CORE_PERFDATA_COMPRESSOR_H
#define CORE_PERFDATA_COMPRESSOR_H

#include <stdint.h>
#include <sys/uio.h>

struct buf;
struct features;
struct compressor;

/* Owned by the caller: compressor_free(). NULL if zstd refuses @level. */
struct compressor *compressor_new(int level);
void compressor_free(struct compressor *c);
/* Compresses @parts, and appends COMPRESSED records to @out. Returns 0; after -EINVAL the compressor cannot be used any more. */
int compressor_put(struct compressor *c, const struct iovec *parts, int nr_parts, struct buf *out);
/* The number of bytes of @parts that are in the first @nr of the records that compressor_put() makes from @parts. */
uint64_t compressor_covers(const struct iovec *parts, int nr_parts, uint64_t nr);
/* Adds the statistics of @other, which compressed another file of the same recording, to those of @c. */
void compressor_count(struct compressor *c, const struct compressor *other);
/* Fills the section COMPRESSED, which readers need. */
void compressor_features(const struct compressor *c, struct features *f);

#endif
