/*
 * Adds Python code objects and their line tables to the table from which readers of the recording symbolize Python frames.
 * Source: CPython's Objects/lnotab_notes.txt (3.8 to 3.10) and Objects/locations.md (3.11 and later, "The locations table").
 */
#include "core/record/live/python_code.h"

#include <stddef.h>
#include <string.h>

#include "core/base/utf8.h"
#include "core/model/python.h"
#include "core/record/bpf/python_records.h"

#define TABLE_MAX	(256u << 20)	/* bytes */
#define JIT_MAGIC	0x4a695444u
#define JIT_LOAD	0u
#define JIT_LINES	2u
#define FIRST_PREVIOUS	0xffu		/* in place of a file's name: as in the entry before */

/* ---- lines ---- */

struct line_at { uint32_t at, line; };
struct lines { VEC(struct line_at) list; };

static void add_line(struct lines *out, uint32_t at, int64_t line)
{
	if (line <= 0 || line > INT32_MAX || (out->list.nr && out->list.v[out->list.nr - 1].line == (uint32_t)line))
		return;
	if (out->list.nr && out->list.v[out->list.nr - 1].at == at)
		out->list.nr--;
	vec_push(&out->list, (struct line_at){ at, (uint32_t)line });
}

/* Reads pairs of bytes: how many bytes of code follow, and how many lines the code after them is further. */
static void read_lnotab(const uint8_t *p, size_t n, uint32_t first, struct lines *out)
{
	int64_t line = first;
	uint32_t at = 0;

	add_line(out, 0, line);
	for (size_t i = 0; i + 1 < n; i += 2) {
		at += p[i];
		line += (int8_t)p[i + 1];
		if (p[i + 1] || p[i] != 0xff)
			add_line(out, at, line);
	}
}

/* Reads pairs of bytes: how many bytes of code follow, and how many lines they are further than the code before; -128: no line. */
static void read_ranges(const uint8_t *p, size_t n, uint32_t first, struct lines *out)
{
	int64_t line = first;
	uint32_t at = 0;

	for (size_t i = 0; i + 1 < n; i += 2) {
		int8_t more = (int8_t)p[i + 1];

		if (more != -128) {
			line += more;
			add_line(out, at, line);
		}
		at += p[i];
	}
}

static uint64_t read_varint(const uint8_t **p, const uint8_t *end)
{
	uint64_t v = 0;

	for (unsigned shift = 0; *p < end && shift < 64; shift += 6) {
		uint8_t byte = *(*p)++;

		v |= (uint64_t)(byte & 0x3f) << shift;
		if (!(byte & 0x40))
			break;
	}
	return v;
}

static int64_t read_signed(const uint8_t **p, const uint8_t *end)
{
	uint64_t v = read_varint(p, end);

	return v & 1 ? -(int64_t)(v >> 1) : (int64_t)(v >> 1);
}

static void read_locations(const uint8_t *p, size_t n, uint32_t first, struct lines *out)
{
	const uint8_t *end = p + n;
	int64_t line = first;
	uint32_t at = 0;

	while (p < end) {
		uint8_t head = *p++;
		unsigned kind = head >> 3 & 15;

		if (!(head & 0x80))
			return;
		if (kind == 13 || kind == 14)
			line += read_signed(&p, end);
		else if (kind >= 10 && kind <= 12)
			line += kind - 10;
		if (kind == 14) {
			read_varint(&p, end);
			read_varint(&p, end);
			read_varint(&p, end);
		} else if (kind < 13) {
			p += kind < 10 ? 1 : 2;
		}
		if (kind != 15)
			add_line(out, at, line);
		at += 2u * ((head & 7u) + 1);
	}
}

static void read_lines(const struct python_code *c, struct lines *out)
{
	if (c->version < 0x30a)
		read_lnotab(c->lines, c->lines_size, c->first, out);
	else if (c->version == 0x30a)
		read_ranges(c->lines, c->lines_size, c->first, out);
	else
		read_locations(c->lines, c->lines_size, c->first, out);
}

/* ---- texts ---- */

static uint32_t character(const struct python_text *t, size_t i)
{
	uint32_t c = 0;

	memcpy(&c, t->text + i * t->kind, t->kind);
	return c;
}

static void put_text(struct buf *out, const struct python_text *t)
{
	size_t nr = t->kind ? MIN(t->size, sizeof(t->text)) / t->kind : 0;

	for (size_t i = 0; i < nr; i++) {
		uint32_t c = character(t, i);

		if (c)
			utf8_put(out, c);
	}
}

/* "Class.method (file.py)" */
static void put_name(struct buf *out, const struct python_code *c, const char *file)
{
	const char *base = strrchr(file, '/');

	put_text(out, &c->name);
	buf_printf(out, " (%s)", base && base[1] ? base + 1 : file);
}

/* ---- the table ---- */

static void put_u32(struct buf *out, uint32_t v)
{
	buf_put(out, &v, sizeof(v));
}

static void put_u64(struct buf *out, uint64_t v)
{
	buf_put(out, &v, sizeof(v));
}

