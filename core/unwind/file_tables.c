/*
 * Reads the unwind tables of an ELF file and of its debug file, and finds the unwind rule for an address. cfi.h converts DWARF
 * tables into rules, and exidx.h those of 32-bit Arm.
 */
#include "core/unwind/file_tables.h"

#include <errno.h>
#include <gelf.h>
#include <dwarf.h>

#include "core/binary/elf.h"
#include "core/binary/elf_internal.h"
#include "core/model/jitdump.h"
#include "core/unwind/cfi.h"
#include "core/unwind/exidx.h"

enum { EH_FRAME, DEBUG_FRAME, EXIDX = FILE_FRAMES };

/* ---- bytes of a file by address ---- */

struct image {
	const struct elf_file *file;
	const uint8_t *bytes;		/* the whole file */
	size_t size;
	struct elf_segments segments;
};

static void image_init(struct image *i, const struct elf_file *e)
{
	*i = (struct image){ .file = e };
	i->bytes = (const uint8_t *)elf_rawfile(e->elf, &i->size);
	if (!i->bytes)
		i->size = 0;
	elf_file_segments(e, &i->segments);
}

/* The bytes of the file from @addr to the end of its segment. */
static struct bytes image_at(const struct image *image, uint64_t addr)
{
	struct bytes none = { image->bytes, image->bytes, false };

	vec_for(s, &image->segments.list) {
		uint64_t in = addr - s->vaddr;

		if (in < s->size && s->offset < image->size && in < image->size - s->offset)
			return (struct bytes){ image->bytes + s->offset + in,
					       image->bytes + s->offset + MIN(s->size, image->size - s->offset), false };
	}
	return none;
}

static bool image_read(void *ctx, uint64_t addr, unsigned n, uint64_t *value)
{
	struct bytes b = image_at(ctx, addr);

	*value = bytes_number(&b, n);
	return !b.bad;
}

/* ---- call frame information ---- */

struct reading {		/* state while the sections of a file are read */
	const struct elf_file *file;
	unwind_section_fn *fn;
	void *ctx;
};

static struct unwind_section section_of(const struct elf_file *e, uint32_t kind)
{
	return (struct unwind_section){
		.kind = kind, .word = (uint8_t)(elf_file_class(e) / 8), .arm64 = e->ehdr.e_machine == EM_AARCH64,
	};
}

static struct cfi_section cfi_of(const struct unwind_section *s)
{
	return (struct cfi_section){ .word = s->word, .eh = true, .arm64 = s->arm64 };
}

/* Passes the section @name to .fn, unpacked if it is compressed, as .debug_frame often is. False: missing or unusable. */
static bool find_section(const struct reading *r, const char *name, bool eh)
{
	struct unwind_section s = section_of(r->file, eh ? EH_FRAME : DEBUG_FRAME);
	Elf_Scn *section;
	GElf_Shdr header;
	Elf_Data *data;

	section = elf_section(r->file, name, &header);
	if (!section || header.sh_type == SHT_NOBITS)
		return false;
	if (elf_section_unpacked_size(section, &header, name) > MAX(header.sh_size, ELF_UNPACKED_MAX))
		return false;
	if (header.sh_flags & SHF_COMPRESSED)
		elf_compress(section, 0, 0);
	else if (str_starts(name, ".z"))
		elf_compress_gnu(section, 0, 0);
	data = elf_contents(section);
	if (!data)
		return false;
	s.bytes = data->d_buf;
	s.size = data->d_size;
	s.addr = header.sh_addr;
	r->fn(r->ctx, &s);
	return true;
}

/* Finds .eh_frame without section headers, by the address in .eh_frame_hdr (Linux Standard Base), which has a segment. */
static void find_by_header(const struct reading *r)
{
	struct unwind_section s = section_of(r->file, EH_FRAME);
	struct cfi_section head = cfi_of(&s);
	struct image image;
	struct bytes b, all;
	GElf_Phdr p;
	uint8_t encoding;

	if (!elf_find_segment(r->file, PT_GNU_EH_FRAME, &p))
		return;
	image_init(&image, r->file);
	b = image_at(&image, p.p_vaddr);
	head.data = b.pos;
	head.addr = head.data_base = p.p_vaddr;
	if (bytes_u8(&b) == 1) {
		encoding = bytes_u8(&b);
		bytes_number(&b, 2);
		if (cfi_pointer(&head, &b, encoding, &s.addr)) {
			all = image_at(&image, s.addr);
			s.bytes = all.pos;
			s.size = bytes_left(&all);
			s.until_zero = true;
			r->fn(r->ctx, &s);
		}
	}
	vec_free(&image.segments.list);
}

/* ---- 32-bit Arm ---- */

/* Reads a file, and notes the range of addresses that were read: from .from up to .to. */
struct hull {
	struct image *image;
	uint64_t from, to;
};

static bool hull_read(void *ctx, uint64_t addr, unsigned n, uint64_t *value)
{
	struct hull *h = ctx;

	if (!image_read(h->image, addr, n, value))
		return false;
	h->from = MIN(h->from, addr);
	h->to = MAX(h->to, addr + n);
	return true;
}

