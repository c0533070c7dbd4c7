/*
 * Demangles symbols of Rust's legacy scheme that have a character in the form "$u<hex>$", because libiberty mistakes some of them
 * for C++. demangle.c passes all other Rust symbols to libiberty.
 */
#include "core/binary/demangle.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/utf8.h"
#include "core/base/util.h"

#define HASH_SIZE	17u	/* "h" and 16 digits */

static const struct { const char *code; char is; } codes[] = {
	{ "SP", '@' }, { "BP", '*' }, { "RF", '&' }, { "LT", '<' }, { "GT", '>' }, { "LP", '(' }, { "RP", ')' }, { "C", ',' },
};

/* Writes the character whose code is between two "$". */
static bool put_code(struct buf *out, const char *code, size_t n)
{
	uint32_t character = 0;

	for (size_t i = 0; i < ARRAY_SIZE(codes); i++) {
		if (strlen(codes[i].code) == n && !memcmp(codes[i].code, code, n)) {
			buf_putc(out, codes[i].is);
			return true;
		}
	}
	if (n < 2 || n > 7 || code[0] != 'u' || strspn(code + 1, "0123456789abcdef") < n - 1)
		return false;
	character = (uint32_t)strtoul(code + 1, NULL, 16);
	if (character < 0x20 || character == 0x7f || character >= 0x110000 || (character >= 0xd800 && character < 0xe000))
		return false;
	utf8_put(out, character);
	return true;
}

static bool put_part(struct buf *out, const char *part, size_t n)
{
	const char *end = part + n, *close;

	if (n > 1 && part[0] == '_' && part[1] == '$')
		part++;
	while (part < end) {
		if (part[0] == '.' && part + 1 < end && part[1] == '.') {
			buf_puts(out, "::");
			part += 2;
		} else if (*part != '$') {
			buf_putc(out, *part++);
		} else {
			close = memchr(part + 1, '$', (size_t)(end - part - 1));
			if (!close || !put_code(out, part + 1, (size_t)(close - part - 1)))
				return false;
			part = close + 1;
		}
	}
	return true;
}

static bool is_hash(const char *part, size_t n)
{
	return n == HASH_SIZE && part[0] == 'h' && strspn(part + 1, "0123456789abcdef") >= HASH_SIZE - 1;
}

bool demangle_is_old_rust(const char *name)
{
	return str_starts(name, "_ZN") && strstr(name, "$u") && strstr(name, "17h");
}

/*
 * A mangled name is "_ZN", each part of the path after its length, a hash as the last part, and "E". In a part, codes such as
 * "$LT$" stand for punctuation, here "<". libiberty takes such a name for a C++ name if a character "$u<hex>$" is not ASCII.
 * Source: Rust, rustc_symbol_mangling/src/legacy.rs.
 */
char *demangle_old_rust(const char *name)
{
	struct buf out = {0};
	const char *at = name + strlen("_ZN");
	bool ok = true, hash = false;

	while (ok && isdigit((unsigned char)*at)) {
		char *part;
		size_t n = strtoul(at, &part, 10);

		ok = !hash && n && n <= strlen(part);
		hash = ok && is_hash(part, n);
		if (ok && !hash) {
			if (out.len)
				buf_puts(&out, "::");
			ok = put_part(&out, part, n);
		}
		at = ok ? part + n : at;
	}
	ok = ok && hash && out.len && at[0] == 'E' && (!at[1] || at[1] == '.');
	name = ok ? xstrdup(buf_str(&out)) : NULL;
	buf_release(&out);
	return (char *)(uintptr_t)name;
}
