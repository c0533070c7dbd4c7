/* `repeat N` ... `end`: the lines between, N times, themselves with more of the kind. */
#ifndef TESTS_MKDATA_REPEAT_H
#define TESTS_MKDATA_REPEAT_H

#include <stdio.h>

#include "tests/mkdata/line.h"

typedef void line_fn(void *maker, const struct line *l);

bool repeat_begins(const char *line);

/*
 * Reads the block that begins with @line, @number of the text, from @f to its end, and repeats each of its lines, with the
 * sums in braces computed, to @make. Returns the number of lines read. Errors end the program.
 */
unsigned repeat_block(FILE *f, const char *line, unsigned number, line_fn *make, void *maker);

#endif
