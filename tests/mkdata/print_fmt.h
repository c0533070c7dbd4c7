/*
 * The functions in the `print fmt` of tracepoints, as the kernel defines them, so that a C compiler can evaluate a format:
 * test_tracepoint_formats.sh makes a function of each format and includes this before them.
 *
 * Kernel: include/trace/stages/stage3_trace_output.h, kernel/trace/trace_output.c, lib/vsprintf.c.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8, __u8; typedef uint16_t u16, __u16; typedef uint32_t u32, __u32; typedef uint64_t u64, __u64;
typedef int8_t s8, __s8; typedef int16_t s16, __s16; typedef int32_t s32, __s32; typedef int64_t s64, __s64;
typedef unsigned int gfp_t, uint, __kernel_uid32_t;
typedef long loff_t, ssize_t, off_t;
typedef unsigned long ulong, sector_t, ino_t;
typedef unsigned int dev_t; typedef int __kernel_rwf_t; typedef int pid_t; typedef unsigned short umode_t;

/* Formats lack the address of the kernel's pages: a page has its frame's number here. */
struct page { char byte; };
#define vmemmap_base	0UL

#define UNKNOWN		0x5afec0de5afec0deULL	/* a constant that the format does not tell: the value of nothing */

static char pool[1 << 20];		/* of one line's texts */
static size_t pool_used;
static unsigned char raw[1 << 16];	/* the hit that is printed */
extern char __executable_start, end;

struct symbol { unsigned long long value; const char *name; };

__attribute__((format(printf, 2, 3))) static void add(char *text, const char *fmt, ...)
{
	size_t used = strlen(text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text + used, 8192 - used, fmt, ap);
	va_end(ap);
}

static char *new_text(void)
{
	char *s = pool + pool_used;

	pool_used += 8192;
	if (pool_used > sizeof(pool))
		abort();
	*s = '\0';
	return s;
}

/* Number that no name is left for: at the width of the expression, where the kernel extends its sign. */
static unsigned long long at_width(unsigned long long v, size_t size)
{
	return size < 8 ? v & ((1ull << 8 * size) - 1) : v;
}

static char *flags_text(unsigned long long v, size_t size, const char *delim, const struct symbol *s)
{
	char *text = new_text();

	v = at_width(v, size);
	for (; s->name && v; s++) {
		if (!s->value || s->value == UNKNOWN || (v & s->value) != s->value)
			continue;
		add(text, "%s%s", *text ? delim : "", s->name);
		v &= ~s->value;
	}
	if (v)
		add(text, "%s0x%llx", *text ? delim : "", v);
	return text;
}

static char *symbol_text(unsigned long long v, size_t size, const struct symbol *s)
{
	char *text = new_text();

	for (; s->name; s++)
		if (s->value == v && v != UNKNOWN) {
			add(text, "%s", s->name);
			return text;
		}
	add(text, "0x%llx", at_width(v, size));
	return text;
}

static char *hex_text(const void *bytes, long n, const char *between)
{
	char *text = new_text();

	for (long i = 0; i < n && i < 2048; i++)
		add(text, "%s%02x", i ? between : "", ((const uint8_t *)bytes)[i]);
	return text;
}

static char *array_text(const void *elements, long n, size_t size)
{
	char *text = new_text();

	add(text, "{");
	for (long i = 0; i < n && i < 512; i++) {
		uint64_t v = 0;

		memcpy(&v, (const char *)elements + (size_t)i * size, size);
		add(text, "%s0x%llx", i ? "," : "", (unsigned long long)v);
	}
	add(text, "}");
	return text;
}

static char *bits_text(const uint8_t *bytes, unsigned nr)
{
	char *text = new_text();

	for (unsigned i = 0, from; i < nr; i++) {
		for (from = i; i < nr && bytes[i / 8] >> i % 8 & 1; i++)
			;
		if (i > from)
			add(text, "%s%u", *text ? "," : "", from);
		if (i > from + 1)
			add(text, "-%u", i - 1);
	}
	return text;
}

#define __print_flags(v, delim, ...) \
	flags_text((unsigned long long)(v), sizeof(v), delim, (struct symbol[]){ __VA_ARGS__, { 0, NULL } })
