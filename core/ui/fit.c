/*
 * Shortens function and file names to their significant parts, breaks text into lines, and writes times and numbers with a unit,
 * for the tables and the browser (fit.h).
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

/* How much of the template arguments that tell a name from others is left. */
enum telling { TELL_FIRST, TELL_FIRST_FOLDED, TELL_NOTHING };

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

static bool starts(const char *text, size_t len, size_t at, const char *word)
{
	return at + strlen(word) <= len && !memcmp(text + at, word, strlen(word));
}

/* Returns the length of the operator at the start of @text, if it has brackets or arrows; 0: no such operator is there. */
static size_t operator_length(const char *text, size_t len)
{
	static const char *const names[] = { "<=>", "<<=", ">>=", "->*", "->", "<<", ">>", "<=", ">=", "<", ">", "()" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (starts(text, len, 0, names[i]))
			return strlen(names[i]);
	return 0;
}

/* True if text[at] is part of an operator's name, as in operator<< or operator(), and is not the '<' of "operator><int>". */
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

/* Returns the position of the next "::" from @from on, outside of argument lists and before an operator's name; @len: none. */
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

/* Returns where the name starts after a return type, as in "bool std::operator==<...>(...)"; 0: no type is there. */
static size_t after_type(const char *text, size_t len)
{
	size_t at = 0;
	unsigned depth = 0;

	for (size_t i = 0; i < len; i++) {
		if (in_operator(text, len, i))
			continue;
		if (!depth && text[i] == '(' && i && strchr(">]", text[i - 1]))
			return at;
		if (strchr("<({", text[i]))
			depth++;
		else if (strchr(">)}", text[i]) && (!i || text[i - 1] != '-'))
			depth -= depth > 0;
		else if (!depth && text[i] == ' ' && !starts(text, len, i + 1, "<") && !starts(text, len, i + 1, "const") &&
			 !(i >= 8 && starts(text, len, i - 8, "operator")))
			at = i + 1;
	}
	return 0;
}

/* Returns the length of the outer scopes to drop so that the name fits. The class of a member function is kept. */
static size_t spare_scopes(const char *text, size_t len, size_t width)
{
	size_t next = next_scope(text, len, 0), at = 0, after;

	for (; next < len && text_columns(text + at, len - at) > width; at = next + 2, next = after) {
		after = next_scope(text, len, next + 2);
		if (after == len)
			break;
	}
	return at;
}

/* Returns the position after the last scope: that of "f" in "a::(...)::f(...)". *class: that of the scope itself. */
static size_t after_scopes(const char *text, size_t len, size_t *class)
{
	size_t at = 0;

	*class = 0;
	for (size_t next = next_scope(text, len, 0); next < len; next = next_scope(text, len, at)) {
		*class = at;
		at = next + 2;
	}
	return at;
}

/* Returns the end of the name at @at, which is before its arguments: that of "map" in "std::map<...>::find". */
static size_t name_end(const char *text, size_t len, size_t at)
{
	size_t end = at;

	while (end < len && (!strchr("<(", text[end]) || end == at || in_operator(text, len, end)))
		end++;
	return end;
}

/* Finds the template arguments that tell instances apart: those of the class, or else of the function. NULL: neither has any. */
static const struct list *telling_list(struct folding *f)
{
	size_t class, function = after_scopes(f->text, f->len, &class);
	size_t ends[] = { function ? name_end(f->text, function - 2, class) : f->len, name_end(f->text, f->len, function) };

	find_lists(f, '<', '>');
	for (unsigned e = 0; e < ARRAY_SIZE(ends); e++)
		for (unsigned i = 0; i < f->nr; i++)
			if (f->lists[i].from == ends[e] + 1)
				return &f->lists[i];
	return NULL;
}

static size_t argument_end(const char *text, size_t len, size_t at)
{
	unsigned depth = 0;

	for (; at < len && (depth || text[at] != ','); at++)
		if (strchr("<({", text[at]))
			depth++;
		else if (strchr(">)}", text[at]))
			depth -= depth > 0;
	return at;
}

/* Returns the length of the name before folded arguments: that of "a::(...)::f" in "a::(...)::f(...) const". */
static size_t without_arguments(const char *text, size_t len)
{
	static const char folded[] = "(" DOTS ")";
	size_t class, name = after_scopes(text, len, &class);
	const char *found = memmem(text + name, len - name, folded, sizeof(folded) - 1);

	return found && found > text ? (size_t)(found - text) : len;
}

/* Returns the length of the level ("[.] ") before a symbol, which is never shortened; 0: the text has no level. */
static size_t level_of(const char *text, size_t len, size_t width)
{
	return len > LEVEL && width > LEVEL && text[0] == '[' && text[2] == ']' && text[3] == ' ' ? LEVEL : 0;
}

/* Appends @text with usual names of string classes, without the namespace that has no name and versions of the library's. */
static void put_aliased(const char *text, size_t len, struct buf *out)
{
	static const struct { const char *name, *alias; } all[] = {
		{ "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >", "std::string" },
		{ "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char>>", "std::string" },
		{ "std::__1::basic_string<char, std::__1::char_traits<char>, std::__1::allocator<char>>", "std::string" },
		{ "std::__cxx11::basic_string<char>", "std::string" },
		{ "std::basic_string_view<char, std::char_traits<char> >", "std::string_view" },
		{ "std::basic_string_view<char, std::char_traits<char>>", "std::string_view" },
		{ "std::__cxx11::", "std::" }, { "std::__1::", "std::" }, { "(anonymous namespace)::", "" },
	};
	size_t i, n;

	while (len) {
		for (i = 0; i < ARRAY_SIZE(all); i++)
			if (starts(text, len, 0, all[i].name))
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

static void cut_end(const char *text, size_t len, size_t width, struct buf *out)
{
	bool whole = text_columns(text, len) <= width, dots = !whole && width > NR_DOTS + 2;

	buf_put(out, text, whole ? len : head_bytes(text, len, width - (dots ? NR_DOTS : 0)));
	buf_puts(out, dots ? DOTS : "");
}

/* Appends a class without the lists of its arguments: "{lambda#1}" for "{lambda(...)#1}". */
static void put_bare(const char *text, size_t len, struct buf *out)
{
	unsigned depth = 0;

	for (size_t i = 0; i < len; i++) {
		depth += strchr("<(", text[i]) != NULL;
		if (!depth)
			buf_putc(out, text[i]);
		depth -= depth && strchr(">)", text[i]);
	}
}

/* Shortens a name without scopes: without its arguments, or cut in the middle, or in few columns at the end. */
static void cut_plain(const char *text, size_t len, size_t width, struct buf *out)
{
	size_t end = name_end(text, len, 0);

	if (end && end < len && !strchr(" .", text[end - 1]) && text_columns(text, end) <= width)
		buf_put(out, text, end);
	else if (width >= LEAST_MIDDLE)
		cut_middle(text, len, width, out);
	else
		buf_put(out, text, head_bytes(text, len, width));
}

/* Shortens a name to its class without arguments, or the beginning of that, and the function, or to the function alone. */
static void cut_name(const char *text, size_t len, size_t width, struct buf *out)
{
	size_t class, function = after_scopes(text, len, &class), n, columns;
	struct buf bare = {0};

	if (!function || function == len) {
		cut_plain(text, len, width, out);
		return;
	}
	put_bare(text + class, function - 2 - class, &bare);
	text += function;
	n = name_end(text, len - function, 0);
	n -= n && text[n - 1] == ' ';
	columns = text_columns(text, n);
	if (bare.len && (text_columns(bare.data, bare.len) + 2 + columns <= width ||
			 (width >= LEAST_WITH_CLASS && 3 * columns < width))) {
		cut_end(bare.data, bare.len, width - 2 - columns, out);
		buf_puts(out, "::");
	}
	cut_end(text, n, width, out);
	buf_release(&bare);
}

/* Shortens the lists of arguments other than that at @kept, drops those of the function, then outer scopes, until the name fits. */
static void squeeze(const char *text, size_t len, size_t width, size_t kept, struct buf *out)
{
	static const char brackets[][2] = { { '<', '>' }, { '(', ')' } };
	struct buf scratch[2] = {0};
	struct folding f = { .text = text, .len = len };
	size_t from;

	for (unsigned i = 0; i < ARRAY_SIZE(brackets) && text_columns(f.text, f.len) > width; i++) {
		find_lists(&f, brackets[i][0], brackets[i][1]);
		for (unsigned l = 0; !i && l < f.nr; l++)
			if (f.lists[l].from == kept)
				memmove(f.lists + l, f.lists + l + 1, (--f.nr - l) * sizeof(*f.lists));
		while (folded_columns(&f) > width && fold_one(&f))
			;
		put_folded(&f, &scratch[i]);
		f = (struct folding){ .text = scratch[i].data, .len = scratch[i].len };
	}
	if (text_columns(f.text, f.len) > width)
		f.len = without_arguments(f.text, f.len);
	from = spare_scopes(f.text, f.len, width);
	buf_put(out, f.text + from, f.len - from);
	for (unsigned i = 0; i < ARRAY_SIZE(scratch); i++)
		buf_release(&scratch[i]);
}

/* Appends the first of the template arguments in @text, and dots for the others. */
static void put_first(const char *text, size_t len, enum telling how, struct buf *out)
{
	size_t first = argument_end(text, len, 0);
	struct folding f = { .text = text, .len = first };

	if (how == TELL_NOTHING) {
		buf_puts(out, DOTS);
		return;
	}
	find_lists(&f, '<', '>');
	while (how == TELL_FIRST_FOLDED && fold_one(&f))
		;
	put_folded(&f, out);
	buf_puts(out, first < len ? ", " DOTS : "");
}

/* Appends the shortened name @text with as many of the template arguments @list as there is room for in the place of the first. */
static void put_refilled(const char *text, size_t len, size_t width, const char *list, size_t list_len, struct buf *out)
{
	struct folding f = { .text = text, .len = len };
	const struct list *now = telling_list(&f);
	size_t room, best = 0;

	if (now) {
		room = width - text_columns(text, len) + text_columns(text + now->from, now->end - now->from);
		for (size_t n = argument_end(list, list_len, 0); ; n = argument_end(list, list_len, n + 1)) {
			if (text_columns(list, n) + (n < list_len ? NR_DOTS + 2 : 0) <= room)
				best = n;
			if (n >= list_len || text_columns(list, n) > room)
				break;
		}
	}
	if (!best) {
		buf_put(out, text, len);
		return;
	}
	buf_put(out, text, now->from);
	buf_put(out, list, best);
	buf_puts(out, best < list_len ? ", " DOTS : "");
	buf_put(out, text + now->end, len - now->end);
}

/* Shortens a name that does not fit, and keeps as much as there is room for of the template arguments that tell it from others. */
static void shorten(const char *text, size_t len, size_t width, struct buf *out)
{
	struct buf variant = {0}, fitted = {0};
	struct folding f = { .text = text, .len = len };
	const struct list *l = telling_list(&f);
	enum telling how = l ? TELL_FIRST : TELL_NOTHING;

	for (; ; how++) {
		variant.len = fitted.len = 0;
		buf_put(&variant, text, l ? l->from : len);
		if (l) {
			put_first(text + l->from, l->end - l->from, how, &variant);
			buf_put(&variant, text + l->end, len - l->end);
		}
		squeeze(variant.data, variant.len, width, l && how != TELL_NOTHING ? l->from : SIZE_MAX, &fitted);
		if (how == TELL_NOTHING || text_columns(fitted.data, fitted.len) <= width)
			break;
	}
	if (text_columns(fitted.data, fitted.len) > width)
		cut_name(fitted.data, fitted.len, width, out);
	else if (l)
		put_refilled(fitted.data, fitted.len, width, text + l->from, l->end - l->from, out);
	else
		buf_put(out, fitted.data, fitted.len);
	buf_release(&variant);
	buf_release(&fitted);
}

static void fit_symbol(const char *text, size_t len, size_t width, struct buf *out)
{
	struct buf aliased = {0};
	size_t from;

	if (text_columns(text, len) > width) {
		put_aliased(text, len, &aliased);
		text = aliased.data;
		len = aliased.len;
	}
	if (text_columns(text, len) > width) {
		from = after_type(text, len);
		text += from;
		len -= from;
	}
	if (text_columns(text, len) > width)
		shorten(text, len, width, out);
	else
		buf_put(out, text, len);
	buf_release(&aliased);
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
