/*
 * Sources of symbols: files below a directory of their own (--symfs), with right, wrong and no build ids, stripped with the
 * symbols in a debug file; a JIT's map; kallsyms and a vmlinux of a kernel that has moved.
 */
#include "core/model/machine.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/log.h"
#include "core/model/srcline.h"
#include "core/perfdata/record.h"
#include "tests/unit/check.h"

#define PID	7
#define BASE	0x10000000ull
#define KERNEL	0xffffffff81000000ull

static char own[4096];
static struct build_id own_id;
static uint64_t marker_addr;	/* ELF address of marker() */

int marker(int x);
__attribute__((noinline)) int marker(int x)
{
	return x * 3;
}

static bool run(const char *fmt, ...) PRINTF_LIKE(1, 2);

static bool run(const char *fmt, ...)
{
	char command[16384];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(command, sizeof(command), fmt, ap);
	va_end(ap);
	return !system(command);
}

static void map(struct machine *m, uint32_t pid, uint64_t addr, uint64_t len, uint64_t pgoff, const char *name,
		const struct build_id *id)
{
	struct record rec = {
		.header = {
			.type = PERF_RECORD_MMAP2,
			.misc = pid == UINT32_MAX ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER,
		},
		.mmap = { .pid = pid, .tid = pid, .addr = addr, .len = len, .pgoff = pgoff, .prot = 5, .filename = name },
	};

	if (id) {
		rec.mmap.build_id_size = id->size;
		memcpy(rec.mmap.build_id, id->data, sizeof(rec.mmap.build_id));
	}
	machine_apply(m, &rec, 0);
}

static uint32_t space_of(const struct machine *m)
{
	struct context_cache *c = context_cache_new(m);
	uint32_t space = machine_context(c, PID, PID, 1)->user_space;

	context_cache_free(c);
	return space;
}

/* The whole of this program, mapped as @path. */
static void map_own(struct machine *m, const char *path, const struct build_id *id)
{
	struct elf_segments segments = {0};
	struct elf_file *e;

	if (!elf_file_open(&e, own)) {
		elf_file_segments(e, &segments);
		elf_file_close(e);
	}
	vec_for(seg, &segments.list)
		map(m, PID, BASE + (seg->vaddr & ~4095ull), round_up((seg->vaddr & 4095) + seg->size, 4096),
		    seg->offset & ~4095ull, path, id);
	vec_free(&segments.list);
}

/* Checks the name of marker() if the whole of this program is mapped as @path, and the state of its dso. */
static void check_file(const char *what, const char *path, const struct build_id *id, const char *name,
		       enum dso_state state)
{
	struct machine *m = machine_new(&(struct machine_opts){ .symfs = "fs" });
	struct addr_location p;

	map_own(m, path, id);
	machine_seal(m);
	machine_resolve(m, space_of(m), BASE + marker_addr + 1, &p);
	CHECK(p.dso && p.dso->state == state, "%s: state %d, not %d", what, p.dso ? (int)p.dso->state : -1, state);
	CHECK(str_eq(p.symbol ? p.symbol->name : "nothing", name), "%s: '%s'", what, p.symbol ? p.symbol->name : "nothing");
	machine_free(m);
}

static void test_files(void)
{
	struct build_id other = { 20, { 1, 2, 3 } };
	char text[BUILD_ID_TEXT];

	run("mkdir -p fs/bin && cp '%s' fs/bin/plain && strip -o fs/bin/stripped '%s'", own, own);
	check_file("as it is", "/bin/plain", &own_id, "marker", DSO_LOADED);
	check_file("no id recorded", "/bin/plain", NULL, "marker", DSO_LOADED);
	check_file("not there", "/bin/none", &own_id, "nothing", DSO_NOT_FOUND);
	log_set_level(-1);
	check_file("replaced since", "/bin/plain", &other, "nothing", DSO_CHANGED);
	log_set_level(0);
	if (own_id.size < 2)
		return;
	build_id_text(&own_id, text);
	run("d=fs/usr/lib/debug/.build-id/%.2s; mkdir -p $d; objcopy --only-keep-debug '%s' $d/%s.debug", text, own,
	    text + 2);
	check_file("debug file by id", "/bin/stripped", &own_id, "marker", DSO_LOADED);
	check_file("only the debug file", "/bin/none", &own_id, "marker", DSO_LOADED);
	run("mkdir fs/bin/.debug; mv fs/usr/lib/debug/.build-id/*/*.debug fs/bin/.debug/x.debug &&"
	    " objcopy --add-gnu-debuglink=fs/bin/.debug/x.debug fs/bin/stripped fs/bin/linked");
	check_file("debug link", "/bin/linked", &own_id, "marker", DSO_LOADED);
	run("mkfifo fs/bin/fifo");
	check_file("no file at all", "/bin/fifo", NULL, "nothing", DSO_NOT_FOUND);
}

