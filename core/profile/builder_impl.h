/*
 * Defines the members of struct profile_builder (builder.h), whose tables builder.c fills. builder_finish.c makes the profile
 * from the tables. builder_thin.c merges intervals of time if there are too many, and builder_samples.c packs the samples.
 */
#ifndef CORE_PROFILE_BUILDER_IMPL_H
#define CORE_PROFILE_BUILDER_IMPL_H

#include "core/base/byte_table.h"
#include "core/ui/finding.h"
#include "core/base/spill.h"
#include "core/profile/builder.h"
#include "core/hists/unique.h"

struct builder_stack { uint32_t parent, frame; };
struct builder_name { uint32_t thread, name; uint64_t from; };
struct builder_sample { uint64_t time, period; uint32_t weight, number; };	/* values begin at number * columns.nr */

#define SAMPLES_A_RUN	(1u << 18)

struct profile_builder {
	struct byte_table strings;
	struct profile_info info;
	VEC(struct profile_event) events;
	VEC(struct profile_column) columns;
	struct unique processes, threads, dsos, functions, frames, stacks, addresses;
	struct unique weights;				/* appended; equal ones are merged after sorting */
	struct unique names, insns, sources, intervals, instants, links;	/* only sorted */
	VEC(struct builder_sample) samples;		/* the newest samples, at most SAMPLES_A_RUN */
	struct spill runs;				/* all older samples, in runs of SAMPLES_A_RUN */
	uint64_t nr_samples;				/* number of samples in .samples and .runs */
	VEC(uint64_t) values;				/* of columns, for each sample one value per column */
	VEC(struct profile_call) calls;
	struct findings findings;
};

/*
 * Merges neighbouring intervals, instants and links until there are at most @most of each, or only one for each thread, CPU, stack
 * and kind. Returns the longest time (ns) between two merged neighbours; 0: none were merged, or there was no time between them.
 */
uint64_t builder_thin(struct profile_builder *b, size_t most);

/* Sorts the samples by time and writes them into @p. @weights[n]: new number of weight n. Values of columns are final. */
void builder_write_samples(struct profile_builder *b, struct profile *p, const uint32_t *weights);

#endif
