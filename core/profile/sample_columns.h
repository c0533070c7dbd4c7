/*
 * Adds columns with the values of sort keys and tracepoint fields to the samples of a profile, for prec query and prec export.
 * session_profile.c calls sample_columns_plan() before it reads the samples, and sample_columns_make() afterwards.
 * Layer: profile
 */
#ifndef CORE_PROFILE_SAMPLE_COLUMNS_H
#define CORE_PROFILE_SAMPLE_COLUMNS_H

#include "core/hists/bucket.h"
#include "core/hists/detail.h"
#include "core/hists/layout.h"
#include "core/hists/key_context.h"

struct profile_builder;
struct session;

/*
 * Samples with different values are summed in different buckets (core/hists/bucket.h), so a value is computed once per bucket.
 * Before the samples are read, sample_columns_plan() sets struct bucket_opts, which chooses the values that buckets distinguish.
 * After that, sample_columns_make() computes the values and adds the columns to the builder.
 */
struct sample_columns {			/* = {0}: there are no columns; sample_columns_release() */
	struct detail_plan plan;	/* .layout NULL: there are no columns */
	struct key_context view;
	uint64_t *values;		/* layout->nr_keys for each bucket */
};

/* Makes @opts collect what the keys of @layout need. @layout and @traces are borrowed until the columns are released. */
void sample_columns_plan(struct sample_columns *c, const struct layout *layout, const struct trace_keys *traces,
			 const struct session *s, struct bucket_opts *opts);
/*
 * Adds the columns to @builder, and computes the values of all buckets. The names of @locations must have been looked up.
 */
void sample_columns_make(struct sample_columns *c, const struct buckets *buckets, const struct locations *locations,
			 const struct session *s, struct profile_builder *builder);
/* The values for profile_add_sample(); NULL: there are no columns. */
const uint64_t *sample_columns_of(const struct sample_columns *c, uint32_t bucket);
void sample_columns_release(struct sample_columns *c);

#endif
