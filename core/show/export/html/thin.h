/*
 * Reduces the samples of a large profile until they fit into an HTML page (html.h). It lowers the resolution of time, and if
 * needed merges CPUs, call stacks (thin_stacks.h) and threads (thin_threads.h).
 */
#ifndef CORE_SHOW_EXPORT_HTML_THIN_H
#define CORE_SHOW_EXPORT_HTML_THIN_H

#include "core/show/export/html/thin_stacks.h"
#include "core/show/export/html/thin_threads.h"

struct buf;

/* Samples of one event, thread, CPU and stack, numbered as in thin.threads and thin.stacks. PROFILE_NONE: unknown or merged. */
struct page_class { uint32_t event, thread, cpu, stack; };

struct page_sample { uint64_t time, period, nr; uint32_t class; };

struct thin {				/* thin_release() */
	struct thin_stacks stacks;
	struct thin_threads threads;
	VEC(struct page_class) classes;
	VEC(struct page_sample) samples;	/* sorted by thread, event and time */
	uint64_t stretch;		/* ns: samples of one class in this time are merged into one at its start; 0: none */
	bool no_cpus;			/* CPUs are not distinguished */
	double least;			/* stacks with a smaller share are merged: thin_stacks() */
	enum thin_leaf leaf;
};

/*
 * Merges until there are at most @rows samples, a quarter as many stacks (or 50,000, if that is more) and a hundredth as many
 * threads (or 10). The result may exceed @rows only by a few samples for each event and function. Sums stay exact.
 *
 * First the resolution of time is reduced, down to a thousandth of the recording. Then samples of different CPUs are merged. At
 * last the least busy threads and the stacks with the fewest samples are merged, and the resolution of time is reduced further.
 */
void thin_profile(struct thin *t, const struct profile *p, uint64_t rows);
void thin_release(struct thin *t);
/* Appends a sentence about what was merged. Appends nothing if nothing was merged. */
void thin_sentence(const struct thin *t, const struct profile *p, struct buf *out);

#endif
