/* Parses the `format` files of tracepoints, and reads the fields of their records. */
#include "core/tracepoint/tracepoint.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

/* A piece of the text: [at, end). */
struct text { const char *at, *end; };

/* Finds the next line, without its newline. Returns false at the end. */
static bool next_line(struct text *all, struct text *line)
{
	const char *nl;

	if (all->at >= all->end)
		return false;
	nl = memchr(all->at, '\n', (size_t)(all->end - all->at));
	*line = (struct text){ all->at, nl ? nl : all->end };
	all->at = nl ? nl + 1 : all->end;
	return true;
}

/* Skips spaces and then @prefix. If @prefix does not follow, skips nothing and returns false. */
static bool skip(struct text *line, const char *prefix)
{
	const char *p = line->at;
	size_t n = strlen(prefix);

	while (p < line->end && isspace((unsigned char)*p))
		p++;
	if ((size_t)(line->end - p) < n || memcmp(p, prefix, n))
		return false;
	line->at = p + n;
	return true;
}

static char *rest(const struct text *line)
{
	const char *p = line->at, *end = line->end;

	while (p < end && isspace((unsigned char)*p))
		p++;
	while (end > p && isspace((unsigned char)end[-1]))
		end--;
	return xstrndup(p, (size_t)(end - p));
}

/* Takes the part of the line before the character @stop, and skips both. Returns false if there is no @stop. */
static bool part(struct text *line, char stop, struct text *out)
{
	const char *p = memchr(line->at, stop, (size_t)(line->end - line->at));

	if (!p)
		return false;
	*out = (struct text){ line->at, p };
	line->at = p + 1;
	return true;
}

static bool number_part(struct text *line, const char *prefix, uint32_t *out)
{
	struct text t;
	char *s;

	if (!skip(line, prefix) || !part(line, ';', &t))
		return false;
	s = rest(&t);
	*out = (uint32_t)strtoul(s, NULL, 10);
	free(s);
	return true;
}

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool has_word(const char *s, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = strstr(s, word); p; p = strstr(p + 1, word))
		if ((p == s || !is_name_char(p[-1])) && !is_name_char(p[n]))
			return true;
	return false;
}

