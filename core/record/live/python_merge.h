/*
 * Merges Python frames into a sample's call chain. Each Python frame follows the machine-code frame of the interpreter's loop
 * (_PyEval_EvalFrameDefault) that runs it.
 */
#ifndef CORE_RECORD_LIVE_PYTHON_MERGE_H
#define CORE_RECORD_LIVE_PYTHON_MERGE_H

#include "core/base/vec.h"
#include "core/base/wire.h"
#include "core/record/live/python.h"

struct python_chain { VEC(uint64_t) ips; };

bool python_is_loop(const struct python_stack *s, uint64_t ip);
/*
 * Merges @chain (innermost first, with context markers) and the Python frames of @s into *out. If the chain has as many calls of
 * the interpreter's loop as there are Python frames that begin such a call, each Python frame follows its call. The innermost
 * call may have no frame yet, or none any more. Otherwise the chain is incomplete; then the Python frames, which are complete,
 * replace its user part except the innermost frame.
 */
void python_merge(const struct python_stack *s, const struct words *chain, struct python_chain *out);

#endif
