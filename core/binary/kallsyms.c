/* Parses /proc/kallsyms, or a copy of it. Each line is "ADDRESS TYPE NAME[\t[MODULE]]". */
#include "core/binary/kallsyms.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/file.h"

#define LINE_SIZE	36		/* assumed bytes of a line, to reserve room for lines; most have more */
#define READ_STEP	(128u << 10)	/* room in addition to the size from stat(2), to read up to the end of the file */
#define TEXT_MAX	(64u << 20)	/* for files larger than this, no room is reserved */

/* By character: the value of a hexadecimal digit + 1; 0: no digit. This is a table, because kallsyms has millions of digits. */
static const uint8_t hex_values[256] = {
	['0'] = 1, ['1'] = 2, ['2'] = 3, ['3'] = 4, ['4'] = 5, ['5'] = 6, ['6'] = 7, ['7'] = 8, ['8'] = 9, ['9'] = 10,
	['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
};

static inline const char *parse_address(const char *text, uint64_t *out)
{
	uint64_t addr = 0;
	unsigned value;

	for (; (value = hex_values[(uint8_t)*text]); text++)
		addr = addr << 4 | (value - 1);
	*out = addr;
	return text;
}

/* Parses the line that ends at @end. If it ends in "]", the module in brackets is last; else the name is last. */
static inline bool parse_line(const char *text, const char *end, struct kallsyms_line *out, size_t *size)
{
	uint64_t addr;
	const char *s = parse_address(text, &addr);

	if (s == text || end - s < 4 || s[0] != ' ' || s[2] != ' ')
		return false;
	*out = (struct kallsyms_line){ .addr = addr, .name = s + 3, .type = s[1] };
	*size = (size_t)(end - out->name);
	if (end[-1] == ']') {
		*size = strcspn(out->name, "\t \n");
		s = out->name + *size;
		while (*s == '\t' || *s == ' ')
			s++;
		out->module = *s == '[' ? s : NULL;
	}
	return *size;
}

bool kallsyms_line_parse(const char *text, struct kallsyms_line *out, size_t *size)
{
	return parse_line(text, text + strcspn(text, "\n"), out, size);
}

#define HIDDEN_BYTES 4096	/* a hundred lines */

bool kallsyms_are_hidden(const char *path)
{
	char text[HIDDEN_BYTES + 1];
	struct kallsyms_line line;
	unsigned interrupted = 0;
	bool any = false;
	size_t size;
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	do
		n = read(fd, text, HIDDEN_BYTES);
	while (interrupted_call(n, &interrupted));
	close(fd);
	text[MAX(n, 0)] = '\0';
	for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		if (!kallsyms_line_parse(at, &line, &size))
			continue;
		if (line.addr)
			return false;
		any = true;
	}
	return any;
}

int kallsyms_parse(struct kallsyms *out, char *text, size_t size)
{
	struct kallsyms_line line;
	size_t name_size;
	uint64_t any = 0;
	char *s = text, *end;

	*out = (struct kallsyms){ .text = text };
	out->lines.cap = size / LINE_SIZE;
	out->lines.v = xmalloc_huge(out->lines.cap * sizeof(*out->lines.v));
	for (; s < text + size; s = end + 1) {
		end = memchr(s, '\n', (size_t)(text + size - s));
		if (!end)
			end = text + size;
		*end = '\0';
		if (!parse_line(s, end, &line, &name_size))
			continue;
		s[line.name - s + (ptrdiff_t)name_size] = '\0';
		any |= line.addr;
		vec_push(&out->lines, line);
	}
	out->hidden = out->lines.nr && !any;
	return out->lines.nr ? 0 : -ENOENT;
}

/* Reserves room for the whole text, because growing it step by step would cost a page fault for each page again. */
static void reserve_text(const char *path, struct buf *b)
{
	struct stat st;

	if (stat(path, &st) || !S_ISREG(st.st_mode) || st.st_size <= 0 || st.st_size > TEXT_MAX)
		return;
	b->cap = (size_t)st.st_size + READ_STEP;
	b->data = xmalloc_huge(b->cap);
}

int kallsyms_read(struct kallsyms *out, const char *path)
{
	struct buf b = {0};
	int err;

	reserve_text(path, &b);
	err = read_file(path, &b);
	*out = (struct kallsyms){0};
	if (err) {
		buf_release(&b);
		return err;
	}
	buf_str(&b);
	err = kallsyms_parse(out, b.data, b.len);
	if (err)
		kallsyms_release(out);
	return err;
}

enum { WANTED = 1, FUNCTION = 2, GLOBAL = 4, WEAK = 8 };

/* By type of a symbol: whether it is a function or data that perf 6.15 uses, too. Rust has 'N' and '1'. */
static const uint8_t types[128] = {
	['T'] = WANTED | FUNCTION | GLOBAL, ['t'] = WANTED | FUNCTION, ['W'] = WANTED | FUNCTION | WEAK, ['w'] = WANTED | FUNCTION,
	['D'] = WANTED | GLOBAL, ['d'] = WANTED, ['B'] = WANTED | GLOBAL, ['b'] = WANTED, ['u'] = WANTED, ['l'] = WANTED,
	['N'] = WANTED | GLOBAL, ['1'] = WANTED,
};

static unsigned type_of(const struct kallsyms_line *line)
{
	/* On Arm, $x and $d mark where code or data begins. */
	return (uint8_t)line->type < ARRAY_SIZE(types) && line->name[0] != '$' ? types[(uint8_t)line->type] : 0;
}

size_t kallsyms_symbols(const struct kallsyms *k, const char *module, uint64_t shift, struct symbols *out)
{
	size_t before = out->list.nr;

	if (!module)
		symbols_reserve(out, k->lines.nr);
	vec_for(line, &k->lines) {
		unsigned type;

		if (!line->module != !module || (module && !str_eq(line->module, module)) || !(type = type_of(line)))
			continue;
		symbols_add(out, &(struct symbol){
			.start = line->addr + shift, .end = line->addr + shift, .name = line->name, .function = type & FUNCTION,
			.binding = type & WEAK ? SYMBOL_WEAK : type & GLOBAL ? SYMBOL_GLOBAL : SYMBOL_LOCAL,
		});
	}
	return out->list.nr - before;
}

int kallsyms_value(const struct kallsyms *k, const char *name, uint64_t *value)
{
	vec_for(line, &k->lines) {
		if (!line->module && str_eq(line->name, name)) {
			*value = line->addr;
			return 0;
		}
	}
	return -ENOENT;
}

void kallsyms_release(struct kallsyms *k)
{
	vec_free(&k->lines);
	free(k->text);
	k->text = NULL;
}
