/*
 * Holds arrays that the browser computes once from a profile to filter and sum samples fast. The samples are stored as columns
 * sorted by time. A profile sums samples with the same event, thread, CPU and call stack to one weight (core/profile/profile.h).
 * Other arrays have the index of the function of each node of a call stack, and of each weight.
 * Layer: browse
 */
#ifndef CORE_SHOW_BROWSE_MODEL_H
#define CORE_SHOW_BROWSE_MODEL_H

#include "core/profile/profile.h"

struct model {			/* model_init(), model_release() */
	const struct profile *profile;	/* borrowed, as the next */
	const struct profile_data *d;
	size_t nr_samples;
	uint64_t *times, *periods;	/* by sample */
	uint32_t *sample_weights;	/* by sample */
	/* By weight: the function whose self time it is, profile_own_function(); .unknown if none is known. */
	uint32_t *weight_functions;
	bool *is_outside;		/* by weight: that function is not in the call chain */
	bool *lasts;			/* by weight: a sample begins at its time and lasts for its period, as waits do */
	bool some_last;			/* there are such weights */
	uint32_t *node_functions;	/* by stack node; of the root .unknown */
	bool *is_outermost;		/* by stack node: none of its callers is the same function */
	uint32_t *function_nodes;	/* nodes, ascending, those of one function after the other */
	uint32_t *first_node;		/* by function: its first in .function_nodes; one more element for the end */
	uint32_t unknown;		/* the number of functions: stands for an unknown one */
	bool *of_b;			/* by weight, if there are two sides; else NULL */
};

void model_init(struct model *m, const struct profile *p);
/* Fills .of_b, for a profile with two sides: see compared.h. */
void model_find_sides(struct model *m);
void model_release(struct model *m);

/* The first sample at or after @time; .nr_samples: none. */
size_t model_sample_at(const struct model *m, uint64_t time);
/* The first sample that may have a part in the time from @from on: that of model_sample_at(), or 0 if some samples last. */
size_t model_first_in(const struct model *m, uint64_t from);
/*
 * The part of a sample's period in the time from @from to @to. Returns false if it has none. A sample that does not last counts
 * with its whole period, at its time.
 */
bool model_part_in(const struct model *m, size_t sample, uint64_t from, uint64_t to, uint64_t *period);
/* The number of a string, or PROFILE_NONE. */
uint32_t model_string(const struct model *m, const char *text);
/* NULL: no symbol. */
const char *model_function_name(const struct model *m, uint32_t function);
/* "libc.so.6", "[unknown]"; bytes of the file. */
const char *model_function_dso(const struct model *m, uint32_t function);

/* The function whose code ran at a weight; if addresses are known, not an inlined one. .unknown if none is known. */
uint32_t model_code_of(const struct model *m, size_t weight);
bool model_is_inlined(const struct model *m, uint32_t function);
bool model_is_kernel(const struct model *m, uint32_t function);

/* Append "[.] main", "[k] 0xffffffff81000000" as report has it; printable. */
struct buf;
void model_put_function(const struct model *m, uint32_t function, struct buf *out);

#endif
