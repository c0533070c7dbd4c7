/*
 * Builds a profile (profile.h): the tables that exporters and comparisons read. session_profile.c fills it from a recording, and
 * folded_profile.c from a file of folded stacks.
 */
#ifndef CORE_PROFILE_BUILDER_H
#define CORE_PROFILE_BUILDER_H

#include "core/profile/profile.h"

struct profile_builder;

/*
 * Rows may be added in any order, except that a row must be added before another row refers to it. Equal rows, such as those of one
 * function, become one row. The functions return a row's number in the builder, to refer to it. The finished profile has other
 * numbers. The builder computes some members itself and ignores them in an added row: sums, depths, children and first_name. Only
 * one thread may use a builder.
 *
 *	struct profile_builder *b = profile_builder_new();
 *	uint32_t name = profile_add_string(b, "main");
 *	uint32_t event = profile_add_event(b, &(struct profile_event){ .name = profile_add_string(b, "cpu-clock"), ... });
 *	uint32_t function = profile_add_function(b, &(struct profile_function){ .name = name, .dso = PROFILE_NONE, .level = '.' });
 *	uint32_t frame = profile_add_frame(b, &(struct profile_frame){ .function = function });
 *	uint32_t stack = profile_add_stack(b, PROFILE_ROOT, frame);
 *	profile_add_weight(b, &(struct profile_weight){ .event = event, .stack = stack, ..., .nr = 1, .period = 1000 });
 *	struct profile *p = profile_builder_finish(b);
 */
struct profile_builder *profile_builder_new(void);
/* Makes the profile, owned by the caller (profile_free()), and frees the builder. */
struct profile *profile_builder_finish(struct profile_builder *b);

/* Adds a string; returns 0 for "". */
uint32_t profile_add_string(struct profile_builder *b, const char *text);
uint32_t profile_add_string_n(struct profile_builder *b, const char *text, size_t n);
void profile_set_info(struct profile_builder *b, const struct profile_info *info);

/*
 * Adds an event. Events keep their order and are never merged. The members nr_filtered and period_filtered are taken from @e, and
 * nr and period become the sums of the event's weights.
 */
uint32_t profile_add_event(struct profile_builder *b, const struct profile_event *e);
/* Adds a process. Its name is the one that is given first. */
uint32_t profile_add_process(struct profile_builder *b, uint32_t pid, uint32_t name);
/* Threads with equal process, tid and from are merged. */
uint32_t profile_add_thread(struct profile_builder *b, const struct profile_thread *t);
/* Names @thread from time @from on. Call it in order of time. */
void profile_add_name(struct profile_builder *b, uint32_t thread, uint64_t from, uint32_t name);
uint32_t profile_add_dso(struct profile_builder *b, const struct profile_dso *d);
uint32_t profile_add_function(struct profile_builder *b, const struct profile_function *f);
uint32_t profile_add_frame(struct profile_builder *b, const struct profile_frame *f);
/* Adds the node of @frame, called from @parent. */
uint32_t profile_add_stack(struct profile_builder *b, uint32_t parent, uint32_t frame);
/*
 * As profile_add_stack(), but without searching for an equal stack, for stacks that are mostly new. Equal ones get different
 * numbers, and are merged at the end.
 */
uint32_t profile_append_stack(struct profile_builder *b, uint32_t parent, uint32_t frame);
/* Adds an instruction; call it once for each. */
void profile_add_insn(struct profile_builder *b, const struct profile_insn *i);
void profile_add_source(struct profile_builder *b, const struct profile_source *s);
uint32_t profile_add_address(struct profile_builder *b, const struct profile_address *a);
/* Adds a weight. Equal ones (event, thread, comm, cpu, stack, address) are summed at the end; until then each takes memory. */
uint32_t profile_add_weight(struct profile_builder *b, const struct profile_weight *w);

/* Reserves room for about this many stacks and weights, so that their tables need no copies as they grow. */
void profile_reserve(struct profile_builder *b, size_t nr_stacks, size_t nr_weights);

/* Adds a column to all samples. Call it before the first sample is added. Columns keep their order. */
uint32_t profile_add_column(struct profile_builder *b, const struct profile_column *c);
/* Adds a sample, which is one of those summed in @weight. @values: a value for each column; NULL if there are no columns. */
void profile_add_sample(struct profile_builder *b, uint64_t time, uint32_t weight, uint64_t period, const uint64_t *values);

void profile_add_interval(struct profile_builder *b, const struct profile_interval *i);
void profile_add_instant(struct profile_builder *b, const struct profile_instant *i);
void profile_add_link(struct profile_builder *b, const struct profile_link *l);

/* Adds a call. The calls of a thread must be in order, callers before callees. */
void profile_add_call(struct profile_builder *b, const struct profile_call *c);

/* The list of findings about the samples, for findings_add(). Borrowed until the builder is freed. */
struct findings *profile_builder_findings(struct profile_builder *b);

#endif
