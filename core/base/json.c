/* Writes JSON text (RFC 8259), and escapes strings so that the text may be part of an HTML page. */
#include "core/base/json.h"

#include "core/base/utf8.h"

static void separate(struct json *j)
{
	if (j->comma)
		buf_putc(j->out, ',');
	j->comma = true;
}

void json_open(struct json *j, char bracket)
{
	separate(j);
	buf_putc(j->out, bracket);
	j->comma = false;
}

void json_close(struct json *j, char bracket)
{
	buf_putc(j->out, bracket);
	j->comma = true;
}

struct json *json_key(struct json *j, const char *name)
{
	separate(j);
	buf_json_string(j->out, name, strlen(name));
	buf_putc(j->out, ':');
	j->comma = false;
	return j;
}

static void put_code_unit(struct buf *out, uint32_t unit)
{
	buf_puts(out, "\\u");
	buf_hex0(out, unit, 4);
}

static void put_ascii(struct buf *out, uint8_t c)
{
	if (c == '"' || c == '\\') {
		buf_putc(out, '\\');
		buf_putc(out, (char)c);
	} else if (c == '\n') {
		buf_puts(out, "\\n");
	} else if (c == '\t') {
		buf_puts(out, "\\t");
	} else if (c < 0x20 || c == 0x7f || c == '<' || c == '>' || c == '&') {
		put_code_unit(out, c);
	} else {
		buf_putc(out, (char)c);
	}
}

static uint32_t code_point(const char *s, size_t length)
{
	uint32_t c = (uint8_t)s[0] & (length > 1 ? 0x7fu >> length : 0x7fu);

	for (size_t i = 1; i < length; i++)
		c = c << 6 | ((uint8_t)s[i] & 0x3f);
	return c;
}

/* True for controls and noncharacters. JSON may contain them, but an HTML page may not, and the JSON may be part of one. */
static bool is_not_of_html(uint32_t c)
{
	return c < 0xa0 || (c & 0xfffe) == 0xfffe || (c >= 0xfdd0 && c <= 0xfdef);
}

static void put_wide(struct buf *out, const char *s, size_t length)
{
	uint32_t c = code_point(s, length);

	if (!is_not_of_html(c)) {
		buf_put(out, s, length);
		return;
	}
	if (c >= 0x10000)
		put_code_unit(out, 0xd7c0 + (c >> 10));
	put_code_unit(out, c >= 0x10000 ? 0xdc00 | (c & 0x3ff) : c);
}

void buf_json_string(struct buf *out, const char *s, size_t n)
{
	buf_putc(out, '"');
	for (size_t i = 0, step; i < n; i += step) {
		step = utf8_length(s + i, n - i);
		if (step == 1)
			put_ascii(out, (uint8_t)s[i]);
		else if (step)
			put_wide(out, s + i, step);
		else
			buf_puts(out, "\\ufffd");
		step = MAX(step, 1);
	}
	buf_putc(out, '"');
}

void json_string_n(struct json *j, const char *s, size_t n)
{
	separate(j);
	buf_json_string(j->out, s, n);
}

void json_string(struct json *j, const char *s)
{
	json_string_n(j, s, strlen(s));
}

void json_u64(struct json *j, uint64_t v)
{
	separate(j);
	buf_dec(j->out, v, 0);
}

void json_i64(struct json *j, int64_t v)
{
	separate(j);
	buf_int(j->out, v, 0);
}

void json_fixed(struct json *j, double v, int digits)
{
	separate(j);
	buf_printf(j->out, "%.*f", digits, v);
}

void json_bool(struct json *j, bool v)
{
	separate(j);
	buf_puts(j->out, v ? "true" : "false");
}

void json_null(struct json *j)
{
	separate(j);
	buf_puts(j->out, "null");
}
