/*
 * The compiled unwind tables agree with libdw on the same call frame information: for random registers and memory, each
 * address gives the same canonical frame address, return address and saved registers; and without a rule, libdw has none.
 * Uses the given files; or this program, its maps, and the vdso.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/arch.h"
#include "core/base/hash.h"
#include "core/unwind/cfi.h"
#include "core/unwind/file_tables.h"
#include "core/unwind/step.h"
#include "tests/unit/check.h"

#define STACK 64
#define SHOWN 10

struct file {
	const char *path;
	const struct arch *arch;
	Dwarf_CFI *cfi;
	uint64_t nr, nr_bytes, nr_different, nr_without;
};

struct values {			/* of a frame's caller */
	bool known[UNWIND_REGS];
	uint64_t regs[UNWIND_REGS];
	bool has_pc;
	uint64_t pc;
};

/* ---- the same registers and memory for both ---- */

static uint64_t cut(const struct arch *arch, uint64_t v)
{
	return arch->word == 4 ? (uint32_t)v : v;
}

static uint64_t reg_of(const struct arch *arch, unsigned reg)
{
	return cut(arch, hash_u64(reg + 77) & ~0xfull);
}

static bool read_hash(void *ctx, uint64_t addr, unsigned size, uint64_t *value)
{
	(void)ctx;
	*value = hash_u64(addr ^ 0x5555);
	if (size < 8)
		*value &= (1ull << 8 * size) - 1;
	return true;
}

/* ---- by libdw ---- */

struct machine_stack { uint64_t v[STACK]; int nr; };

static uint64_t pop(struct machine_stack *s)
{
	return s->nr ? s->v[--s->nr] : 0;
}

static void push(struct machine_stack *s, uint64_t v)
{
	if (s->nr < STACK)
		s->v[s->nr++] = v;
}

static bool binary(struct machine_stack *s, uint8_t atom)
{
	uint64_t b = pop(s), a = pop(s);

	switch (atom) {
	case DW_OP_plus:
		push(s, a + b);
		return true;
	case DW_OP_minus:
		push(s, a - b);
		return true;
	case DW_OP_and:
		push(s, a & b);
		return true;
	case DW_OP_mul:
		push(s, a * b);
		return true;
	case DW_OP_shl:
		push(s, a << b);
		return true;
	case DW_OP_ge:
		push(s, (int64_t)a >= (int64_t)b);
		return true;
	case DW_OP_lt:
		push(s, (int64_t)a < (int64_t)b);
		return true;
	default:
		return false;
	}
}

/* One operation; false: none that call frame information has been seen to use. */
static bool operate(struct machine_stack *s, const struct arch *arch, const Dwarf_Op *op, uint64_t cfa)
{
	uint64_t v;

	switch (op->atom) {
	case DW_OP_breg0 ... DW_OP_breg31:
		push(s, reg_of(arch, op->atom - DW_OP_breg0) + op->number);
		return true;
	case DW_OP_bregx:
		push(s, reg_of(arch, (unsigned)op->number) + op->number2);
		return true;
	case DW_OP_lit0 ... DW_OP_lit31:
		push(s, op->atom - DW_OP_lit0);
		return true;
	case DW_OP_const1u ... DW_OP_consts:
		push(s, op->number);
		return true;
	case DW_OP_plus_uconst:
		push(s, pop(s) + op->number);
		return true;
	case DW_OP_call_frame_cfa:
		push(s, cfa);
		return true;
	case DW_OP_deref:
		read_hash(NULL, cut(arch, pop(s)), arch->word, &v);
		push(s, v);
		return true;
	case DW_OP_dup:
		v = pop(s);
		push(s, v);
		push(s, v);
		return true;
	default:
		return binary(s, op->atom);
	}
}

