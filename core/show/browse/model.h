/*
 * Prepares a profile (core/profile/profile.h) for the browser: sorts the samples by time, and finds the function of each node of
 * the call tree. With these arrays, filters.h selects and sums the samples fast.
 */
#ifndef CORE_SHOW_BROWSE_MODEL_H
#define CORE_SHOW_BROWSE_MODEL_H

#include "core/profile/profile.h"

/*
 * The samples are stored as columns (.times, .periods, .sample_weights) sorted by time. A weight is the profile's sum of all
 * samples with the same event, thread, thread name, CPU, call stack and address (core/profile/profile.h). Other arrays have the
 * function of each weight and of each node of the call stacks.
 */
struct model {			/* model_init(), model_release() */
	const struct profile *profile;	/* borrowed, as the next */
	const struct profile_data *d;
	size_t nr_samples;
	uint64_t *times, *periods;	/* by sample */
	uint32_t *sample_weights;	/* by sample */
	/* By weight: the function that has the weight as self time (profile_own_function()), or .unknown. */
	uint32_t *weight_functions;
	bool *is_outside;		/* by weight: its function in .weight_functions is not in its call chain */
	bool *lasts;			/* by weight: its samples begin at their time and last for their period, as waits do */
	bool some_last;			/* .lasts is true for a weight */
	uint32_t *node_functions;	/* by stack node: its function; .unknown for the root */
	bool *is_outermost;		/* by stack node: no node above it has the same function */
	uint32_t *function_nodes;	/* the nodes of function 0, ascending, then those of function 1 and so on */
	uint32_t *first_node;		/* by function: where its nodes begin in .function_nodes; one more element for the end */
	uint32_t unknown;		/* stands for an unknown function; equals the number of functions */
	bool *of_b;			/* by weight: it is of side B; NULL: there is only one side */
};

void model_init(struct model *m, const struct profile *p);
/* Fills .of_b, for a profile with two sides: see compared.h. */
void model_find_sides(struct model *m);
void model_release(struct model *m);

/* The first sample at or after @time; .nr_samples: none. */
size_t model_sample_at(const struct model *m, uint64_t time);
/* The first sample that may have a part in the time after @from: model_sample_at(), or 0 if some samples last. */
size_t model_first_in(const struct model *m, uint64_t from);
/* Sets *period to the part in the range; false: none. A sample that does not last counts whole, at its time. */
bool model_part_in(const struct model *m, size_t sample, uint64_t from, uint64_t to, uint64_t *period);
/* The number of a string, or PROFILE_NONE. */
uint32_t model_string(const struct model *m, const char *text);
/* NULL: no symbol. */
const char *model_function_name(const struct model *m, uint32_t function);
/* "libc.so.6" or "[unknown]". It may have any bytes. */
const char *model_function_dso(const struct model *m, uint32_t function);

/* The function whose code ran; if its address is known, never an inlined one. .unknown: not known. */
uint32_t model_code_of(const struct model *m, size_t weight);
bool model_is_inlined(const struct model *m, uint32_t function);
bool model_is_kernel(const struct model *m, uint32_t function);
/* True if the function stands for a wait. Wall time has waits among its samples. */
bool model_is_wait(const struct model *m, uint32_t function);

/* Appends "[.] main" or "[k] 0xffffffff81000000", as prec report prints it, as printable text. */
struct buf;
void model_put_function(const struct model *m, uint32_t function, struct buf *out);

#endif
