/*
 * Places in this very program: mapped as a recording would have it, each function's symbol is found, and lines and
 * inlined functions are those of addr2line.
 */
#include "core/model/srcline.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/perfdata/record.h"
#include "tests/unit/check.h"

#define BASE 0x7f0000000000ull

static char own[4096];

static struct machine *map_self(uint32_t *space)
{
	struct machine *m = machine_new(&(struct machine_opts){ .this_host = true });
	struct elf_segments segments = {0};
	struct context_cache *c;
	struct elf_file *e;
	struct record rec = {
		.header = { .type = PERF_RECORD_MMAP2, .misc = PERF_RECORD_MISC_USER },
		.mmap = { .pid = 5, .tid = 5, .prot = 5, .filename = own },
	};

	if (!elf_file_open(&e, own))
		elf_file_segments(e, &segments), elf_file_close(e);
	/* As the kernel loads it: each segment by whole pages, all moved by the same distance. */
	vec_for(seg, &segments.list) {
		rec.mmap.addr = BASE + (seg->vaddr & ~4095ull);
		rec.mmap.pgoff = seg->offset & ~4095ull;
		rec.mmap.len = round_up((seg->vaddr & 4095) + seg->size, 4096);
		machine_apply(m, &rec, 0);
	}
	machine_seal(m);
	vec_free(&segments.list);
	c = context_cache_new(m);
	*space = machine_context(c, 5, 5, 1)->user_space;
	context_cache_free(c);
	return m;
}

static __attribute__((noinline)) unsigned here(void)
{
	return (unsigned)(__LINE__);
}

/* The same place from the outside: nm's address, the compiler's line. */
static void test_own_function(const struct machine *m, uint32_t space)
{
	struct dso *dso;
	struct addr_location p;

	machine_resolve(m, space, BASE + 1, &p);
	CHECK(p.dso && str_eq(p.dso->path, own), "'%s'", own);
	if (!p.dso)
		return;
	dso = p.map->dso;
	vec_for(sym, &dso->symbols.list) {
		struct frames frames;

		if (!str_eq(sym->name, "here"))
			continue;
		machine_resolve(m, space, BASE + sym->start, &p);
		CHECK(p.symbol == sym && addr_location_unmap(&p, sym->start) == BASE + sym->start &&
		      addr_location_unmap(&p, sym->end) == BASE + sym->end, "here()");
		frames = addr_location_frames(&p);
		CHECK(frames.nr == 1 && str_eq(frames.v[0].function, "here") && strstr(frames.v[0].file, "srcline_test.c"),
		      "%u frames", frames.nr);
		CHECK(frames.nr == 1 && frames.v[0].line + 2 >= here() && frames.v[0].line <= here() + 1, "line %u, not %u",
		      frames.nr ? frames.v[0].line : 0, here());
	}
}

/*
 * "FUNCTION\nFILE:LINE\n" a frame. addr2line prints question marks for unknown ones. Its file is not compared: binutils 2.40
 * names the wrong one for code that was included from another (DWARF 5).
 */
static void check_frame(uint64_t addr, uint32_t i, const struct frame *frame, const char *function, char *place)
{
	char *colon;
	unsigned line;

	place[strcspn(place, " \n")] = '\0';
	colon = strrchr(place, ':');
	if (!colon)
		return;
	*colon = '\0';
	line = (unsigned)strtoul(colon + 1, NULL, 10);
	/* Compilers make functions that DWARF lacks; addr2line then takes the symbol's name. */
	CHECK(!frame->function || str_eq(frame->function, function), "%" PRIx64 " frame %u: '%s', should be '%s'", addr, i,
	      frame->function, function);
	CHECK(frame->line == line, "%" PRIx64 " frame %u in %s: line %u, should be %u", addr, i, function, frame->line,
	      line);
}

static unsigned check_against(FILE *f, const struct machine *m, uint32_t space)
{
	char function[2048], where[4096];
	struct frames frames = {0};
	uint32_t at = 0;
	uint64_t addr = 0;
	unsigned nr = 0;

	while (fgets(function, sizeof(function), f)) {
		struct addr_location p;

		function[strcspn(function, "\n")] = '\0';
		if (function[0] == '0' && function[1] == 'x') {
			CHECK(at >= frames.nr, "%" PRIx64 ": %u frames, should be %u", addr, frames.nr, at);
			addr = strtoull(function, NULL, 16);
			machine_resolve(m, space, BASE + addr, &p);
			frames = addr_location_frames(&p);
			at = 0;
			continue;
		}
		if (!fgets(where, sizeof(where), f))
			break;
		/* Code without a line has only a symbol's name there; that is no frame here. */
		if (!frames.nr || str_eq(function, "??"))
			continue;
		CHECK(at < frames.nr, "%" PRIx64 ": more than %u frames: %s", addr, frames.nr, function);
		if (at < frames.nr)
			check_frame(addr, at, &frames.v[at], function, where);
		at++;
		nr++;
	}
	return nr;
}

static void test_addr2line(const struct machine *m, uint32_t space)
{
	FILE *list = fopen("addresses", "w"), *f;
	char command[8192];
	struct addr_location p;
	unsigned nr;

	machine_resolve(m, space, BASE + 1, &p);
	if (!list || !p.dso)
		return;
	vec_for(sym, &p.dso->symbols.list)
		for (uint64_t addr = sym->start; sym->function && addr < sym->end; addr += 37)
			fprintf(list, "%" PRIx64 "\n", addr);
	fclose(list);
	snprintf(command, sizeof(command), "addr2line -a -i -f -e %s <addresses", own);
	f = popen(command, "r");
	nr = f ? check_against(f, m, space) : 0;
	printf("%u frames of addr2line\n", nr);
	if (f)
		pclose(f);
	unlink("addresses");
}

struct race { const struct machine *m; uint32_t space; };

static void *resolve_all(void *arg)
{
	const struct race *r = arg;
	struct addr_location p;

	for (uint64_t addr = 0; addr < 0x20000; addr += 61) {
		machine_resolve(r->m, r->space, BASE + addr, &p);
		if (p.symbol && !*p.symbol->name)
			return arg;
		if (addr % 16 == 0)
			addr_location_frames(&p);
	}
	return NULL;
}

/* Loading, naming and asking for lines from several threads at once; ThreadSanitizer watches. */
static void test_threads(void)
{
	struct race r;
	struct machine *m = map_self(&r.space);
	pthread_t threads[4];
	void *bad;

	r.m = m;
	for (unsigned i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_create(&threads[i], NULL, resolve_all, &r);
	for (unsigned i = 0; i < ARRAY_SIZE(threads); i++) {
		pthread_join(threads[i], &bad);
		CHECK(!bad, "thread %u", i);
	}
	machine_free(m);
}

int main(void)
{
	ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);
	struct machine *m;
	struct addr_location p;
	uint32_t space;

	if (n < 0)
		return 77;
	own[n] = '\0';
	m = map_self(&space);
	machine_resolve(m, space, BASE + 1, &p);
	if (!p.dso || !p.dso->dwarf_file) {
		printf("built without -g\n");
		machine_free(m);
		return 77;
	}
	test_own_function(m, space);
	test_addr2line(m, space);
	machine_free(m);
	test_threads();
	return checks_done();
}