/* The result of the operations: a value, or its place in memory or a register. */
static bool evaluate(const struct arch *arch, const Dwarf_Op *ops, size_t nr, uint64_t cfa, bool is_address, uint64_t *out)
{
	struct machine_stack s = { .nr = 0 };

	for (size_t i = 0; i < nr; i++) {
		if (ops[i].atom == DW_OP_stack_value) {
			is_address = true;
		} else if (ops[i].atom >= DW_OP_reg0 && ops[i].atom <= DW_OP_reg31) {
			*out = reg_of(arch, ops[i].atom - DW_OP_reg0);
			return true;
		} else if (ops[i].atom == DW_OP_regx) {
			*out = reg_of(arch, (unsigned)ops[i].number);
			return true;
		} else if (!operate(&s, arch, &ops[i], cfa)) {
			printf("operation 0x%x is not known here\n", ops[i].atom);
			return false;
		}
	}
	*out = cut(arch, pop(&s));
	return is_address || read_hash(NULL, *out, arch->word, out);
}

static bool register_by_libdw(const struct arch *arch, Dwarf_Frame *frame, int reg, uint64_t cfa, uint64_t *out)
{
	Dwarf_Op mem[3], *ops;
	size_t nr;

	if (dwarf_frame_register(frame, reg, mem, &ops, &nr))
		return false;
	if (!nr && ops == mem)
		return false;
	if (!nr) {
		*out = reg_of(arch, (unsigned)reg);
		return true;
	}
	return evaluate(arch, ops, nr, cfa, false, out);
}

/* *end: the end of the range with the same result, as far as known. */
static bool by_libdw(const struct file *f, uint64_t addr, struct values *out, Dwarf_Addr *end)
{
	Dwarf_Frame *frame = NULL;
	int return_reg;
	Dwarf_Op *ops;
	uint64_t cfa = 0;
	size_t nr;
	bool found;

	if (dwarf_cfi_addrframe(f->cfi, addr, &frame))
		return false;
	return_reg = dwarf_frame_info(frame, NULL, end, NULL);
	found = !dwarf_frame_cfa(frame, &ops, &nr) && nr && evaluate(f->arch, ops, nr, 0, true, &cfa);
	for (int i = 0; found && i < UNWIND_REGS; i++)
		out->known[i] = register_by_libdw(f->arch, frame, i, cfa, &out->regs[i]);
	if (found) {
		out->has_pc = register_by_libdw(f->arch, frame, return_reg, cfa, &out->pc);
		out->known[f->arch->dwarf_sp] = true;
		if (!register_by_libdw(f->arch, frame, f->arch->dwarf_sp, cfa, &out->regs[f->arch->dwarf_sp]))
			out->regs[f->arch->dwarf_sp] = cfa;
	}
	free(frame);
	return found;
}

/* ---- by the table ---- */

static bool by_table(const struct file *f, struct cfi_functions *functions, uint64_t addr, struct values *out)
{
	const struct memory memory = { read_hash, NULL };
	const struct rule_table *t = cfi_functions_find(functions, addr);
	struct rule_place place = { t ? rule_table_find(t, addr) : NULL, t, 0 };
	struct unwind_frame frame = { .pc = 1 };

	if (!place.rule)
		return false;
	for (unsigned i = 0; i < UNWIND_REGS; i++)
		frame_set(&frame, i, reg_of(f->arch, i));
	out->has_pc = frame_step(&frame, f->arch, &place, &memory) == STEP_CALLER;
	out->pc = frame.pc;
	for (unsigned i = 0; i < UNWIND_REGS; i++)
		out->known[i] = frame_reg(&frame, i, &out->regs[i]);
	return true;
}

/* ---- both ---- */

/*
 * libdw (to 0.188 at least) has rax for rbx among the registers that a call on x86_64 does not change: of rbx it says nothing
 * where the tables say nothing. The psABI for AMD64, figure 3.4, has rbx.
 */
static bool is_kept_rbx(const struct arch *arch, unsigned reg, const struct values *ours, const struct values *theirs)
{
	return arch == &arch_x86_64 && reg == 3 && !theirs->known[reg] && ours->known[reg] && ours->regs[reg] == reg_of(arch, reg);
}

/*
 * vfork() of arm64 keeps its return address in x15, and only its return column shows that. libdw takes a register without a
 * rule as lost.
 */
static bool is_in_odd_register(const struct arch *arch, const struct values *ours, const struct values *theirs)
{
	return arch == &arch_arm64 && !theirs->has_pc && ours->has_pc && ours->pc == reg_of(arch, 15);
}

