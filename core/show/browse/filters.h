/*
 * Filters the samples that the browser shows, for example by thread, file or time. The filter that was added last is removed
 * first. Each kind of filter has the same meaning as an option of prec report, which is named below.
 * Layer: browse
 */
#ifndef CORE_SHOW_BROWSE_FILTERS_H
#define CORE_SHOW_BROWSE_FILTERS_H

#include "core/base/vec.h"
#include "core/show/browse/model.h"
#include "core/show/browse/sum.h"

struct buf;

enum filter_kind {
	FILTER_THREAD,		/* --tid */
	FILTER_COMM,		/* --comms */
	FILTER_DSO,		/* --dsos */
	FILTER_SYMBOL,		/* --symbols */
	FILTER_TIME,		/* --time */
	FILTER_TEXT,		/* --symbol-filter: rows whose symbol contains it; no sample is left out */
};

struct browse_filter {
	enum filter_kind kind;
	uint32_t tid;
	uint64_t from, to;	/* both ends belong to it, as with --time */
	char *text;		/* owned; as in the recording */
};

struct browse_filters { VEC(struct browse_filter) list; };	/* = {0}; filters_release() */

/* Takes over @f.text. Replaces a filter of the same kind; time filters add up, each narrowing the range. */
void filters_push(struct browse_filters *s, struct browse_filter f);
/* Removes the last filter. Returns false if there is none. */
bool filters_pop(struct browse_filters *s);
/* Removes all filters of this kind. */
void filters_drop(struct browse_filters *s, enum filter_kind kind);
void filters_release(struct browse_filters *s);
/* The only one of its kind; NULL: none. */
const struct browse_filter *filters_find(const struct browse_filters *s, enum filter_kind kind);
/* The range that all time filters leave. False: there is no time filter. */
bool filters_time(const struct browse_filters *s, uint64_t *from, uint64_t *to);

/*
 * Append "thread worker 4242 > libfoo.so > 12.1-14.0 s"; printable. Times are seconds since the first sample. Without filters @m
 * may be empty.
 */
void filters_put(const struct browse_filters *s, const struct model *m, struct buf *out);

/* ---- sums of an event's samples that pass ---- */

struct selection {		/* = {0}; selection_release() */
	struct profile_sum *weights;		/* by weight: those that pass */
	struct sum *node_self, *node_total;	/* by stack node */
	struct sum *self, *children;		/* by function, model.unknown included */
	struct sum total;			/* of all that pass */
	struct profile_sum window;		/* of all within the time filters, whether they pass other filters or not */
	enum shown shown;			/* the sort value of rows; it does not change the sums */
	void **groups;				/* by function; of tree.c: all NULL between its calls */
};

/* The part of a weight that passes the filters. */
struct sum selection_weight(const struct selection *s, const struct model *m, size_t weight);
/* Computes the sums in one pass over the weights, and with time filters one over the samples. Always with the same @m. */
void selection_make(struct selection *s, const struct model *m, const struct browse_filters *f, uint32_t event);
void selection_release(struct selection *s);
/* The sums of samples that pass, by weight, for all events. Owned by the caller. */
struct profile_sum *selection_of_all_events(const struct model *m, const struct browse_filters *f);

#endif
