/* Whatever a file says that it is an ELF file: its symbols, stubs, segments, notes, lines and inlined functions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/binary/elf_module.h"
#include "core/model/srcline.h"

static bool find_symbol(void *ctx, const char *name, uint64_t *addr)
{
	(void)ctx;
	*addr = 0xffffffff81000000 + strlen(name);
	return true;
}

static void read_code(const struct elf_file *e)
{
	struct code_image image = {0};
	uint8_t bytes[64];

	elf_module_code(e, 0xffffffffc0000000, find_symbol, NULL, &image);
	code_image_at(&image, 0xffffffffc0000000, bytes, sizeof(bytes));
	code_image_release(&image);
	elf_file_code(e, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_lines(const char *path, const struct symbols *symbols)
{
	struct dso dso = { .path = "fuzz", .dwarf_file = path, .lock = PTHREAD_MUTEX_INITIALIZER };
	struct map map = { .end = UINT64_MAX, .dso = &dso };
	struct addr_location p = { .map = &map, .dso = &dso };

	for (p.addr = 0; p.addr < 0x4000; p.addr += 0x111)
		addr_location_frames(&p);
	for (size_t i = 0; i < symbols->list.nr && i < 20; i++) {
		p.addr = symbols->list.v[i].start;
		addr_location_frames(&p);
	}
	srcline_release(&dso);
}

static void read_symbols(const struct elf_file *e, struct symbols *s)
{
	uint64_t *layout = elf_file_module_layout(e), value;

	elf_file_symbols(e, ".symtab", layout, s);
	elf_file_symbols(e, ".dynsym", NULL, s);
	symbols_finish(s);
	elf_file_plt(e, s);
	symbols_finish(s);
	elf_file_go_symbols(e, s);
	symbols_finish(s);
	elf_file_starts(e, "fuzz", s);
	elf_file_value(e, "main", &value);
	free(layout);
	for (size_t i = 0; i < s->list.nr; i++) {
		const struct symbol *sym = &s->list.v[i];

		/* The invariants of the search. */
		if (sym->end <= sym->start || (i && sym[-1].start >= sym->start) || sym->outer > i)
			abort();
		symbols_find(s, sym->end);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);
	struct elf_segments segments = {0};
	struct symbols symbols = {0};
	struct build_id id;
	struct elf_file *e;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fd < 0 || write_all(fd, data, size))
		abort();
	if (!elf_file_open(&e, path)) {
		elf_file_build_id(e, &id);
		elf_file_debuglink(e, &(uint32_t){0});
		elf_file_crc(e);
		elf_file_segments(e, &segments);
		elf_segments_addr(&segments, 0x1234);
		read_code(e);
		read_symbols(e, &symbols);
		elf_file_close(e);
		read_lines(path, &symbols);
	}
	symbols_release(&symbols);
	vec_free(&segments.list);
	close(fd);
	return 0;
}
