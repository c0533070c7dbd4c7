/*
 * Samples summed by exact address and grouped by function, for annotate.
 * Layer: code
 */
#ifndef CORE_CODE_ANNOTATION_H
#define CORE_CODE_ANNOTATION_H

#include "core/base/vec.h"
#include "core/model/machine.h"

struct filter;
struct session;

struct address_weight {			/* of one event */
	uint64_t addr;			/* in the terms of the function's dso */
	uint64_t period, nr;		/* of samples; nr of them */
	uint32_t event;
};

struct event_weight { uint64_t period, nr; };

struct annotated_function {
	struct addr_location location;	/* of one of its samples; .symbol is never NULL */
	uint32_t space;			/* .location was resolved there */
	VEC(struct address_weight) weights;	/* by address, then by event; none twice */
	VEC(struct event_weight) events;	/* by event number: all of the function */
	double share;			/* of all samples' periods, 0 to 1; of the events that has the most */
};

struct annotation {			/* annotation_release() */
	VEC(struct annotated_function) functions;	/* the largest share first */
	VEC(struct event_weight) totals;	/* by event number: of all samples that pass the filter, named or not */
};

/*
 * Look at all samples of @s that @filter (NULL: all) lets pass by thread, CPU, time and name. @hidden_source: also at
 * those of events that another is made of, which a report leaves out.
 */
void annotation_init(struct annotation *out, struct session *s, const struct filter *filter, bool hidden_source);
void annotation_release(struct annotation *a);

#endif
