/*
 * Follows the program that a CoreSight trace unit traced: finds the executed instructions from the trace's packets and the
 * program's code. sampler.c runs this decoder, and samples.c has its callbacks.
 *
 * A packet carries elements. An atom element gives the direction of the next branch. An address element gives the target of an
 * indirect branch. The instructions between two branches come from the program's code, which is decoded once per basic block
 * (auxtrace/block.h).
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
 * Decodes bytes [from, to) of @s, a piece that cs_stream_pieces() made, or all of @s. Resets all state except .insns, .stop and
 * .cycles. .time is 0 until the first timestamp in the piece. If the target of the last branch is after @to, it is read from there.
 * If the trace cannot be followed, reports a gap, with its reason and place, and goes on at the next address or synchronisation
 * point.
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
