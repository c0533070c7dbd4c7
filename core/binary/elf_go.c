/*
 * Reads function names of Go programs from .gopclntab, a table of Go's runtime that even stripped programs have. core/model/load.c
 * calls it for files without .symtab.
 * Source: Go, src/debug/gosym/pclntab.go and src/runtime/symtab.go, versions 1.2, 1.16, 1.18 and 1.20.
 */
#include <endian.h>
#include <string.h>

#include "core/binary/elf.h"
#include "core/binary/elf_internal.h"

#define FUNCTIONS_MAX	(4u << 20)
#define HEADER_SIZE	8u	/* magic (4 bytes), 2 bytes of 0, size of the smallest instruction, size of an address */

enum { GO_1_2 = 0xfffffffb, GO_1_16 = 0xfffffffa, GO_1_18 = 0xfffffff0, GO_1_20 = 0xfffffff1 };

struct table {
	const uint8_t *bytes;
	size_t size;
	unsigned word;		/* bytes of an address */
	unsigned entry;		/* bytes of each of the two words in an entry of the list of functions */
	uint64_t text;		/* the address that addresses in entries are relative to */
	/* .nr: number of functions. The others are offsets in the section: of names, of functions' data, of the function list. */
	uint64_t nr, names, functions, list;
};

/* Files are not trusted: a number outside of the section is read as 0. */
static uint64_t number_at(const struct table *t, uint64_t at, unsigned size)
{
	uint64_t v = 0;

	if (at > t->size || t->size - at < size)
		return 0;
	memcpy(&v, t->bytes + at, size);
	return le64toh(v);
}

static uint64_t word_at(const struct table *t, unsigned number)
{
	return number_at(t, HEADER_SIZE + (uint64_t)number * t->word, t->word);
}

static bool read_header(struct table *t, uint64_t text)
{
	t->word = t->size > HEADER_SIZE ? t->bytes[7] : 0;
	if (t->word != 4 && t->word != 8)
		return false;
	t->nr = word_at(t, 0);
	t->entry = t->word;
	switch (number_at(t, 0, 4)) {
	case GO_1_20: case GO_1_18:
		t->entry = 4;
		t->text = word_at(t, 2) ? word_at(t, 2) : text;
		t->names = word_at(t, 3);
		t->functions = t->list = word_at(t, 7);
		return true;
	case GO_1_16:
		t->names = word_at(t, 2);
		t->functions = t->list = word_at(t, 6);
		return true;
	case GO_1_2:
		t->list = HEADER_SIZE + t->word;
		return true;
	}
	return false;
}

/* The data of a function begin with its address and the offset of its name. */
static const char *name_of(const struct table *t, uint64_t function, size_t *n)
{
	uint64_t at = t->functions + function, name = t->names + number_at(t, at + t->entry, 4);

	if (at < function || name >= t->size)
		return NULL;
	*n = strnlen((const char *)t->bytes + name, t->size - name);
	return *n && *n < t->size - name ? (const char *)t->bytes + name : NULL;
}

static size_t add_functions(const struct table *t, struct symbols *out)
{
	const char *all = symbols_keep(out, (const char *)t->bytes, t->size);
	size_t nr = 0, n;

	for (uint64_t i = 0; i < t->nr && i < FUNCTIONS_MAX; i++) {
		uint64_t at = t->list + 2 * i * t->entry;
		uint64_t from = t->text + number_at(t, at, t->entry), to = t->text + number_at(t, at + 2 * t->entry, t->entry);
		const char *name = at < t->size ? name_of(t, number_at(t, at + t->entry, t->entry), &n) : NULL;

		if (at >= t->size)
			break;
		if (!name || to <= from)
			continue;
		symbols_add(out, &(struct symbol){
			.start = from, .end = to, .name = all + (name - (const char *)t->bytes), .binding = SYMBOL_LOCAL,
			.function = true,
		});
		nr++;
	}
	return nr;
}

size_t elf_file_go_symbols(const struct elf_file *e, struct symbols *out)
{
	static const char *const sections[] = { ".gopclntab", ".data.rel.ro.gopclntab" };
	struct table t = {0};
	GElf_Shdr header, text = {0};

	elf_section(e, ".text", &text);
	for (size_t i = 0; i < ARRAY_SIZE(sections); i++) {
		Elf_Data *data = elf_contents(elf_section(e, sections[i], &header));

		if (!data)
			continue;
		t.bytes = data->d_buf;
		t.size = data->d_size;
		return read_header(&t, text.sh_addr) ? add_functions(&t, out) : 0;
	}
	return 0;
}
