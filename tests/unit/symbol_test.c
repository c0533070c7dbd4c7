/*
 * Symbols: the choice among several names, their ends, the results of a search - against a linear search - and the tables of
 * this machine's files against nm, addr2line and objdump.
 */
#include "core/binary/symbol.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/binary/elf.h"
#include "tests/unit/check.h"

static uint64_t seed = 1;

static uint32_t any(uint32_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % below;
}

static void add(struct symbols *s, uint64_t start, uint64_t end, const char *name, enum symbol_binding binding)
{
	symbols_add(s, &(struct symbol){ .start = start, .end = end, .name = name, .binding = binding });
}

static const char *name_at(const struct symbols *s, uint64_t addr)
{
	const struct symbol *sym = symbols_find(s, addr);

	return sym ? sym->name : "nothing";
}

static void check_name(const struct symbols *s, uint64_t addr, const char *want)
{
	CHECK(str_eq(name_at(s, addr), want), "%" PRIx64 ": '%s', should be '%s'", addr, name_at(s, addr), want);
}

enum { WINNER_FIRST = 1, LOSER_FIRST = 2, BOTH = 3 };

/* Two names at one address. Without sizes the last one is given one, so there the order counts. */
static void test_aliases(void)
{
	static const struct { const char *what; struct symbol winner, loser; unsigned orders; } rows[] = {
		{ "a size", { .end = 9, .name = "a", .binding = SYMBOL_LOCAL },
		  { .name = "bb", .binding = SYMBOL_GLOBAL }, LOSER_FIRST },
		{ "a size given", { .name = "bb", .binding = SYMBOL_GLOBAL },
		  { .end = 9, .name = "a", .binding = SYMBOL_LOCAL }, LOSER_FIRST },
		{ "no label", { .end = 9, .name = "a", .binding = SYMBOL_LOCAL },
		  { .end = 9, .name = "bb", .binding = SYMBOL_GLOBAL, .label = true }, BOTH },
		{ "not weak", { .end = 9, .name = "_a", .binding = SYMBOL_LOCAL },
		  { .end = 9, .name = "bb", .binding = SYMBOL_WEAK }, BOTH },
		{ "global", { .end = 9, .name = "_a", .binding = SYMBOL_GLOBAL },
		  { .end = 9, .name = "bb", .binding = SYMBOL_LOCAL }, BOTH },
		{ "underscores", { .end = 9, .name = "_a", .binding = SYMBOL_GLOBAL },
		  { .end = 9, .name = "__bbb", .binding = SYMBOL_GLOBAL }, BOTH },
		{ "longer", { .end = 9, .name = "abc", .binding = SYMBOL_GLOBAL },
		  { .end = 9, .name = "xy", .binding = SYMBOL_GLOBAL }, BOTH },
		{ "first", { .end = 9, .name = "abc", .binding = SYMBOL_GLOBAL },
		  { .end = 9, .name = "xyz", .binding = SYMBOL_GLOBAL }, WINNER_FIRST },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		for (unsigned order = WINNER_FIRST; order <= LOSER_FIRST; order++) {
			struct symbols s = {0};

			if (!(rows[i].orders & order))
				continue;
			symbols_add(&s, order == LOSER_FIRST ? &rows[i].loser : &rows[i].winner);
			symbols_add(&s, order == LOSER_FIRST ? &rows[i].winner : &rows[i].loser);
			symbols_finish(&s);
			CHECK(s.list.nr == 1 && str_eq(s.list.v[0].name, rows[i].winner.name), "%s, order %u: '%s'",
			      rows[i].what, order, s.list.v[0].name);
			symbols_release(&s);
		}
	}
}

