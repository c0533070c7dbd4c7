/* Lines between `repeat` and `end`: see repeat.h. */
#include <stdlib.h>
#include <string.h>

#include "core/base/log.h"
#include "core/base/util.h"
#include "core/base/vec.h"
#include "tests/mkdata/repeat.h"

#define REPEAT_DEPTH 3

struct block {
	line_fn *make;
	void *maker;
	unsigned number;		/* in the file, of its first line */
	VEC(char *) held;		/* owned: the outermost `repeat` and what follows, to its `end` */
	uint64_t i[REPEAT_DEPTH];
};

static uint64_t operand(const struct block *b, const char **s, unsigned line)
{
	char *end;
	uint64_t v;

	if (**s >= 'i' && **s < 'i' + REPEAT_DEPTH)
		return b->i[*(*s)++ - 'i'];
	v = strtoull(*s, &end, 10);
	if (end == *s)
		die("line %u: '%s' is no number", line, *s);
	*s = end;
	return v;
}

/* "i*8+100}" */
static uint64_t sum(const struct block *b, const char **s, unsigned line)
{
	uint64_t v = operand(b, s, line);

	while (**s && **s != '}') {
		char op = *(*s)++;
		uint64_t by = operand(b, s, line);

		if (!by && strchr("/%", op))
			die("line %u: division by zero", line);
		v = op == '+' ? v + by : op == '-' ? v - by : op == '*' ? v * by : op == '/' ? v / by : v % by;
	}
	if (**s)
		++*s;
	return v;
}

static void expand(const struct block *b, const char *s, unsigned line, struct buf *out)
{
	out->len = 0;
	while (*s) {
		if (*s == '{') {
			s++;
			buf_printf(out, "%llu", (unsigned long long)sum(b, &s, line));
		} else {
			buf_putc(out, *s++);
		}
	}
}

static bool begins(const char *line, const char *word)
{
	line += strspn(line, " \t");
	return !strncmp(line, word, strlen(word)) && strchr(" \t", line[strlen(word)]);
}

static unsigned depth_change(const char *line)
{
	return begins(line, "repeat") ? 1 : begins(line, "end") ? -1u : 0;
}

/* The `end` of the block inside that begins at @from. */
static size_t block_end(const struct block *b, size_t from)
{
	unsigned depth = 1;

	while (depth += depth_change(b->held.v[from]), depth)
		from++;
	return from;
}

/* The held lines [from, to), at @depth repetitions. */
static void make_held(struct block *b, size_t from, size_t to, unsigned depth)
{
	struct buf text = {0};
	struct line l = {0};

	for (size_t at = from; at < to; at++) {
		l.number = b->number + (unsigned)at;
		expand(b, b->held.v[at], l.number, &text);
		line_split(&l, (char *)(uintptr_t)buf_str(&text));
		if (!l.nr)
			continue;
		if (str_eq(l.words[0], "repeat")) {
			uint64_t nr = strtoull(line_word(&l, 1), NULL, 0);
			size_t end = block_end(b, at + 1);

			if (depth == REPEAT_DEPTH)
				die("line %u: more than %d repetitions in one another", l.number, REPEAT_DEPTH);
			for (b->i[depth] = 0; b->i[depth] < nr; b->i[depth]++)
				make_held(b, at + 1, end, depth + 1);
			at = end;
			continue;
		}
		b->make(b->maker, &l);
	}
	buf_release(&text);
}

bool repeat_begins(const char *line)
{
	return begins(line, "repeat");
}

unsigned repeat_block(FILE *f, const char *line, unsigned number, line_fn *make, void *maker)
{
	struct block b = { .make = make, .maker = maker, .number = number };
	unsigned depth = 1, nr;
	char *s = NULL;
	size_t cap = 0;

	vec_push(&b.held, xstrdup(line));
	while (depth) {
		if (getline(&s, &cap, f) < 0)
			die("line %u: 'repeat' without 'end'", number);
		s[strcspn(s, "\n")] = '\0';
		depth += depth_change(s);
		vec_push(&b.held, xstrdup(s));
	}
	free(s);
	nr = (unsigned)b.held.nr - 1;
	make_held(&b, 0, nr, 0);
	vec_for(h, &b.held)
		free(*h);
	vec_free(&b.held);
	return nr;
}
