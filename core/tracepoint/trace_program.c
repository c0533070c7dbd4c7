/*
 * Compiles the `print fmt` of a tracepoint's format file, and prints the tracepoint's records with the result (trace_program.h).
 * For speed, it prints most numbers and texts without snprintf().
 */
#include "core/tracepoint/trace_program.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/digits.h"
#include "core/base/printable.h"
#include "core/tracepoint/trace_parse.h"

#define SPEC_MAX 32		/* maximum length of a conversion's flags, width and precision */

/*
 * Most conversions are a plain %d, %u, %x or %s, without flags, width or precision, and are printed without snprintf(). The others
 * are printed by snprintf(), with a format that is made once when the `print fmt` is compiled.
 */
enum piece_kind { PIECE_PLAIN_INT, PIECE_PLAIN_DEC, PIECE_PLAIN_HEX, PIECE_PLAIN_STRING, PIECE_NUMBER, PIECE_STRING,
		  PIECE_POINTER, PIECE_TEXT };

struct piece {
	enum piece_kind kind;
	bool is_signed;		/* d, i */
	uint8_t size;		/* bytes of the number as printf would take it; 0: a long of the recording machine */
	char *before;		/* owned: the text before the conversion, padded to a multiple of BUF_STEP */
	uint32_t len;		/* length of that text; a PIECE_TEXT has only this text */
	char *fmt;		/* owned. NUMBER, STRING: the format for snprintf(); POINTER: the letters after %p */
	/* A value at a fixed offset has .load bytes at .at. If .load is 0, the value must be computed. */
	uint8_t load;
	bool load_signed;
	uint32_t at;
	struct expr *width, *precision;	/* owned; from arguments (*), NULL: none */
	struct expr *value;		/* owned */
};

struct trace_program {
	VEC(struct piece) pieces;
};

/* ---- compiling ---- */

static void release_piece(struct piece *p)
{
	expr_free(p->width);
	expr_free(p->precision);
	expr_free(p->value);
	free(p->before);
	free(p->fmt);
}

static void free_program(struct trace_program *p)
{
	vec_for(piece, &p->pieces)
		release_piece(piece);
	vec_free(&p->pieces);
	free(p);
}

void trace_event_forget_program(struct trace_event *ev)
{
	if (ev->program)
		free_program(ev->program);
	ev->program = NULL;
}

/* Parses the next argument after the format. */
static struct expr *argument(struct expr_parser *p)
{
	if (!expr_accept(p, ','))
		p->bad = true;
	return expr_parse(p);
}

static const char *parse_length(const char *f, struct piece *out)
{
	out->size = 4;
	for (; *f && strchr("hlLqzjtZ", *f); f++) {
		if (*f == 'h')
			out->size = out->size == 2 ? 1 : 2;
		else if (*f == 'l')
			out->size = out->size == 0 ? 8 : 0;
		else if (*f == 'L' || *f == 'q' || *f == 'j')
			out->size = 8;
		else
			out->size = 0;
	}
	return f;
}

/* The letters after %p that belong to it: "S", "I4", "ISpc", "U". */
static size_t pointer_letters(const char *f)
{
	size_t n = 0;

	if (!*f || !strchr("SsFfBMmIiUhKbEVDdNaeGgOtR", *f))
		return 0;
	n = 1;
	if (*f == 'I' || *f == 'i')
		while (isalnum((unsigned char)f[n]))
			n++;
	else if (strchr("MmUhb", *f) && f[n] && strchr("RFbBlLCDN", f[n]))
		n++;
	return n;
}

static enum piece_kind kind_of(char conv, bool plain)
{
	switch (conv) {
	case 'p':
		return PIECE_POINTER;
	case 's':
		return plain ? PIECE_PLAIN_STRING : PIECE_STRING;
	case 'd':
	case 'i':
		return plain ? PIECE_PLAIN_INT : PIECE_NUMBER;
	case 'u':
		return plain ? PIECE_PLAIN_DEC : PIECE_NUMBER;
	case 'x':
		return plain ? PIECE_PLAIN_HEX : PIECE_NUMBER;
	default:
		return PIECE_NUMBER;
	}
}