/* The outermost frame has no caller whose registers could differ. */
static bool is_same(const struct arch *arch, const struct values *a, const struct values *b)
{
	uint64_t kept = arch->dwarf_kept | 1ull << arch->dwarf_sp;

	if (is_in_odd_register(arch, a, b))
		return true;
	if (a->has_pc != b->has_pc || (a->has_pc && a->pc != b->pc))
		return false;
	for (unsigned i = 0; a->has_pc && i < UNWIND_REGS; i++)
		if (kept & 1ull << i && (a->known[i] != b->known[i] || (a->known[i] && a->regs[i] != b->regs[i])) &&
		    !is_kept_rbx(arch, i, a, b))
			return false;
	return true;
}

/* Returns the end of libdw's row; 0: it has none. */
static uint64_t compare_at(struct file *f, struct cfi_functions *functions, uint64_t addr)
{
	struct values ours = {0}, theirs = {0};
	Dwarf_Addr end = 0;
	bool has_ours = by_table(f, functions, addr, &ours), has_theirs = by_libdw(f, addr, &theirs, &end);

	f->nr++;
	f->nr_without += !has_ours;
	if ((has_ours == has_theirs && (!has_ours || is_same(f->arch, &ours, &theirs))) || f->nr_different++ >= SHOWN)
		return end;
	printf("%s: 0x%" PRIx64 ": rule %d, libdw %d; pc %d 0x%" PRIx64 ", libdw %d 0x%" PRIx64 "\n", f->path, addr, has_ours,
	       has_theirs, ours.has_pc, ours.pc, theirs.has_pc, theirs.pc);
	for (unsigned i = 0; i < UNWIND_REGS; i++)
		if (ours.known[i] != theirs.known[i] || ours.regs[i] != theirs.regs[i])
			printf("  r%u %d 0x%" PRIx64 ", libdw %d 0x%" PRIx64 "\n", i, ours.known[i], ours.regs[i], theirs.known[i],
			       theirs.regs[i]);
	return end;
}

/* Compares each of libdw's rows between @start and @next, and the last address: so every instruction is compared. */
static void compare_range(struct file *f, struct cfi_functions *functions, uint64_t start, uint64_t next)
{
	for (uint64_t addr = start, end; addr < next; addr = MAX(addr + 1, MIN(end ? end : next, next))) {
		end = compare_at(f, functions, addr);
		f->nr_bytes += MAX(addr + 1, MIN(end ? end : next, next)) - addr;
	}
	if (next - start > 1)
		compare_at(f, functions, next - 1);
}

/* The functions of a section, and what is between them. */
static void compare_functions(struct file *f, struct cfi_functions *functions, const char *what)
{
	size_t nr = cfi_functions_nr(functions), rows = 0;

	f->nr = f->nr_bytes = f->nr_different = f->nr_without = 0;
	for (size_t i = 0; i < nr; i++) {
		const struct rule_table *t = cfi_functions_table(functions, i);
		uint64_t after = i + 1 < nr ? cfi_functions_table(functions, i + 1)->base : UINT64_MAX;

		rows += t->rows.nr;
		for (size_t k = 0; k < t->rows.nr; k++) {
			uint64_t start = t->base + t->rows.v[k].start;

			compare_range(f, functions, start, MIN(after, k + 1 < t->rows.nr ? t->base + t->rows.v[k + 1].start :
							       after != UINT64_MAX ? after : start + 1));
		}
	}
	printf("%s: %s: %zu rows of %" PRIu64 " bytes, %" PRIu64 " addresses, %" PRIu64 " without a rule, %" PRIu64 " differ\n",
	       f->path, what, rows, f->nr_bytes, f->nr, f->nr_without, f->nr_different);
	CHECK(!f->nr_different, "%s %s", f->path, what);
}

static const struct arch *arch_of(Elf *elf)
{
	static const struct { uint16_t machine; const struct arch *arch; } all[] = {
		{ EM_X86_64, &arch_x86_64 }, { EM_386, &arch_i386 }, { EM_AARCH64, &arch_arm64 }, { EM_ARM, &arch_arm },
	};
	GElf_Ehdr e;

	for (size_t i = 0; i < ARRAY_SIZE(all) && gelf_getehdr(elf, &e); i++)
		if (all[i].machine == e.e_machine)
			return all[i].arch;
	return NULL;
}

