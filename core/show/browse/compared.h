/*
 * Defines the input of the browser for prec diff. One profile holds the samples of both sides. Samples of side A have pid 1, and
 * samples of side B have pid 2. Callbacks of cmd/diff_browse.c compute the differences and write them as text.
 * Layer: browse
 */
#ifndef CORE_SHOW_BROWSE_COMPARED_H
#define CORE_SHOW_BROWSE_COMPARED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

#define BROWSE_PID_B 2	/* of the process that is B */

struct browse_difference_row {
	uint32_t function;		/* of the profile; PROFILE_NONE: of samples without one */
	const char *numbers, *name;
	bool changed, more, less;	/* more than chance; what B takes */
};

struct browse_difference {		/* of samples that pass the filters */
	const char *answer;		/* in a line */
	const char *all;		/* in many */
	const char *titles;		/* above .numbers of rows */
	const struct browse_difference_row *rows;	/* in their order */
	size_t nr;
};

struct browse_compared {
	void *ctx;
	/*
	 * Compares samples of @event in functions called @symbol, in files called @dso; NULL: all. The result is borrowed until the
	 * next call; NULL: they cannot be compared.
	 */
	const struct browse_difference *(*compare)(void *ctx, uint32_t event, const char *symbol, const char *dso);
	/* Appends the numbers before a name in a call tree, for the amounts @a and @b. */
	void (*put_numbers)(void *ctx, uint32_t event, uint64_t a, uint64_t b, struct buf *out);
	/* Appends one amount. */
	void (*put_amount)(void *ctx, uint32_t event, uint64_t period, struct buf *out);
	/* Appends all names in the recordings for the profile's @name of a file or function, separated by commas. */
	void (*put_names)(void *ctx, uint32_t event, bool file, const char *name, struct buf *out);
	const char *titles;		/* above what put_numbers() puts */
};

#endif
