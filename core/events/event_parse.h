/*
 * The words of -e: text -> tokens -> tree -> attrs.
 *
 *	list     := event { "," event }
 *	event    := name [ ":" modifiers ]
 *	name     := a symbol of event_symbols[], or "r" and hexadecimal digits
 *	            or system ":" event, tracepoints, with * ? [...] in both: every one that matches
 *	modifiers: u k h (count only there), p (once to three times: precise), P (as precise as there is), G H I S D
 *
 * Layer: events
 */
#ifndef CORE_EVENTS_EVENT_PARSE_H
#define CORE_EVENTS_EVENT_PARSE_H

#include "core/base/vec.h"
#include "core/format/attr.h"

/* What was asked for. Only what the words decide is set in attr: type, config, the excludes, precise_ip, pinned. */
struct event_request {
	struct event_attr attr;
	char *name;		/* owned: as it was written, modifiers included; NULL: attr_name() */
	bool precise_max;	/* P: precise_ip may be lowered to what the machine has */
	bool excludes;		/* u, k or h was said: the other levels are left out on purpose */
	bool machines;		/* G or H was said */
	bool sampled_read;	/* S: read the whole group with each sample */
	bool one_of_many;	/* a pattern's: where the kernel does not let it be recorded, the others are */
	char *filter;		/* owned: what a hit must fulfil to be recorded, in the kernel's words; NULL: nothing */
};

struct event_requests {
	VEC(struct event_request) list;
	size_t last;		/* where those of the last event_parse() begin: what options behind it mean */
};

/* Where the words are wrong: bytes [from, to) of the text. */
struct event_error {
	size_t from, to;
	char *what;		/* owned */
};

/* Append the events of @text to @out. Returns 0, or a negative errno with @err filled and @out as it was. */
int event_parse(struct event_requests *out, const char *text, struct event_error *err);
/* Print the error with the text and a mark under the place. Frees err->what; returns -1. */
int event_error_print(const char *text, struct event_error *err);
/* What is recorded where nothing is asked for: cycles:P. */
void event_default(struct event_requests *out);
void event_requests_release(struct event_requests *r);

/*
 * Tracepoints of the last event_parse() are recorded only where @filter holds too, beside what was asked for before.
 * Returns 0, or -EINVAL where there are others among them, or none.
 */
int event_requests_filter(struct event_requests *r, const char *filter);

bool event_is_tracepoint(const struct event_attr *attr);
bool event_requests_any_tracepoint(const struct event_requests *r);
/* Is it a clock: an event whose period is time (ns)? */
bool event_is_clock(const struct event_attr *attr);
/* Clocks fire at most every 10 us, and count shorter periods wrong (perf_swevent_start_hrtimer() in Linux). */
#define CLOCK_MIN_PERIOD_NS 10000

#endif
