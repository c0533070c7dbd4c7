/* Parses the words of -j and branch_type=: which branches a branch stack holds. Layer: events */
#ifndef CORE_RECORD_EVENTS_BRANCH_FILTER_H
#define CORE_RECORD_EVENTS_BRANCH_FILTER_H

#include <stdint.h>

/*
 * Words between any of @separators to PERF_SAMPLE_BRANCH_* (perf_event_open(2)); no kind of branch means any.
 * Returns 0, or -EINVAL with *what set, owned by the caller.
 */
int branch_filter_parse(const char *text, const char *separators, uint64_t *out, char **what);

#endif