/* Parses one conversion, whose '%' is before @f. Returns where it ends, or NULL if prec does not support it. */
static const char *parse_conversion(struct piece *out, const char *f, struct expr_parser *args)
{
	const char *spec = f;
	char fmt[SPEC_MAX + 8], conv;
	size_t n;

	while (*f && strchr("-+ #0", *f))
		f++;
	if (*f == '*')
		out->width = argument(args), f++;
	while (isdigit((unsigned char)*f))
		f++;
	if (*f == '.') {
		f++;
		if (*f == '*')
			out->precision = argument(args), f++;
		while (isdigit((unsigned char)*f))
			f++;
	}
	n = (size_t)(f - spec);
	f = parse_length(f, out);
	conv = *f;
	if (!*f || !strchr("diuxXocsp", *f) || n > SPEC_MAX)
		return NULL;
	f++;
	out->kind = kind_of(conv, !n);
	out->is_signed = conv == 'd' || conv == 'i';
	out->value = argument(args);
	if (out->kind == PIECE_POINTER) {
		size_t letters = pointer_letters(f);

		out->fmt = xstrndup(f, letters);
		return f + letters;
	}
	snprintf(fmt, sizeof(fmt), "%%%.*s%s%c", (int)n, spec, strchr("sc", conv) ? "" : "ll", conv);
	out->fmt = xstrdup(fmt);
	return f;
}

/* Finds the offset of a value that is a plain field, or an element of a field with a constant index. */
static void find_place(struct piece *p)
{
	const struct expr *e = p->value;
	const struct trace_field *f = e->field;
	uint64_t index = e->kind == EXPR_ELEMENT && e->a->kind == EXPR_NUMBER ? e->a->number : 0;
	uint32_t size = f ? f->element_size : 0;

	if (!f || f->location != TRACE_INLINE || !(size == 1 || size == 2 || size == 4 || size == 8))
		return;
	if (e->kind == EXPR_ELEMENT ? e->a->kind != EXPR_NUMBER || index >= f->size / size : e->kind != EXPR_FIELD)
		return;
	p->at = f->offset + (uint32_t)index * size;
	p->load = (uint8_t)size;
	p->load_signed = f->is_signed;
}

/* Parses the text up to the next conversion. Returns where the conversion is. */
static const char *parse_text(struct piece *out, const char *f)
{
	struct buf text = {0};

	for (; *f && (*f != '%' || f[1] == '%'); f++) {
		buf_putc(&text, *f);
		f += *f == '%';
	}
	out->len = (uint32_t)text.len;
	out->before = xcalloc(1, round_up(text.len + 1, BUF_STEP));
	if (text.len)
		memcpy(out->before, text.data, text.len);
	buf_release(&text);
	return f;
}

/* Returns false if a conversion is unknown. */
static bool compile_format(struct trace_program *p, const char *f, struct expr_parser *args)
{
	while (f && *f) {
		struct piece piece = { .kind = PIECE_TEXT };

		f = parse_text(&piece, f);
		if (*f)
			f = parse_conversion(&piece, f + 1, args);
		if (f && !args->bad && piece.value && !expr_is_text(piece.value))
			find_place(&piece);
		vec_push(&p->pieces, piece);
	}
	return f;
}

int trace_event_compile(struct trace_event *ev)
{
	struct trace_program *p = xcalloc(1, sizeof(*p));
	struct expr_parser args = { .at = ev->print_fmt ? ev->print_fmt : "", .event = ev };
	char *fmt = expr_parse_string(&args);
	bool ok = fmt && compile_format(p, fmt, &args);

	/* The rest must be empty, or the arguments were misread. */
	while (ok && !args.bad && expr_accept(&args, ','))
		expr_free(expr_parse(&args));
	ok = ok && !args.bad && !*args.at;
	free(fmt);
	trace_event_forget_program(ev);
	if (ok)
		ev->program = p;
	else
		free_program(p);
	return ok ? 0 : -ENOTSUP;
}

