/*
 * Defines the sort keys by which prec diff groups samples into rows (-s). A key's value, such as a function name, is text: rows
 * of different recordings are compared if their texts are equal.
 */
#ifndef CORE_SHOW_DIFF_KEY_H
#define CORE_SHOW_DIFF_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct match;
struct profile;
struct profile_weight;

struct diff_at { const struct match *match; const struct profile *profile; uint32_t function; };

struct diff_key {
	const char *name, *alias;	/* alias NULL: none */
	const char *title, *title_perf;
	bool lines, cpus;		/* the key needs a profile that distinguishes source lines, or CPUs */
	bool function;			/* the value is the name of a function */
	/* Append the value of the key for the samples @w: for prec's own table, and for that in the format of perf diff (-c). */
	void (*put)(const struct diff_at *at, const struct profile_weight *w, struct buf *out);
	void (*put_perf)(const struct diff_at *at, const struct profile_weight *w, struct buf *out);
};

#define DIFF_KEYS_MAX 8

/* Checks words separated by commas. *lines, *cpus: a key needs source lines, CPUs. 0, or -1 (printed). */
int diff_keys_check(const char *keys, bool *lines, bool *cpus);

/* Fills out[] with the keys of @keys, which diff_keys_check() has accepted, and returns how many: at most DIFF_KEYS_MAX. */
unsigned diff_keys_parse(const struct diff_key **out, const char *keys);

#endif
