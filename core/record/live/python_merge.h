/*
 * Merges Python frames into a sample's call chain, each after the frame of the interpreter's loop that runs it
 * (core/model/python.h).
 * Layer: live
 */
#ifndef CORE_RECORD_LIVE_PYTHON_MERGE_H
#define CORE_RECORD_LIVE_PYTHON_MERGE_H

#include "core/base/vec.h"
#include "core/base/wire.h"
#include "core/record/live/python.h"

struct python_chain { VEC(uint64_t) ips; };

bool python_is_loop(const struct python_stack *s, uint64_t ip);
/*
 * *out becomes @chain, with context markers and the innermost first, with the frames in it. Where a chain has as many calls of the
 * loop as there are frames that begin one, each stands behind its own; the innermost call may have no frame yet, or no more.
 * Otherwise the chain is not whole: the frames of Python, which are, stand in place of all of user space but its innermost.
 */
void python_merge(const struct python_stack *s, const struct words *chain, struct python_chain *out);

#endif
