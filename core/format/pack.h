/*
 * Records into COMPRESSED records, as perf 6.1 reads them: one zstd stream a file.
 * Layer: format
 */
#ifndef CORE_FORMAT_PACK_H
#define CORE_FORMAT_PACK_H

#include <stdint.h>
#include <sys/uio.h>

struct buf;
struct features;
struct packer;

/* Owned by the caller: packer_free(). NULL where zstd refuses @level. */
struct packer *packer_new(int level);
void packer_free(struct packer *p);
/* Append COMPRESSED records that unpack to @parts to @out. Returns 0 or -EINVAL, after which nothing more fits. */
int packer_put(struct packer *p, const struct iovec *parts, int nr_parts, struct buf *out);
/* How many bytes of @parts the first @nr of these records unpack to. */
uint64_t packer_covers(const struct iovec *parts, int nr_parts, uint64_t nr);
/* Count what another packed, of the same recording, in what is described. */
void packer_count(struct packer *p, const struct packer *other);
/* Fill the COMPRESSED section, which readers need. */
void packer_describe(const struct packer *p, struct features *f);

#endif
