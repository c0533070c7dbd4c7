/*
 * Declares the callbacks with which the browser of prec diff compares recordings A and B and prints the differences.
 * cmd/diff_browse.c implements them. The browser finds them in its input (input.h), where prec report has NULL.
 */
#ifndef CORE_SHOW_BROWSE_COMPARED_H
#define CORE_SHOW_BROWSE_COMPARED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

#define BROWSE_PID_B 2	/* the pid of side B's samples */

struct browse_difference_row {
	uint32_t function;		/* number in the profile; PROFILE_NONE: the row of samples without a function */
	const char *numbers, *name;
	bool changed, more, less;	/* .changed: by more than chance; .more, .less: B takes more or less than A */
};

struct browse_difference {		/* the comparison of the samples that pass the filters */
	const char *answer;		/* a sentence in one line: whether B takes more or less */
	const char *all;		/* the answer and its notes, in several lines */
	const char *titles;		/* column titles for .numbers of the rows */
	const struct browse_difference_row *rows;	/* in the order of struct diff: changed rows first */
	size_t nr;
};

/* In the one profile, samples of side A have pid 1, and samples of side B have pid 2. */
struct browse_compared {
	void *ctx;
	/* Only functions @symbol in files @dso (NULL: all). Borrowed until the next call; NULL: they cannot be compared. */
	const struct browse_difference *(*compare)(void *ctx, uint32_t event, const char *symbol, const char *dso);
	/* Appends the numbers before a name in a call tree, for the amounts @a and @b. */
	void (*put_numbers)(void *ctx, uint32_t event, uint64_t a, uint64_t b, struct buf *out);
	void (*put_amount)(void *ctx, uint32_t event, uint64_t period, struct buf *out);
	/* Appends all names, one a line, that the recordings have for the function (with @file: the file) @name. */
	void (*put_names)(void *ctx, uint32_t event, bool file, const char *name, struct buf *out);
	const char *titles;		/* column titles for the numbers of put_numbers() */
};

#endif
