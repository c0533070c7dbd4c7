/*
 * Finds the known names that are most similar to a mistyped word: names that differ in a few letters, and names that begin with
 * the word.
 */
#include "core/ui/suggest.h"

#include <string.h>
#include <strings.h>

#include "core/base/buf.h"

#define NAME_MAX_COMPARED	64
#define MAX_NAMED		6
#define MAX_DISTANCE		4	/* also for long words; with more differences it is another word */

void names_add(struct names *n, const char *name)
{
	char *copy = xstrdup(name);

	vec_push(&n->list, copy);
}

ORDER(by_name, char *, strverscmp(*a, *b))

void names_sort(struct names *n)
{
	size_t kept = 0;

	if (!n->list.nr)
		return;
	vec_sort(&n->list, by_name);
	for (size_t i = 1; i < n->list.nr; i++) {
		if (str_eq(n->list.v[kept], n->list.v[i]))
			free(n->list.v[i]);
		else
			n->list.v[++kept] = n->list.v[i];
	}
	n->list.nr = kept + 1;
}

void names_release(struct names *n)
{
	vec_for(s, &n->list)
		free(*s);
	vec_free(&n->list);
}

/* Returns how many letters must be changed, added or left out to turn @a into @b (Levenshtein distance). */
static size_t distance(const char *a, size_t na, const char *b)
{
	size_t nb = strlen(b), row[NAME_MAX_COMPARED + 1];

	if (na > NAME_MAX_COMPARED || nb > NAME_MAX_COMPARED)
		return SIZE_MAX;
	for (size_t j = 0; j <= nb; j++)
		row[j] = j;
	for (size_t i = 1; i <= na; i++) {
		size_t corner = row[0];

		row[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			size_t change = corner + (a[i - 1] != b[j - 1]);

			corner = row[j];
			row[j] = MIN(change, MIN(row[j], row[j - 1]) + 1);
		}
	}
	return row[nb];
}

/* The distance of @name from @word; at most 1 if the name begins with the word, and that has three letters or more. */
static size_t nearness(const char *word, size_t n, const char *name)
{
	size_t d = distance(word, n, name);

	return n >= 3 && !strncasecmp(name, word, n) ? MIN(d, 1) : d;
}

void names_suggest(struct buf *out, const char *word, size_t n, const struct names *known)
{
	size_t limit = MIN(MAX(n / 3, 1), MAX_DISTANCE), named = 0;

	for (size_t d = 0; d <= limit && named < MAX_NAMED; d++) {
		vec_for(name, &known->list) {
			if (nearness(word, n, *name) != d || named == MAX_NAMED)
				continue;
			buf_printf(out, "%s%s", named++ ? ", " : "; did you mean ", *name);
		}
	}
	if (named)
		buf_putc(out, '?');
}

void suggest_of_list(struct buf *out, const char *word, size_t n, const char *list)
{
	static const char separators[] = ", ";
	struct names known = {0};

	for (const char *w = list + strspn(list, separators); *w; w += strspn(w, separators)) {
		size_t len = strcspn(w, separators);
		char *name = xstrndup(w, len);

		vec_push(&known.list, name);
		w += len;
	}
	names_suggest(out, word, n, &known);
	names_release(&known);
}
