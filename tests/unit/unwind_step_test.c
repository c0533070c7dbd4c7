/*
 * Frames that no table describes, or one wrongly. At each instruction of the stubs that linkers make for calls into other files the
 * caller is where the call left it; code that only looks like them has none. The code is that of GNU ld 2.40 and lld 14.
 */
#include "core/unwind/fallback.h"

#include "core/arch.h"
#include "core/model/dso.h"
#include "core/model/live_maps.h"
#include "core/unwind/live_memory.h"
#include "core/unwind/step.h"
#include "core/unwind/epilogue_scan.h"
#include "tests/unit/check.h"

#define MOST 12

static const struct {
	const char *name;
	const struct arch *arch;
	uint32_t words[MOST];	/* ended by 0 */
	const char *found;	/* of each: yes, yes with something pushed, or no */
} arm[] = {
	{ "arm64: ld, lld", &arch_arm64, { 0x90000110, 0xf9400611, 0x91002210, 0xd61f0220 }, "yyyy" },
	{ "arm64: ld, far from its word", &arch_arm64, { 0xf00000f0, 0xf947fe11, 0x913fe210, 0xd61f0220 }, "yyyy" },
	{ "arm64: with bti", &arch_arm64, { 0xd503245f, 0x90000110, 0xf9400611, 0x91002210, 0xd61f0220 }, "yyyyy" },
	{ "arm64: with pac", &arch_arm64, { 0x90000110, 0xf9400611, 0x91002210, 0xd503219f, 0xd61f0220 }, "yyyyy" },
	{ "arm64: with both", &arch_arm64,
	  { 0xd503245f, 0x90000110, 0xf9400611, 0x91002210, 0xd503219f, 0xd61f0220 }, "yyyyyy" },
	{ "arm64: the head, and the first after it", &arch_arm64,
	  { 0xa9bf7bf0, 0xf00000f0, 0xf947fe11, 0x913fe210, 0xd61f0220, 0xd503201f, 0xd503201f, 0xd503201f,
	    0x90000110, 0xf9400611, 0x91002210, 0xd61f0220 }, "yppppnnnyyyy" },
	{ "arm64: the head with bti", &arch_arm64,
	  { 0xd503245f, 0xa9bf7bf0, 0xf00000f0, 0xf947fe11, 0x913fe210, 0xd61f0220 }, "yypppp" },
	{ "arm64: a branch farther than one reaches", &arch_arm64, { 0x90ffff10, 0x91000210, 0xd61f0200 }, "yyy" },
	{ "arm64: the same by a word", &arch_arm64, { 0x58000090, 0x10000011, 0x8b110210, 0xd61f0200 }, "yyyy" },
	{ "arm64: adrp x0; ldr x0, [x0]; br x16", &arch_arm64, { 0x90000100, 0xf9400000, 0xd61f0200 }, "nny" },
	{ "arm64: a return", &arch_arm64, { 0x90000110, 0xf9400611, 0x91002210, 0xd65f03c0 }, "nnnn" },
	{ "arm64: br x2", &arch_arm64, { 0x90000110, 0xf9400611, 0xd61f0040 }, "nnn" },
	{ "arm: ld, lld", &arch_arm, { 0xe28fc600, 0xe28cca20, 0xe5bcf094 }, "yyy" },
	{ "arm: ld, long", &arch_arm, { 0xe28fc200, 0xe28cc600, 0xe28cca20, 0xe5bcf094 }, "yyyy" },
	{ "arm: called by Thumb", &arch_arm, { 0x46c04778, 0xe28fc600, 0xe28cca20, 0xe5bcf094 }, "yyyy" },
	{ "arm: lld, long", &arch_arm, { 0xe59fc004, 0xe08cc00f, 0xe59cf000 }, "yyy" },
	{ "arm: a branch farther than one reaches", &arch_arm, { 0xe300c284, 0xe340c001, 0xe12fff1c }, "yyy" },
	{ "arm: the same by a word", &arch_arm, { 0xe51ff004 }, "y" },
	{ "arm: the head", &arch_arm, { 0xe52de004, 0xe28fe600, 0xe28eea20, 0xe5bef0ac }, "nnnn" },
	{ "arm: bx lr", &arch_arm, { 0xe28fc600, 0xe28cca20, 0xe12fff1e }, "nnn" },
};

static size_t nr_of(const uint32_t *words)
{
	size_t nr = 0;

	while (nr < MOST && words[nr])
		nr++;
	return nr;
}

static enum stub stub_of(char found)
{
	return found == 'y' ? STUB_UNTOUCHED : found == 'p' ? STUB_PUSHED : STUB_NONE;
}

