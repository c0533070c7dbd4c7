/*
 * Prints a comparison of two recordings in the format of perf diff, for prec diff -c. Unlike prec diff's own table
 * (diff_print.h), this one has no columns for the margin of error.
 */
#ifndef CORE_SHOW_DIFF_PERF_TEXT_H
#define CORE_SHOW_DIFF_PERF_TEXT_H

#include <stdbool.h>
#include <stdint.h>

struct buf;
struct profile;

enum perf_compute { PERF_DELTA, PERF_DELTA_ABS, PERF_RATIO, PERF_WDIFF };

struct perf_text_opts {
	enum perf_compute compute;
	int64_t weight_a, weight_b;	/* W1 and W2 of PERF_WDIFF */
	uint64_t order;			/* 0: rows are sorted by A's amount; else by the computed value */
	const char *keys;		/* columns, as -s has them; borrowed */
	bool period;
	bool formula;			/* show how numbers are computed */
	bool baseline_only;		/* only rows that both sides have */
	const char *separator;		/* -t; borrowed; NULL: columns are aligned */
};

/* Parses "delta", "delta-abs", "ratio" or "wdiff:W1,W2". Returns 0 or -1, and prints nothing. */
int perf_compute_parse(struct perf_text_opts *out, const char *text);

/* Appends the table of an event that both profiles have. @event_a and @event_b are its numbers in the profiles. */
void perf_text_print(const struct profile *a, uint32_t event_a, const struct profile *b, uint32_t event_b,
		     const struct perf_text_opts *opts, struct buf *out);

#endif
