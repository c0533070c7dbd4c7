/* Writes the "did you mean" of error messages, with the known names that are most similar to a mistyped word. */
#ifndef CORE_UI_SUGGEST_H
#define CORE_UI_SUGGEST_H

#include "core/base/vec.h"

struct buf;

struct names {
	VEC(char *) list;	/* owned */
};

void names_add(struct names *n, const char *name);
/* Sorts names alphabetically, with numbers by value, and drops duplicates. */
void names_sort(struct names *n);
void names_release(struct names *n);

/* Appends "; did you mean a, b?" to @out with the names that are most similar to @word. Appends nothing if no name is similar. */
void names_suggest(struct buf *out, const char *word, size_t n, const struct names *known);

/* Like names_suggest() with the words of @list, separated by spaces or commas. */
void suggest_of_list(struct buf *out, const char *word, size_t n, const char *list);

#endif
