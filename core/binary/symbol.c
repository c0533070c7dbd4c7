/*
 * Sorts the symbols of a file, keeps one symbol for each start address, and finds the symbol at an address. elf.c, kallsyms.c and
 * others add the symbols.
 */
#include "core/binary/symbol.h"

#include <string.h>

#include "core/base/radix.h"
#include "core/binary/demangle.h"

#define PAGE 4096ull

char *symbols_keep(struct symbols *s, const char *text, size_t n)
{
	char *copy = xmalloc_huge(n + 1);

	if (n)
		memcpy(copy, text, n);
	copy[n] = '\0';
	vec_push(&s->text, copy);
	return copy;
}

void symbols_reserve(struct symbols *s, size_t nr)
{
	if (s->list.nr) {
		vec_reserve(&s->list, nr);
	} else if (nr > s->list.cap) {
		free(s->list.v);
		s->list.v = xmalloc_huge(nr * sizeof(*s->list.v));
		s->list.cap = nr;
	}
}

void symbols_add(struct symbols *s, const struct symbol *sym)
{
	/* A half-open range cannot include the last address. */
	if (sym->start != UINT64_MAX)
		vec_push(&s->list, *sym);
}

static unsigned underscores(const char *name)
{
	unsigned n = 0;

	while (name[n] == '_')
		n++;
	return n;
}

/* True if both names are of one constructor or destructor. Such variants differ in one digit, and demangle to the same name. */
static bool differ_in_variant(const char *a, const char *b)
{
	size_t i = 0;

	while (a[i] && a[i] == b[i])
		i++;
	return i && (a[i - 1] == 'C' || a[i - 1] == 'D') && a[i] && b[i] && str_eq(a + i + 1, b + i + 1);
}

/* True if @b names a function better than @a: by fewer leading underscores, or as many and more letters. */
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
 * True if symbol @b is preferred to @a, which was added before and has the same start. The criteria and their order are those of
 * perf (tools/perf/util/symbol.c, Linux 3.8 and later), so that perf and prec show the same name.
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

static bool is_sorted(const struct symbol *list, size_t nr)
{
	for (size_t i = 1; i < nr; i++)
		if (list[i].start < list[i - 1].start)
			return false;
	return true;
}

/* Sorts by start, and keeps the order of equal starts. Only the starts are sorted; then each symbol is moved once. */
static void sort(struct symbol *list, size_t nr)
{
	struct radix_item *items;
	struct symbol *from;

	if (is_sorted(list, nr))
		return;
	items = xmalloc_huge(nr * sizeof(*items));
	from = xmalloc_huge(nr * sizeof(*from));
	memcpy(from, list, nr * sizeof(*from));
	for (size_t i = 0; i < nr; i++)
		items[i] = (struct radix_item){ 0, list[i].start, (uint32_t)i };
	radix_sort(items, nr);
	for (size_t i = 0; i < nr; i++)
		list[i] = from[items[i].number];
	free(items);
	free(from);
}

/* Merges the sorted symbols from @at on, which are few, into the sorted symbols before them. */
static void merge(struct symbol *list, size_t at, size_t nr)
{
	size_t left = nr - at;
	struct symbol *late;

	if (!at || !left || list[at - 1].start <= list[at].start)
		return;
	late = xmalloc(left * sizeof(*late));
	memcpy(late, list + at, left * sizeof(*late));
	while (left) {
		nr--;
		if (at && list[at - 1].start > late[left - 1].start)
			list[nr] = list[--at];
		else
			list[nr] = late[--left];
	}
	free(late);
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

/* The end of the page after the one that @addr is in. */
static uint64_t next_page_end(uint64_t addr)
{
	uint64_t end = round_up(addr, PAGE) + PAGE;

	return end > addr ? end : UINT64_MAX;
}

static void fill_gaps(struct symbols *s)
{
	for (size_t i = 0; i < s->list.nr; i++) {
		struct symbol *sym = &s->list.v[i];
		uint64_t end = i + 1 < s->list.nr ? sym[1].start : next_page_end(sym->start);

		if (sym->end > sym->start && !sym->guessed && !sym->bounded)
			continue;
		sym->end = sym->bounded ? MIN(sym->end, end) : end;
		sym->guessed = true;
	}
}

/*
 * Sets .outer. A symbol may be inside another one (assembly, outlined parts). symbols_find() takes the last symbol that starts at
 * or below the address. If this symbol ends before the address, symbols_find() follows .outer to the nearest earlier symbol that
 * ends later:
 *
 *	A [............................)
 *	     B [.....)   C [..)			C.outer = B.outer = A; an address after C is A's
 */
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
	if (s->list.nr <= s->nr_finished)
		return;
	sort(s->list.v + s->nr_finished, s->list.nr - s->nr_finished);
	merge(s->list.v, s->nr_finished, s->list.nr);
	/* The order is that of perf: if symbols without a size have one start, only the last gets a size, and so is preferred. */
	fill_gaps(s);
	drop_aliases(s);
	link_outer(s);
	s->nr_finished = s->list.nr;
}

const struct symbol *symbols_find(const struct symbols *s, uint64_t addr)
{
	size_t nr = bisect(i, 0, s->list.nr, s->list.v[i].start <= addr);

	while (nr && s->list.v[nr - 1].end <= addr)
		nr = s->list.v[nr - 1].outer;
	return nr ? &s->list.v[nr - 1] : NULL;
}

void symbols_release(struct symbols *s)
{
	vec_for(text, &s->text)
		free(*text);
	vec_free(&s->text);
	vec_free(&s->list);
	s->nr_finished = 0;
}