/* ---- running ---- */

static inline uint64_t value_of(const struct piece *p, const struct trace_data *d)
{
	if (p->load && p->at < d->size && d->size - p->at >= p->load)
		return trace_number(d, d->bytes + p->at, p->load, p->load_signed);
	return expr_number(p->value, d);
}

/* Truncates the value to the bits that printf would take from the argument list. */
static inline uint64_t narrowed(const struct piece *p, const struct trace_data *d)
{
	unsigned unused = 64 - 8 * (unsigned)(p->size ? p->size : d->long_size);
	uint64_t v = value_of(p, d) << unused;

	return p->is_signed ? (uint64_t)((int64_t)v >> unused) : v >> unused;
}

/* Calls snprintf with the format of the piece. Its widths come from a format file, so they are bounded here. */
static void formatted(struct buf *out, const struct piece *p, const struct trace_data *d, uint64_t v, const char *s)
{
	int stars[2], nr = 0, n;
	size_t room = 4096;
	char *to = buf_room(out, room);

	if (p->width)
		stars[nr++] = (int)MIN(MAX((int64_t)expr_number(p->width, d), -1000), 1000);
	if (p->precision)
		stars[nr++] = (int)MIN(MAX((int64_t)expr_number(p->precision, d), -1), 1000);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
	if (nr == 2)
		n = s ? snprintf(to, room, p->fmt, stars[0], stars[1], s) :
			snprintf(to, room, p->fmt, stars[0], stars[1], (unsigned long long)v);
	else if (nr == 1)
		n = s ? snprintf(to, room, p->fmt, stars[0], s) : snprintf(to, room, p->fmt, stars[0], (unsigned long long)v);
	else
		n = s ? snprintf(to, room, p->fmt, s) : snprintf(to, room, p->fmt, (unsigned long long)v);
#pragma GCC diagnostic pop
	if (n > 0)
		out->len += MIN((size_t)n, room - 1);
}

static void print_number(const struct piece *p, const struct trace_data *d, struct buf *out)
{
	uint64_t v = narrowed(p, d);

	if (str_eq(p->fmt, "%c"))
		buf_putc(out, (char)v);
	else
		formatted(out, p, d, v, NULL);
}

static void print_string(const struct piece *p, const struct trace_data *d, const struct trace_names *names, struct buf *out)
{
	struct buf text = {0};

	expr_text(p->value, d, names, SIZE_MAX, &text);
	formatted(out, p, d, 0, buf_str(&text));
	buf_release(&text);
}

static void print_function(uint64_t addr, bool with_offset, const struct trace_names *names, struct buf *out)
{
	uint64_t offset = 0;
	const char *name = names && names->function ? names->function(names->ctx, addr, &offset) : NULL;

	if (!name) {
		buf_puts(out, "0x");
		buf_hex(out, addr, 0);
		return;
	}
	buf_puts(out, name);
	if (with_offset) {
		buf_puts(out, "+0x");
		buf_hex(out, offset, 0);
	}
}

static void print_ip4(const uint8_t *p, bool leading_zeros, struct buf *out)
{
	for (int i = 0; i < 4; i++) {
		if (i)
			buf_putc(out, '.');
		if (leading_zeros)
			buf_dec0(out, p[i], 3);
		else
			buf_dec(out, p[i], 0);
	}
}

/* RFC 5952: the longest run of zero groups is "::". */
static void print_ip6_short(const uint8_t *p, struct buf *out)
{
	int best = -1, best_nr = 1, at;

	for (int i = 0, nr; i < 8; i += nr ? nr : 1) {
		for (nr = 0; i + nr < 8 && !p[2 * (i + nr)] && !p[2 * (i + nr) + 1];)
			nr++;
		if (nr > best_nr) {
			best = i;
			best_nr = nr;
		}
	}
	for (at = 0; at < 8; at++) {
		if (at == best) {
			buf_puts(out, at ? ":" : "::");
			at += best_nr - 1;
			continue;
		}
		buf_hex(out, (uint64_t)p[2 * at] << 8 | p[2 * at + 1], 0);
		if (at < 7)
			buf_putc(out, ':');
	}
}