/* The size of an element of a dynamic array of @type; 0 if the name does not show it. */
static uint32_t type_size(const char *type, uint8_t long_size)
{
	static const struct { const char *word; uint8_t size; } words[] = {
		{ "u64", 8 }, { "s64", 8 }, { "__u64", 8 }, { "uint64_t", 8 }, { "int64_t", 8 }, { "dma_addr_t", 8 },
		{ "long long", 8 }, { "u32", 4 }, { "s32", 4 }, { "__u32", 4 }, { "uint32_t", 4 }, { "u16", 2 },
		{ "s16", 2 }, { "__u16", 2 }, { "uint16_t", 2 }, { "short", 2 }, { "char", 1 }, { "u8", 1 }, { "s8", 1 },
		{ "__u8", 1 }, { "uint8_t", 1 }, { "bool", 1 }, { "cpumask_t", 8 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (has_word(type, words[i].word))
			return words[i].size;
	if (has_word(type, "long") || strchr(type, '*'))
		return long_size;
	return has_word(type, "int") || has_word(type, "unsigned") ? 4 : 0;
}

/* Parses a declaration into type, name and array length: "unsigned long args[6]", "__data_loc char[] name", "const char * name". */
static bool parse_declaration(struct trace_field *f, const struct text *decl)
{
	char *s = rest(decl), *end = s + strlen(s), *name, *bracket = NULL;

	if (end > s && end[-1] == ']') {
		bracket = strrchr(s, '[');
		end = bracket ? bracket : s;
	}
	name = end;
	while (name > s && is_name_char(name[-1]))
		name--;
	if (name == end || name == s) {
		free(s);
		return false;
	}
	f->name = xstrndup(name, (size_t)(end - name));
	f->is_array = bracket != NULL;
	while (name > s && isspace((unsigned char)name[-1]))
		name--;
	*name = '\0';
	if (str_starts(s, "__data_loc"))
		f->location = TRACE_DATA_LOC;
	else if (str_starts(s, "__rel_loc"))
		f->location = TRACE_REL_LOC;
	f->type = xstrdup(s);
	f->is_pointer = strchr(s, '*') && !f->is_array;
	f->is_long = has_word(s, "long");
	f->element_size = bracket ? (uint32_t)strtoul(bracket + 1, NULL, 0) : 0;
	free(s);
	return true;
}

static void classify(struct trace_field *f, uint32_t count)
{
	bool bytes = has_word(f->type, "char") || has_word(f->type, "u8") || has_word(f->type, "s8") ||
		     has_word(f->type, "uint8_t") || has_word(f->type, "__u8");

	if (f->location != TRACE_INLINE) {
		f->is_array = true;
		f->element_size = type_size(f->type, 8);
		f->is_string = has_word(f->type, "char");
	} else if (f->is_array) {
		f->element_size = count && f->size % count == 0 ? f->size / count : type_size(f->type, 8);
		f->is_string = has_word(f->type, "char");
	} else {
		f->element_size = f->size;
	}
	if (f->is_array && !f->element_size)
		f->element_size = bytes ? 1 : 4;
}

/*	field:pid_t prev_pid;	offset:24;	size:4;	signed:1;	*/
static bool parse_field(struct trace_field *f, struct text *line)
{
	struct text decl;
	uint32_t is_signed = 0, count;

	if (!part(line, ';', &decl) || !parse_declaration(f, &decl))
		return false;
	if (!number_part(line, "offset:", &f->offset) || !number_part(line, "size:", &f->size))
		return false;
	number_part(line, "signed:", &is_signed);
	f->is_signed = is_signed;
	count = f->element_size;
	classify(f, count);
	return true;
}

static void release_field(struct trace_field *f)
{
	free(f->name);
	free(f->type);
}

static void parse_line(struct trace_event *ev, struct text line)
{
	struct trace_field f = {0};

	if (skip(&line, "name:")) {
		free(ev->name);
		ev->name = rest(&line);
	} else if (skip(&line, "ID:")) {
		char *s = rest(&line);

		ev->id = (uint32_t)strtoul(s, NULL, 10);
		free(s);
	} else if (skip(&line, "field:") || skip(&line, "field special:")) {
		if (!parse_field(&f, &line)) {
			release_field(&f);
			return;
		}
		ev->nr_common += ev->nr_common == ev->fields.nr && str_starts(f.name, "common_");
		vec_push(&ev->fields, f);
	}
}

int trace_event_parse(struct trace_event **out, const char *system, const char *text, size_t size)
{
	struct trace_event *ev = xcalloc(1, sizeof(*ev));
	struct text all = { text, text + size }, line;

	ev->system = xstrdup(system);
	while (next_line(&all, &line)) {
		/* The `print fmt` is the last part of a format, and its strings may contain newlines. */
		if (skip(&line, "print fmt:")) {
			line.end = all.end;
			ev->print_fmt = rest(&line);
			break;
		}
		parse_line(ev, line);
	}
	if (!ev->name || !ev->fields.nr) {
		trace_event_free(ev);
		return -EINVAL;
	}
	*out = ev;
	return 0;
}

void trace_event_free(struct trace_event *ev)
{
	if (!ev)
		return;
	vec_for(f, &ev->fields)
		release_field(f);
	vec_free(&ev->fields);
	free(ev->system);
	free(ev->name);
	free(ev->print_fmt);
	free(ev);
}

const struct trace_field *trace_event_field(const struct trace_event *ev, const char *name)
{
	vec_for(f, &ev->fields)
		if (str_eq(f->name, name))
			return f;
	return NULL;
}

const uint8_t *trace_field_bytes(const struct trace_data *d, const struct trace_field *f, uint32_t *size)
{
	uint64_t offset = f->offset, n = f->size;
	uint32_t location;

	*size = 0;
	if (offset >= d->size)
		return NULL;
	if (f->location != TRACE_INLINE) {
		if (d->size - offset < 4)
			return NULL;
		location = (uint32_t)trace_number(d, d->bytes + offset, 4, false);
		offset = (location & 0xffff) + (f->location == TRACE_REL_LOC ? offset + f->size : 0);
		n = location >> 16;
	}
	if (offset >= d->size)
		return NULL;
	*size = (uint32_t)MIN(n, d->size - offset);
	return d->bytes + offset;
}

uint64_t trace_field_number(const struct trace_data *d, const struct trace_field *f)
{
	uint32_t size, want = f->is_array ? f->element_size : f->size;
	const uint8_t *p = trace_field_bytes(d, f, &size);

	return p && size >= want ? trace_number(d, p, want, f->is_signed) : 0;
}
