/* Names that must change, and names that must not; then whole symbol tables against c++filt. */
#include "core/binary/demangle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/util.h"

static unsigned failures;

static const struct { const char *mangled, *plain; } rows[] = {
	/* C++ (Itanium ABI, 5.1) */
	{ "_Z1fv", "f()" },
	{ "_ZN4deep4workERSt6vectorIiSaIiEE", "deep::work(std::vector<int, std::allocator<int> >&)" },
	{ "_ZNK3Box3getEi", "Box::get(int) const" },
	{ "_ZSt4cout", "std::cout" },
	{ "_Z1fv@plt", "f()@plt" },
	/* Rust: legacy (https://doc.rust-lang.org/rustc/symbol-mangling) and v0 (RFC 2603) */
	{ "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad" },
	{ "_ZN4prog8gr$ufc$n17h0123456789abcdefE", "prog::gr\303\274n" },
	{ "_ZN49_$LT$g..$uc4$rger$u20$as$u20$core..fmt..Debug$GT$3fmt17hcf8d8194fe6a9bdeE",
	  "<g::\303\204rger as core::fmt::Debug>::fmt" },
	{ "_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar" },
	/* D (https://dlang.org/spec/abi.html) */
	{ "_D3foo3barFiZv", "foo.bar(int)" },
	{ "_Dmain", "D main" },
	/* OCaml: as the test of perf's demangler has it (tools/perf/tests/demangle-ocaml-test.c); since 5.1 with a point */
	{ "camlStdlib__array__map_154", "Stdlib.array.map_154" },
	{ "camlStdlib__anon_fn$5bstdlib$2eml$3a334$2c0$2d$2d54$5d_1453", "Stdlib.anon_fn[stdlib.ml:334,0--54]_1453" },
	{ "camlStdlib__bytes__$2b$2b_2205", "Stdlib.bytes.++_2205" },
	{ "camlStdlib__List.map_12", "Stdlib.List.map_12" },
	{ "camlBad__$", "Bad.$" }, { "camlBad__$2", "Bad.$2" }, { "camlBad__$0a$zz", "Bad.$0a$zz" },
	{ "caml_main", NULL }, { "camlp4", NULL }, { "caml", NULL },
	/* A C name is what it is, though one of these is a type in C++, and others begin like a mangled name. */
	{ "f", NULL }, { "i", NULL }, { "main", NULL }, { "_start", NULL }, { "_Dark", NULL }, { "_Zzz", NULL },
	{ "_R", NULL }, { "_Return", NULL }, { "Z1fv", NULL }, { "", NULL }, { "_", NULL }, { "memcpy@plt", NULL },
	{ "_init", NULL }, { "__libc_start_main", NULL }, { "do_syscall_64", NULL },
};

static void check(const char *mangled, const char *plain)
{
	char *got = demangle(mangled);

	if (!got != !plain || (got && !str_eq(got, plain))) {
		printf("'%s': '%s', should be '%s'\n", mangled, got ? got : "(as it is)", plain ? plain : "(as it is)");
		failures++;
	}
	free(got);
}

/* Only names that begin with _Z: c++filt demangles C names too. -i: std::string, not what it stands for. */
static void check_library(void)
{
	FILE *f = popen("nm -D --defined-only /usr/lib/*/libstdc++.so.6 2>/dev/null | sed 's/@.*//' |"
			" awk '$3 ~ /^_Z/ { print $3 }' | sort -u >names; c++filt -i <names >plain; paste names plain", "r");
	char line[8192];
	unsigned nr = 0;

	while (f && fgets(line, sizeof(line), f)) {
		char *plain = strchr(line, '\t');

		if (!plain || !strchr(line, '\n'))
			continue;
		*plain++ = '\0';
		plain[strcspn(plain, "\n")] = '\0';
		check(line, str_eq(line, plain) ? NULL : plain);
		nr++;
	}
	if (f)
		pclose(f);
	unlink("names");
	unlink("plain");
	printf("%u names of libstdc++ compared with c++filt\n", nr);
}

/* A type of @levels whose parts are twice the type of one level less: 7 characters for each doubling of the name. */
static char *doubling(unsigned levels)
{
	struct buf b = {0};

	buf_puts(&b, "_Z3hotP1P");
	for (unsigned i = 1; i < levels; i++)
		buf_puts(&b, "IS_");
	buf_puts(&b, "IiiE");
	for (unsigned i = 0; i + 1 < levels; i++)
		buf_printf(&b, "S%c_E", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i]);
	buf_putc(&b, '\0');
	return b.data;
}

int main(void)
{
	char *any = demangle("_Z1fv");
	char *deep = malloc(20001);

	if (!any) {
		printf("built without a demangler\n");
		return 77;
	}
	free(any);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check(rows[i].mangled, rows[i].plain);
	memset(deep, 'P', 20000);
	memcpy(deep, "_Z1f", 4);
	deep[20000] = '\0';
	check(deep, NULL);
	free(deep);
	deep = doubling(2);
	check(deep, "hot(P<P<int, int>, P<int, int> >*)");
	free(deep);
	deep = doubling(34);	/* 200 GB */
	check(deep, NULL);
	free(deep);
	check_library();
	return failures != 0;
}