/* A machine that has named marker() and a function of the kernel; its files are gone then. */
static struct machine *machine_of_read_files(const char *kernel)
{
	struct machine *m = machine_new(&(struct machine_opts){ .symfs = "fs", .kallsyms = "kallsyms" });
	struct addr_location p;

	run("cp '%s' fs/bin/gone; printf 'ffffffff81000000 T _text\\nffffffff81000200 T f\\n' >kallsyms", own);
	map_own(m, "/bin/gone", &own_id);
	map(m, UINT32_MAX, KERNEL, 0x100000, KERNEL, kernel, NULL);
	machine_seal(m);
	machine_resolve(m, space_of(m), BASE + marker_addr + 1, &p);
	CHECK(p.symbol && addr_location_frames(&p).nr, "marker has a line");
	machine_resolve(m, 0, KERNEL + 0x210, &p);
	run("rm fs/bin/gone kallsyms");
	return m;
}

/* Checks what a machine knows that takes the files of another; "nothing": it reads them itself, and there are none. */
static void check_taken(const char *what, const struct build_id *id, const char *kernel, const char *name, const char *function)
{
	struct machine *before = machine_of_read_files("[kernel.kallsyms]_text");
	struct machine *m = machine_new(&(struct machine_opts){ .symfs = "fs", .kallsyms = "kallsyms" });
	struct addr_location p;

	map_own(m, "/bin/gone", id);
	map(m, UINT32_MAX, KERNEL, 0x100000, KERNEL, kernel, NULL);
	machine_seal(m);
	machine_reuse_files(m, before);
	machine_free(before);
	machine_resolve(m, space_of(m), BASE + marker_addr + 1, &p);
	CHECK(str_eq(p.symbol ? p.symbol->name : "nothing", name), "%s: '%s'", what, p.symbol ? p.symbol->name : "nothing");
	CHECK(!addr_location_frames(&p).nr == str_eq(name, "nothing"), "%s: lines", what);
	machine_resolve(m, 0, KERNEL + 0x210, &p);
	CHECK(str_eq(p.symbol ? p.symbol->name : "nothing", function), "%s: kernel: '%s'", what,
	      p.symbol ? p.symbol->name : "nothing");
	machine_free(m);
}

static void test_taken(void)
{
	struct build_id other = { 20, { 1, 2, 3 } };

	if (!own_id.size)
		return;
	check_taken("the same files", &own_id, "[kernel.kallsyms]_text", "marker", "f");
	log_set_level(-1);
	check_taken("another build", &other, "[kernel.kallsyms]_text", "nothing", "f");
	check_taken("no build id", NULL, "[kernel.kallsyms]_text", "nothing", "f");
	check_taken("another kernel", &own_id, "[kernel.kallsyms]f", "marker", "nothing");
	log_set_level(0);
}

static void test_jit(void)
{
	struct machine *m = machine_new(&(struct machine_opts){ .symfs = "fs" });
	struct addr_location p;

	run("mkdir -p fs/tmp; printf '20000 100 a method\\nnonsense\\n20100 0 empty\\n20200 80 _ZN1a1bEv\\n' >fs/tmp/perf-7.map");
	map(m, PID, 0x20000, 0x1000, 0, "//anon", NULL);
	machine_seal(m);
	machine_resolve(m, space_of(m), 0x20010, &p);
	CHECK(p.symbol && str_eq(p.symbol->name, "a method") && p.addr == 0x20010, "a method");
	machine_resolve(m, space_of(m), 0x20100, &p);
	CHECK(p.dso && !p.symbol && str_eq(p.dso->path, "/tmp/perf-7.map"), "nothing there");
	machine_free(m);
}

