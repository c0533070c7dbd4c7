/*
 * The part of a profile that a page shows: all of it, or if that is too much, sums that fit. The page says how they were
 * made: see thin_sentence(). Sums stay exact; the resolution drops in this order: the time of samples, down to a thousandth
 * of the recording; their CPUs; then threads that are not among the busiest, stacks of little weight and time, in turn.
 * Layer: export
 */
#ifndef CORE_SHOW_EXPORT_HTML_THIN_H
#define CORE_SHOW_EXPORT_HTML_THIN_H

#include "core/show/export/html/thin_stacks.h"
#include "core/show/export/html/thin_threads.h"

struct buf;

/* The owner of samples, by the numbers of .stacks and .threads; PROFILE_NONE: unknown, or not distinguished. */
struct page_class { uint32_t event, thread, cpu, stack; };

struct page_sample { uint64_t time, period, nr; uint32_t class; };

struct thin {				/* thin_release() */
	struct thin_stacks stacks;
	struct thin_threads threads;
	VEC(struct page_class) classes;
	VEC(struct page_sample) samples;	/* by thread, event, time */
	uint64_t stretch;		/* ns: samples of equal class within it are one, at its begin; 0: they are as recorded */
	bool no_cpus;			/* CPUs are not distinguished */
	double least;			/* see thin_stacks() */
	enum thin_leaf leaf;
};

/*
 * At most @rows samples, a quarter as many stacks (but 50,000) and a hundredth as many threads (but 10); above that at most a few
 * for each event and function.
 */
void thin_profile(struct thin *t, const struct profile *p, uint64_t rows);
void thin_release(struct thin *t);
/* Append what was merged, in words; nothing where nothing was. */
void thin_sentence(const struct thin *t, const struct profile *p, struct buf *out);

#endif