static void print_ip6(const uint8_t *p, const char *letters, struct buf *out)
{
	if (strchr(letters, 'c')) {
		print_ip6_short(p, out);
		return;
	}
	for (int i = 0; i < 16; i++) {
		if (i && i % 2 == 0 && letters[0] == 'I')
			buf_putc(out, ':');
		buf_hex0(out, p[i], 2);
	}
}

/* A struct sockaddr: family in host order, then the port and address in the network's (RFC 791, 8200). */
static void print_sockaddr(const uint8_t *p, uint32_t size, const struct trace_data *d, const char *letters, struct buf *out)
{
	uint64_t family = size >= 2 ? trace_number(d, p, 2, false) : 0;
	bool port = strchr(letters, 'p');

	if (family == 2 && size >= 8) {
		print_ip4(p + 4, false, out);
	} else if (family == 10 && size >= 24) {
		if (port)
			buf_putc(out, '[');
		print_ip6(p + 8, letters, out);
		if (port)
			buf_putc(out, ']');
	} else {
		return;
	}
	if (port) {
		buf_putc(out, ':');
		buf_dec(out, (uint64_t)p[2] << 8 | p[3], 0);
	}
}

static void print_mac(const uint8_t *p, char form, struct buf *out)
{
	for (int i = 0; i < 6; i++) {
		if (i && form == 'M')
			buf_putc(out, ':');
		buf_hex0(out, p[i], 2);
	}
}

/* b, B: big endian; l, L: little endian; capital letters for capital digits (kernel's printk-formats.rst). */
static void print_uuid(const uint8_t *p, char form, struct buf *out)
{
	static const uint8_t big[16] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
	static const uint8_t little[16] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
	const uint8_t *order = form == 'l' || form == 'L' ? little : big;
	size_t start = out->len;

	for (int i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			buf_putc(out, '-');
		buf_hex0(out, p[order[i]], 2);
	}
	for (size_t i = start; isupper((unsigned char)form) && i < out->len; i++)
		out->data[i] = (char)toupper((unsigned char)out->data[i]);
}

/* %p with letters prints the target of a pointer, which the record has instead of the pointer. */
static void print_pointed(const struct piece *p, const struct trace_data *d, struct buf *out)
{
	static const uint8_t zeros[16];
	const char *letters = p->fmt;
	uint32_t size;
	const uint8_t *bytes = expr_bytes(p->value, d, &size);
	bool ip = letters[0] == 'I' || letters[0] == 'i';
	uint32_t need = letters[0] == 'U' || (ip && letters[1] == '6') ? 16 : ip && letters[1] == '4' ? 4 : 6;

	if (ip && letters[1] == 'S') {
		print_sockaddr(bytes ? bytes : zeros, bytes ? size : 0, d, letters, out);
		return;
	}
	if (!bytes || size < need)
		bytes = zeros;
	if (letters[0] == 'U')
		print_uuid(bytes, letters[1], out);
	else if (letters[0] == 'M' || letters[0] == 'm')
		print_mac(bytes, letters[0], out);
	else if (letters[1] == '6')
		print_ip6(bytes, letters, out);
	else
		print_ip4(bytes, letters[0] == 'i', out);
}

static void print_bitmap_list(const struct piece *p, const struct trace_data *d, struct buf *out)
{
	uint32_t size;
	const uint8_t *bytes = expr_bytes(p->value, d, &size);

	expr_bits_text(bytes, MIN(p->width ? expr_number(p->width, d) : 0, 8ull * size), out);
}

static void print_address(uint64_t addr, struct buf *out)
{
	if (!addr) {
		buf_puts(out, "(nil)");
		return;
	}
	buf_puts(out, "0x");
	buf_hex(out, addr, 0);
}

