/*
 * Shortens function and file names so that their significant parts stay, breaks text into lines, and writes times and numbers
 * with a unit, for the tables and the browser (fit.h).
 * Layer: ui
 */
#include "core/ui/fit.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/digits.h"

#define DOTS		"..."
#define NR_DOTS		3
#define LEVEL		4
#define LEAST_MIDDLE	10	/* minimum width to show both ends of a name; below it, the beginning alone is clearer */
#define LEAST_BESIDE	20	/* minimum width of a name for " (inlined)" to be kept after it */
#define LEAST_FILE	12	/* minimum width of a file's name after a function's */
#define LEAST_WITH_CLASS 16	/* minimum width to keep a member's class */
#define KERNEL		"[kernel.kallsyms]"
#define SHORT_KERNEL	"[kernel]"
#define MAX_LISTS	32	/* argument lists that can be folded; a name with more is cut */

struct list { size_t from, end; bool folded; };		/* an argument list, without its brackets; .folded: "..." instead */

struct folding {
	const char *text;
	size_t len;
	struct list lists[MAX_LISTS];	/* in order, none within another */
	unsigned nr;
};

static bool continues(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

size_t text_columns(const char *text, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += !continues(text[i]);
	return n;
}

/* Returns the length of the operator at the start of @text, if it has brackets or arrows; 0: no such operator is there. */
static size_t operator_length(const char *text, size_t len)
{
	static const char *const names[] = { "<=>", "<<=", ">>=", "->*", "->", "<<", ">>", "<=", ">=", "<", ">", "()" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strlen(names[i]) <= len && !memcmp(text, names[i], strlen(names[i])))
			return strlen(names[i]);
	return 0;
}

/*
 * True if text[at] is part of an operator's name, as in operator<<, operator-> or operator(). False for the '<' of
 * "operator><int>".
 */
static bool in_operator(const char *text, size_t len, size_t at)
{
	static const char word[] = "operator";
	size_t n = sizeof(word) - 1, from = at;

	for (; from + 3 > at && from >= n; from--)
		if (!memcmp(text + from - n, word, n))
			return at < from + operator_length(text + from, len - from);
	return false;
}

/* Finds the outermost lists between @open and @close that are longer than the dots. */
static void find_lists(struct folding *f, char open, char close)
{
	size_t from = 0;
	unsigned depth = 0;

	f->nr = 0;
	for (size_t i = 0; i < f->len; i++) {
		char c = f->text[i];

		if ((c != open && c != close) || (c == '>' && i && f->text[i - 1] == '-') ||
		    (!depth && in_operator(f->text, f->len, i)))
			continue;
		if (c == open && !depth++)
			from = i + 1;
		if (c == close && depth && !--depth && i - from > NR_DOTS && f->nr < MAX_LISTS)
			f->lists[f->nr++] = (struct list){ .from = from, .end = i };
	}
}

static size_t folded_columns(const struct folding *f)
{
	size_t n = text_columns(f->text, f->len);

	for (unsigned i = 0; i < f->nr; i++)
		if (f->lists[i].folded)
			n -= text_columns(f->text + f->lists[i].from, f->lists[i].end - f->lists[i].from) - NR_DOTS;
	return n;
}

/* Folds the longest list that is not folded yet. Returns false if all are folded. */
static bool fold_one(struct folding *f)
{
	struct list *longest = NULL;

	for (struct list *l = f->lists; l < f->lists + f->nr; l++)
		if (!l->folded && (!longest || l->end - l->from > longest->end - longest->from))
			longest = l;
	if (longest)
		longest->folded = true;
	return longest;
}

static void put_folded(const struct folding *f, struct buf *out)
{
	size_t at = 0;

	for (unsigned i = 0; i < f->nr; i++) {
		if (!f->lists[i].folded)
			continue;
		buf_put(out, f->text + at, f->lists[i].from - at);
		buf_puts(out, DOTS);
		at = f->lists[i].end;
	}
	buf_put(out, f->text + at, f->len - at);
}

/* The number of bytes in the first @columns columns of @text. */
static size_t head_bytes(const char *text, size_t len, size_t columns)
{
	size_t i = 0;

	for (; i < len; i++)
		if (!continues(text[i]) && !columns--)
			break;
	return i;
}

/* Appends the beginning and the end of a name with dots between. The end gets more columns, because it says more. */
static void cut_middle(const char *text, size_t len, size_t width, struct buf *out)
{
	size_t columns = text_columns(text, len), head, tail;

	if (width <= NR_DOTS + 2) {
		buf_put(out, text, head_bytes(text, len, width));
		return;
	}
	head = (width - NR_DOTS) / 3;
	tail = width - NR_DOTS - head;
	buf_put(out, text, head_bytes(text, len, head));
	buf_puts(out, DOTS);
	head = head_bytes(text, len, columns - tail);
	while (head < len && text[head] == '.')
		head++;
	buf_put(out, text + head, len - head);
}

/*
 * Returns the position of the next "::" at or after @from, outside of argument lists and before the first operator such as that of
 * operator<<; @len: not found.
 */
static size_t next_scope(const char *text, size_t len, size_t from)
{
	unsigned depth = 0;

	for (size_t i = from; i + 1 < len && !in_operator(text, len, i); i++) {
		if (strchr("<({", text[i]))
			depth++;
		else if (strchr(">)}", text[i]))
			depth -= depth > 0;
		else if (!depth && text[i] == ':' && text[i + 1] == ':')
			return i;
	}
	return len;
}

/* Returns where the name starts after the return type of a C++ function template: "bool std::operator==<...>". */
static size_t after_type(const char *text, size_t end)
{
	size_t at = 0;
	unsigned depth = 0;

	for (size_t i = 0; i < end; i++) {
		depth += strchr("<({", text[i]) != NULL;
		depth -= depth && strchr(">)}", text[i]);
		if (!depth && text[i] == ' ')
			at = i + 1;
	}
	return at;
}

/*
 * Returns the length of the outer scopes to drop so that the name fits: "::map<...>::find" is left of "std::map<...>::find". The
 * class of a member function is kept.
 */
static size_t spare_scopes(const char *text, size_t len, size_t width)
{
	size_t next = next_scope(text, len, 1), at = 0, after;

	if (next < len && text_columns(text, len) > width)
		at = after_type(text, next);
	for (; next < len && text_columns(text + at, len - at) > width; at = next, next = after) {
		after = next_scope(text, len, next + 2);
		if (after == len)
			break;
	}
	return at;
}

/* Returns the position after the last scope: that of "f" in "a::(...)::f(...)". */
static size_t after_scopes(const char *text, size_t len)
{
	size_t at = 0;

	for (size_t next = next_scope(text, len, 0); next < len; next = next_scope(text, len, at))
		at = next + 2;
	return at;
}

/* Returns the length of the name before folded arguments: that of "a::(...)::f" in "a::(...)::f(...) const". */
static size_t without_arguments(const char *text, size_t len)
{
	static const char folded[] = "(" DOTS ")";
	size_t name = after_scopes(text, len);
	const char *found = memmem(text + name, len - name, folded, sizeof(folded) - 1);

	return found && found > text ? (size_t)(found - text) : len;
}

/* Returns the length of the level ("[.] ") before a symbol, which is never shortened; 0: the text has no level. */
static size_t level_of(const char *text, size_t len, size_t width)
{
	return len > LEVEL && width > LEVEL && text[0] == '[' && text[2] == ']' && text[3] == ' ' ? LEVEL : 0;
}

/* Appends @text with the names that people use for the string classes, and without the versions of the library's namespace. */
static void put_aliased(const char *text, size_t len, struct buf *out)
{
	static const struct { const char *name, *alias; } all[] = {
		{ "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >", "std::string" },
		{ "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char>>", "std::string" },
		{ "std::__1::basic_string<char, std::__1::char_traits<char>, std::__1::allocator<char>>", "std::string" },
		{ "std::__cxx11::basic_string<char>", "std::string" },
		{ "std::basic_string_view<char, std::char_traits<char> >", "std::string_view" },
		{ "std::basic_string_view<char, std::char_traits<char>>", "std::string_view" },
		{ "std::__cxx11::", "std::" }, { "std::__1::", "std::" },
	};
	size_t i, n;

	while (len) {
		for (i = 0; i < ARRAY_SIZE(all); i++)
			if (strlen(all[i].name) <= len && !memcmp(text, all[i].name, strlen(all[i].name)))
				break;
		n = i < ARRAY_SIZE(all) ? strlen(all[i].name) : 1;
		if (i < ARRAY_SIZE(all))
			buf_puts(out, all[i].alias);
		else
			buf_putc(out, *text);
		text += n;
		len -= n;
	}
}

/* Moves *text and *len to the last component of a name without arguments: "compare" of "std::basic_string<...>::compare(...)". */
static void base_name(const char **text, size_t *len)
{
	size_t scopes = after_scopes(*text, *len), end = 0;

	*text += scopes;
	*len -= scopes;
	while (end < *len && (!strchr("<(", (*text)[end]) || !end || in_operator(*text, *len, end)))
		end++;
	*len = end;
}

/* Appends @text, or if it has more than @width columns, its first columns and dots. */
static void cut_end(const char *text, size_t len, size_t width, struct buf *out)
{
	bool whole = text_columns(text, len) <= width, dots = !whole && width > NR_DOTS + 2;

	buf_put(out, text, whole ? len : head_bytes(text, len, width - (dots ? NR_DOTS : 0)));
	buf_puts(out, dots ? DOTS : "");
}

/*
 * Shortens a name to its last component, unless that is short compared to @width. Otherwise cuts the name in the middle, or in few
 * columns at the end.
 */
static void cut_name(const char *text, size_t len, size_t width, struct buf *out)
{
	const char *base = text;
	size_t n = len;

	base_name(&base, &n);
	if (n && base != text && (width < LEAST_WITH_CLASS || 3 * text_columns(base, n) >= width))
		cut_end(base, n, width, out);
	else if (width >= LEAST_WITH_CLASS)
		cut_middle(text, len, width, out);
	else if (text_columns(base, n) > width && width >= LEAST_MIDDLE)
		cut_middle(base, n, width, out);
	else if (text_columns(base, n) > width)
		buf_put(out, base, head_bytes(base, n, width));
	else
		buf_put(out, base, n);
}

static void fit_symbol(const char *text, size_t len, size_t width, struct buf *out)
{
	static const char brackets[][2] = { { '<', '>' }, { '(', ')' } };
	struct buf scratch[2] = {0}, aliased = {0};
	struct folding f = { .text = text, .len = len };
	size_t from;

	if (text_columns(text, len) > width) {
		put_aliased(text, len, &aliased);
		f = (struct folding){ .text = aliased.data, .len = aliased.len };
	}
	for (unsigned i = 0; i < ARRAY_SIZE(brackets) && text_columns(f.text, f.len) > width; i++) {
		find_lists(&f, brackets[i][0], brackets[i][1]);
		while (folded_columns(&f) > width && fold_one(&f))
			;
		put_folded(&f, &scratch[i]);
		f = (struct folding){ .text = scratch[i].data, .len = scratch[i].len };
	}
	if (text_columns(f.text, f.len) > width)
		f.len = without_arguments(f.text, f.len);
	from = spare_scopes(f.text, f.len, width);
	text = f.text + from;
	len = f.len - from;
	if (text_columns(text, len) > width)
		cut_name(text, len, width, out);
	else
		buf_put(out, text, len);
	buf_release(&aliased);
	for (unsigned i = 0; i < ARRAY_SIZE(scratch); i++)
		buf_release(&scratch[i]);
}

/* Keeps " (inlined)" whole or drops it: "f (...)" would look like arguments. */
static void fit_function(const char *text, size_t len, size_t width, struct buf *out)
{
	static const char mark[] = " (inlined)";
	size_t n = sizeof(mark) - 1, kept = 0;

	if (len > n && text_columns(text, len) > width && !memcmp(text + len - n, mark, n)) {
		len -= n;
		kept = width >= LEAST_BESIDE + n ? n : 0;
	}
	fit_symbol(text, len, width - kept, out);
	buf_put(out, mark, kept);
}

static bool is_kernel(const char *text, size_t len)
{
	return len == sizeof(KERNEL) - 1 && !memcmp(text, KERNEL, len);
}

static void fit_file(const char *text, size_t len, size_t width, struct buf *out)
{
	if (len > width && is_kernel(text, len))
		fit_symbol(SHORT_KERNEL, sizeof(SHORT_KERNEL) - 1, width, out);
	else
		fit_function(text, len, width, out);
}

void fit_file_name(const char *text, size_t len, size_t width, struct buf *out)
{
	const char *version = len > width ? memmem(text, len, ".so", 3) : NULL;
	size_t stem = version ? (size_t)(version - text) : 0;

	if (stem && text_columns(text, stem) <= width)
		buf_put(out, text, stem);
	else if (stem && width > NR_DOTS)
		buf_printf(out, "%.*s" DOTS, (int)head_bytes(text, stem, width - NR_DOTS), text);
	else
		fit_file(text, len, width, out);
}

/* The minimum width at which the file can be recognized. */
static size_t least_file(const char *text, size_t len)
{
	return is_kernel(text, len) ? sizeof(SHORT_KERNEL) - 1 : MIN(text_columns(text, len), LEAST_FILE);
}

/* Returns the length of the function's name in "main  [program]"; @len: no file follows it. */
static size_t before_file(const char *text, size_t len)
{
	for (size_t i = len; len && text[len - 1] == ']' && i-- > 1; )
		if (text[i] == '[')
			return i > 2 && text[i - 1] == ' ' && text[i - 2] == ' ' ? i - 2 : len;
	return len;
}

void fit_name(const char *text, size_t len, size_t width, struct buf *out)
{
	size_t level = level_of(text, len, width), name, columns;

	buf_put(out, text, level);
	text += level;
	len -= level;
	width -= level;
	name = before_file(text, len);
	columns = text_columns(text, name);
	if (name == len || text_columns(text, len) <= width) {
		fit_file(text, len, width, out);
	} else if (columns + 2 + least_file(text + name + 2, len - name - 2) > width) {
		fit_function(text, name, width, out);
	} else {
		buf_put(out, text, name + 2);
		fit_file(text + name + 2, len - name - 2, width - columns - 2, out);
	}
}

void put_wrapped(struct buf *out, const char *text, size_t at, size_t indent, size_t width)
{
	while (*text) {
		size_t word = strcspn(text, " "), blanks = strspn(text + word, " ");

		if (at > indent && width < at + word) {
			out->len -= out->data[out->len - 1] == ' ';
			buf_putc(out, '\n');
			buf_fill(out, ' ', indent);
			at = indent;
		}
		buf_put(out, text, word + blanks);
		text += word + blanks;
		at += word + blanks;
	}
}

void put_duration(struct buf *out, uint64_t ns)
{
	double s = (double)ns / 1e9;

	if (s >= 100)
		buf_printf(out, "%.0f s", s);
	else if (s >= 0.0995)
		buf_printf(out, "%.2f s", s);
	else if (ns >= 99500)
		buf_printf(out, "%.1f ms", s * 1e3);
	else if (ns)
		buf_printf(out, "%.1f us", s * 1e6);
	else
		buf_puts(out, "0 s");
}

void put_length(struct buf *out, uint64_t ns)
{
	static const struct { const char *unit; double ns; } units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	size_t u = 0;
	double n;

	while (u + 1 < ARRAY_SIZE(units) && (double)ns >= 999.5 * units[u].ns)
		u++;
	n = (double)ns / units[u].ns;
	buf_printf(out, "%.*f %s", u == 0 || n >= 99.95 ? 0 : n >= 9.995 ? 1 : 2, n, units[u].unit);
}

void put_amount(struct buf *out, uint64_t n)
{
	char text[AMOUNT_ROOM];

	buf_puts(out, amount_text(text, n));
}
