/* Lines of kallsyms: their meaning, the choice of symbols, lines that are invalid; and this kernel's own, if readable. */
#include "core/binary/kallsyms.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char text[] =
	"ffffffff81000000 T _stext\n"
	"ffffffff81000000 T _text\n"
	"not a line\n"
	"ffffffff81000100 t local_one\n"
	"ffffffff81000180 r read_only\n"
	"ffffffff810001a0 n note\n"
	"ffffffff81000200 W weak_one\n"
	"ffffffff81000200 T strong_one\n"
	"\n"
	"ffffffff81000300 T $x.42\n"
	"ffffffff81000400 D data\n"
	"ffffffffc0001000 t mod_init\t[ext4]\n"
	"ffffffffc0002000 T mod_fn\t[ext4]\n"
	"ffffffffc0002000 t bpf_prog_1\t[bpf]\n"
	"ffffffff81000500 T last";

static int parse(struct kallsyms *k, const char *s)
{
	return kallsyms_parse(k, xstrdup(s), strlen(s));
}

static const char *name_at(const struct symbols *s, uint64_t addr)
{
	const struct symbol *sym = symbols_find(s, addr);

	return sym ? sym->name : "nothing";
}

static void check_name(const struct symbols *s, uint64_t addr, const char *name)
{
	CHECK(str_eq(name_at(s, addr), name), "%" PRIx64 ": '%s', should be '%s'", addr, name_at(s, addr), name);
}

static void test_lines(void)
{
	struct symbols kernel = {0}, ext4 = {0};
	struct kallsyms k;
	uint64_t value;

	CHECK(!parse(&k, text) && !k.hidden && k.lines.nr == 13, "%zu lines", k.lines.nr);
	CHECK(!kallsyms_value(&k, "_text", &value) && value == 0xffffffff81000000, "_text");
	CHECK(kallsyms_value(&k, "nothing", &value) == -ENOENT, "nothing");
	CHECK(kallsyms_symbols(&k, NULL, 0x1000, &kernel) == 7, "%zu symbols", kernel.list.nr);
	CHECK(kallsyms_symbols(&k, "[ext4]", 0, &ext4) == 2, "%zu symbols", ext4.list.nr);
	symbols_finish(&kernel);
	symbols_finish(&ext4);
	check_name(&kernel, 0xffffffff81000fff, "nothing");
	check_name(&kernel, 0xffffffff81001000, "_text");
	check_name(&kernel, 0xffffffff810011ff, "local_one");
	/* Sizes are missing, so the last of those at one address has one, and is preferred: perf's choice too. */
	check_name(&kernel, 0xffffffff81001200, "strong_one");
	check_name(&kernel, 0xffffffff81001450, "data");
	check_name(&kernel, 0xffffffff81001500, "last");
	check_name(&kernel, 0xffffffff81002fff, "last");
	check_name(&kernel, 0xffffffff81003000, "nothing");
	check_name(&ext4, 0xffffffffc0001800, "mod_init");
	check_name(&ext4, 0xffffffffc0002fff, "mod_fn");
	CHECK(symbols_find(&kernel, 0xffffffff81001210)->binding == SYMBOL_GLOBAL, "binding");
	CHECK(symbols_find(&kernel, 0xffffffff81001110)->binding == SYMBOL_LOCAL, "binding");
	CHECK(!symbols_find(&kernel, 0xffffffff81001410)->function, "data is no function");
	symbols_release(&kernel);
	symbols_release(&ext4);
	kallsyms_release(&k);
}

/* Addresses of any digits, and of characters that are nearly some, as strtoull() has them. */
static void test_addresses(void)
{
	static const char digits[] = "0123456789abcdef0123456789abcdefABCDEF`g@G/:";

	srandom(1);
	for (unsigned i = 0; i < 100000; i++) {
		size_t n = random() % 8 ? 16 : 1 + (size_t)random() % 16;
		char line[64] = {0}, *end;
		struct kallsyms_line got;
		uint64_t want;
		size_t size;
		bool valid;

		for (size_t j = 0; j < n; j++)
			line[j] = digits[random() % (random() % 16 ? 16 : (long)sizeof(digits) - 1)];
		want = strtoull(line, &end, 16);
		valid = end == line + n && strspn(line, "0123456789abcdef") == n;
		strcpy(line + n, " t name");
		CHECK(kallsyms_line_parse(line, &got, &size) == valid && (!valid || (got.addr == want && size == 4)), "'%s'", line);
	}
}

static void test_bad(void)
{
	struct kallsyms k;

	CHECK(!parse(&k, "0000000000000000 T a\n0000000000000000 t b\n") && k.hidden, "kptr_restrict");
	kallsyms_release(&k);
	CHECK(parse(&k, "") == -ENOENT, "empty");
	kallsyms_release(&k);
	CHECK(parse(&k, "ffff\nffff T\nffff T \n T x\nzz T x\n") == -ENOENT, "no line at all");
	kallsyms_release(&k);
	CHECK(kallsyms_read(&k, "/nonexistent") == -ENOENT, "no file");
}

static bool is_hidden_in(const char *s)
{
	char path[] = "/tmp/kallsyms.XXXXXX";
	int fd = mkstemp(path);
	bool hidden;

	CHECK(fd >= 0 && write(fd, s, strlen(s)) == (ssize_t)strlen(s), "%s", path);
	close(fd);
	hidden = kallsyms_are_hidden(path);
	unlink(path);
	return hidden;
}

/* The beginning decides, as the whole text does for this kernel. */
static void test_hidden(void)
{
	struct kallsyms k;

	CHECK(is_hidden_in("0000000000000000 T a\n0000000000000000 t b\n"), "kptr_restrict");
	CHECK(!is_hidden_in("0000000000000000 D per_cpu\n0000000000001000 D next\n"), "x86 before Linux 6.15");
	CHECK(!is_hidden_in("0000000000000000 D per_cpu\nffffffff81000000 T _text\n"), "a first line with 0");
	CHECK(!is_hidden_in(text) && !is_hidden_in("") && !is_hidden_in("no line\n"), "shown, or no lines");
	CHECK(!kallsyms_are_hidden("/nonexistent"), "no file");
	if (kallsyms_read(&k, "/proc/kallsyms"))
		return;
	CHECK(kallsyms_are_hidden("/proc/kallsyms") == k.hidden, "this kernel");
	kallsyms_release(&k);
}

static void test_own(void)
{
	struct symbols s = {0};
	struct kallsyms k;

	if (kallsyms_read(&k, "/proc/kallsyms")) {
		printf("no /proc/kallsyms here\n");
		return;
	}
	if (!k.hidden) {
		kallsyms_symbols(&k, NULL, 0, &s);
		symbols_finish(&s);
		vec_for(line, &k.lines) {
			if (line->module || !strchr("Tt", line->type) || line->name[0] == '$')
				continue;
			CHECK(symbols_find(&s, line->addr) && symbols_find(&s, line->addr)->start == line->addr,
			      "'%s' is not found at %" PRIx64, line->name, line->addr);
			if (nr_failed > 10)
				break;
		}
		printf("%zu lines of this kernel, %zu symbols\n", k.lines.nr, s.list.nr);
		symbols_release(&s);
	}
	kallsyms_release(&k);
}

int main(void)
{
	test_lines();
	test_addresses();
	test_bad();
	test_hidden();
	test_own();
	return checks_done();
}