static void print_pointer(const struct piece *p, const struct trace_data *d, const struct trace_names *names, struct buf *out)
{
	switch (p->fmt[0]) {
	case 'S':
	case 'F':
	case 'B':
		print_function(value_of(p, d), true, names, out);
		break;
	case 's':
	case 'f':
		print_function(value_of(p, d), false, names, out);
		break;
	case 'I':
	case 'i':
	case 'M':
	case 'm':
	case 'U':
		print_pointed(p, d, out);
		break;
	case 'b':
		print_bitmap_list(p, d, out);
		break;
	default:
		print_address(value_of(p, d), out);
	}
}

/* Writes the text before the conversion, with room for a number's digits after it. Returns where these belong. */
static inline char *print_before(const struct piece *p, struct buf *out)
{
	char *to = buf_room(out, p->len + BUF_STEP + DIGITS_ROOM);

	for (uint32_t i = 0; i < p->len; i += BUF_STEP)
		memcpy(to + i, p->before + i, BUF_STEP);
	return to + p->len;
}

static inline char *plain_number(enum piece_kind kind, char *to, uint64_t v)
{
	if (kind == PIECE_PLAIN_HEX)
		return digits_hex(to, v);
	return kind == PIECE_PLAIN_INT ? digits_int(to, (int64_t)v) : digits_dec(to, v);
}

static void print_piece(const struct piece *p, const struct trace_data *d, const struct trace_names *names, struct buf *out)
{
	char *to = print_before(p, out);

	if (p->kind <= PIECE_PLAIN_HEX)
		to = plain_number(p->kind, to, narrowed(p, d));
	out->len = (size_t)(to - out->data);
	if (p->kind == PIECE_PLAIN_STRING)
		expr_text(p->value, d, names, SIZE_MAX, out);
	else if (p->kind == PIECE_POINTER)
		print_pointer(p, d, names, out);
	else if (p->kind == PIECE_NUMBER)
		print_number(p, d, out);
	else if (p->kind == PIECE_STRING)
		print_string(p, d, names, out);
}

/* ---- without a program ---- */

#define KEPT	"\n\t"	/* control characters that messages of the kernel have */

static bool printable(const uint8_t *p, uint32_t size)
{
	uint32_t i = 0;

	while (i < size && p[i] && (isprint(p[i]) || isspace(p[i])))
		i++;
	return i == size || (i && !p[i]) || !p[0];
}

void trace_field_print(const struct trace_field *f, const struct trace_data *d, struct buf *out)
{
	uint32_t size;
	const uint8_t *p = trace_field_bytes(d, f, &size);

	if (f->is_array && f->is_string && p && printable(p, size)) {
		size_t from = out->len;

		buf_put(out, p, strnlen((const char *)p, size));
		buf_escape_from(out, from, KEPT);
		return;
	}
	if (f->is_array) {
		buf_puts(out, "ARRAY[");
		for (uint32_t i = 0; p && i < size; i++) {
			if (i)
				buf_puts(out, ", ");
			buf_hex0(out, p[i], 2);
		}
		buf_putc(out, ']');
		return;
	}
	if (f->is_pointer || (f->is_long && !f->is_signed)) {
		buf_puts(out, "0x");
		buf_hex(out, trace_field_number(d, f), 0);
	} else if (f->is_signed) {
		buf_int(out, (int64_t)trace_field_number(d, f), 0);
	} else {
		buf_dec(out, trace_field_number(d, f), 0);
	}
}

void trace_fields_print(const struct trace_event *ev, const struct trace_data *d, struct buf *out)
{
	for (size_t i = ev->nr_common; i < ev->fields.nr; i++) {
		if (i > ev->nr_common)
			buf_putc(out, ' ');
		buf_puts(out, ev->fields.v[i].name);
		buf_putc(out, '=');
		trace_field_print(&ev->fields.v[i], d, out);
	}
}

void trace_event_print(const struct trace_event *ev, const struct trace_data *d, const struct trace_names *names, struct buf *out)
{
	size_t from = out->len;

	if (!ev->program) {
		buf_puts(out, "[FAILED TO PARSE] ");
		trace_fields_print(ev, d, out);
		return;
	}
	vec_for(p, &ev->program->pieces)
		print_piece(p, d, names, out);
	buf_escape_from(out, from, KEPT);
}