static void test_ends(void)
{
	struct symbols s = {0};

	add(&s, 0x3000, 0x3000, "last", SYMBOL_GLOBAL);
	add(&s, 0x1000, 0x1000, "open", SYMBOL_GLOBAL);
	add(&s, 0x1080, 0x1090, "sized", SYMBOL_GLOBAL);
	add(&s, 0x2000, 0x2800, "outer", SYMBOL_GLOBAL);
	add(&s, 0x2100, 0x2110, "inner", SYMBOL_LOCAL);
	symbols_finish(&s);
	check_name(&s, 0xfff, "nothing");
	check_name(&s, 0x107f, "open");
	check_name(&s, 0x108f, "sized");
	check_name(&s, 0x1090, "nothing");
	check_name(&s, 0x20ff, "outer");
	check_name(&s, 0x2100, "inner");
	check_name(&s, 0x2110, "outer");
	check_name(&s, 0x27ff, "outer");
	check_name(&s, 0x2800, "nothing");
	check_name(&s, 0x3fff, "last");
	check_name(&s, 0x4000, "nothing");
	/* A later symbol corrects a guessed end. */
	add(&s, 0x1040, 0x1050, "later", SYMBOL_GLOBAL);
	symbols_finish(&s);
	check_name(&s, 0x103f, "open");
	check_name(&s, 0x1045, "later");
	check_name(&s, 0x1055, "nothing");
	symbols_release(&s);
}

/* Added and finished in two rounds they are what they are when all are sorted at once; many have the same start. */
static void test_rounds(void)
{
	for (unsigned round = 0; round < 50; round++) {
		static const char *const names[] = { "a", "b", "c", "d", "e" };
		struct symbols at_once = {0}, later = {0};
		unsigned nr = 1 + any(400), first = any(nr + 1);

		for (unsigned i = 0; i < nr; i++) {
			uint64_t start = any(300) << any(30);
			const char *name = names[any(ARRAY_SIZE(names))];

			add(&at_once, start, start + 1 + any(100), name, SYMBOL_LOCAL);
			symbols_add(&later, &at_once.list.v[i]);
			if (i + 1 == first)
				symbols_finish(&later);
		}
		symbols_finish(&at_once);
		symbols_finish(&later);
		CHECK(at_once.list.nr == later.list.nr, "%zu symbols, %zu by rounds", at_once.list.nr, later.list.nr);
		for (size_t i = 0; i < MIN(at_once.list.nr, later.list.nr); i++) {
			const struct symbol *a = &at_once.list.v[i], *b = &later.list.v[i];

			CHECK(a->start == b->start && a->end == b->end && a->outer == b->outer && str_eq(a->name, b->name),
			      "%" PRIx64 " '%s' by rounds %" PRIx64 " '%s'", a->start, a->name, b->start, b->name);
			CHECK(!i || a[-1].start < a->start, "%" PRIx64 " is not in order", a->start);
		}
		symbols_release(&at_once);
		symbols_release(&later);
	}
}

/* The last to start of the symbols around an address; symbols with different starts only. */
static void test_search(void)
{
	for (unsigned round = 0; round < 500; round++) {
		struct symbols s = {0};
		unsigned nr = any(40);

		for (unsigned i = 0; i < nr; i++) {
			uint64_t start = any(200);

			add(&s, start, start + 1 + any(any(2) ? 10 : 150), "x", SYMBOL_LOCAL);
		}
		symbols_finish(&s);
		for (uint64_t addr = 0; addr < 400; addr++) {
			const struct symbol *want = NULL;

			vec_for(sym, &s.list)
				if (sym->start <= addr && addr < sym->end)
					want = sym;
			CHECK(symbols_find(&s, addr) == want, "round %u, address %" PRIu64, round, addr);
		}
		symbols_release(&s);
	}
}

/* ---- files of this machine ---- */

static void read_table(const char *path, const char *section, struct symbols *out)
{
	struct elf_file *e;

	if (elf_file_open(&e, path))
		return;
	elf_file_symbols(e, section, NULL, out);
	symbols_finish(out);
	elf_file_plt(e, out);
	symbols_finish(out);
	elf_file_close(e);
}

