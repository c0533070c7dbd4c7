/*
 * Reads and writes the feature section TRACING_DATA of perf.data, which has the format files of tracepoints. tracepoint.c parses
 * a format file.
 */
#include "core/tracepoint/tracing_data.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/wire.h"
#include "core/tracepoint/trace_program.h"

#define MAGIC_SIZE 10

static const uint8_t magic[MAGIC_SIZE] = { 0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g' };

/* Swaps the number here, because a wire would swap it in the section, which must not change. */
static uint64_t number64(struct wire *w, bool swap)
{
	uint64_t v;

	wire_u64(w, &v);
	return swap ? __builtin_bswap64(v) : v;
}

static uint32_t number32(struct wire *w, bool swap)
{
	uint32_t v;

	wire_u32(w, &v);
	return swap ? __builtin_bswap32(v) : v;
}

/* Reads a name with its NUL; "" and w->bad if there is no NUL. */
static const char *name(struct wire *w)
{
	size_t left = wire_left(w), n = strnlen((const char *)w->pos, left);
	const void *p;

	if (n == left) {
		w->bad = true;
		return "";
	}
	wire_bytes(w, &p, n + 1);
	return p;
}

static void read_named(struct wire *w, const char *expected, bool swap, struct trace_text *out)
{
	const void *p;
	uint64_t size;

	if (!str_eq(name(w), expected)) {
		w->bad = true;
		return;
	}
	size = number64(w, swap);
	wire_bytes(w, &p, size);
	if (p)
		*out = (struct trace_text){ .text = p, .size = size };
}

static void add_event(struct tracing_data *t, const char *system, const void *text, size_t size)
{
	struct trace_event *ev;

	if (trace_event_parse(&ev, system, text, size))
		return;
	trace_event_compile(ev);
	index_add(&t->by_id, hash_u64(ev->id), (uint32_t)t->events.nr);
	vec_push(&t->events, ev);
}

/* Reads a count and then this number of formats, each with its size. If @keep, also adds them to t->formats. */
static void read_formats(struct tracing_data *t, struct wire *w, const char *system, bool keep)
{
	uint32_t nr = number32(w, t->swap);

	for (uint32_t i = 0; i < nr && !w->bad; i++) {
		uint64_t size = number64(w, t->swap);
		const void *text;

		wire_bytes(w, &text, size);
		if (text)
			add_event(t, system, text, size);
		if (text && keep)
			vec_push(&t->formats, (struct trace_text){ system, text, size });
	}
}

static void read_systems(struct tracing_data *t, struct wire *w)
{
	uint32_t nr = number32(w, t->swap);

	for (uint32_t i = 0; i < nr && !w->bad; i++)
		read_formats(t, w, name(w), true);
}

/* Calls @line for each line of the @size bytes of text. */
static void each_line(char *text, size_t size, void (*line)(struct tracing_data *, char *), struct tracing_data *t)
{
	for (char *end = text + size, *next; text < end; text = next) {
		char *nl = memchr(text, '\n', (size_t)(end - text));

		next = nl ? nl + 1 : end;
		if (nl)
			*nl = '\0';
		line(t, text);
	}
}

/*	0xffffffff82a1b2c3 : "text"	*/
static void printk_line(struct tracing_data *t, char *s)
{
	char *end, *from, *to;
	uint64_t addr = strtoull(s, &end, 16);

	from = strchr(end, '"');
	to = from ? strrchr(from, '"') : NULL;
	if (end == s || !from || to == from)
		return;
	vec_push(&t->printk, (struct trace_string){ addr, xstrndup(from + 1, (size_t)(to - from - 1)) });
}

ORDER(by_string, struct trace_string, compare_numbers(a->addr, b->addr))

/* Skips the kernel's symbols (empty since Linux 3.19; prec has them from another source), and reads its constant strings. */
static void read_names(struct tracing_data *t, struct wire *w)
{
	const void *p;
	uint64_t size;
	char *text;

	wire_bytes(w, &p, number32(w, t->swap));
	size = number32(w, t->swap);
	wire_bytes(w, &p, size);
	if (w->bad)
		return;
	t->printk_formats = (struct trace_text){ .text = p, .size = size };
	text = xstrndup(p, size);
	each_line(text, strlen(text), printk_line, t);
	free(text);
	vec_sort(&t->printk, by_string);
}

int tracing_data_read(struct tracing_data *out, const void *section, size_t size)
{
	const uint32_t one = 1;
	struct wire w = wire_reader(section, size);
	const void *head;
	uint8_t big_endian;

	*out = (struct tracing_data){ .long_size = 8 };
	wire_bytes(&w, &head, MAGIC_SIZE);
	if (!head || memcmp(head, magic, MAGIC_SIZE))
		return -EINVAL;
	name(&w);				/* the version */
	wire_u8(&w, &big_endian);
	wire_u8(&w, &out->long_size);
	if (out->long_size != 4 && out->long_size != 8) {
		out->long_size = 8;
		return -EINVAL;
	}
	out->swap = big_endian == *(const uint8_t *)&one;
	out->page_size = number32(&w, out->swap);
	read_named(&w, "header_page", out->swap, &out->header_page);
	read_named(&w, "header_event", out->swap, &out->header_event);
	if (!w.bad)
		read_formats(out, &w, "ftrace", false);
	if (!w.bad)
		read_systems(out, &w);
	if (!w.bad)
		read_names(out, &w);
	return w.bad ? -EINVAL : 0;
}

void tracing_data_release(struct tracing_data *t)
{
	vec_for(ev, &t->events) {
		trace_event_forget_program(*ev);
		trace_event_free(*ev);
	}
	vec_for(s, &t->printk)
		free(s->text);
	vec_free(&t->events);
	vec_free(&t->printk);
	vec_free(&t->formats);
	index_release(&t->by_id);
}

const struct trace_event *tracing_data_event(const struct tracing_data *t, uint64_t id)
{
	uint64_t h = hash_u64(id);

	index_for(pos, &t->by_id, h)
		if (t->events.v[pos]->id == id)
			return t->events.v[pos];
	return NULL;
}

const char *tracing_data_string(const struct tracing_data *t, uint64_t addr)
{
	struct trace_string key = { .addr = addr };
	const struct trace_string *s;

	s = t->printk.nr ? bsearch(&key, t->printk.v, t->printk.nr, sizeof(key), by_string) : NULL;
	return s ? s->text : NULL;
}

/* ---- writing ---- */

struct writing { struct buf *out; bool swap; };

static void put32(const struct writing *w, uint32_t v)
{
	v = w->swap ? __builtin_bswap32(v) : v;
	buf_put(w->out, &v, sizeof(v));
}

static void put_text64(const struct writing *w, const char *text, uint64_t size)
{
	uint64_t v = w->swap ? __builtin_bswap64(size) : size;

	buf_put(w->out, &v, sizeof(v));
	buf_put(w->out, text, size);
}

static void put_name(const struct writing *w, const char *s)
{
	buf_put(w->out, s, strlen(s) + 1);
}

/* How many formats from @at on are of the same system. */
static size_t same_system(const struct tracing_source *s, size_t at)
{
	size_t n = 1;

	while (at + n < s->nr_formats && str_eq(s->formats[at].system, s->formats[at + n].system))
		n++;
	return n;
}

static void put_systems(const struct writing *w, const struct tracing_source *s)
{
	uint32_t nr = 0;

	for (size_t i = 0; i < s->nr_formats; i += same_system(s, i))
		nr++;
	put32(w, nr);
	for (size_t i = 0; i < s->nr_formats;) {
		size_t n = same_system(s, i);

		put_name(w, s->formats[i].system);
		put32(w, (uint32_t)n);
		for (; n; n--, i++)
			put_text64(w, s->formats[i].text, s->formats[i].size);
	}
}

void tracing_data_write(const struct tracing_source *s, struct buf *out)
{
	const struct writing w = { out, s->swap };
	const uint32_t one = 1;
	size_t printk = strlen(s->printk_formats);

	buf_put(out, magic, MAGIC_SIZE);
	put_name(&w, "0.6");
	buf_putc(out, !*(const uint8_t *)&one != s->swap);	/* 1: big endian */
	buf_putc(out, s->long_size ? s->long_size : (int)sizeof(long));
	put32(&w, s->page_size);
	put_name(&w, "header_page");
	put_text64(&w, s->header_page, strlen(s->header_page));
	put_name(&w, "header_event");
	put_text64(&w, s->header_event, strlen(s->header_event));
	put32(&w, 0);					/* formats of ftrace's own events: none of them is recorded */
	put_systems(&w, s);
	put32(&w, 0);					/* kallsyms: the kernel's symbols are found otherwise */
	put32(&w, (uint32_t)printk);
	buf_put(out, s->printk_formats, printk);
	put_text64(&w, s->saved_cmdlines, strlen(s->saved_cmdlines));
}

/* Describes the head of a page of the kernel's trace buffer. perf requires this text, although samples have no such pages. */
static const char any_header_page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				      "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				      "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
				      "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";

static char *text_of(const struct trace_text *t, const char *otherwise)
{
	return t->text ? xstrndup(t->text, t->size) : xstrdup(otherwise);
}

void tracing_data_repair(const struct tracing_data *t, const struct trace_text *more, size_t nr_more, struct buf *out)
{
	char *page = text_of(&t->header_page, any_header_page), *event = text_of(&t->header_event, "\n");
	char *printk = text_of(&t->printk_formats, "");
	VEC(struct trace_text) formats = {0};

	vec_append(&formats, &t->formats);
	for (size_t i = 0; i < nr_more; i++)
		vec_push(&formats, more[i]);
	tracing_data_write(&(struct tracing_source){
		.formats = formats.v, .nr_formats = formats.nr, .header_page = page, .header_event = event,
		.printk_formats = printk, .saved_cmdlines = "", .page_size = t->page_size ? t->page_size : 4096,
		.swap = t->swap, .long_size = t->long_size }, out);
	vec_free(&formats);
	free(page);
	free(event);
	free(printk);
}