static void put_header(struct buf *out)
{
	const uint32_t head[] = { JIT_MAGIC, 1, 40, 0, 0, 0 };

	buf_put(out, head, sizeof(head));
	put_u64(out, 0);
	put_u64(out, 0);
}

static void put_record(struct buf *out, uint32_t id, const struct buf *body)
{
	put_u32(out, id);
	put_u32(out, (uint32_t)(16 + body->len));
	put_u64(out, 0);
	buf_put(out, body->data, body->len);
}

/* Writes the lines of a code object. Their addresses are offsets from its first instruction. */
static void put_lines(struct buf *out, const struct python_code *c, const char *file)
{
	struct lines lines = {0};
	struct buf body = {0};

	read_lines(c, &lines);
	put_u64(&body, 0);
	put_u64(&body, lines.list.nr);
	vec_for(l, &lines.list) {
		static const char previous[] = { (char)FIRST_PREVIOUS, '\0' };

		put_u64(&body, l->at);
		put_u32(&body, l->line);
		put_u32(&body, 0);
		if (l == lines.list.v)
			buf_put(&body, file, strlen(file) + 1);
		else
			buf_put(&body, previous, sizeof(previous));
	}
	if (lines.list.nr)
		put_record(out, JIT_LINES, &body);
	buf_release(&body);
	vec_free(&lines.list);
}

/* Adds a code object to the table, and returns its address. Its code bytes are not needed, and are written as zeros. */
static uint64_t put_code(struct python_codes *c, const struct python_code *code)
{
	struct buf file = {0}, body = {0};
	uint64_t base;

	if (!c->table.len)
		put_header(&c->table);
	put_text(&file, &code->file);
	put_lines(&c->table, code, buf_str(&file));
	put_u64(&body, 0);		/* process, thread */
	put_u64(&body, 0);
	put_u64(&body, 0);
	put_u64(&body, code->size);
	put_u64(&body, c->texts.nr);
	put_name(&body, code, buf_str(&file));
	buf_put(&body, "", 1);
	base = c->table.len + 16 + body.len;
	memset(buf_room(&body, code->size), 0, code->size);
	body.len += code->size;
	put_record(&c->table, JIT_LOAD, &body);
	buf_release(&body);
	buf_release(&file);
	return PYTHON_BASE + base;
}

static uint64_t place_of(struct python_codes *c, const struct python_code *code)
{
	const uint8_t *p = (const uint8_t *)code;
	size_t from = offsetof(struct python_code, first), n = offsetof(struct python_code, lines) + code->lines_size - from;
	struct known_text text = { .hash = { hash_bytes(p + from, n), hash_bytes(p + from + 1, n - 1) } };

	index_for(pos, &c->by_text, text.hash[0])
		if (!memcmp(c->texts.v[pos].hash, text.hash, sizeof(text.hash)))
			return c->texts.v[pos].base;
	text.base = put_code(c, code);
	index_add(&c->by_text, text.hash[0], (uint32_t)c->texts.nr);
	vec_push(&c->texts, text);
	return text.base;
}

/* Clears the bytes after the end of a text, which are left from another text. Returns false if the text is invalid. */
static bool tidy_text(struct python_text *t)
{
	if (!t->size || t->size > sizeof(t->text) || (t->kind != 1 && t->kind != 2 && t->kind != 4))
		return false;
	memset(t->text + t->size, 0, sizeof(t->text) - t->size);
	return true;
}

void python_codes_add(struct python_codes *c, const struct python_code *record, size_t size)
{
	struct python_code code;
	struct known_code known;

	if (size < offsetof(struct python_code, lines) || c->list.nr >= INDEX_OTHER)
		return;
	memcpy(&code, record, MIN(size, sizeof(code)));
	if (code.lines_size > size - offsetof(struct python_code, lines) || !code.size || code.size > TABLE_MAX ||
	    c->table.len + code.size > TABLE_MAX || !tidy_text(&code.name) || !tidy_text(&code.file))
		return;
	known = (struct known_code){ code.code, code.print, place_of(c, &code), code.pid, code.size };
	index_add(&c->by_code, hash_pair(code.code, code.print), (uint32_t)c->list.nr);
	vec_push(&c->list, known);
}

/* The address is between the two bytes of the instruction, so that the byte before it belongs to the same instruction. */
uint64_t python_codes_find(const struct python_codes *c, uint32_t pid, uint64_t code, uint64_t print, uint32_t at)
{
	uint64_t h = hash_pair(code, print);

	index_for(pos, &c->by_code, h) {
		const struct known_code *k = &c->list.v[pos];

		if (k->pid == pid && k->code == code && k->print == print)
			return at < k->size ? k->base + (at & ~1u) + 1 : 0;
	}
	return 0;
}

void python_codes_release(struct python_codes *c)
{
	vec_free(&c->list);
	vec_free(&c->texts);
	index_release(&c->by_code);
	index_release(&c->by_text);
	buf_release(&c->table);
}