/* Every function that nm lists is found at its address: itself, or another name for the same place. */
static void check_nm(const char *path, const char *option, const char *section)
{
	char command[512], line[4096], type;
	struct symbols s = {0};
	uint64_t addr, size;
	unsigned nr = 0;
	FILE *f;

	read_table(path, section, &s);
	snprintf(command, sizeof(command), "nm -S --defined-only %s %s 2>/dev/null", option, path);
	f = popen(command, "r");
	while (f && fgets(line, sizeof(line), f)) {
		const struct symbol *sym;

		if (sscanf(line, "%" SCNx64 " %" SCNx64 " %c", &addr, &size, &type) != 3 || !strchr("TtWi", type))
			continue;
		sym = symbols_find(&s, addr + size / 2);
		CHECK(sym && sym->start >= addr && sym->start <= addr + size / 2, "'%s': %s", path, line);
		sym = symbols_find(&s, addr);
		CHECK(sym && sym->start == addr && sym->function, "'%s': %s", path, line);
		nr++;
	}
	if (f)
		pclose(f);
	symbols_release(&s);
	printf("%s: %u functions of nm %s\n", path, nr, option);
}

/* Stubs, as objdump names them. */
static void check_plt(const char *path)
{
	char command[512], line[4096], name[2048];
	struct symbols s = {0};
	unsigned nr = 0;
	uint64_t addr;
	FILE *f;

	read_table(path, ".dynsym", &s);
	snprintf(command, sizeof(command), "objdump -d --no-show-raw-insn -j .plt -j .plt.sec -j .plt.got %s 2>/dev/null", path);
	f = popen(command, "r");
	while (f && fgets(line, sizeof(line), f)) {
		const struct symbol *sym;
		char *end;

		/* Stubs that are chosen at run time have an address for a name here. */
		if (sscanf(line, "%" SCNx64 " <%2000[^>]>:", &addr, name) != 2 || name[0] == '*' || strchr(name, '+'))
			continue;
		end = strstr(name, "@plt");
		if (!end || end[4])
			continue;
		sym = symbols_find(&s, addr);
		CHECK(sym && sym->start == addr && str_eq(sym->name, name), "'%s': %s: '%s'", path, line,
		      sym ? sym->name : "nothing");
		nr++;
	}
	if (f)
		pclose(f);
	symbols_release(&s);
	printf("%s: %u stubs of objdump\n", path, nr);
}

/* The first of @paths that is there. */
static const char *first_of(const char *const *paths)
{
	struct elf_file *e;

	for (; *paths; paths++)
		if (!elf_file_open(&e, *paths)) {
			elf_file_close(e);
			return *paths;
		}
	return NULL;
}

static void test_files(void)
{
	static const char *const libc[] = { "/lib/x86_64-linux-gnu/libc.so.6", "/lib/aarch64-linux-gnu/libc.so.6", NULL };
	static const char *const libstdcxx[] = {
		"/usr/lib/x86_64-linux-gnu/libstdc++.so.6", "/usr/lib/aarch64-linux-gnu/libstdc++.so.6", NULL,
	};
	const char *path;
	char own[4096];
	ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);

	if (n > 0) {
		own[n] = '\0';
		check_nm(own, "", ".symtab");
		check_plt(own);
	}
	if ((path = first_of(libc))) {
		check_nm(path, "-D", ".dynsym");
		check_plt(path);
	}
	if ((path = first_of(libstdcxx))) {
		check_nm(path, "-D", ".dynsym");
		check_plt(path);
	}
}

static void test_segments(void)
{
	struct elf_segments s = {0};

	vec_push(&s.list, (struct elf_segment){ .vaddr = 0x400000, .offset = 0, .size = 0x1200 });
	vec_push(&s.list, (struct elf_segment){ .vaddr = 0x602200, .offset = 0x1200, .size = 0x300 });
	CHECK(elf_segments_addr(&s, 0x10) == 0x400010, "first");
	CHECK(elf_segments_addr(&s, 0x1300) == 0x602300, "second");
	CHECK(elf_segments_addr(&s, 0x1510) == 0x602510, "the rest of its page");
	CHECK(elf_segments_addr(&s, 0x9000) == 0x9000, "none");
	vec_free(&s.list);
}

int main(void)
{
	test_aliases();
	test_ends();
	test_rounds();
	test_search();
	test_segments();
	test_files();
	return checks_done();
}
