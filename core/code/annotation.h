/*
 * Finds the functions with samples, and the sums of the samples at each address in these functions, for prec annotate.
 * core/code/listing.h adds the instructions at the addresses.
 */
#ifndef CORE_CODE_ANNOTATION_H
#define CORE_CODE_ANNOTATION_H

#include "core/base/vec.h"
#include "core/model/machine.h"

struct filter;
struct session;

struct address_weight {			/* the samples of one event at one address */
	uint64_t addr;			/* address in the function's dso: ELF virtual address */
	uint64_t period, nr;		/* sum of periods, and number of samples */
	uint32_t event;
};

struct event_weight { uint64_t period, nr; };

struct annotated_function {
	struct addr_location location;	/* that of one of its samples; .symbol is never NULL */
	uint32_t space;			/* the address space in which .location was resolved */
	VEC(struct address_weight) weights;	/* by address, then by event; no pair twice */
	VEC(struct event_weight) events;	/* by event number: sums over the function */
	double share;			/* the function's part of an event's total period, 0 to 1; the largest of all events */
};

struct annotation {			/* annotation_release() */
	VEC(struct annotated_function) functions;	/* the largest share first */
	VEC(struct event_weight) totals;	/* by event number: all samples that pass the filter, with or without a symbol */
};

/*
 * Sums the samples of @s that pass @filter (NULL: all) by thread, CPU, time and name. @hidden_source: include events that are
 * sources of another event, which a report leaves out.
 */
void annotation_init(struct annotation *out, struct session *s, const struct filter *filter, bool hidden_source);
void annotation_release(struct annotation *a);

#endif
