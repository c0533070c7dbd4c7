/*
 * Defines the key columns of the table that prec diff -c prints in the format of perf diff, with perf's titles and texts.
 * Layer: diff
 */
#ifndef CORE_SHOW_DIFF_PERF_KEY_H
#define CORE_SHOW_DIFF_PERF_KEY_H

#include "core/show/diff/key.h"

struct perf_key {
	const char *title;
	/* Appends the value of the column for the samples @w. */
	void (*put)(const struct diff_at *at, const struct profile_weight *w, struct buf *out);
};

/* Fills out[] with the columns of @keys, at most DIFF_KEYS_MAX words that diff_keys_check() has accepted. Returns how many. */
unsigned perf_keys_parse(struct perf_key *out, const char *keys);

#endif
