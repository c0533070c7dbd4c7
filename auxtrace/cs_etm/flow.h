/*
 * Follows the program that an ETMv4 or ETE traced: from packets and the program's own code to the
 * instructions that were executed.
 *
 * An atom says whether the next branch was taken, an address where an indirect one went; all between is
 * read from the code, once per block (auxtrace/block.h). What cannot be followed is a gap: it is reported with
 * its reason and place, and the flow goes on at the next address or synchronisation.
 * Layer: auxtrace
 */
#ifndef AUXTRACE_CS_ETM_FLOW_H
#define AUXTRACE_CS_ETM_FLOW_H

#include <stddef.h>

#include "auxtrace/cs_etm/sink.h"
#include "core/base/vec.h"

struct block_cache;
struct cs_config;
struct cs_flow;
struct cs_stream;

/*
 * A flow of traces of @c through the code of @cache. All are borrowed. While it runs it may clear the cache, so
 * that hostile traces do not fill the memory: nobody else keeps blocks. Owned by the caller: cs_flow_free().
 */
struct cs_flow *cs_flow_new(const struct cs_config *c, struct block_cache *cache, const struct cs_sink *sink,
			    void *ctx);
void cs_flow_free(struct cs_flow *f);
/* Borrowed; to set .stop at the beginning and read the counts at the end. */
struct cs_point *cs_flow_point(struct cs_flow *f);

/*
 * Decode bytes [from, to) of @s, a piece that cs_stream_pieces() made, or all of it. What was before is
 * forgotten except .insns, .stop and .cycles: .time is 0 until the piece has a timestamp, the sink knows that of
 * the piece before. A branch whose target is after @to is still reported, from the bytes there.
 */
void cs_flow_run(struct cs_flow *f, const struct cs_stream *s, size_t from, size_t to);

struct cs_piece { size_t from, to; };
struct cs_pieces { VEC(struct cs_piece) list; };

/*
 * Cut @s where decoding can begin anew, into pieces of at least @size bytes: decoded one by one, in any order and
 * by any thread, they give what the whole gives. Appends to @out, whose list is the caller's to vec_free().
 */
void cs_stream_pieces(struct cs_pieces *out, const struct cs_stream *s, const struct cs_config *c, size_t size);

#endif
