/* Parsing of kallsyms: "ADDRESS TYPE NAME[\t[MODULE]]", a line each. Layer: binary */
#include "core/binary/kallsyms.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/file.h"

/* The value of a hexadecimal digit + 1; 0: no digit. A table, because kallsyms has millions of digits. */
static const uint8_t hex_values[256] = {
	['0'] = 1, ['1'] = 2, ['2'] = 3, ['3'] = 4, ['4'] = 5, ['5'] = 6, ['6'] = 7, ['7'] = 8, ['8'] = 9, ['9'] = 10,
	['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
};

static inline bool parse_line(const char *text, struct kallsyms_line *out, size_t *size)
{
	const char *s = text;
	uint64_t addr = 0;
	unsigned value;

	for (; (value = hex_values[(uint8_t)*s]); s++)
		addr = addr << 4 | (value - 1);
	out->addr = addr;
	if (s == text || s[0] != ' ' || !s[1] || s[1] == '\n' || s[2] != ' ')
		return false;
	out->type = s[1];
	out->name = s + 3;
	*size = strcspn(out->name, "\t \n");
	s = out->name + *size;
	while (*s == '\t' || *s == ' ')
		s++;
	out->module = *s == '[' ? s : NULL;
	return *size;
}

bool kallsyms_line_parse(const char *text, struct kallsyms_line *out, size_t *size)
{
	return parse_line(text, out, size);
}

int kallsyms_parse(struct kallsyms *out, char *text, size_t size)
{
	struct kallsyms_line line;
	size_t name_size;
	uint64_t any = 0;
	char *s = text, *end;

	*out = (struct kallsyms){ .text = text };
	for (; s < text + size; s = end + 1) {
		end = memchr(s, '\n', (size_t)(text + size - s));
		if (!end)
			end = text + size;
		*end = '\0';
		if (!parse_line(s, &line, &name_size))
			continue;
		s[line.name - s + (ptrdiff_t)name_size] = '\0';
		any |= line.addr;
		vec_push(&out->lines, line);
	}
	out->hidden = out->lines.nr && !any;
	return out->lines.nr ? 0 : -ENOENT;
}

int kallsyms_read(struct kallsyms *out, const char *path)
{
	struct buf b = {0};
	int err = read_file(path, &b);

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

/*
 * Functions and data as perf 6.15 takes them ('N' and '1' are Rust's); not the marks between code and data on
 * ARM ($x, $d).
 */
static bool is_wanted(const struct kallsyms_line *line)
{
	static const bool types[128] = {
		['T'] = true, ['t'] = true, ['W'] = true, ['w'] = true, ['D'] = true, ['d'] = true, ['B'] = true, ['b'] = true,
		['u'] = true, ['l'] = true, ['N'] = true, ['1'] = true,
	};

	return (uint8_t)line->type < ARRAY_SIZE(types) && types[(uint8_t)line->type] && line->name[0] != '$';
}

static enum symbol_binding binding_of(char type)
{
	if (type == 'W')
		return SYMBOL_WEAK;
	return isupper((unsigned char)type) ? SYMBOL_GLOBAL : SYMBOL_LOCAL;
}

size_t kallsyms_symbols(const struct kallsyms *k, const char *module, uint64_t shift, struct symbols *out)
{
	size_t before = out->list.nr;

	vec_for(line, &k->lines) {
		char type = (char)toupper((unsigned char)line->type);

		if (!is_wanted(line) || !line->module != !module || (module && !str_eq(line->module, module)))
			continue;
		symbols_add(out, &(struct symbol){
			.start = line->addr + shift, .end = line->addr + shift, .name = line->name,
			.binding = binding_of(line->type), .function = type == 'T' || type == 'W',
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
