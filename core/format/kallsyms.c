/* Parsing of kallsyms: "ADDRESS TYPE NAME[\t[MODULE]]", a line each. Layer: format */
#include "core/format/kallsyms.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/file.h"

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

bool kallsyms_line_parse(const char *text, struct kallsyms_line *out, size_t *size)
{
	const char *s = text;
	int digit;

	out->addr = 0;
	if (hex_digit(*s) < 0)
		return false;
	while ((digit = hex_digit(*s)) >= 0) {
		out->addr = out->addr << 4 | (uint64_t)digit;
		s++;
	}
	if (s[0] != ' ' || !s[1] || s[1] == '\n' || s[2] != ' ')
		return false;
	out->type = s[1];
	out->name = s + 3;
	*size = strcspn(out->name, "\t \n");
	s = out->name + *size;
	s += strspn(s, "\t ");
	out->module = *s == '[' ? s : NULL;
	return *size;
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
		if (!kallsyms_line_parse(s, &line, &name_size))
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
	return strchr("TtWwDdBbulN1", line->type) && line->name[0] != '$';
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
			.binding = binding_of(line->type), .function = type == 'T' || type == 'W', .named = true,
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