static void check_words_of(const struct arch *arch, const char *name, const uint32_t *words, const char *found)
{
	size_t nr = nr_of(words), size = nr * 4;
	uint8_t code[MOST * 4];

	CHECK(strlen(found) == nr, "%s", name);
	for (size_t k = 0; k < nr; k++)
		memcpy(code + 4 * k, &(uint32_t){ htole32(words[k]) }, 4);
	for (size_t k = 0; k < nr; k++) {
		size_t before = MIN(4 * k, STUB_BEFORE), n = MIN(size - 4 * k, STUB_MAX);
		const uint8_t *from = code + 4 * k - before;

		CHECK(find_stub(arch, from, before, n) == stub_of(found[k]), "%s, instruction %zu", name, k);
		/* Cut before its target, it is unknown. */
		CHECK(nr > 6 || !find_stub(arch, from, before, size - 4 * k - 4), "%s, cut", name);
	}
}

static void check_words(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(arm); i++)
		check_words_of(arm[i].arch, arm[i].name, arm[i].words, arm[i].found);
}

/* ---- x86 ---- */

static const struct {
	const char *name;
	const struct arch *arch;
	uint8_t code[12];
	enum stub found;
} x86[] = {
	{ "jmp *word(%rip)", &arch_x86_64, { 0xff, 0x25, 1, 2, 3, 4, 0x90 }, STUB_UNTOUCHED },
	{ "bnd jmp *word(%rip)", &arch_x86_64, { 0xf2, 0xff, 0x25, 1, 2, 3, 4 }, STUB_UNTOUCHED },
	{ "endbr64; bnd jmp *word(%rip)", &arch_x86_64, { 0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25, 1, 2, 3, 4 }, STUB_UNTOUCHED },
	{ "endbr32; jmp *word(%ebx)", &arch_i386, { 0xf3, 0x0f, 0x1e, 0xfb, 0xff, 0xa3, 1, 2, 3, 4 }, STUB_UNTOUCHED },
	{ "jmp *word(%rbx)", &arch_x86_64, { 0xff, 0xa3, 1, 2, 3, 4, 0x90 }, STUB_NONE },
	{ "call *word(%rip)", &arch_x86_64, { 0xff, 0x15, 1, 2, 3, 4, 0x90 }, STUB_NONE },
};

static void check_bytes(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(x86); i++)
		CHECK(find_stub(x86[i].arch, x86[i].code, 0, sizeof(x86[i].code)) == x86[i].found, "%s", x86[i].name);
	CHECK(!find_stub(&arch_x86_64, x86[0].code, 0, 6));
}

/* ---- code without tables, to its return ---- */

#define SUB	0x48, 0x83, 0xec, 8
#define CALL_IF	0x48, 0x85, 0xc0, 0x74, 2, 0xff, 0xd0
#define ADD_RET	0x48, 0x83, 0xc4, 8, 0xc3
#define NO_WAY	(-1)