/* Finds the range of .ARM.exidx and .ARM.extab: compiles the index once, and takes all bytes that were read. */
static void find_exidx(const struct reading *r)
{
	struct unwind_section s = section_of(r->file, EXIDX);
	struct exidx_image x = { .read = hull_read };
	struct rule_table scratch = {0};
	struct image image;
	struct hull hull = { &image, UINT64_MAX, 0 };
	struct bytes bytes;
	GElf_Phdr p;

	if (r->file->ehdr.e_machine != EM_ARM || !elf_find_segment(r->file, PT_ARM_EXIDX, &p))
		return;
	image_init(&image, r->file);
	x.ctx = &hull;
	s.table = x.addr = p.p_vaddr;
	s.table_size = x.size = p.p_memsz;
	vec_for(segment, &image.segments.list)
		s.end = MAX(s.end, MIN(segment->vaddr + segment->size, UINT32_MAX));
	x.end = s.end;
	exidx_compile(&scratch, &x);
	rule_table_release(&scratch);
	if (hull.from < hull.to) {
		bytes = image_at(&image, hull.from);
		s.addr = hull.from;
		s.bytes = bytes.pos;
		s.size = MIN(bytes_left(&bytes), hull.to - hull.from);
		r->fn(r->ctx, &s);
	}
	vec_free(&image.segments.list);
}

/* ---- a file ---- */

static bool is_little_endian(const struct elf_file *e)
{
	return e->ehdr.e_ident[EI_DATA] == ELFDATA2LSB;
}

static void find_in_image(const struct reading *r)
{
	if (!find_section(r, ".eh_frame", true))
		find_by_header(r);
	find_exidx(r);
}

static bool find_in_debug(const struct reading *r)
{
	return find_section(r, ".debug_frame", false) || find_section(r, ".zdebug_frame", false);
}

int unwind_sections_read(const char *image, const char *debug, unwind_section_fn *fn, void *ctx)
{
	struct elf_file *e = NULL;
	int err = image ? elf_file_open(&e, image) : -ENOENT;
	bool found = false;

	if (!err) {
		struct reading r = { e, fn, ctx };

		if (is_little_endian(e)) {
			find_in_image(&r);
			found = find_in_debug(&r);
		}
		elf_file_close(e);
	}
	if (!found && debug && (!image || !str_eq(image, debug)) && !elf_file_open(&e, debug)) {
		if (is_little_endian(e))
			find_in_debug(&(struct reading){ e, fn, ctx });
		elf_file_close(e);
	}
	return err;
}

/* ---- compiling ---- */

static bool section_read(void *ctx, uint64_t addr, unsigned n, uint64_t *value)
{
	const struct unwind_section *s = ctx;
	struct bytes b = { s->bytes, s->bytes + s->size, false };

	bytes_cut(&b, addr - s->addr);
	*value = bytes_number(&b, n);
	return !b.bad && addr >= s->addr;
}

static struct cfi_functions *functions_of(const struct unwind_section *s)
{
	struct cfi_functions *f = cfi_functions_new(&(struct cfi_section){
		.data = s->bytes, .size = s->size, .addr = s->addr, .word = s->word, .eh = s->kind == EH_FRAME,
		.until_zero = s->until_zero, .arm64 = s->arm64 });

	if (cfi_functions_nr(f))
		return f;
	cfi_functions_free(f);
	return NULL;
}

void file_tables_add(void *tables, const struct unwind_section *s)
{
	struct file_tables *t = tables;

	if (s->kind < FILE_FRAMES && !t->frames[s->kind])
		t->frames[s->kind] = functions_of(s);
	else if (s->kind == EXIDX && !t->whole.rules.nr)
		exidx_compile(&t->whole, &(struct exidx_image){
			.read = section_read, .ctx = (void *)(uintptr_t)s, .addr = s->table, .size = s->table_size,
			.end = s->end });
}

int file_tables_read(struct file_tables *t, const char *image, const char *debug)
{
	int err = unwind_sections_read(image, debug, file_tables_add, t);

	t->has_file = !err;
	return err;
}

/*
 * Makes the section with the .eh_frame of @code. Its relative addresses assume that .eh_frame follows the code at the next multiple
 * of 8. Compilers write it so (V8, src/diagnostics/eh-frame.cc), because perf puts both into an ELF file in this way
 * (tools/perf/util/genelf.c of Linux).
 */
static struct cfi_section jit_section_of(const struct jitdump *j, const struct jit_code *code)
{
	bool narrow = j->machine == EM_386 || j->machine == EM_ARM;

	return (struct cfi_section){
		.data = j->frames.v + code->frame_at, .size = code->frame_size, .addr = code->at + round_up(code->size, 8),
		.from = code->at, .to = code->at + code->size, .word = narrow ? 4 : 8, .eh = true,
		.arm64 = j->machine == EM_AARCH64,
	};
}

void jit_tables_read(struct file_tables *t, const struct jitdump *j)
{
	VEC(struct cfi_section) sections = {0};

	vec_for(c, &j->codes)
		if (c->frame_size)
			vec_push(&sections, jit_section_of(j, c));
	cfi_compile_all(&t->whole, sections.v, sections.nr);
	vec_free(&sections);
}

void file_tables_release(struct file_tables *t)
{
	for (unsigned i = 0; i < FILE_FRAMES; i++)
		cfi_functions_free(t->frames[i]);
	rule_table_release(&t->whole);
}

size_t file_tables_bytes(const struct file_tables *t)
{
	size_t n = rule_table_bytes(&t->whole);

	for (unsigned i = 0; i < FILE_FRAMES; i++)
		n += t->frames[i] ? cfi_functions_bytes(t->frames[i]) : 0;
	return n;
}

const struct rule *file_tables_find(const struct file_tables *t, uint64_t addr, const struct rule_table **whose)
{
	const struct rule *r;

	for (unsigned i = 0; i < FILE_FRAMES; i++) {
		*whose = t->frames[i] ? cfi_functions_find(t->frames[i], addr) : NULL;
		r = *whose ? rule_table_find(*whose, addr) : NULL;
		if (r)
			return r;
	}
	*whose = &t->whole;
	return rule_table_find(*whose, addr);
}
