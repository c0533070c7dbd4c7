/*
 * Packs records into COMPRESSED records, as perf 6.1 reads them: one zstd stream a file.
 * Layer: perfdata
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
/* Append COMPRESSED records that unpack to @parts to @out. Returns 0 or -EINVAL, after which nothing more fits. */
int compressor_put(struct compressor *c, const struct iovec *parts, int nr_parts, struct buf *out);
/* How many bytes of @parts the first @nr of these records unpack to. */
uint64_t compressor_covers(const struct iovec *parts, int nr_parts, uint64_t nr);
/* Count what another packed, of the same recording, in what is described. */
void compressor_count(struct compressor *c, const struct compressor *other);
/* Fill the COMPRESSED section, which readers need. */
void compressor_features(const struct compressor *c, struct features *f);

#endif
