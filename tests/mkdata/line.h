/* A line of text, a directive, as words. A missing or invalid word ends the program. */
#ifndef TESTS_MKDATA_LINE_H
#define TESTS_MKDATA_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/buf.h"
#include "core/perfdata/record.h"

#define WORDS_MAX 64

struct line {
	unsigned number;		/* in the text */
	char *words[WORDS_MAX];		/* the directive first; quotes taken off */
	unsigned nr;
};

/* Splits @s in place; the words point into it. */
void line_split(struct line *l, char *s);

/* The value of word "KEY=value"; NULL: no such word. */
const char *line_value(const struct line *l, const char *key);
/* The same as a number; @missing: no such word. */
uint64_t line_number(const struct line *l, const char *key, uint64_t missing);
bool line_has(const struct line *l, const char *word);

/* Word @i; as PID/TID; as START+SIZE@OFFSET. */
const char *line_word(const struct line *l, unsigned i);
void line_task(const struct line *l, unsigned i, uint32_t *pid, uint32_t *tid);
void line_range(const struct line *l, unsigned i, uint64_t *from, uint64_t *size, uint64_t *offset);

/* Appends the bytes of @hex; NULL: none. */
void line_hex(const struct line *l, struct buf *b, const char *hex);

/* Numbers with commas or colons between, kept in @b; what @named knows (not 0) stands for the number that it gives. */
struct words line_list(struct buf *b, const char *s, uint64_t (*named)(const char *s, size_t n));

#endif
