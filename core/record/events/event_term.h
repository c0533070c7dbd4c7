/* Parses the terms that every event accepts, such as "period=1000,call-graph=fp". pmu.h has the terms that only one PMU accepts. */
#ifndef CORE_RECORD_EVENTS_EVENT_TERM_H
#define CORE_RECORD_EVENTS_EVENT_TERM_H

#include "core/base/cpus.h"
#include "core/ui/suggest.h"
#include "core/record/events/event_grammar.h"
#include "core/perfdata/attr.h"

/* How call chains are made. */
enum chain_mode {
	CHAIN_NONE,
	CHAIN_FP,	/* frame pointers, by the kernel */
	CHAIN_DWARF,	/* registers and a copy of the stack, from which the reader unwinds */
	CHAIN_AUTO,	/* as FP and DWARF together; the recorder unwinds, and writes finished chains */
	CHAIN_LBR,	/* the processor's record of calls */
};

/* Bits of event_terms.given. */
enum {
	TERM_PERIOD = 1 << 0, TERM_FREQ = 1 << 1, TERM_TIME = 1 << 2, TERM_CHAIN = 1 << 3, TERM_STACK_SIZE = 1 << 4,
	TERM_MAX_STACK = 1 << 5, TERM_INHERIT = 1 << 6, TERM_OVERWRITE = 1 << 7, TERM_BRANCHES = 1 << 8,
	TERM_CPUS = 1 << 9, TERM_AUX_SAMPLE = 1 << 10,
};

/* The settings in the terms of one event. They replace the options of the command line for this event. */
struct event_terms {
	uint32_t given;			/* TERM_* bits: the members below that are set */
	uint64_t period, freq;
	bool time, inherit, overwrite;
	enum chain_mode chain;
	uint32_t stack_size;
	uint16_t max_stack;
	uint64_t branches;		/* PERF_SAMPLE_BRANCH_* */
	struct cpus cpus;
	char *name;			/* owned; NULL: as it was written */
	char *sink;			/* owned; from "@sink": the device that receives the trace */
};

void event_terms_release(struct event_terms *t);

/* True if @name is the name of a term that every event accepts. */
bool event_term_is(struct word name);
/* Applies the term to @out or @attr. Returns 0, or -EINVAL with @err filled. */
int event_term_apply(struct event_terms *out, struct event_attr *attr, const struct term_node *t,
		     struct event_error *err);
void event_term_names(struct names *out);

#endif