#define __print_flags_u64 __print_flags
#define __print_symbolic(v, ...) symbol_text((unsigned long long)(v), sizeof(v), (struct symbol[]){ __VA_ARGS__, { 0, NULL } })
#define __print_symbolic_u64 __print_symbolic
#define __print_hex(p, n) hex_text(p, n, " ")
#define __print_hex_str(p, n) hex_text(p, n, "")
#define __print_array(p, n, size) array_text(p, n, size)
#define __get_dynamic_array(f) ((void *)(raw + (REC->f & 0xffff)))
#define __get_dynamic_array_len(f) (REC->f >> 16)
#define __get_str(f) ((char *)__get_dynamic_array(f))
#define __get_sockaddr(f) __get_dynamic_array(f)
#define __get_rel_dynamic_array(f) ((void *)((const uint8_t *)(&REC->f + 1) + (REC->f & 0xffff)))
#define __get_rel_dynamic_array_len(f) (REC->f >> 16)
#define __get_rel_str(f) ((char *)__get_rel_dynamic_array(f))
#define __get_cpumask(f) bits_text(__get_dynamic_array(f), 8 * (REC->f >> 16))
#define __get_rel_cpumask(f) bits_text(__get_rel_dynamic_array(f), 8 * (REC->f >> 16))
#define __builtin_expect(x, likely) (x)

/* Prints the target of a %p with letters; false: unknown letters. */
static bool put_pointed(char *line, const char *letters, const uint8_t *p, int width)
{
	if (letters[0] == 'U')
		for (int i = 0; i < 16; i++)
			add(line, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", p[i]);
	else if (letters[0] == 'b' && letters[1] == 'l')
		add(line, "%s", bits_text(p, (unsigned)width));
	else if (strchr("sSfFB", letters[0]))
		add(line, "0x%llx", (unsigned long long)(uintptr_t)p);	/* of made-up addresses, which are no function's */
	else
		return false;
	return true;
}

/* A %s of an address that is not ours is a string of the kernel's. */
static bool is_text(const char *s)
{
	return (s >= &__executable_start && s < &end) || (s >= (char *)raw && s < (char *)raw + sizeof(raw));
}

static const char *letters_end(const char *f)
{
	if (!*f || !strchr("UsSFfBbIMmhEdDtgNVCR", *f))
		return f;
	for (f++; *f == 'l' || *f == 'S' || *f == 'p' || *f == 'c' || (*f >= '0' && *f <= '9'); f++)
		;
	return f;
}

static void print_line(const char *event, const char *f, ...)
{
	char line[8192] = "", spec[64];
	va_list ap;

	va_start(ap, f);
	while (*f) {
		const char *start = f++;
		int width = 0, longs = 0;

		if (*start != '%' || *f == '%') {
			add(line, "%c", *start);
			f += *start == '%';
			continue;
		}
		for (; strchr("-+# 0123456789.*", *f); f++)
			if (*f == '*')
				width = va_arg(ap, int);
		for (; strchr("hlqjzL", *f); f++)
			longs += *f != 'h';
		snprintf(spec, sizeof(spec), "%.*s", (int)(f + 1 - start), start);
		if (*f == 'p' && letters_end(f + 1) > f + 1) {
			if (!put_pointed(line, f + 1, va_arg(ap, void *), width))
				return;
			f = letters_end(f + 1) - 1;
		} else if (*f == 'p') {
			add(line, "%p", va_arg(ap, void *));
		} else if (*f == 's') {
			const char *s = va_arg(ap, const char *);

			if (is_text(s))
				add(line, spec, s);
			else
				add(line, "%llx", (unsigned long long)(uintptr_t)s);
		} else if (strchr(spec, '*')) {
			longs ? add(line, spec, width, va_arg(ap, long long)) : add(line, spec, width, va_arg(ap, int));
		} else {
			longs ? add(line, spec, va_arg(ap, long long)) : add(line, spec, va_arg(ap, int));
		}
		f++;
	}
	va_end(ap);
	printf("%s: %s\n", event, line);
	pool_used = 0;
}

/* The hits of mktrace -r: of each format as many, one after the other. */
static bool next_hit(void)
{
	uint32_t size;

	memset(raw, 0, sizeof(raw));
	return fread(&size, sizeof(size), 1, stdin) == 1 && size <= sizeof(raw) && fread(raw, 1, size, stdin) == size;
}