/* kallsyms of another boot: the kernel has moved as a whole; of its modules nothing is known then. */
static void test_kallsyms(void)
{
	for (uint64_t moved = 0; moved <= 0x2000000; moved += 0x2000000) {
		struct machine *m = machine_new(&(struct machine_opts){ .kallsyms = "kallsyms" });
		struct addr_location p;

		run("printf 'ffffffff81000000 T _text\\nffffffff81000100 t inner\\nffffffff81000200 T f\\n"
		    "ffffffffc0000000 t mod\\t[m]\\n' >kallsyms");
		map(m, UINT32_MAX, KERNEL + moved, 0x100000, KERNEL + moved, "[kernel.kallsyms]_text", NULL);
		map(m, UINT32_MAX, 0xffffffffc0000000, 0x1000, 0, "[m]", NULL);
		machine_seal(m);
		machine_resolve(m, 0, KERNEL + moved + 0x110, &p);
		CHECK(p.symbol && str_eq(p.symbol->name, "inner") && p.addr == KERNEL + moved + 0x110 &&
		      addr_location_unmap(&p, p.symbol->start) == KERNEL + moved + 0x100, "moved by %" PRIx64, moved);
		/* A C name is left alone, also where it would be a C++ type. */
		machine_resolve(m, 0, KERNEL + moved + 0x210, &p);
		CHECK(p.symbol && str_eq(p.symbol->name, "f"), "f");
		machine_resolve(m, 0, 0xffffffffc0000010, &p);
		CHECK(!p.symbol == (moved != 0), "module, moved by %" PRIx64, moved);
		machine_free(m);
	}
}

/* This program as a vmlinux whose symbol main was recorded somewhere else. */
static void test_vmlinux(void)
{
	struct machine *m = machine_new(&(struct machine_opts){ .vmlinux = own });
	struct elf_file *e;
	uint64_t main_addr = 0;
	struct addr_location p;

	if (!elf_file_open(&e, own)) {
		elf_file_value(e, "main", &main_addr);
		elf_file_close(e);
	}
	map(m, UINT32_MAX, KERNEL, 0x10000000, KERNEL + main_addr, "[kernel.kallsyms]main", NULL);
	machine_seal(m);
	machine_resolve(m, 0, KERNEL + marker_addr + 1, &p);
	CHECK(p.symbol && str_eq(p.symbol->name, "marker") && p.addr == marker_addr + 1 &&
	      addr_location_unmap(&p, p.symbol->start) == KERNEL + marker_addr, "marker in vmlinux");
	machine_free(m);
}

static void test_bpf(void)
{
	struct machine *m = machine_new(NULL);
	struct record rec = {
		.header = { .type = PERF_RECORD_KSYMBOL },
		.ksymbol = { .addr = 0xffffffffc1000000, .len = 0x80, .ksym_type = 1, .name = "bpf_prog_1_x" },
	};
	struct addr_location p;

	machine_apply(m, &rec, 0);
	machine_seal(m);
	machine_resolve(m, 0, 0xffffffffc1000040, &p);
	CHECK(p.symbol && str_eq(p.symbol->name, "bpf_prog_1_x") && p.addr - p.symbol->start == 0x40, "bpf");
	machine_free(m);
}

/* For a recording made here the vdso's code is this process's own, and stays mapped: traces are decoded with it. */
static void test_vdso(void)
{
	struct machine *m = machine_new(&(struct machine_opts){ .this_host = true });
	unsigned char magic[4] = {0};
	struct addr_location p;
	FILE *f;

	map(m, PID, 0x7ffff7fc1000, 0x2000, 0, "[vdso]", NULL);
	machine_seal(m);
	machine_resolve(m, machine_nr_spaces(m) - 1, 0x7ffff7fc1040, &p);
	CHECK(p.dso && p.dso->kind == DSO_VDSO, "the vdso is mapped");
	f = p.dso && p.dso->file ? fopen(p.dso->file, "r") : NULL;
	CHECK(f && fread(magic, 1, 4, f) == 4 && !memcmp(magic, "\177ELF", 4), "its file can be read");
	if (f)
		fclose(f);
	machine_free(m);
}

int main(void)
{
	ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);
	struct elf_file *e;

	if (n < 0 || marker(1) != 3)
		return 77;
	own[n] = '\0';
	/* No symbols of this user's, whatever they are. */
	setenv("HOME", "/nonexistent", 1);
	if (elf_file_open(&e, own) || elf_file_value(e, "marker", &marker_addr)) {
		printf("this program is stripped\n");
		return 77;
	}
	elf_file_build_id(e, &own_id);
	elf_file_close(e);
	test_files();
	test_taken();
	test_jit();
	test_kallsyms();
	test_vmlinux();
	test_bpf();
	test_vdso();
	return checks_done();
}