/* From each of these instructions: bytes below the return address; where the caller's frame pointer is, -1: in its register. */
static const struct {
	const char *name;
	const struct arch *arch;
	uint8_t code[48], size;
	struct {
		uint8_t at;
		int16_t below, fp_at;
		bool pops_others;
	} insns[6];
	uint8_t nr;
} ways[] = {
	{ "_fini", &arch_x86_64, { SUB, ADD_RET }, 9, { { 0, 0, -1, false }, { 4, 8, -1, false }, { 8, 0, -1, false } }, 3 },
	{ "_init, static", &arch_x86_64, { SUB, 0x48, 0xc7, 0xc0, 0, 0, 0, 0, CALL_IF, ADD_RET }, 23,
	  { { 0, 0, -1, false }, { 4, 8, -1, false }, { 11, 8, -1, false }, { 16, 8, -1, false }, { 18, 8, -1, false } }, 5 },
	{ "_init with endbr64", &arch_x86_64,
	  { 0xf3, 0x0f, 0x1e, 0xfa, SUB, 0x48, 0x8b, 5, 0xc5, 0x2f, 1, 2, CALL_IF, ADD_RET }, 27,
	  { { 0, 0, -1, false }, { 4, 0, -1, false }, { 8, 8, -1, false }, { 26, 0, -1, false } }, 4 },
	{ "_fini of i386: push ebx; sub 8; call; add; add 8; pop ebx; ret", &arch_i386,
	  { 0x53, 0x83, 0xec, 8, 0xe8, 1, 2, 3, 4, 0x81, 0xc3, 1, 2, 3, 4, 0x83, 0xc4, 8, 0x5b, 0xc3 }, 20,
	  { { 0, 0, -1, false }, { 1, 4, -1, true }, { 4, 12, -1, true }, { 9, 12, -1, true }, { 18, 4, -1, true },
	    { 19, 0, -1, false } }, 6 },
	{ "do_global_dtors_aux: cmp; jne ret; push rbp; mov rsp, rbp; call; pop rbp; ret", &arch_x86_64,
	  { 0x80, 0x3d, 1, 2, 3, 4, 0, 0x75, 0x0b, 0x55, 0x48, 0x89, 0xe5, 0xe8, 1, 2, 3, 4, 0x5d, 0xc3, 0xc3 }, 21,
	  { { 0, 0, -1, false }, { 9, 0, -1, false }, { 10, 8, 0, false }, { 13, 8, 0, false }, { 18, 8, 0, false },
	    { 19, 0, -1, false } }, 6 },
	{ "a jump to another function", &arch_x86_64, { 0xf3, 0x0f, 0x1e, 0xfa, 0xe9, 0, 1, 0, 0 }, 9, { { 0, 0, -1, false } }, 1 },
	{ "a loop that is left; one that is not", &arch_x86_64, { 0x83, 0xe9, 1, 0x75, 0xfb, 0xc3, 0xeb, 0xfe }, 8,
	  { { 0, 0, -1, false }, { 6, NO_WAY, -1, false } }, 2 },
	{ "leave", &arch_x86_64, { 0xc9, 0xc3 }, 2, { { 0, NO_WAY, -1, false } }, 1 },
	{ "mov rbp, rsp", &arch_x86_64, { 0x48, 0x89, 0xec, 0x5d, 0xc3 }, 5, { { 0, NO_WAY, -1, false }, { 3, 8, 0, false } }, 2 },
	{ "mov rbp, r12", &arch_x86_64, { 0x49, 0x89, 0xec, 0xc3 }, 4, { { 0, 0, -1, false } }, 1 },
	{ "lea 8(rsp), rsp", &arch_x86_64, { 0x48, 0x8d, 0x64, 0x24, 8, 0xc3 }, 6, { { 0, NO_WAY, -1, false } }, 1 },
	{ "and -16, rsp", &arch_x86_64, { 0x48, 0x83, 0xe4, 0xf0, 0xc3 }, 5, { { 0, NO_WAY, -1, false } }, 1 },
	{ "what pushes more than it pops", &arch_x86_64, { 0x55, 0xc3 }, 2, { { 0, NO_WAY, -1, false } }, 1 },
};

static void check_ways(void)
{
	struct epilogue_scan out;

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		const uint8_t *code = ways[i].code;

		for (size_t k = 0; k < ways[i].nr; k++) {
			size_t at = ways[i].insns[k].at, n = ways[i].size - at;
			bool found = find_epilogue(ways[i].arch, code, at, n, &out);

			CHECK(found == (ways[i].insns[k].below != NO_WAY), "%s, %zu", ways[i].name, at);
			CHECK(!found || out.depth == ways[i].insns[k].below, "%s, %zu: %d", ways[i].name, at, out.depth);
			CHECK(!found || out.fp_at == ways[i].insns[k].fp_at, "%s, %zu: %d", ways[i].name, at, out.fp_at);
			CHECK(!found || out.pops_others == ways[i].insns[k].pops_others, "%s, %zu", ways[i].name, at);
		}
	}
	CHECK(!find_epilogue(&arch_x86_64, ways[0].code, 0, 8, &out), "the return is cut off");
	CHECK(!find_epilogue(&arch_arm64, ways[0].code, 0, 9, &out));
}

/* Signal trampolines, at each of their two instructions. */
static const struct {
	const struct arch *arch;
	uint8_t code[TRAMPOLINE_MAX], size, second;
} signals[] = {
	{ &arch_x86_64, { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 }, 9, 7 },
	{ &arch_x86_64, { 0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05 }, 7, 5 },
	{ &arch_arm64, { 0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4 }, 8, 4 },
};

static void check_trampolines(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		const uint8_t *code = signals[i].code;
		size_t size = signals[i].size, second = signals[i].second;

		CHECK(is_in_trampoline(signals[i].arch, code, 0, size), "%zu", i);
		CHECK(is_in_trampoline(signals[i].arch, code, second, size - second), "%zu", i);
		CHECK(!is_in_trampoline(signals[i].arch, code, second, size - second - 1), "%zu: cut", i);
		CHECK(!is_in_trampoline(signals[i].arch, code + 1, second - 1, size - second), "%zu: cut before", i);
		CHECK(!is_in_trampoline(signals[i].arch, code, size, 0), "%zu: behind it", i);
		CHECK(!is_in_trampoline(&arch_i386, code, 0, size), "%zu: of another machine", i);
	}
}

/* ---- their callers ---- */

static bool read_caller(void *ctx, uint64_t addr, unsigned size, uint64_t *value)
{
	*value = 0x4567;
	return addr == 0x1000 && size == *(const unsigned *)ctx;
}

/* Registers are their own numbers, but for the stack pointer and the link register. */
static struct unwind_frame frame_of(const struct arch *arch, uint64_t sp)
{
	struct unwind_frame f = { .pc = 0x99, .interrupted = true };

