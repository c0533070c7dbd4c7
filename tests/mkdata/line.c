/* The words of a directive: see line.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/log.h"
#include "tests/mkdata/line.h"

void line_split(struct line *l, char *s)
{
	l->nr = 0;
	while (*s && l->nr < WORDS_MAX) {
		char *out, quote = 0;

		s += strspn(s, " \t");
		if (!*s)
			break;
		l->words[l->nr++] = out = s;
		for (; *s && (quote || !strchr(" \t", *s)); s++)
			if (*s == '"')
				quote ^= 1;
			else
				*out++ = *s;
		if (*s)
			s++;
		*out = '\0';
	}
}

const char *line_value(const struct line *l, const char *key)
{
	size_t n = strlen(key);

	for (unsigned i = 1; i < l->nr; i++)
		if (!strncmp(l->words[i], key, n) && l->words[i][n] == '=')
			return l->words[i] + n + 1;
	return NULL;
}

uint64_t line_number(const struct line *l, const char *key, uint64_t missing)
{
	const char *s = line_value(l, key);

	return s ? strtoull(s, NULL, 0) : missing;
}

bool line_has(const struct line *l, const char *word)
{
	for (unsigned i = 1; i < l->nr; i++)
		if (str_eq(l->words[i], word))
			return true;
	return false;
}

const char *line_word(const struct line *l, unsigned i)
{
	if (i >= l->nr)
		die("line %u: '%s' needs more words", l->number, l->words[0]);
	return l->words[i];
}

void line_task(const struct line *l, unsigned i, uint32_t *pid, uint32_t *tid)
{
	int p, t;

	if (sscanf(line_word(l, i), "%d/%d", &p, &t) != 2)
		die("line %u: '%s' is no PID/TID", l->number, line_word(l, i));
	*pid = (uint32_t)p;
	*tid = (uint32_t)t;
}

void line_range(const struct line *l, unsigned i, uint64_t *from, uint64_t *size, uint64_t *offset)
{
	char *end;

	*from = strtoull(line_word(l, i), &end, 0);
	*size = *end == '+' ? strtoull(end + 1, &end, 0) : 0;
	*offset = *end == '@' ? strtoull(end + 1, &end, 0) : 0;
	if (*end)
		die("line %u: '%s' is no START+SIZE@OFFSET", l->number, line_word(l, i));
}

/* The value of a digit; -1: it is none. */
static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

void line_hex(const struct line *l, struct buf *b, const char *hex)
{
	for (; hex && *hex; hex += 2) {
		int high = hex_digit(hex[0]), low = high < 0 ? -1 : hex_digit(hex[1]);

		if (low < 0)
			die("line %u: '%s' is no hexadecimal", l->number, hex);
		buf_putc(b, (char)(high << 4 | low));
	}
}

struct words line_list(struct buf *b, const char *s, uint64_t (*named)(const char *s, size_t n))
{
	while (s && *s) {
		size_t n = strcspn(s, ",:");
		uint64_t v = named ? named(s, n) : 0;

		if (!v)
			v = strtoull(s, NULL, 0);
		buf_put(b, &v, sizeof(v));
		s += n + (s[n] != 0);
	}
	return (struct words){ .nr = b->len / 8, .data = (const uint8_t *)b->data };
}
