/*
 * Parses the branch types of -j and of the term branch_type=, which choose the branches that the CPU puts into a branch stack.
 * Layer: events
 */
#ifndef CORE_RECORD_EVENTS_BRANCH_FILTER_H
#define CORE_RECORD_EVENTS_BRANCH_FILTER_H

#include <stdint.h>

/*
 * Translates words, separated by any of @separators, to PERF_SAMPLE_BRANCH_* bits (perf_event_open(2)). If no word names a kind
 * of branch, any branch is meant. Returns 0, or -EINVAL with the reason in *what, owned by the caller.
 */
int branch_filter_parse(const char *text, const char *separators, uint64_t *out, char **what);

#endif