	for (unsigned i = 0; i < arch->nr_dwarf_regs; i++)
		frame_set(&f, i, i);
	frame_set(&f, arch->dwarf_sp, sp);
	if (arch->link_reg)
		frame_set(&f, arch->link_reg, 0x4567);
	return f;
}

/* Nothing is in memory but what a call of x86 has put there. */
static void check_entry(const struct arch *arch, unsigned pushed, uint64_t want_pc, uint64_t want_sp)
{
	unsigned word = arch->word;
	const struct memory m = { read_caller, &word };
	struct unwind_frame f = frame_of(arch, 0x1000 - pushed);

	CHECK(entry_step(&f, arch, pushed, &m) == STEP_CALLER, "%s", arch->name);
	CHECK(f.pc == want_pc && !f.interrupted, "%s: %#" PRIx64, arch->name, f.pc);
	CHECK(f.regs[arch->dwarf_sp] == want_sp, "%s: %#" PRIx64, arch->name, f.regs[arch->dwarf_sp]);
	CHECK(f.known == (arch->dwarf_kept | 1ull << arch->dwarf_sp), "%s: %#" PRIx64, arch->name, f.known);
	/* Without the stack pointer or the return address there is none. */
	f.known = 0;
	CHECK(entry_step(&f, arch, 0, &m) == STEP_BAD, "%s", arch->name);
	frame_set(&f, arch->dwarf_sp, 0x2000);
	CHECK(entry_step(&f, arch, 0, &m) == (arch->link_reg ? STEP_BAD : STEP_MEMORY), "%s", arch->name);
}

/* ---- tables that do not count what was pushed before ---- */

/* The caller's stack pointer by a rule: CFA = stack pointer, return address at CFA + @at. */
static uint64_t sp_of_caller(const struct arch *arch, int32_t at, uint8_t flags)
{
	struct rule rule = {
		.cfa = CFA_REGISTER, .cfa_reg = arch->dwarf_sp, .return_reg = arch->link_reg ? arch->link_reg : 16, .flags = flags,
		.nr_saved = 1,
	};
	const struct rule_place place = { .rule = &rule };
	unsigned word = arch->word;
	const struct memory m = { read_caller, &word };
	struct unwind_frame f = frame_of(arch, 0x1000 - (uint64_t)at);

	rule.saved[0] = (struct saved){ rule.return_reg, SAVED_AT_CFA, 0, at };
	f.interrupted = false;
	CHECK(frame_step(&f, arch, &place, &m) == STEP_CALLER, "%s, %d", arch->name, at);
	CHECK(f.pc == 0x4567, "%s: %#" PRIx64, arch->name, f.pc);
	return f.regs[arch->dwarf_sp];
}

static void check_return_above_cfa(void)
{
	CHECK(sp_of_caller(&arch_arm64, 8, 0) == 0x1008);
	CHECK(sp_of_caller(&arch_arm64, -8, 0) == 0x1008);
	CHECK(sp_of_caller(&arch_arm64, 8, RULE_SIGNAL) == 0xff8);
	CHECK(sp_of_caller(&arch_x86_64, 8, 0) == 0xff8);
}

/* ---- what is known of functions while they are recorded ---- */

static void check_live_functions(void)
{
	struct dso program = { .number = 0 }, library = { .number = 1 };
	struct live_space space = { .number = 7 };
	struct live_memory live;
	const struct memory_ops *w = &live.memory;

	live_memory_init(&live, NULL, NULL);
	live.space = &space;
	vec_push(&space.maps, ((struct map){ .start = 0x1000, .end = 0x2000, .dso = &program }));
	vec_push(&space.maps, ((struct map){ .start = 0x5000, .end = 0x6000, .dso = &library }));
	CHECK(w->same_function(w, 7, 0x1010, 0x1ff0));
	CHECK(!w->same_function(w, 7, 0x5010, 0x1ff0));
	/* Nothing is known of unmapped addresses. */
	CHECK(w->same_function(w, 7, 0x5010, 0x3000));
	live_memory_release(&live);
	vec_free(&space.maps);
}

int main(void)
{
	check_words();
	check_bytes();
	check_ways();
	check_trampolines();
	check_entry(&arch_x86_64, 0, 0x4567, 0x1008);
	check_entry(&arch_i386, 0, 0x4567, 0x1004);
	check_entry(&arch_arm64, 0, 0x4567, 0x1000);
	check_entry(&arch_x86_64, stub_push(&arch_x86_64), 0x4567, 0x1008);
	check_entry(&arch_arm64, stub_push(&arch_arm64), 0x4567, 0x1000);
	check_entry(&arch_arm, 0, 0x4566, 0x1000);	/* its lowest bit says Thumb */
	check_return_above_cfa();
	check_live_functions();
	return checks_done();
}
