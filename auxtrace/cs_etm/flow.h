/*
 * Follows the program that an ETMv4 or ETE traced: from packets and the program's code to the executed instructions.
 *
 * An atom gives the direction of the next branch, an address packet the target of an indirect one; the instructions between
 * come from the code, read once per block (auxtrace/block.h). Trace that cannot be followed is reported as a gap, with its reason
 * and place; decoding goes on at the next address or synchronisation.
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
 * Makes a decoder of traces with configuration @c, for the code in @cache; it borrows all its arguments. It may clear the cache
 * while it runs, so that hostile traces do not fill the memory: keep no pointers to blocks. Owned by the caller: cs_flow_free().
 */
struct cs_flow *cs_flow_new(const struct cs_config *c, struct block_cache *cache, const struct cs_sink *sink,
			    void *ctx);
void cs_flow_free(struct cs_flow *f);
/* The current position, borrowed: set .stop before a run, read the counts after it. */
struct cs_point *cs_flow_point(struct cs_flow *f);

/*
 * Decodes bytes [from, to) of @s, a piece that cs_stream_pieces() made, or all of it. Resets all state except .insns, .stop
 * and .cycles: .time is 0 until the piece has a timestamp, the sink knows the time of the piece before. A branch with its
 * target after @to is still reported, from the bytes there.
 */
void cs_flow_run(struct cs_flow *f, const struct cs_stream *s, size_t from, size_t to);

struct cs_piece { size_t from, to; };
struct cs_pieces { VEC(struct cs_piece) list; };

/*
 * Cuts @s at points where decoding can start, into pieces of at least @size bytes: decoded one by one, in any order and by
 * any thread, they give the same as the whole. Appends to @out; the caller releases it with vec_free().
 */
void cs_stream_pieces(struct cs_pieces *out, const struct cs_stream *s, const struct cs_config *c, size_t size);

#endif
