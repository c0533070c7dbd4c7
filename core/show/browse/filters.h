/*
 * Filters the samples that the browser shows, for example by thread, file or time, and sums the samples that pass. browser.c
 * adds and removes the filters. model.h holds the samples.
 */
#ifndef CORE_SHOW_BROWSE_FILTERS_H
#define CORE_SHOW_BROWSE_FILTERS_H

#include "core/base/vec.h"
#include "core/show/browse/model.h"
#include "core/show/browse/sum.h"

struct buf;

/* Each kind of filter has the same meaning as the option of prec report named here. */
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
	uint64_t from, to;	/* FILTER_TIME: the range, both ends included, as with --time */
	char *text;		/* owned; as in the recording */
};

struct browse_filters { VEC(struct browse_filter) list; };	/* = {0}; filters_release() */

/* Takes over @f.text. Replaces a filter of the same kind; time filters add up, each narrowing the range. */
void filters_push(struct browse_filters *s, struct browse_filter f);
/* False: the list is empty. */
bool filters_pop(struct browse_filters *s);
void filters_drop(struct browse_filters *s, enum filter_kind kind);
void filters_release(struct browse_filters *s);
/* The only one of its kind; NULL: none. */
const struct browse_filter *filters_find(const struct browse_filters *s, enum filter_kind kind);
/* False: there is no time filter. */
bool filters_time(const struct browse_filters *s, uint64_t *from, uint64_t *to);

/* Appends "thread worker 4242 > libfoo.so > 12.1-14.0 s", times since the first sample. Without filters @m may be empty. */
void filters_put(const struct browse_filters *s, const struct model *m, struct buf *out);

/* ---- sums of an event's samples that pass ---- */

struct selection {		/* = {0}; selection_release() */
	struct profile_sum *weights;		/* by weight: the sum of its samples that pass */
	struct sum *node_self, *node_total;	/* by stack node; .node_total: with all nodes below it */
	struct sum *self, *children;		/* by function and for model.unknown; .children: with callees */
	struct sum total;			/* of all samples that pass */
	struct profile_sum window;		/* of all samples that pass the time filters, whether or not they pass others */
	enum shown shown;			/* the side by which rows are sorted; it does not change the sums */
	void **groups;				/* by function: memory for tree_make_rows(); all NULL between its calls */
};

struct sum selection_weight(const struct selection *s, const struct model *m, size_t weight);
/* One pass over the weights, and with time filters one over the samples. Calls with one @s must have the same @m. */
void selection_make(struct selection *s, const struct model *m, const struct browse_filters *f, uint32_t event);
void selection_release(struct selection *s);
/* The sums of samples that pass, by weight, for all events. Owned by the caller. */
struct profile_sum *selection_of_all_events(const struct model *m, const struct browse_filters *f);

#endif
