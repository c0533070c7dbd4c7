/*
 * Whatever a file says how to unwind: an ELF file, or with another first byte the contents of .eh_frame, .debug_frame or
 * .ARM.exidx alone; then frames by its rules, with registers and a stack made of the same bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/unwind/cfi.h"
#include "core/unwind/exidx.h"
#include "core/unwind/fallback.h"
#include "core/unwind/file_tables.h"
#include "core/unwind/step.h"

#define ROWS_TRIED	64
#define FRAMES_TRIED	32

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input { const uint8_t *data; size_t size; };

/* Most addresses are in the bytes, so that chains go on. */
static bool read_input(void *ctx, uint64_t addr, unsigned size, uint64_t *value)
{
	const struct input *in = ctx;
	uint64_t at = addr & 0xffff;

	*value = 0;
	if (in->size < size || at > in->size - size)
		return false;
	memcpy(value, in->data + at, size);
	return true;
}

static void unwind(const struct rule_table *t, const struct arch *arch, struct input *in, uint64_t addr)
{
	const struct memory memory = { read_input, in };
	struct rule_place place = { rule_table_find(t, addr), t, 0 };
	struct unwind_frame f = { .pc = addr, .interrupted = true };

	for (unsigned i = 0; i < UNWIND_REGS; i++)
		frame_set(&f, i, 8 * i);
	for (unsigned i = 0; i < FRAMES_TRIED && place.rule; i++) {
		if (frame_step(&f, arch, &place, &memory) != STEP_CALLER)
			break;
		place.rule = rule_table_find(t, f.pc);
		if (!place.rule)
			place.rule = rule_table_find(t, addr);
	}
	frame_pointer_step(&f, arch, &memory, false);
	trampoline_step(&f, arch, &memory);
}

static void check_table(const struct rule_table *t, const struct arch *arch, struct input *in)
{
	for (size_t i = 0; i < t->rows.nr; i++) {
		uint64_t start = t->base + t->rows.v[i].start;

		/* The invariants of the search. */
		if ((i && t->rows.v[i].start <= t->rows.v[i - 1].start) || t->rows.v[i].rule >= MAX(t->rules.nr, 1) ||
		    !rule_table_begins(t, start))
			abort();
		if (i < ROWS_TRIED)
			unwind(t, arch, in, start);
	}
}

static void check_functions(struct cfi_functions *f, const struct arch *arch, struct input *in)
{
	size_t nr = f ? cfi_functions_nr(f) : 0;

	for (size_t i = 0; i < nr; i++) {
		const struct rule_table *t = cfi_functions_table(f, i);

		check_table(t, arch, in);
		if (cfi_functions_find(f, t->base) != t || (i && t->base <= cfi_functions_table(f, i - 1)->base))
			abort();
	}
}

static void read_elf(struct input *in)
{
	static const struct arch *const archs[] = { &arch_x86_64, &arch_i386, &arch_arm64, &arch_arm };
	int fd = memfd_create("elf", MFD_CLOEXEC);
	struct file_tables tables = {0};
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fd < 0 || write_all(fd, in->data, in->size))
		abort();
	file_tables_read(&tables, path, path);
	for (unsigned i = 0; i < FILE_FRAMES; i++)
		check_functions(tables.frames[i], archs[in->size % ARRAY_SIZE(archs)], in);
	check_table(&tables.whole, archs[in->size % ARRAY_SIZE(archs)], in);
	file_tables_release(&tables);
	close(fd);
}

/* All at once and each by itself: the same rules. */
static void check_same(const struct rule_table *all, struct cfi_functions *f)
{
	for (size_t i = 0; i < all->rows.nr; i++) {
		uint64_t addr = all->base + all->rows.v[i].start;
		const struct rule *r = rule_table_find(all, addr), *other;
		const struct rule_table *t = cfi_functions_find(f, addr);

		other = t ? rule_table_find(t, addr) : NULL;
		if (!r != !other || (r && (r->cfa != other->cfa || r->cfa_reg != other->cfa_reg || r->nr_saved != other->nr_saved ||
					   r->flags != other->flags)))
			abort();
	}
}

static void read_section(struct input *in, uint8_t kind)
{
	struct cfi_section s = {
		.data = in->data, .size = in->size, .addr = 0x1000, .word = kind & 4 ? 4 : 8, .eh = kind & 1, .arm64 = kind & 8,
		.until_zero = kind & 16,
	};
	struct exidx_image x = { .read = read_input, .ctx = in, .size = in->size, .end = 0x10000 };
	struct rule_table t = {0};

	const struct arch *arch = kind & 2 ? &arch_arm : kind & 4 ? &arch_i386 : kind & 8 ? &arch_arm64 : &arch_x86_64;

	if (kind & 2)
		exidx_compile(&t, &x);
	else
		cfi_compile_all(&t, &s, 1);
	check_table(&t, arch, in);
	if (!(kind & 2)) {
		struct cfi_functions *f = cfi_functions_new(&s);

		check_functions(f, arch, in);
		check_same(&t, f);
		cfi_functions_free(f);
	}
	rule_table_release(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };

	if (size && data[0] != 0x7f) {
		in.data++;
		in.size--;
		read_section(&in, data[0]);
	} else if (size) {
		read_elf(&in);
	}
	return 0;
}