static void compare_file(const char *path)
{
	struct file_tables tables = {0};
	struct file f = { .path = path };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	Dwarf *dwarf;

	CHECK(elf && (f.arch = arch_of(elf)), "%s", path);
	file_tables_read(&tables, path, NULL);
	f.cfi = f.arch ? dwarf_getcfi_elf(elf) : NULL;
	if (f.cfi && tables.frames[0])
		compare_functions(&f, tables.frames[0], ".eh_frame");
	if (f.cfi)
		dwarf_cfi_end(f.cfi);
	dwarf = f.arch ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
	f.cfi = dwarf ? dwarf_getcfi(dwarf) : NULL;
	CHECK(!f.cfi == !tables.frames[1], "%s: .debug_frame", path);
	if (f.cfi && tables.frames[1])
		compare_functions(&f, tables.frames[1], ".debug_frame");
	CHECK(tables.frames[0] || tables.frames[1], "%s: no functions", path);
	dwarf_end(dwarf);
	elf_end(elf);
	close(fd);
	file_tables_release(&tables);
}

static bool are_same_tables(const struct rule_table *a, const struct rule_table *b)
{
	return a->base == b->base && a->rows.nr == b->rows.nr &&
	       !memcmp(a->rows.v, b->rows.v, a->rows.nr * sizeof(struct rule_row));
}

static void compare_tables(const char *path, struct cfi_functions *a, struct cfi_functions *b)
{
	CHECK(a && b && cfi_functions_nr(a) == cfi_functions_nr(b), "%s", path);
	for (size_t i = 0; a && b && i < cfi_functions_nr(a); i++)
		CHECK(are_same_tables(cfi_functions_table(a, i), cfi_functions_table(b, i)), "%s: function %zu", path, i);
}

/* Without section headers, the program headers lead to the same rows. */
static void compare_without_sections(const char *path)
{
	struct file_tables with = {0}, without = {0};
	char copy[64], bytes[1 << 12];
	int in = open(path, O_RDONLY | O_CLOEXEC), out = memfd_create("copy", MFD_CLOEXEC);
	ssize_t n;
	Elf64_Ehdr e;

	while ((n = read(in, bytes, sizeof(bytes))) > 0)
		CHECK(write(out, bytes, (size_t)n) == n);
	CHECK(pread(out, &e, sizeof(e), 0) == sizeof(e));
	e.e_shoff = e.e_shnum = e.e_shstrndx = 0;
	CHECK(pwrite(out, &e, sizeof(e), 0) == sizeof(e));
	snprintf(copy, sizeof(copy), "/proc/self/fd/%d", out);
	file_tables_read(&with, path, NULL);
	file_tables_read(&without, copy, NULL);
	compare_tables(path, with.frames[0], without.frames[0]);
	file_tables_release(&with);
	file_tables_release(&without);
	close(in);
	close(out);
}

/* The kernel's own small library, which is in no file: a copy of it is. */
static void compare_vdso(void)
{
	const uint8_t *image = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
	int fd = memfd_create("vdso", MFD_CLOEXEC);
	char path[64];
	const ElfW(Ehdr) *e = (const void *)image;
	size_t size = image ? e->e_shoff + (size_t)e->e_shnum * e->e_shentsize : 0;

	CHECK(!size || write(fd, image, size) == (ssize_t)size, "the vdso has %zu bytes", size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (size)
		compare_file(path);
	close(fd);
}

static int compare_loaded(struct dl_phdr_info *info, size_t size, void *ctx)
{
	(void)size, (void)ctx;
	/* The first is the program itself, and one is the vdso. */
	if (!info->dlpi_name[0])
		compare_file("/proc/self/exe");
	else if (!access(info->dlpi_name, R_OK))
		compare_file(info->dlpi_name);
	return 0;
}

int main(int argc, char **argv)
{
	elf_version(EV_CURRENT);
	for (int i = 1; i < argc; i++)
		compare_file(argv[i]);
	if (argc == 1) {
		dl_iterate_phdr(compare_loaded, NULL);
		compare_vdso();
		if (sizeof(void *) == 8)
			compare_without_sections("/proc/self/exe");
	}
	return checks_done();
}
