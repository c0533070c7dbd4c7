/*
 * Sorting, choosing among aliases, and searching.
 *
 * Symbols may lie inside others (assembly, outlined parts). The search takes the last that starts at or below the
 * address; if that one ends too early it follows .outer, which leads to the nearest one before that ends later:
 *
 *	A [............................)
 *	     B [.....)   C [..)			C.outer = B.outer = A; an address behind C is A's
 * Layer: model
 */
#include "core/model/symbol.h"

#include <string.h>

#include "core/model/demangle.h"

#define PAGE 4096ull

char *symbols_keep(struct symbols *s, const char *text, size_t n)
{
	char *copy = xmalloc(n + 1);

	if (n)
		memcpy(copy, text, n);
	copy[n] = '\0';
	vec_push(&s->text, copy);
	return copy;
}

void symbols_add(struct symbols *s, const struct symbol *sym)
{
	vec_push(&s->list, *sym);
}

static unsigned underscores(const char *name)
{
	unsigned n = 0;

	while (name[n] == '_')
		n++;
	return n;
}

/* Constructors and destructors come in several bodies whose names differ in one digit and demangle alike. */
static bool differ_in_variant(const char *a, const char *b)
{
	size_t i = 0;

	while (a[i] && a[i] == b[i])
		i++;
	return i && (a[i - 1] == 'C' || a[i - 1] == 'D') && a[i] && b[i] && str_eq(a + i + 1, b + i + 1);
}

/* Of two names for the same thing the one to show: fewer leading underscores, then the longer one, then @a. */
static bool name_is_better(const char *b, const char *a)
{
	char *plain_a = NULL, *plain_b = NULL;
	unsigned under_a, under_b;
	bool better;

	if (differ_in_variant(a, b))
		return false;
	if (demangle_wanted(a))
		a = (plain_a = demangle(a)) ? plain_a : a;
	if (demangle_wanted(b))
		b = (plain_b = demangle(b)) ? plain_b : b;
	under_a = underscores(a);
	under_b = underscores(b);
	better = under_a != under_b ? under_b < under_a : strlen(b) > strlen(a);
	free(plain_a);
	free(plain_b);
	return better;
}

/*
 * Is @b to be kept rather than @a, which was there before? The order of the questions is perf's
 * (tools/perf/util/symbol.c, Linux 3.8 and later), so that both show the same alias.
 */
static bool is_better(const struct symbol *b, const struct symbol *a)
{
	bool size_a = a->end > a->start, size_b = b->end > b->start;

	if (size_a != size_b)
		return size_b;
	if (a->label != b->label)
		return a->label;
	if ((a->binding == SYMBOL_WEAK) != (b->binding == SYMBOL_WEAK))
		return a->binding == SYMBOL_WEAK;
	if ((a->binding == SYMBOL_GLOBAL) != (b->binding == SYMBOL_GLOBAL))
		return b->binding == SYMBOL_GLOBAL;
	return name_is_better(b->name, a->name);
}

/* Merge sort by start, stable: among aliases the order of the table decides last. */
static void merge(struct symbol *out, const struct symbol *a, size_t na, const struct symbol *b, size_t nb)
{
	while (na && nb) {
		if (b->start < a->start) {
			*out++ = *b++;
			nb--;
		} else {
			*out++ = *a++;
			na--;
		}
	}
	memcpy(out, na ? a : b, (na ? na : nb) * sizeof(*out));
}

static bool is_sorted(const struct symbols *s)
{
	for (size_t i = 1; i < s->list.nr; i++)
		if (s->list.v[i].start < s->list.v[i - 1].start)
			return false;
	return true;
}

static void sort(struct symbols *s)
{
	size_t nr = s->list.nr;
	struct symbol *from = s->list.v, *to;

	if (is_sorted(s))
		return;
	to = xmalloc(nr * sizeof(*to));
	for (size_t width = 1; width < nr; width *= 2) {
		for (size_t i = 0; i < nr; i += 2 * width) {
			size_t na = MIN(width, nr - i), nb = MIN(width, nr - i - na);

			merge(to + i, from + i, na, from + i + na, nb);
		}
		struct symbol *swap = from;

		from = to;
		to = swap;
	}
	free(to);
	s->list.v = from;
	s->list.cap = nr;
}

static void drop_aliases(struct symbols *s)
{
	struct symbol *list = s->list.v;
	size_t kept = 0;

	for (size_t i = 1; i < s->list.nr; i++) {
		if (list[i].start != list[kept].start)
			list[++kept] = list[i];
		else if (is_better(&list[i], &list[kept]))
			list[kept] = list[i];
	}
	s->list.nr = s->list.nr ? kept + 1 : 0;
}

/* The end of the page behind the one that @addr is in. */
static uint64_t next_page_end(uint64_t addr)
{
	uint64_t end = round_up(addr, PAGE) + PAGE;

	return end > addr ? end : UINT64_MAX;
}

static void fill_gaps(struct symbols *s)
{
	for (size_t i = 0; i < s->list.nr; i++) {
		struct symbol *sym = &s->list.v[i];

		if (sym->end <= sym->start)
			sym->end = i + 1 < s->list.nr ? sym[1].start : next_page_end(sym->start);
	}
}

static void link_outer(struct symbols *s)
{
	for (size_t i = 0; i < s->list.nr; i++) {
		struct symbol *sym = &s->list.v[i];
		uint32_t outer = (uint32_t)i;

		while (outer && s->list.v[outer - 1].end <= sym->end)
			outer = s->list.v[outer - 1].outer;
		sym->outer = outer;
	}
}

void symbols_finish(struct symbols *s)
{
	sort(s);
	drop_aliases(s);
	fill_gaps(s);
	link_outer(s);
}

const struct symbol *symbols_find(const struct symbols *s, uint64_t addr)
{
	size_t low = 0, high = s->list.nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->list.v[mid].start <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	while (low && s->list.v[low - 1].end <= addr)
		low = s->list.v[low - 1].outer;
	return low ? &s->list.v[low - 1] : NULL;
}

void symbols_release(struct symbols *s)
{
	vec_for(text, &s->text)
		free(*text);
	vec_free(&s->text);
	vec_free(&s->list);
}
