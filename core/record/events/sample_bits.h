/*
 * Parses words that stand for bits of a perf_event_attr: the branch types of -j (and of the term branch_type=), which choose the
 * branches in branch stacks, and the registers of -I and --user-regs.
 */
#ifndef CORE_RECORD_EVENTS_SAMPLE_BITS_H
#define CORE_RECORD_EVENTS_SAMPLE_BITS_H

#include <stdint.h>

/*
 * Translates words, separated by any of @separators, to PERF_SAMPLE_BRANCH_* bits (perf_event_open(2)). If no word names a kind
 * of branch, any branch is meant. Returns 0, or -EINVAL with the reason in *what, owned by the caller.
 */
int branch_filter_parse(const char *text, const char *separators, uint64_t *out, char **what);
/* As branch_filter_parse(), for names such as "ax,ip" (case does not matter) and a mask of PERF_REG_* bits. */
int sample_regs_parse(const char *text, uint64_t *mask, char **what);
/* Prints the names of this machine's registers on standard output. */
void sample_regs_print(void);

#endif
